package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/listward/listward/infra/admin"
	"github.com/listward/listward/infra/apitest"
	"github.com/listward/listward/infra/engines"
	"github.com/listward/listward/pkg/awsenv"
	"github.com/listward/listward/pkg/billing"
	"github.com/listward/listward/pkg/billing/billingtest"
	"github.com/listward/listward/pkg/keys"
)

// TestAPI runs the contract's tests against the whole local stack: HTTP, gateway,
// authorizer and handlers through their JSON events, embedded stores.
func TestAPI(t *testing.T) {
	c := testConfig(t, sampleLists)
	c.stripe = billing.Config{Key: billingtest.Key, Price: billingtest.Price, WebhookSecret: billingtest.WebhookSecret, URL: billingtest.New(t, time.Now).URL}
	server := httptest.NewUnstartedServer(nil) // listening, so that its address is known
	log, closeLog, err := openLog(c)
	if err != nil {
		t.Fatal(err)
	}
	s := startStackAt(t, c, "http://"+server.Listener.Addr().String(), time.Now, log)
	server.Config.Handler = s.handler
	server.Start()
	t.Cleanup(server.Close)
	apitest.Run(t, apitest.Service{URL: server.URL, Admin: s.admin})
	if err := closeLog(); err != nil {
		t.Error(err)
	}
	apitest.CheckSecrets(t, c.data)
}

// testConfig is a configuration with a data folder of its own.
func testConfig(t *testing.T, lists string) config {
	t.Helper()
	return config{lists: lists, data: t.TempDir(), template: filepath.Join("..", "..", "template.yaml")}
}

// startStack opens a stack and fills it with lists. Its bulk files are at no address.
func startStack(t *testing.T, c config, now func() time.Time, log *slog.Logger) *stack {
	t.Helper()
	return startStackAt(t, c, "http://nowhere.invalid", now, log)
}

func startStackAt(t *testing.T, c config, address string, now func() time.Time, log *slog.Logger) *stack {
	t.Helper()
	s, err := openStack(c, address, now, log)
	if err != nil {
		t.Fatalf("open the stack: %v", err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Errorf("close the stack: %v", err)
		}
	})
	if err := s.firstRefresh(t.Context(), c, io.Discard); err != nil {
		t.Fatalf("first refresh: %v", err)
	}
	return s
}

func (s *stack) admin(t testing.TB, args ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := admin.Run(t.Context(), s.keys, s.now, rand.Reader, args, &out); err != nil {
		t.Fatalf("admin %q: %v", args, err)
	}
	return out.Bytes()
}

// TestCommandOnDynamoDB: the operator's command works on a table as it does on a stack.
func TestCommandOnDynamoDB(t *testing.T) {
	engine := engines.DynamoDB(t)
	environment := map[string]string{
		"AWS_REGION": engine.Region, "AWS_ACCESS_KEY_ID": engine.AccessKey, "AWS_SECRET_ACCESS_KEY": engine.SecretKey,
		"AWS_ENDPOINT_URL_DYNAMODB": engine.Address,
	}
	getenv := func(name string) string { return environment[name] }
	config, err := awsenv.Config(getenv)
	if err != nil {
		t.Fatal(err)
	}
	_, err = dynamodb.NewFromConfig(config).CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("keys"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := testConfig(t, sampleLists)
	c.table = "keys"
	run := func(into any, args ...string) {
		t.Helper()
		var out bytes.Buffer
		if err := command(t.Context(), c, getenv, args, &out); err != nil {
			t.Fatalf("admin %q: %v", args, err)
		}
		if err := json.Unmarshal(out.Bytes(), into); err != nil {
			t.Fatal(err)
		}
	}
	var created keys.Account
	run(&created, "account", "create", "--until", "2099-01-01")
	var key struct{ Key string }
	run(&key, "key", "create", created.ID, "--label", "cloud")
	var listed []keys.Key
	run(&listed, "key", "list", created.ID)
	if len(listed) != 1 || listed[0].Label != "cloud" || !strings.HasPrefix(key.Key, "lw_") {
		t.Errorf("key %+v, list %+v", key, listed)
	}
	delete(environment, "AWS_REGION")
	if err := command(t.Context(), c, getenv, []string{"account", "list"}, io.Discard); !errors.Is(err, errCommand) || !strings.Contains(err.Error(), "AWS_REGION") {
		t.Errorf("without a region: %v", err)
	}
}
