package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/infra/gateway"
)

func TestAuthorizerEvent(t *testing.T) {
	var got events.APIGatewayCustomAuthorizerRequestTypeRequest
	authorizer := function(func(_ context.Context, payload []byte) ([]byte, error) {
		return []byte(allow), json.Unmarshal(payload, &got)
	})
	h := handler(t, template(gateway.Route{Path: "/api/{proxy+}", Method: "ANY", Authorized: true}), authorizer, returns(ok))
	r := get("http://listward.example/api/v1?key=a&key=b")
	r.Header.Set("Authorization", "Bearer lw_x")
	if response, body := serve(h, r); response.StatusCode != 200 {
		t.Fatalf("GET: %d %s", response.StatusCode, body)
	}
	want := events.APIGatewayCustomAuthorizerRequestTypeRequest{
		Type:       "REQUEST",
		MethodArn:  "arn:aws:execute-api:us-east-1:000000000000:local/prod/GET/api/v1",
		Resource:   "/api/{proxy+}",
		Path:       "/api/v1",
		HTTPMethod: "GET",
		Headers: map[string]string{
			"Authorization": "Bearer lw_x", "Host": "listward.example",
			"X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "http",
		},
		MultiValueHeaders: map[string][]string{
			"Authorization": {"Bearer lw_x"}, "Host": {"listward.example"},
			"X-Forwarded-For": {"192.0.2.1"}, "X-Forwarded-Proto": {"http"},
		},
		QueryStringParameters:           map[string]string{"key": "b"},
		MultiValueQueryStringParameters: map[string][]string{"key": {"a", "b"}},
		PathParameters:                  map[string]string{"proxy": "v1"},
		RequestContext: events.APIGatewayCustomAuthorizerRequestTypeRequestContext{
			Path: "/api/v1", AccountID: "000000000000", ResourceID: "/api/{proxy+}", Stage: "prod", RequestID: "request-1",
			Identity:     events.APIGatewayCustomAuthorizerRequestTypeRequestIdentity{SourceIP: "192.0.2.1"},
			ResourcePath: "/api/{proxy+}", HTTPMethod: "GET", APIID: "local",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("authorizer event (-want +got):\n%s", diff)
	}
}

func policy(statements string) string {
	return `{"principalId":"p","policyDocument":{"Statement":[` + statements + `]}}`
}

func TestAuthorizer(t *testing.T) {
	const yes = `{"Effect":"Allow","Action":["execute-api:Invoke"],"Resource":["*"]}`
	for _, c := range []struct {
		what       string
		authorizer gateway.Invoker
		status     int
		body       string
	}{
		{"allows all", returns(policy(yes)), 200, "ok"},
		{"allows the stage", returns(policy(`{"Effect":"Allow","Action":["execute-api:*"],"Resource":["arn:aws:execute-api:*:*:local/prod/*"]}`)), 200, "ok"},
		{"allows one character", returns(policy(`{"Effect":"Allow","Action":["*"],"Resource":["arn:*/G?T/x"]}`)), 200, "ok"},
		{"allows another method", returns(policy(`{"Effect":"Allow","Action":["execute-api:Invoke"],"Resource":["arn:*/POST/x"]}`)), 403, "denied"},
		{"allows by a pattern of a regular expression", returns(policy(`{"Effect":"Allow","Action":["execute-api:Invoke"],"Resource":[".*"]}`)), 403, "denied"},
		{"allows another action", returns(policy(`{"Effect":"Allow","Action":["execute-api:ManageConnections"],"Resource":["*"]}`)), 403, "denied"},
		{"denies", returns(policy(`{"Effect":"Deny","Action":["execute-api:Invoke"],"Resource":["*"]}`)), 403, "denied"},
		{"allows and denies", returns(policy(yes + `,{"Effect":"Deny","Action":["*"],"Resource":["*"]}`)), 403, "denied"},
		{"says neither", returns(policy("")), 403, "denied"},
		{"fails", fails(errors.New("no table")), 500, "default 5XX"},
		{"returns no JSON", returns("yes"), 500, "default 5XX"},
		{"returns nothing", returns("null"), 500, "default 5XX"},
		{"names no principal", returns(strings.Replace(policy(yes), `"p"`, `""`, 1)), 500, "default 5XX"},
		{"passes an object", returns(strings.Replace(allow, `true`, `{}`, 1)), 500, "default 5XX"},
		{"passes null", returns(strings.Replace(allow, `true`, `null`, 1)), 500, "default 5XX"},
		{"passes a list and denies", returns(`{"principalId":"p","policyDocument":{"Statement":[]},"context":{"a":[]}}`), 500, "default 5XX"},
	} {
		template := template(gateway.Route{Path: "/x", Method: "GET", Authorized: true})
		template.Responses["ACCESS_DENIED"] = gateway.Response{Body: "denied"}
		response, body := serve(handler(t, template, c.authorizer, returns(ok)), get("/x"))
		if response.StatusCode != c.status || body != c.body {
			t.Errorf("an authorizer that %s: %d %q, want %d %q", c.what, response.StatusCode, body, c.status, c.body)
		}
	}
}
