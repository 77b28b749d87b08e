package awsenv_test

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/listward/listward/pkg/awsenv"
)

var lambda = map[string]string{
	"AWS_REGION":            "eu-central-1",
	"AWS_ACCESS_KEY_ID":     "ASIAEXAMPLE",
	"AWS_SECRET_ACCESS_KEY": "secret",
	"AWS_SESSION_TOKEN":     "token",
}

// environment is Lambda's, with one variable changed.
func environment(name, value string) func(string) string {
	all := maps.Clone(lambda)
	all[name] = value
	return func(name string) string { return all[name] }
}

func TestConfig(t *testing.T) {
	for _, token := range []string{"token", ""} {
		config, err := awsenv.Config(environment("AWS_SESSION_TOKEN", token))
		if err != nil {
			t.Fatalf("Config with session token %q: %v", token, err)
		}
		got, err := config.Credentials.Retrieve(t.Context())
		if err != nil {
			t.Fatalf("Retrieve with session token %q: %v", token, err)
		}
		if got.AccessKeyID != "ASIAEXAMPLE" || got.SecretAccessKey != "secret" || got.SessionToken != token {
			t.Errorf("credentials with session token %q are %+v", token, got)
		}
		if config.Region != "eu-central-1" {
			t.Errorf("region is %q, want eu-central-1", config.Region)
		}
	}
}

func TestConfigEndpoints(t *testing.T) {
	const address = "http://127.0.0.1:4566"
	for variable, want := range map[string]struct{ s3, dynamodb string }{
		"AWS_ENDPOINT_URL_S3":       {s3: address},
		"AWS_ENDPOINT_URL_DYNAMODB": {dynamodb: address},
		"ANOTHER_VARIABLE":          {},
	} {
		config, err := awsenv.Config(environment(variable, address))
		if err != nil {
			t.Fatalf("Config with %s: %v", variable, err)
		}
		if got := aws.ToString(s3.NewFromConfig(config).Options().BaseEndpoint); got != want.s3 {
			t.Errorf("with %s the S3 client is at %q, want %q", variable, got, want.s3)
		}
		if got := aws.ToString(dynamodb.NewFromConfig(config).Options().BaseEndpoint); got != want.dynamodb {
			t.Errorf("with %s the DynamoDB client is at %q, want %q", variable, got, want.dynamodb)
		}
	}
}

func TestConfigMissing(t *testing.T) {
	for _, name := range []string{"AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		_, err := awsenv.Config(environment(name, ""))
		if !errors.Is(err, awsenv.ErrMissing) || !strings.Contains(err.Error(), name) {
			t.Errorf("Config without %s = %v, want ErrMissing that names it", name, err)
		}
	}
}

// TestConnectionsAreNotKeptLong: after a freeze, none is used that the server may
// have closed.
func TestConnectionsAreNotKeptLong(t *testing.T) {
	config, err := awsenv.Config(func(string) string { return "x" })
	if err != nil {
		t.Fatal(err)
	}
	client, ok := config.HTTPClient.(*awshttp.BuildableClient)
	if !ok || client.GetTransport().IdleConnTimeout <= 0 || client.GetTransport().IdleConnTimeout > 10*time.Second {
		t.Errorf("HTTP client %T keeps connections too long", config.HTTPClient)
	}
}
