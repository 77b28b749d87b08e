package dynamo_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/infra/engines"
	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/keys/dynamo"
	"github.com/listward/listward/pkg/keys/keystest"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// TestMain makes fewer random runs than rapid's hundred, unless the command line
// asks for more: here each of them is some 400 requests.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "20"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	m.Run()
}

func TestStore(t *testing.T) {
	table := newTable(t)
	keystest.Run(t, func(*testing.T) keys.Store { return dynamo.New(table.client, table.name) })
}

// table is a table as template.yaml has it, on an engine of the test's own.
type table struct {
	*testing.T
	engine *engines.Engine
	client *dynamodb.Client
	name   string

	// store sends its requests through tap, and never waits: pauses are the
	// limits that it asked to wait for.
	store  *dynamo.Store
	tap    *tap
	pauses []time.Duration
}

func newTable(t *testing.T) *table {
	t.Helper()
	engine, transport := engines.DynamoDB(t), &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	tb := &table{
		T: t, engine: engine, client: connect(engine.Endpoint, transport),
		name: "listward-test-" + rand.Text(), tap: &tap{to: transport},
	}
	tb.store = dynamo.New(connect(engine.Endpoint, tb.tap), tb.name)
	tb.store.Pause = func(ctx context.Context, limit time.Duration) error {
		tb.pauses = append(tb.pauses, limit)
		return ctx.Err()
	}
	tb.create()
	return tb
}

// connect returns a client with the SDK's retries, but without their pauses.
func connect(e engines.Endpoint, transport http.RoundTripper) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: &e.Address,
		Region:       e.Region,
		HTTPClient:   &http.Client{Transport: transport},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: e.AccessKey, SecretAccessKey: e.SecretKey}, nil
		}),
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
			o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
		}),
	})
}

func (t *table) create() {
	t.Helper()
	_, err := t.client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName:            &t.name,
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
	})
	t.must(err)
	t.Cleanup(func() {
		if _, err := t.client.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &t.name}); err != nil {
			t.Error(err)
		}
	})
	waiter := dynamodb.NewTableExistsWaiter(t.client)
	t.must(waiter.Wait(t.Context(), &dynamodb.DescribeTableInput{TableName: &t.name}, time.Minute))
}

func (t *table) must(err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (t *table) wantErr(err, want error, what string) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error %v, want %v", what, err, want)
	}
}

func (t *table) wantSame(got, want any, what string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", what, diff)
	}
}

// account creates an account whose plan runs for a year.
func (t *table) account() string {
	t.Helper()
	id, err := keys.NewAccountID(rand.Reader)
	t.must(err)
	_, err = t.store.CreateAccount(t.Context(), id, noon)
	t.must(err)
	t.must(t.store.SetPlan(t.Context(), id, noon.AddDate(1, 0, 0)))
	return id
}

func (t *table) newKey(domains ...string) keys.NewKey {
	t.Helper()
	secret, err := keys.New(rand.Reader)
	t.must(err)
	return keys.NewKey{Secret: secret, Domains: domains, Now: noon}
}

func (t *table) key(account string, domains ...string) (keys.Hash, keys.Key) {
	t.Helper()
	n := t.newKey(domains...)
	key, err := t.store.CreateKey(t.Context(), account, n)
	t.must(err)
	return n.Secret.Hash(), key
}

func keyPK(h keys.Hash) string { return "KEY#" + hex.EncodeToString(h[:]) }

// item reads an item past the store, in the form of the package comment: each
// attribute with its type before the value, as "N 7".
func (t *table) item(pk string) map[string]string {
	t.Helper()
	written := make(map[string]string)
	for name, value := range t.read(pk) {
		switch v := value.(type) {
		case *types.AttributeValueMemberS:
			written[name] = "S " + v.Value
		case *types.AttributeValueMemberN:
			written[name] = "N " + v.Value
		case *types.AttributeValueMemberBS:
			written[name] = fmt.Sprintf("BS %x", v.Value)
		case *types.AttributeValueMemberL:
			for _, element := range v.Value {
				written[name] += "L " + element.(*types.AttributeValueMemberS).Value + " "
			}
		default:
			t.Errorf("%s of %s is a %T", name, pk, value)
		}
	}
	return written
}

func (t *table) read(pk string) map[string]types.AttributeValue {
	t.Helper()
	out, err := t.client.GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: &t.name, Key: map[string]types.AttributeValue{"pk": text(pk)}, ConsistentRead: aws.Bool(true),
	})
	t.must(err)
	return out.Item
}

// put writes an item past the store.
func (t *table) put(item map[string]types.AttributeValue) {
	t.Helper()
	_, err := t.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &t.name, Item: item})
	t.must(err)
}

// set puts one attribute of an item past the store, and nil takes it away.
func (t *table) set(pk, name string, value types.AttributeValue) {
	t.Helper()
	item := t.read(pk)
	item[name] = value
	if value == nil {
		delete(item, name)
	}
	t.put(item)
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n string) types.AttributeValue { return &types.AttributeValueMemberN{Value: n} }
