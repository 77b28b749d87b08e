package engines_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/listward/listward/infra/engines"
)

// call has dynoxide do something, which wants a signature and does not check it.
func call(t *testing.T, address, operation, body string) (string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	request.Header.Set("Content-Type", "application/x-amz-json-1.0")
	request.Header.Set("X-Amz-Date", "20261120T120000Z")
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=a/20261120/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0")
	return send(t, &http.Client{}, request)
}

func send(t *testing.T, client *http.Client, request *http.Request) (string, error) {
	t.Helper()
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	answer, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return string(answer), nil
}

func restart(t *testing.T, engine *engines.Engine) {
	t.Helper()
	if err := engine.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// stop stops an engine twice and looks that it is gone.
func stop(t *testing.T, engine *engines.Engine) {
	t.Helper()
	for range 2 {
		err := engine.Stop()
		if errors.Is(err, engines.ErrOutside) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := call(t, engine.Address, "ListTables", "{}"); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a request to the stopped engine: error %v, want %v", err, syscall.ECONNREFUSED)
	}
}

func TestDynamoDB(t *testing.T) {
	engine := engines.DynamoDB(t)
	if engine.Region == "" || engine.Folder != "" {
		t.Errorf("the endpoint is %+v, want a region and no folder", engine.Endpoint)
	}
	address := engine.Address
	stop(t, engine)
	restart(t, engine)
	const table = `{"TableName": "kept", "BillingMode": "PAY_PER_REQUEST",
		"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
		"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}`
	if got, err := call(t, address, "CreateTable", table); err != nil || !strings.Contains(got, "TableDescription") {
		t.Fatalf("CreateTable: %s, %v", got, err)
	}
	restart(t, engine) // without a stop before
	got, err := call(t, address, "ListTables", "{}")
	if want := `{"TableNames":["kept"]}`; err != nil || got != want {
		t.Errorf("ListTables after a restart = %s, %v, want %s", got, err, want)
	}
}

func TestEnginesAreApart(t *testing.T) {
	one, two := engines.DynamoDB(t), engines.DynamoDB(t)
	if one.Address == two.Address {
		stop(t, one) // skips where both are the one from outside
		t.Errorf("two engines have the address %s", one.Address)
	}
}

func TestS3(t *testing.T) {
	engine := engines.S3(t)
	wantBucket(t, &http.Client{}, engine.Endpoint)
	stop(t, engine)
	restart(t, engine)
	wantBucket(t, &http.Client{}, engine.Endpoint)
}

// TestStripe has an engine refuse a request without the key and take one with it.
func TestStripe(t *testing.T) {
	engine := engines.Stripe(t)
	const path = "/v1/customers"
	if got, err := get(t, &http.Client{}, engine.Address+path); err != nil || !strings.Contains(got, "Please authenticate") {
		t.Errorf("a request without the key = %q, %v, want it refused", got, err)
	}
	stop(t, engine)
	restart(t, engine)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, engine.Address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+engine.SecretKey)
	if got, err := send(t, &http.Client{}, request); err != nil || !strings.Contains(got, `"object":"list"`) {
		t.Errorf("a request with the key = %q, %v, want a list", got, err)
	}
}

func TestS3TLS(t *testing.T) {
	endpoint, trusted := engines.S3TLS(t)
	wantBucket(t, &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}}, endpoint)
	_, err := get(t, &http.Client{}, endpoint.Address)
	var unknown x509.UnknownAuthorityError
	if !errors.As(err, &unknown) {
		t.Errorf("a client that does not trust the pool: error %v, want %T", err, unknown)
	}
}

func get(t *testing.T, client *http.Client, address string) (string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	return send(t, client, request)
}

// wantBucket makes a bucket as a folder, and knows by the refusal of a request
// without a signature that it is one.
func wantBucket(t *testing.T, client *http.Client, endpoint engines.Endpoint) {
	t.Helper()
	if endpoint.Folder == "" {
		t.Skip("the S3 engine from outside shows no folder")
	}
	if err := os.MkdirAll(filepath.Join(endpoint.Folder, "bucket"), 0o700); err != nil {
		t.Fatal(err)
	}
	const want = "<Code>AccessDenied</Code>"
	if got, err := get(t, client, endpoint.Address+"/bucket"); err != nil || !strings.Contains(got, want) {
		t.Errorf("a request without a signature = %q, %v, want %s in it", got, err, want)
	}
}

func TestFromOutside(t *testing.T) {
	for prefix, start := range map[string]func(context.Context, string) (*engines.Engine, error){
		"LISTWARD_DYNAMODB": engines.StartDynamoDB,
		"LISTWARD_S3":       engines.StartS3,
	} {
		t.Setenv(prefix+"_ENDPOINT", "https://store.example")
		t.Setenv(prefix+"_ACCESS_KEY", "access")
		t.Setenv(prefix+"_SECRET_KEY", "secret")
		for region, want := range map[string]string{"": "us-east-1", "eu-central-1": "eu-central-1"} {
			t.Setenv(prefix+"_REGION", region)
			engine, err := start(t.Context(), t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			outside := engines.Endpoint{Address: "https://store.example", AccessKey: "access", SecretKey: "secret", Region: want}
			if engine.Endpoint != outside {
				t.Errorf("%s with the region %q gives %+v, want %+v", prefix, region, engine.Endpoint, outside)
			}
			for what, err := range map[string]error{"Stop": engine.Stop(), "Restart": engine.Restart(t.Context())} {
				if !errors.Is(err, engines.ErrOutside) {
					t.Errorf("%s of %s: error %v, want %v", what, prefix, err, engines.ErrOutside)
				}
			}
		}
	}
}
