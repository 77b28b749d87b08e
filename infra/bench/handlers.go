package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/listward/listward/pkg/api"
	"github.com/listward/listward/pkg/apigw"
	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/objects"
)

var errAnswer = errors.New("the handler did not answer with 200")

const (
	requestID = "bench"
	batchSize = 100
)

// measureHandlers sends API Gateway's events through the handlers, as Lambda does.
func measureHandlers(ctx context.Context, store objects.Store, queries []string) error {
	edge := &api.Edge{
		Editions: edition.NewFollower(store, time.Hour, time.Now, slog.New(slog.DiscardHandler)),
		Now:      time.Now, Log: slog.New(slog.DiscardHandler),
	}
	one, batch := apigw.Handler(edge.Screen()), apigw.Handler(edge.Batch())
	hundred := batchEvent(queries[:batchSize])
	err := answers(ctx, batch, hundred)
	for _, name := range queries {
		err = errors.Join(err, answers(ctx, one, screenEvent(name)))
	}
	if err != nil {
		return err
	}
	sent := map[string][]byte{}
	for _, name := range queries {
		sent[name] = screenEvent(name)
	}
	times := timed(queries, func(name string) { _, _ = one.Invoke(ctx, sent[name]) }) // each did answer
	report("handler_p50_us", micros(percentile(times, 50)), "us")
	report("handler_p99_us", micros(percentile(times, 99)), "us")
	if err := measurePages(ctx, edge); err != nil {
		return err
	}
	report("batch100_ms", micros(median("", func(string) { _, _ = batch.Invoke(ctx, hundred) }))/1e3, "ms")
	return nil
}

// measurePages browses a page of 500 rows in each format.
func measurePages(ctx context.Context, edge *api.Edge) error {
	browse := apigw.Handler(edge.Sanctions())
	for _, format := range []string{"json", "csv", "ndjson", "xlsx"} {
		page := event("GET", "", map[string][]string{"limit": {"500"}, "format": {format}})
		if err := answers(ctx, browse, page); err != nil {
			return err
		}
		report("page500_"+format+"_ms", micros(median("", func(string) { _, _ = browse.Invoke(ctx, page) }))/1e3, "ms")
	}
	return nil
}

// answers makes sure of an answer.
func answers(ctx context.Context, handler function, event []byte) error {
	out, err := handler.Invoke(ctx, event)
	var answer events.APIGatewayProxyResponse
	if err := errors.Join(err, json.Unmarshal(out, &answer)); err != nil {
		return fmt.Errorf("%w: %w", errAnswer, err)
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: %d %s", errAnswer, answer.StatusCode, answer.Body)
	}
	return nil
}

type function interface {
	Invoke(ctx context.Context, event []byte) ([]byte, error)
}

func screenEvent(name string) []byte {
	return event("GET", "", map[string][]string{"name": {name}})
}

func batchEvent(names []string) []byte {
	body, _ := json.Marshal(map[string][]string{"names": names}) // strings only
	return event("POST", string(body), nil)
}

// event is what API Gateway sends for a call that the authorizer let pass.
func event(method, body string, query map[string][]string) []byte {
	verdict := keys.Verdict{Code: keys.OK, Limit: 1000, Remaining: 999, Reset: time.Now(), KeyID: "key_1", Account: "acct_1", RequestID: requestID}
	text, _ := json.Marshal(events.APIGatewayProxyRequest{ // no value that JSON cannot hold
		HTTPMethod: method, Path: "/api/v1/screen", Resource: "/api/v1/screen", Body: body,
		MultiValueQueryStringParameters: query,
		RequestContext:                  events.APIGatewayProxyRequestContext{RequestID: requestID, Authorizer: verdict.Context()},
	})
	return text
}
