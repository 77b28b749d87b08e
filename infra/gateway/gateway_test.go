package gateway_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/listward/listward/infra/gateway"
)

var _ gateway.Invoker = lambda.Handler(nil)

// function is an invoker of this test.
type function func(ctx context.Context, payload []byte) ([]byte, error)

func (f function) Invoke(ctx context.Context, payload []byte) ([]byte, error) { return f(ctx, payload) }

// returns always returns the same.
func returns(returned string) function {
	return func(context.Context, []byte) ([]byte, error) { return []byte(returned), nil }
}

func fails(err error) function {
	return func(context.Context, []byte) ([]byte, error) { return nil, err }
}

// untilTimeout runs until it may no longer.
func untilTimeout(ctx context.Context, _ []byte) ([]byte, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// echo answers with the event in its body.
func echo(_ context.Context, payload []byte) ([]byte, error) {
	return json.Marshal(events.APIGatewayProxyResponse{StatusCode: 200, Body: string(payload)})
}

const (
	allow = `{"principalId":"p","policyDocument":{"Statement":[{"Effect":"Allow","Action":["execute-api:Invoke"],"Resource":["*"]}]},` +
		`"context":{"verdict":"ok","remaining":999,"big":12345678901234567890,"demo":true}}`
	ok = `{"statusCode":200,"body":"ok"}`
)

// template has one function, called main, on the routes, and an authorizer.
func template(routes ...gateway.Route) gateway.Template {
	return gateway.Template{
		Stage:      "prod",
		Authorizer: "A",
		Functions: map[string]gateway.Function{
			"A": {Folder: "authorizer", Timeout: 5 * time.Second},
			"F": {Folder: "main", Timeout: 10 * time.Second, Routes: routes},
			"S": {Folder: "scheduled", Timeout: time.Second},
		},
		Responses: map[string]gateway.Response{
			"DEFAULT_4XX":                  {Status: 400, Body: "default 4XX"},
			"DEFAULT_5XX":                  {Status: 500, Body: "default 5XX", Headers: map[string]string{"Retry-After": "5"}},
			"MISSING_AUTHENTICATION_TOKEN": {Status: 404, Body: "not found", Headers: map[string]string{"X-RateLimit-Limit": "1000"}},
			"INTEGRATION_TIMEOUT":          {Body: "time-out"},
		},
	}
}

func options() gateway.Options {
	return gateway.Options{
		RequestID: func() string { return "request-1" },
		Now:       func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) },
		Log:       slog.New(slog.DiscardHandler),
	}
}

func handler(t testing.TB, template gateway.Template, authorizer, main gateway.Invoker) http.Handler {
	t.Helper()
	h, err := gateway.New(template, map[string]gateway.Invoker{"authorizer": authorizer, "main": main}, options())
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return h
}

// serve returns the handler's response to a request, and its body.
func serve(h http.Handler, r *http.Request) (*http.Response, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result(), w.Body.String()
}

func get(target string) *http.Request { return httptest.NewRequest("GET", target, nil) }

func TestNewWantsInvokers(t *testing.T) {
	template := template(gateway.Route{Path: "/", Method: "GET"})
	for _, folders := range [][]string{{}, {"main"}, {"authorizer"}, {"authorizer", "scheduled"}} {
		invokers := map[string]gateway.Invoker{}
		for _, folder := range folders {
			invokers[folder] = returns(ok)
		}
		if _, err := gateway.New(template, invokers, options()); !errors.Is(err, gateway.ErrNoInvoker) {
			t.Errorf("New with invokers %q = %v, want ErrNoInvoker", folders, err)
		}
	}
}

// Which function of the service's template a request reaches, and whether by
// way of the authorizer.
func TestServiceRoutes(t *testing.T) {
	template := service(t)
	invokers := map[string]gateway.Invoker{}
	var asked bool
	for _, f := range template.Functions {
		body := `{"statusCode":200,"body":"` + f.Folder + `"}`
		invokers[f.Folder] = returns(body)
	}
	invokers["authorizer"] = function(func(context.Context, []byte) ([]byte, error) {
		asked = true
		return []byte(allow), nil
	})
	h, err := gateway.New(template, invokers, options())
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	for _, c := range []struct {
		method, path, folder string
		authorized           bool
	}{
		{"GET", "/api/v1/screen?name=x", "screen", true},
		{"POST", "/api/v1/screen", "batch", true},
		{"DELETE", "/api/v1/screen", "docs", true},
		{"HEAD", "/api/v1/screen", "docs", true},
		{"OPTIONS", "/api/v1/screen", "docs", false},
		{"OPTIONS", "/api/v1/sources", "docs", false},
		{"GET", "/", "docs", true},
		{"GET", "/docs", "docs", false},
		{"GET", "/api/v1/openapi.json", "docs", false},
		{"POST", "/docs", "docs", true},
		{"GET", "/api/v1/sanctions", "sanctions", true},
		{"GET", "/api/v1/exports/all.csv", "exports", true},
		{"GET", "/api/v1/snapshots/x", "snapshots", true},
		{"GET", "/api/v1/screen/", "docs", true},
		{"GET", "/api/v1", "docs", true},
		{"PUT", "/any/thing/else", "docs", true},
	} {
		asked = false
		response, body := serve(h, httptest.NewRequest(c.method, c.path, nil))
		if response.StatusCode != 200 || body != c.folder || asked != c.authorized {
			t.Errorf("%s %s: %d from %q, authorized %v; want 200 from %q, authorized %v",
				c.method, c.path, response.StatusCode, body, asked, c.folder, c.authorized)
		}
	}
}

func TestRoutes(t *testing.T) {
	h := handler(t, template(
		gateway.Route{Path: "/{proxy+}", Method: "GET"},
		gateway.Route{Path: "/exports/{file}", Method: "GET"},
		gateway.Route{Path: "/exports/all", Method: "ANY"},
		gateway.Route{Path: "/exports/all", Method: "POST"},
		gateway.Route{Path: "/{a}/all", Method: "GET"},
		gateway.Route{Path: "/deep/{rest+}", Method: "GET"},
		gateway.Route{Path: "/ümlaut", Method: "GET"},
	), returns(allow), function(echo))
	for _, c := range []struct {
		method, path, resource string
		parameters             map[string]string
	}{
		{"GET", "/exports/all", "/exports/all", nil},
		{"POST", "/exports/all", "/exports/all", nil},
		{"GET", "/exports/OFAC.csv", "/exports/{file}", map[string]string{"file": "OFAC.csv"}},
		{"GET", "/exports/a%2Fb%20c+d", "/exports/{file}", map[string]string{"file": "a/b c+d"}},
		{"GET", "/other/all", "/{a}/all", map[string]string{"a": "other"}},
		{"GET", "/exports/", "/{proxy+}", map[string]string{"proxy": "exports/"}},
		{"GET", "/exports/a/b", "/{proxy+}", map[string]string{"proxy": "exports/a/b"}},
		{"GET", "//x", "/{proxy+}", map[string]string{"proxy": "/x"}},
		{"GET", "/deep/a/b/", "/deep/{rest+}", map[string]string{"rest": "a/b/"}},
		{"GET", "/deep", "/{proxy+}", map[string]string{"proxy": "deep"}},
		{"GET", "/%C3%BCmlaut", "/ümlaut", nil},
		{"GET", "/Exports/all", "/{a}/all", map[string]string{"a": "Exports"}},

		{"GET", "/", "", nil},                  // {proxy+} needs a segment
		{"POST", "/exports/OFAC.csv", "", nil}, // known without the method
		{"HEAD", "/exports/OFAC.csv", "", nil}, // GET does not stand in for HEAD
		{"POST", "/nothing", "", nil},
		{"TRACE", "/exports/all", "", nil}, // not one of ANY
	} {
		response, body := serve(h, httptest.NewRequest(c.method, c.path, nil))
		if c.resource == "" {
			if response.StatusCode != 404 || body != "not found" || response.Header.Get("X-RateLimit-Limit") != "1000" {
				t.Errorf("%s %s: %d %q, want the response of MISSING_AUTHENTICATION_TOKEN", c.method, c.path, response.StatusCode, body)
			}
			continue
		}
		got := proxyEvent(t, body)
		if diff := cmp.Diff(c.parameters, got.PathParameters); got.Resource != c.resource || diff != "" {
			t.Errorf("%s %s: resource %q, want %q; parameters (-want +got):\n%s", c.method, c.path, got.Resource, c.resource, diff)
		}
	}
}

func proxyEvent(t *testing.T, body string) events.APIGatewayProxyRequest {
	t.Helper()
	var event events.APIGatewayProxyRequest
	if err := json.Unmarshal([]byte(body), &event); err != nil {
		t.Fatalf("the echoed event %.200s: %v", body, err)
	}
	return event
}

func TestEvent(t *testing.T) {
	h := handler(t, template(gateway.Route{Path: "/api/{proxy+}", Method: "POST", Authorized: true}), returns(allow), function(echo))
	r := httptest.NewRequest("POST", "http://listward.example/api/v1%2Fx?name=Ali%20Ibn&name=a%2Bb+c&q=1;r&%C3%A9=%E5%90%8D", strings.NewReader(`{"names":[]}`))
	r.RemoteAddr = "192.0.2.7:51234"
	r.Header = http.Header{
		"Accept":          {"text/csv", "*/*"},
		"User-Agent":      {"test/1"},
		"X-Forwarded-For": {"198.51.100.1"},
	}
	response, body := serve(h, r)
	if id := response.Header.Get("x-amzn-RequestId"); id != "request-1" {
		t.Errorf("x-amzn-RequestId is %q, want %q", id, "request-1")
	}
	want := events.APIGatewayProxyRequest{
		Resource:   "/api/{proxy+}",
		Path:       "/api/v1%2Fx",
		HTTPMethod: "POST",
		Headers: map[string]string{
			"Accept": "*/*", "User-Agent": "test/1", "Host": "listward.example",
			"X-Forwarded-For": "198.51.100.1, 192.0.2.7", "X-Forwarded-Proto": "http",
		},
		MultiValueHeaders: map[string][]string{
			"Accept": {"text/csv", "*/*"}, "User-Agent": {"test/1"}, "Host": {"listward.example"},
			"X-Forwarded-For": {"198.51.100.1, 192.0.2.7"}, "X-Forwarded-Proto": {"http"},
		},
		QueryStringParameters: map[string]string{"name": "a+b c", "q": "1", "r": "", "é": "名"},
		MultiValueQueryStringParameters: map[string][]string{
			"name": {"Ali Ibn", "a+b c"}, "q": {"1"}, "r": {""}, "é": {"名"},
		},
		PathParameters: map[string]string{"proxy": "v1/x"},
		RequestContext: events.APIGatewayProxyRequestContext{
			AccountID:    "000000000000",
			ResourceID:   "/api/{proxy+}",
			Stage:        "prod",
			DomainName:   "listward.example",
			RequestID:    "request-1",
			Protocol:     "HTTP/1.1",
			Identity:     events.APIGatewayRequestIdentity{SourceIP: "192.0.2.7", UserAgent: "test/1"},
			ResourcePath: "/api/{proxy+}",
			Path:         "/api/v1%2Fx",
			Authorizer: map[string]any{
				"principalId": "p", "verdict": "ok", "remaining": "999", "big": "12345678901234567890", "demo": "true",
			},
			HTTPMethod:       "POST",
			RequestTime:      "20/Nov/2026:12:00:00 +0000",
			RequestTimeEpoch: 1795176000000,
			APIID:            "local",
		},
		Body:            base64.StdEncoding.EncodeToString([]byte(`{"names":[]}`)),
		IsBase64Encoded: true,
	}
	if diff := cmp.Diff(want, proxyEvent(t, body)); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
}

func TestForwarded(t *testing.T) {
	h := handler(t, template(gateway.Route{Path: "/x", Method: "GET"}), returns(allow), function(echo))
	for _, c := range []struct{ target, address, scheme, from string }{
		{"http://listward.example/x", "192.0.2.7:51234", "http", "192.0.2.7"},
		{"https://listward.example/x", "[2001:db8::7]:51234", "https", "2001:db8::7"},
		{"http://listward.example/x", "@", "http", "@"}, // a socket's client
	} {
		r := get(c.target)
		r.RemoteAddr = c.address
		_, body := serve(h, r)
		event := proxyEvent(t, body)
		scheme, from := event.Headers["X-Forwarded-Proto"], event.Headers["X-Forwarded-For"]
		if scheme != c.scheme || from != c.from || event.RequestContext.Identity.SourceIP != c.from {
			t.Errorf("GET %s from %s: X-Forwarded-Proto %q and -For %q, want %q and %q", c.target, c.address, scheme, from, c.scheme, c.from)
		}
	}
}

// What is not there is null in an event, as API Gateway sends it.
func TestEventWithoutQueryAndBody(t *testing.T) {
	h := handler(t, template(gateway.Route{Path: "/x", Method: "GET"}), returns(allow), function(echo))
	_, body := serve(h, get("/x"))
	got := proxyEvent(t, body)
	if got.QueryStringParameters != nil || got.MultiValueQueryStringParameters != nil || got.PathParameters != nil ||
		got.Body != "" || got.IsBase64Encoded || got.RequestContext.Authorizer != nil {
		t.Errorf("the event of a bare request on an open route is %s", body)
	}
}

// A template without gateway responses has those of API Gateway.
func TestStandardResponses(t *testing.T) {
	route := gateway.Route{Path: "/x", Method: "GET", Authorized: true}
	for _, c := range []struct {
		target           string
		authorizer, main gateway.Invoker
		status           int
		body             string
	}{
		{"/y", returns(allow), returns(ok), 403, `{"message":"Missing Authentication Token"}`},
		{"/x?a=%", returns(allow), returns(ok), 400, `{"message":"Bad Request"}`},
		{"/x", returns(policy("")), returns(ok), 403, `{"message":"User is not authorized to access this resource"}`},
		{"/x", returns("{}"), returns(ok), 500, `{"message":"Internal server error"}`},
		{"/x", fails(io.EOF), returns(ok), 500, `{"message":"Internal server error"}`},
		{"/x", returns(allow), fails(io.EOF), 502, `{"message":"Internal server error"}`},
	} {
		template := template(route)
		template.Responses = nil
		response, body := serve(handler(t, template, c.authorizer, c.main), get(c.target))
		if response.StatusCode != c.status || body != c.body || response.Header.Get("Content-Type") != "application/json" {
			t.Errorf("GET %s: %d %s, want %d %s in JSON", c.target, response.StatusCode, body, c.status, c.body)
		}
		if id := response.Header.Get("x-amzn-RequestId"); id != "request-1" {
			t.Errorf("GET %s: x-amzn-RequestId is %q, want %q", c.target, id, "request-1")
		}
	}
}

func TestMalformedQuery(t *testing.T) {
	h := handler(t, template(gateway.Route{Path: "/x", Method: "GET"}), returns(allow), returns(ok))
	for _, query := range []string{"name=%", "name=%zz", "%f=1", "a=1&b=%e"} {
		response, body := serve(h, get("/x?"+query))
		if response.StatusCode != 400 || body != "default 4XX" {
			t.Errorf("GET /x?%s: %d %q, want 400 and the response of DEFAULT_4XX", query, response.StatusCode, body)
		}
	}
}

func TestLargeBody(t *testing.T) {
	h := handler(t, template(gateway.Route{Path: "/x", Method: "POST"}), returns(allow), returns(ok))
	for size, want := range map[int]int{10 << 20: 200, 10<<20 + 1: 413} {
		r := httptest.NewRequest("POST", "/x", bytes.NewReader(make([]byte, size)))
		response, body := serve(h, r)
		if response.StatusCode != want {
			t.Errorf("a body of %d bytes: %d, want %d", size, response.StatusCode, want)
		}
		if want == 413 && (body != "HTTP content length exceeded 10485760 bytes." || response.Header.Get("Content-Type") != "text/plain") {
			t.Errorf("a body of %d bytes: %q, want API Gateway's plain text", size, body)
		}
	}
}

// A body that breaks off is no call.
func TestBrokenBody(t *testing.T) {
	h := handler(t, template(gateway.Route{Path: "/x", Method: "POST"}), returns(allow), returns(ok))
	broken := io.MultiReader(strings.NewReader("{"), brokenReader{})
	if response, body := serve(h, httptest.NewRequest("POST", "/x", broken)); response.StatusCode != 400 {
		t.Errorf("a broken body: %d %q, want 400", response.StatusCode, body)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// What a client sends reaches the function as it was, and the other way round.
func TestContentSurvives(t *testing.T) {
	var event events.APIGatewayProxyRequest
	var returned []byte
	main := function(func(_ context.Context, payload []byte) ([]byte, error) {
		event = events.APIGatewayProxyRequest{}
		if err := json.Unmarshal(payload, &event); err != nil {
			return nil, err
		}
		return json.Marshal(events.APIGatewayProxyResponse{
			StatusCode: 200, Body: base64.StdEncoding.EncodeToString(returned), IsBase64Encoded: true,
		})
	})
	h := handler(t, template(gateway.Route{Path: "/{proxy+}", Method: "POST"}), returns(allow), main)
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.StringN(1, 20, -1).Draw(t, "path")
		names := rapid.SliceOf(rapid.String()).Draw(t, "names")
		sent := rapid.SliceOf(rapid.Byte()).Draw(t, "sent")
		returned = rapid.SliceOf(rapid.Byte()).Draw(t, "returned")

		target := "/" + url.PathEscape(path) + "?" + url.Values{"name": names}.Encode()
		response, body := serve(h, httptest.NewRequest("POST", target, bytes.NewReader(sent)))
		if response.StatusCode != 200 || body != string(returned) {
			t.Fatalf("POST %s: %d %q, want 200 %q", target, response.StatusCode, body, returned)
		}
		if got := event.PathParameters["proxy"]; got != path {
			t.Fatalf("POST %s: path parameter %q, want %q", target, got, path)
		}
		if got := event.MultiValueQueryStringParameters["name"]; len(got) != len(names) || strings.Join(got, "\x00") != strings.Join(names, "\x00") {
			t.Fatalf("POST %s: names %q, want %q", target, got, names)
		}
		got, err := base64.StdEncoding.DecodeString(event.Body)
		if err != nil || !bytes.Equal(got, sent) || event.IsBase64Encoded != (len(sent) > 0) {
			t.Fatalf("POST %s: body %q (base64 %v, %v), want %q", target, event.Body, event.IsBase64Encoded, err, sent)
		}
	})
}

// The log says what failed, and never what was asked.
func TestLog(t *testing.T) {
	var log bytes.Buffer
	o := options()
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	h, err := gateway.New(template(gateway.Route{Path: "/{proxy+}", Method: "GET"}), map[string]gateway.Invoker{
		"authorizer": returns(allow), "main": fails(errors.New("the disk is full")),
	}, o)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	serve(h, get("/Ivan?name=Petrov"))
	for _, want := range []string{"request-1", "function main", "the disk is full"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log %q does not hold %q", log.String(), want)
		}
	}
	for _, name := range []string{"Ivan", "Petrov"} {
		if strings.Contains(log.String(), name) {
			t.Errorf("the log %q holds %q of the request", log.String(), name)
		}
	}
}
