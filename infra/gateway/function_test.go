package gateway_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/infra/gateway"
)

func TestFunctionFails(t *testing.T) {
	large := `{"statusCode":200,"body":"` + strings.Repeat("x", 6_291_556) + `"}`
	for what, main := range map[string]gateway.Invoker{
		"an error":                    fails(errors.New("broken")),
		"an error about a deadline":   fails(context.DeadlineExceeded),
		"no JSON":                     returns("done"),
		"nothing":                     returns("null"),
		"no status":                   returns(`{"body":"x"}`),
		"a status as text":            returns(`{"statusCode":"200"}`),
		"an informational status":     returns(`{"statusCode":103}`),
		"no status of HTTP":           returns(`{"statusCode":1000}`),
		"a body that is not base64":   returns(`{"statusCode":200,"body":"?","isBase64Encoded":true}`),
		"a body that is not text":     returns(`{"statusCode":200,"body":{}}`),
		"more than Lambda's 6 MB":     returns(large),
		"a header that is no text":    returns(`{"statusCode":200,"headers":{"X-Count":1}}`),
		"a list instead of an object": returns(`[]`),
	} {
		response, body := serve(handler(t, template(gateway.Route{Path: "/x", Method: "GET"}), returns(allow), main), get("/x"))
		if response.StatusCode != 500 || body != "default 5XX" || response.Header.Get("Retry-After") != "5" {
			t.Errorf("a function that returns %s: %d %q, want the response of DEFAULT_5XX", what, response.StatusCode, body)
		}
	}
	within := strings.Replace(large, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "", 1)
	response, body := serve(handler(t, template(gateway.Route{Path: "/x", Method: "GET"}), returns(allow), returns(within)), get("/x"))
	if response.StatusCode != 200 || len(body) < 6_291_000 {
		t.Errorf("a function that returns %d bytes: %d with %d bytes, want 200", len(within), response.StatusCode, len(body))
	}
}

func TestTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		route := gateway.Route{Path: "/x", Method: "GET", Authorized: true}
		begin := time.Now()
		response, body := serve(handler(t, template(route), returns(allow), function(untilTimeout)), get("/x"))
		if response.StatusCode != 504 || body != "time-out" {
			t.Errorf("a function that hangs: %d %q, want 504 and the response of INTEGRATION_TIMEOUT", response.StatusCode, body)
		}
		if took := time.Since(begin); took != 10*time.Second {
			t.Errorf("a function that hangs took %s, want its time-out", took)
		}
		begin = time.Now()
		response, body = serve(handler(t, template(route), function(untilTimeout), returns(ok)), get("/x"))
		if response.StatusCode != 500 || body != "default 5XX" {
			t.Errorf("an authorizer that hangs: %d %q, want the response of DEFAULT_5XX", response.StatusCode, body)
		}
		if took := time.Since(begin); took != 5*time.Second {
			t.Errorf("an authorizer that hangs took %s, want its time-out", took)
		}
	})
}

// A client that goes away does not end the function's work.
func TestClientGoesAway(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	main := function(func(ctx context.Context, _ []byte) ([]byte, error) {
		cancel()
		return []byte(ok), ctx.Err()
	})
	response, body := serve(handler(t, template(gateway.Route{Path: "/x", Method: "GET"}), returns(allow), main), get("/x").WithContext(gone))
	if response.StatusCode != 200 || body != "ok" {
		t.Errorf("a call whose client went away: %d %q, want 200 %q", response.StatusCode, body, "ok")
	}
}

func TestAnswerHeaders(t *testing.T) {
	for _, c := range []struct {
		what, returned string
		want           http.Header
	}{
		{"none", `{"statusCode":204}`, http.Header{"Content-Type": {"application/json"}}},
		{"single", `{"statusCode":200,"headers":{"content-type":"text/csv","x-a":"1"}}`,
			http.Header{"Content-Type": {"text/csv"}, "X-A": {"1"}}},
		{"several", `{"statusCode":200,"multiValueHeaders":{"Content-Type":["text/html"],"Set-Cookie":["a=1","b=2"]}}`,
			http.Header{"Content-Type": {"text/html"}, "Set-Cookie": {"a=1", "b=2"}}},
		{"both", `{"statusCode":200,"headers":{"X-A":"1","X-B":"2"},"multiValueHeaders":{"X-A":["1"],"X-B":["3"],"Content-Type":["a/b"]}}`,
			http.Header{"Content-Type": {"a/b"}, "X-A": {"1"}, "X-B": {"3", "2"}}},
	} {
		h := handler(t, template(gateway.Route{Path: "/x", Method: "GET"}), returns(allow), returns(c.returned))
		response, _ := serve(h, get("/x"))
		response.Header.Del("x-amzn-RequestId")
		if diff := cmp.Diff(c.want, response.Header); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", c.what, c.returned, diff)
		}
	}
}
