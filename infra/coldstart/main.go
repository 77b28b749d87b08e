// Command coldstart measures what a caller waits for when Lambda starts a function
// anew: from the start of the real bootstrap's process to its first answer, with
// the lists in an S3 engine and a key in a DynamoDB engine on this machine.
//
//	coldstart LISTS ARCHIVE
//
// LISTS is a folder of full lists, ARCHIVE the zip of the screen function that is
// deployed. It prints lines of name, value and unit; times are medians of 20 runs.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/listward/listward/infra/runtimeapi"
	"github.com/listward/listward/infra/stage"
	"github.com/listward/listward/pkg/fetch"
	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/keys/dynamo"
	objectss3 "github.com/listward/listward/pkg/objects/s3"
	"github.com/listward/listward/pkg/refresh"
)

const runs = 20

var (
	errUsage  = errors.New("usage: coldstart LISTS ARCHIVE")
	errAnswer = errors.New("the function's answer is not the expected one")
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "coldstart:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	if len(args) != 2 {
		return errUsage
	}
	archive, err := os.Stat(args[1])
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "coldstart")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := stage.Open(ctx, ".", dir, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	key, err := prepare(ctx, s, args[0])
	if err != nil {
		return err
	}
	screen, err := measure(ctx, s.Functions["screen"], screenEvent(), `"matched\":true`)
	if err != nil {
		return err
	}
	authorizer, err := measure(ctx, s.Functions["authorizer"], authorizerEvent(key), `"code":"ok"`)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "cold_start_ms %.1f ms\n", milliseconds(screen))
	fmt.Fprintf(out, "authorizer_cold_start_ms %.1f ms\n", milliseconds(authorizer))
	fmt.Fprintf(out, "rss_mb %.1f MB\n", megabytes(s.Functions["screen"].PeakMemory()))
	fmt.Fprintf(out, "authorizer_rss_mb %.1f MB\n", megabytes(s.Functions["authorizer"].PeakMemory()))
	fmt.Fprintf(out, "zip_mb %.2f MB\n", megabytes(archive.Size()))
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
func megabytes(bytes int64) float64        { return float64(bytes) / (1 << 20) }

// prepare publishes the lists and creates a key.
func prepare(ctx context.Context, s *stage.Stage, lists string) (key string, err error) {
	buckets, tables, err := s.Clients()
	if err != nil {
		return "", err
	}
	objects := objectss3.New(buckets, stage.Bucket, rand.Text)
	refresher := &refresh.Refresher{
		Store:  objects,
		Origin: fetch.Folder{FS: os.DirFS(lists)},
		Now:    time.Now,
		Log:    slog.New(slog.DiscardHandler),
		Guard:  refresh.Lease(objects, "coldstart", time.Now),
	}
	if _, err := refresher.Run(ctx); err != nil {
		return "", err
	}
	store, now := dynamo.New(tables, stage.Table), time.Now()
	secret, err := keys.New(rand.Reader)
	if err != nil {
		return "", err
	}
	const account = "acct_coldstart"
	if _, err := store.CreateAccount(ctx, account, now); err != nil {
		return "", err
	}
	if err := store.SetPlan(ctx, account, now.AddDate(0, 1, 0)); err != nil {
		return "", err
	}
	_, err = store.CreateKey(ctx, account, keys.NewKey{Secret: secret, Now: now})
	return secret.Reveal(), err
}

// measure returns the median time from a process's start to its first answer.
func measure(ctx context.Context, f *runtimeapi.Function, event any, want string) (time.Duration, error) {
	payload, err := json.Marshal(event)
	if err != nil {
		return 0, err
	}
	var times []time.Duration
	for range runs {
		started := time.Now()
		answer, err := f.Invoke(ctx, payload)
		times = append(times, time.Since(started))
		f.Kill()
		if err != nil {
			return 0, err
		}
		if !bytes.Contains(answer, []byte(want)) {
			return 0, fmt.Errorf("%w: %.200s", errAnswer, answer)
		}
	}
	slices.Sort(times)
	return times[runs/2], nil
}

func screenEvent() events.APIGatewayProxyRequest {
	const id = "coldstart"
	verdict := keys.Verdict{
		Code: keys.OK, Limit: keys.Limit, Remaining: keys.Limit, Reset: keys.NextReset(time.Now()),
		KeyID: "key_coldstart", Account: "acct_coldstart", RequestID: id,
	}
	return events.APIGatewayProxyRequest{
		Resource: "/api/v1/screen", Path: "/api/v1/screen", HTTPMethod: "GET",
		MultiValueQueryStringParameters: map[string][]string{"name": {"Vladimir Putin"}},
		RequestContext:                  events.APIGatewayProxyRequestContext{RequestID: id, Authorizer: verdict.Context()},
	}
}

func authorizerEvent(key string) events.APIGatewayCustomAuthorizerRequestTypeRequest {
	return events.APIGatewayCustomAuthorizerRequestTypeRequest{
		Type: "REQUEST", Resource: "/api/v1/screen", HTTPMethod: "GET",
		MethodArn:         "arn:aws:execute-api:us-east-1:000000000000:local/prod/GET/api/v1/screen",
		MultiValueHeaders: map[string][]string{"Authorization": {"Bearer " + key}},
		RequestContext:    events.APIGatewayCustomAuthorizerRequestTypeRequestContext{RequestID: "coldstart"},
	}
}
