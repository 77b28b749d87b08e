package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"

	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/keys/dynamo"
	"github.com/listward/listward/pkg/screen"
)

// The caller of all calls.
const (
	account   = "acct_cost"
	requestID = "cost"
	path      = "/api/v1/screen"
)

// maxName is how many characters of a name the API takes.
const maxName = 200

// names are some hundred that are listed, from all over the lists, and the hundred words
// of two letters that meet the most entries.
func (l *lab) names() (listed, short []string) {
	met := func(name string) int { return screen.Find(l.Data, screen.Query{Name: name}, 1).Count }
	step := max(1, l.Data.Names()/namesOfBatch)
	for n := 0; n < l.Data.Names() && len(listed) < namesOfBatch; n += step {
		name := l.Data.Name(n).Text
		if utf8.RuneCountInString(name) <= maxName && met(name) > 0 {
			listed = append(listed, name)
		}
	}
	entries := map[string]int{}
	for n := range 26 * 26 {
		word := string([]byte{'a' + byte(n/26), 'a' + byte(n%26)})
		if entries[word] = met(word); entries[word] > 0 {
			short = append(short, word)
		}
	}
	slices.SortFunc(short, func(a, b string) int {
		return cmp.Or(cmp.Compare(entries[b], entries[a]), cmp.Compare(a, b))
	})
	return listed, short[:min(len(short), namesOfBatch)]
}

func createKey(ctx context.Context, store *dynamo.Store) (string, error) {
	now := time.Now()
	secret, err := keys.New(rand.Reader)
	if err != nil {
		return "", err
	}
	if _, err := store.CreateAccount(ctx, account, now); err != nil {
		return "", err
	}
	if err := store.SetPlan(ctx, account, now.AddDate(0, 1, 0)); err != nil {
		return "", err
	}
	_, err = store.CreateKey(ctx, account, keys.NewKey{Secret: secret, Now: now})
	return secret.Reveal(), err
}

// authorizerEvent is what API Gateway asks the authorizer.
func authorizerEvent(key string) events.APIGatewayCustomAuthorizerRequestTypeRequest {
	return events.APIGatewayCustomAuthorizerRequestTypeRequest{
		Type: "REQUEST", Resource: path, HTTPMethod: "GET",
		MethodArn:         "arn:aws:execute-api:us-east-1:000000000000:local/prod/GET" + path,
		MultiValueHeaders: map[string][]string{"Authorization": {"Bearer " + key}},
		RequestContext:    events.APIGatewayCustomAuthorizerRequestTypeRequestContext{RequestID: requestID},
	}
}

func screenEvent(name string) events.APIGatewayProxyRequest {
	e := admitted("GET")
	e.MultiValueQueryStringParameters = map[string][]string{"name": {name}}
	return e
}

func batchEvent(names []string) events.APIGatewayProxyRequest {
	body, _ := json.Marshal(map[string]any{"names": names, "rows": true}) // strings only
	e := admitted("POST")
	e.Body = string(body)
	return e
}

// admitted is what API Gateway sends for a call that the authorizer let pass.
func admitted(method string) events.APIGatewayProxyRequest {
	verdict := keys.Verdict{
		Code: keys.OK, Limit: keys.Limit, Remaining: keys.Limit, Reset: keys.NextReset(time.Now()),
		KeyID: "key_cost", Account: account, RequestID: requestID,
	}
	return events.APIGatewayProxyRequest{
		Resource: path, Path: path, HTTPMethod: method,
		RequestContext: events.APIGatewayProxyRequestContext{RequestID: requestID, Authorizer: verdict.Context()},
	}
}
