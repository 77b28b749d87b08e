// Package cloud puts the service's parts on AWS, in the same way for every
// function: each main of functions calls one function of this package and starts.
// What runs elsewhere is put together where it runs (infra/local).
package cloud

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/listward/listward/pkg/api"
	"github.com/listward/listward/pkg/apigw"
	"github.com/listward/listward/pkg/awsenv"
	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/fetch"
	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/keys/dynamo"
	"github.com/listward/listward/pkg/objects"
	objectss3 "github.com/listward/listward/pkg/objects/s3"
	"github.com/listward/listward/pkg/refresh"
)

// ErrMissing is returned when a variable that template.yaml sets is not set.
var ErrMissing = errors.New("missing environment variable")

// maxAge is how old a warm function's look at the pointer may be.
const maxAge = time.Minute

// Log writes lines of JSON to standard output, where Lambda collects them.
func Log() *slog.Logger { return slog.New(slog.NewJSONHandler(os.Stdout, nil)) }

// Builder puts together what answers a function's calls.
type Builder func(ctx context.Context, getenv func(string) string, log *slog.Logger) (http.Handler, error)

// Serve answers Lambda's calls with what is built. It returns only if it cannot start,
// which is in the log then.
func Serve(getenv func(string) string, build Builder) error {
	ctx, log := context.Background(), Log()
	handler, err := build(ctx, getenv, log)
	if err != nil {
		log.ErrorContext(ctx, "cannot start", "error", err)
		return err
	}
	lambda.Start(apigw.Handler(handler))
	return nil
}

// Lists builds an endpoint that answers from the lists.
func Lists(endpoint func(*api.Edge) http.Handler) Builder {
	return func(ctx context.Context, getenv func(string) string, log *slog.Logger) (http.Handler, error) {
		edge, err := Edge(ctx, getenv, log)
		if err != nil {
			return nil, err
		}
		return endpoint(edge), nil
	}
}

// Edge is what the functions share that answer from the lists, which it loads, so
// that no caller waits for them. Without lists to load it starts all the same:
// calls are then unavailable, and each looks for lists again.
func Edge(ctx context.Context, getenv func(string) string, log *slog.Logger) (*api.Edge, error) {
	store, downloads, err := lists(getenv)
	if err != nil {
		return nil, fmt.Errorf("configure the edge: %w", err)
	}
	editions := edition.NewFollower(store, maxAge, time.Now, log)
	if _, err := editions.Current(ctx); err != nil {
		log.ErrorContext(ctx, "started without lists", "error", err)
	}
	return &api.Edge{Editions: editions, Store: store, Downloads: downloads, Now: time.Now, Log: log}, nil
}

// Authorizer judges calls by the table of keys.
func Authorizer(getenv func(string) string, log *slog.Logger) (*keys.Authorizer, error) {
	store, err := keyStore(getenv)
	if err == nil {
		_, err = variable(getenv, "EMBED_PARAMETERS")
	}
	if err != nil {
		return nil, fmt.Errorf("configure the authorizer: %w", err)
	}
	return keys.NewAuthorizer(store, lazyTokens(getenv), time.Now, log), nil
}

// keyStore is the table of accounts and keys.
func keyStore(getenv func(string) string) (*dynamo.Store, error) {
	config, err := awsenv.Config(getenv)
	if err != nil {
		return nil, err
	}
	table, err := variable(getenv, "KEYS_TABLE")
	if err != nil {
		return nil, err
	}
	return dynamo.New(dynamodb.NewFromConfig(config), table), nil
}

// variable is one that template.yaml sets, or ErrMissing.
func variable(getenv func(string) string, name string) (string, error) {
	value := getenv(name)
	if value == "" {
		return "", fmt.Errorf("%w: %s", ErrMissing, name)
	}
	return value, nil
}

// Refresher publishes the publishers' lists.
func Refresher(getenv func(string) string, log *slog.Logger) (*refresh.Refresher, error) {
	store, _, err := lists(getenv)
	if err != nil {
		return nil, fmt.Errorf("configure the refresh: %w", err)
	}
	return &refresh.Refresher{
		Store:  store,
		Origin: fetch.Publishers(),
		Now:    time.Now,
		Log:    log,
		Guard:  refresh.Lease(store, rand.Text(), time.Now),
	}, nil
}

// lists is the store of what the refresh publishes and the others read, and what hands
// out addresses of it.
func lists(getenv func(string) string) (objects.Store, objects.Downloader, error) {
	config, err := awsenv.Config(getenv)
	if err != nil {
		return nil, nil, err
	}
	bucket, err := variable(getenv, "LISTS_BUCKET")
	if err != nil {
		return nil, nil, err
	}
	client := s3.NewFromConfig(config)
	return objectss3.New(client, bucket, rand.Text), objectss3.NewDownloads(s3.NewPresignClient(client), bucket), nil
}
