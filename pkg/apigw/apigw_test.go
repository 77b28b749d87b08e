package apigw_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/apigw"
	"github.com/listward/listward/pkg/keys"
)

func invoke(t *testing.T, h http.HandlerFunc, e events.APIGatewayProxyRequest) events.APIGatewayProxyResponse {
	t.Helper()
	payload, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	out, err := apigw.Handler(h).Invoke(t.Context(), payload)
	if err != nil {
		t.Fatalf("Invoke: %v", err)
	}
	var answer events.APIGatewayProxyResponse
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// TestRequest: the handler sees the call as the client made it.
func TestRequest(t *testing.T) {
	called := false
	invoke(t, func(_ http.ResponseWriter, r *http.Request) {
		called = true
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got := []string{
			r.Method, r.URL.Path, r.URL.Query().Get("name"), strings.Join(r.URL.Query()["twice"], "+"),
			strings.Join(r.Header.Values("x-two"), "+"), r.Host, r.RemoteAddr, string(body), apigw.RequestID(r.Context()),
		}
		want := []string{"POST", "/a b/%", "Müller & söhne+", "1+2", "p+q", "api.example", "192.0.2.7", "bo\x00dy", "r-7"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("request (-want +got):\n%s", diff)
		}
	}, events.APIGatewayProxyRequest{
		HTTPMethod: "POST", Path: "/a%20b/%25",
		MultiValueQueryStringParameters: map[string][]string{"name": {"Müller & söhne+"}, "twice": {"1", "2"}},
		MultiValueHeaders:               map[string][]string{"X-Two": {"p", "q"}, "host": {"api.example"}},
		Body:                            "Ym8AZHk=", IsBase64Encoded: true,
		RequestContext: events.APIGatewayProxyRequestContext{
			RequestID: "r-7", Identity: events.APIGatewayRequestIdentity{SourceIP: "192.0.2.7"},
		},
	})
	if !called {
		t.Error("the handler was not called")
	}
}

func TestOddPathsReachTheHandler(t *testing.T) {
	for path, want := range map[string]string{"//evil.example/x": "//evil.example/x", "/%zz": "/%zz", "/..%2fx": "/../x", "": ""} {
		invoke(t, func(_ http.ResponseWriter, r *http.Request) {
			if r.URL.Path != want || r.URL.Host != "" {
				t.Errorf("path %q arrived as %q on host %q, want %q", path, r.URL.Path, r.URL.Host, want)
			}
		}, events.APIGatewayProxyRequest{HTTPMethod: "GET", Path: path})
	}
}

func TestResponse(t *testing.T) {
	text := invoke(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Add("X-Two", "p")
		w.Header().Add("X-Two", "q")
		w.WriteHeader(http.StatusTeapot)
		w.WriteHeader(http.StatusOK) // too late, as with net/http
		fmt.Fprint(w, "grüße")
	}, events.APIGatewayProxyRequest{HTTPMethod: "GET"})
	if text.StatusCode != http.StatusTeapot || text.Body != "grüße" || text.IsBase64Encoded ||
		!cmp.Equal(text.MultiValueHeaders["X-Two"], []string{"p", "q"}) {
		t.Errorf("text answer %+v", text)
	}
	binary := invoke(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte{0xff, 0x00})
	}, events.APIGatewayProxyRequest{HTTPMethod: "GET"})
	if binary.StatusCode != http.StatusOK || binary.Body != "/wA=" || !binary.IsBase64Encoded {
		t.Errorf("binary answer %+v", binary)
	}
	// Escapes make six bytes of one in JSON, base64 four of three: Lambda takes 6 MB.
	markup := strings.Repeat("<", 2<<20)
	long := invoke(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, markup) }, events.APIGatewayProxyRequest{HTTPMethod: "GET"})
	if body, err := base64.StdEncoding.DecodeString(long.Body); err != nil || !long.IsBase64Encoded || string(body) != markup {
		t.Errorf("long text: base64 %v of %d bytes, %v", long.IsBase64Encoded, len(long.Body), err)
	}
	if silent := invoke(t, func(http.ResponseWriter, *http.Request) {}, events.APIGatewayProxyRequest{HTTPMethod: "GET"}); silent.StatusCode != http.StatusOK {
		t.Errorf("an answer without a word has status %d, want 200", silent.StatusCode)
	}
}

// TestConcurrentAnswersStayApart: each caller gets its own answer.
func TestConcurrentAnswersStayApart(t *testing.T) {
	h := apigw.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, strings.Repeat(r.URL.Path, 50))
	}))
	var callers sync.WaitGroup
	for caller := range 16 {
		callers.Go(func() {
			path := fmt.Sprintf("/%02d", caller)
			for range 200 {
				out, err := h.Invoke(t.Context(), []byte(`{"httpMethod": "GET", "path": "`+path+`"}`))
				var answer events.APIGatewayProxyResponse
				if err = errors.Join(err, json.Unmarshal(out, &answer)); err != nil || answer.Body != strings.Repeat(path, 50) {
					t.Errorf("caller %s got %q, error %v", path, answer.Body, err)
					return
				}
			}
		})
	}
	callers.Wait()
}

// noStore is an admitter that no call reaches.
type noStore struct{ asked int }

func (s *noStore) Admit(context.Context, keys.Hash, keys.Call) (keys.Outcome, error) {
	s.asked++
	return keys.Outcome{Code: keys.OK, Used: 1, KeyID: "key_1", Account: "acct_1"}, nil
}

func (s *noStore) Peek(ctx context.Context, h keys.Hash, c keys.Call) (keys.Outcome, error) {
	return s.Admit(ctx, h, c)
}

// TestAuthorizer always allows, and tells the verdict on this call.
func TestAuthorizer(t *testing.T) {
	store := &noStore{}
	h := apigw.Authorizer(keys.NewAuthorizer(store, tokens, time.Now, slog.New(slog.DiscardHandler)))
	secret, err := keys.New(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for header, want := range map[string]keys.Code{
		`{}`: keys.MissingKey,
		`{"authorization": ["Bearer ` + secret.Reveal() + `"]}`:                                   keys.OK,
		`{"AUTHORIZATION": ["Bearer ` + secret.Reveal() + `"]}`:                                   keys.OK,
		`{"Authorization": ["Bearer ` + secret.Reveal() + `", "Bearer ` + secret.Reveal() + `"]}`: keys.InvalidKey,
		`{"Authorization": ["Bearer lw_x"]}`:                                                      keys.InvalidKey,
	} {
		out, err := h.Invoke(t.Context(), []byte(`{"type": "REQUEST", "httpMethod": "GET", "resource": "/api/v1/screen",
			"methodArn": "arn:aws:execute-api:us-east-1:1:abc/prod/GET/api/v1/screen",
			"multiValueHeaders": `+header+`, "requestContext": {"requestId": "r-9"}}`))
		if err != nil {
			t.Fatal(err)
		}
		var answer events.APIGatewayCustomAuthorizerResponse
		if err := json.Unmarshal(out, &answer); err != nil {
			t.Fatal(err)
		}
		v := keys.FromContext(answer.Context)
		if v.Code != want || v.RequestID != "r-9" || answer.PrincipalID == "" {
			t.Errorf("headers %.40s…: verdict %+v, want %s on r-9", header, v, want)
		}
		statement := answer.PolicyDocument.Statement
		if len(statement) != 1 || statement[0].Effect != "Allow" || statement[0].Resource[0] != "arn:aws:execute-api:us-east-1:1:abc/prod/*" {
			t.Errorf("policy %+v, want one that allows the whole stage", answer.PolicyDocument)
		}
	}
	if store.asked != 2 {
		t.Errorf("the store was asked %d times, want for the two well-formed keys", store.asked)
	}
}

func TestNotAnEvent(t *testing.T) {
	h := apigw.Handler(http.NotFoundHandler())
	for _, payload := range []string{``, `[]`, `{"httpMethod": "BAD METHOD"}`, `{"httpMethod": "GET", "body": "%%%", "isBase64Encoded": true}`} {
		if out, err := h.Invoke(t.Context(), []byte(payload)); !errors.Is(err, apigw.ErrEvent) || out != nil {
			t.Errorf("payload %q: %q and error %v, want ErrEvent", payload, out, err)
		}
	}
}

func TestRoutes(t *testing.T) {
	if len(apigw.Routes()) == 0 {
		t.Fatal("there are no routes")
	}
	for _, r := range apigw.Routes() {
		if !strings.HasPrefix(r.Path, "/") || r.Function == "" || apigw.Counted(r.Method, r.Path) != r.Counted {
			t.Errorf("route %+v", r)
		}
	}
	if got := apigw.Allowed("/api/v1/screen"); !cmp.Equal(got, []string{"GET", "POST"}) {
		t.Errorf("methods of /api/v1/screen: %v", got)
	}
	if got := apigw.Allowed("/api/v1/screen/"); len(got) != 0 {
		t.Errorf("methods of a path that there is not: %v", got)
	}
	if apigw.Counted("PUT", "/api/v1/screen") || apigw.Counted("GET", "/{proxy+}") {
		t.Error("a call that no endpoint takes is counted")
	}
}

// tokens are of a fixed key.
func tokens(context.Context) (keys.TokenKey, error) {
	return keys.NewTokenKey([]byte("secret of the tests"))
}

func TestAddress(t *testing.T) {
	const stage = "abc.execute-api.eu-west-1.amazonaws.com"
	for _, tt := range []struct{ domain, whole, path, resource, scheme, want, inside string }{
		{stage, "/prod/account/keys", "/account/keys", "/account/{proxy+}", "https", "https://" + stage + "/prod", "/account/keys"},
		{"api.example", "/account", "/account", "/account", "https", "https://api.example", "/account"},
		{"api.example", "/account", "/account", "/account", "", "https://api.example", "/account"},
		{"api.example", "/app/account/keys", "/app/account/keys", "/account/{proxy+}", "", "https://api.example/app", "/account/keys"},
		{"api.example", "/app/account", "/app/account", "/account", "", "https://api.example/app", "/account"},
		{"api.example", "/accounts/account/keys/account", "/accounts/account/keys/account", "/account/{proxy+}", "", "https://api.example/accounts", "/account/keys/account"},
		{"api.example", "/app/api/v1/screen", "/app/api/v1/screen", "/api/v1/screen", "", "https://api.example/app", "/api/v1/screen"},
		{"api.example", "/none", "/none", "/{proxy+}", "", "https://api.example", "/none"},
		{"127.0.0.1:8080", "/account", "/account", "/account", "http", "http://127.0.0.1:8080", "/account"},
		{"api.example", "", "/account", "/account", "https", "https://api.example", "/account"},
	} {
		got, inside := "", ""
		invoke(t, func(_ http.ResponseWriter, r *http.Request) { got, inside = apigw.Address(r.Context()), r.URL.Path }, events.APIGatewayProxyRequest{
			HTTPMethod: "GET", Path: tt.path, Resource: tt.resource,
			MultiValueHeaders: map[string][]string{"X-Forwarded-Proto": {tt.scheme}, "Host": {"evil.example"}},
			RequestContext:    events.APIGatewayProxyRequestContext{DomainName: tt.domain, Path: tt.whole},
		})
		if got != tt.want || inside != tt.inside {
			t.Errorf("%s%s: address %s and path %s, want %s and %s", tt.domain, tt.whole, got, inside, tt.want, tt.inside)
		}
	}
}
