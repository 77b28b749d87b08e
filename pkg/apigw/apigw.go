// Package apigw stands between Amazon API Gateway (REST, Lambda proxy) and the
// rest: what comes in as an event reaches an ordinary http.Handler, and what that
// writes goes back as an event.
//
// [Handler] hosts an endpoint and [Authorizer] the authorizer; both are Lambda
// handlers that lambda.Start takes, and that the local stack calls with the same
// JSON. [Routes] is the table of what is served. Handlers learn from [VerdictOf]
// and [RequestID] what the gateway knows of their call.
package apigw

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/listward/listward/pkg/keys"
)

// ErrEvent is returned for an event that no REST API sends.
var ErrEvent = errors.New("not an API Gateway REST event")

type contextKey int

const (
	verdictKey contextKey = iota
	requestIDKey
	resourceKey
	addressKey
)

// The events of a proxy integration and of a REQUEST authorizer.
type (
	proxyRequest       = events.APIGatewayProxyRequest
	proxyResponse      = events.APIGatewayProxyResponse
	authorizerRequest  = events.APIGatewayCustomAuthorizerRequestTypeRequest
	authorizerResponse = events.APIGatewayCustomAuthorizerResponse
)

// VerdictOf returns the authorizer's verdict on the call. It is the zero Verdict,
// which refuses, when there was no authorizer, when its context is malformed, or
// when it is about another call (a gateway that cached it).
func VerdictOf(ctx context.Context) keys.Verdict {
	v, _ := ctx.Value(verdictKey).(keys.Verdict)
	return v
}

// RequestID returns the id that API Gateway gave the call.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey).(string)
	return id
}

// Resource returns the path of the route that API Gateway chose, such as
// /api/v1/screen or /{proxy+}. It decides, and not how a path may be read.
func Resource(ctx context.Context) string {
	resource, _ := ctx.Value(resourceKey).(string)
	return resource
}

// Address returns the public address that was called, such as
// https://abc.execute-api.eu-west-1.amazonaws.com/prod, without a slash at its end. Links
// of pages go below it.
func Address(ctx context.Context) string {
	address, _ := ctx.Value(addressKey).(string)
	return address
}

// addressOf takes the host from API Gateway and not from the header, which is the
// caller's, and the path from before that of the service: the stage, or the base path of
// a custom domain.
func addressOf(e proxyRequest, path string) string {
	scheme := "https"
	if forwarded := e.MultiValueHeaders["X-Forwarded-Proto"]; slices.Equal(forwarded, []string{"http"}) {
		scheme = "http" // one machine: API Gateway itself has no such address
	}
	base, ends := strings.CutSuffix(e.RequestContext.Path, path)
	if !ends {
		base = ""
	}
	return scheme + "://" + e.RequestContext.DomainName + base
}

// servicePath is an event's path without the base path of a custom domain, which API
// Gateway leaves in it, unlike the stage: it begins where the resource does.
func servicePath(e proxyRequest) string {
	literal, _, _ := strings.Cut(e.Resource, "{")
	literal = strings.TrimSuffix(literal, "/")
	if at := strings.Index(e.Path+"/", literal+"/"); literal != "" && at > 0 {
		return e.Path[at:]
	}
	return e.Path
}

// function is a lambda.Handler for concurrent use. That of lambda.NewHandler is
// not: its Invoke returns memory that it lends to the next call at once, so that
// callers get each other's answers (aws-lambda-go v1.55.1, handlerFunc.Invoke).
type function[In, Out any] func(context.Context, In) (Out, error)

// Invoke implements lambda.Handler.
func (f function[In, Out]) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	var in In
	if err := json.Unmarshal(payload, &in); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEvent, err)
	}
	out, err := f(ctx, in)
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

// Handler hosts h as the Lambda proxy integration of a REST API.
func Handler(h http.Handler) lambda.Handler {
	return function[proxyRequest, proxyResponse](func(ctx context.Context, e proxyRequest) (proxyResponse, error) {
		r, err := request(ctx, e)
		if err != nil {
			return proxyResponse{}, fmt.Errorf("%w: %w", ErrEvent, err)
		}
		w := &response{header: http.Header{}}
		h.ServeHTTP(w, r)
		return w.event(), nil
	})
}

// request makes an HTTP request of an event. API Gateway has decoded the query.
func request(ctx context.Context, e proxyRequest) (*http.Request, error) {
	body := []byte(e.Body)
	if e.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(e.Body); err != nil {
			return nil, fmt.Errorf("body: %w", err)
		}
	}
	verdict := keys.FromContext(e.RequestContext.Authorizer)
	if verdict.RequestID != e.RequestContext.RequestID {
		verdict = keys.Verdict{}
	}
	ctx = context.WithValue(ctx, verdictKey, verdict)
	ctx = context.WithValue(ctx, requestIDKey, e.RequestContext.RequestID)
	ctx = context.WithValue(ctx, resourceKey, e.Resource)
	path := servicePath(e)
	ctx = context.WithValue(ctx, addressKey, addressOf(e, path))
	r, err := http.NewRequestWithContext(ctx, e.HTTPMethod, "/", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	// The path comes as it was sent, the query decoded.
	r.URL = &url.URL{Path: path, RawQuery: url.Values(e.MultiValueQueryStringParameters).Encode()}
	if decoded, err := url.PathUnescape(path); err == nil {
		r.URL.Path = decoded
	}
	for name, values := range e.MultiValueHeaders {
		for _, v := range values {
			r.Header.Add(name, v)
		}
	}
	r.Host = r.Header.Get("Host")
	r.RemoteAddr = e.RequestContext.Identity.SourceIP
	return r, nil
}

// response collects what a handler writes.
type response struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *response) Header() http.Header { return w.header }

func (w *response) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *response) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

// maxText is the size in bytes up to which text goes as it is. JSON may write a byte of
// it as six, and Lambda takes 6 MB in all; base64 makes four of three.
const maxText = 512 << 10

// event makes the answer: text as it is, anything else and long text in base64, which
// API Gateway undoes.
func (w *response) event() proxyResponse {
	w.WriteHeader(http.StatusOK)
	e := proxyResponse{StatusCode: w.status, MultiValueHeaders: w.header, Body: w.body.String()}
	if w.body.Len() > maxText || !utf8.Valid(w.body.Bytes()) {
		e.Body, e.IsBase64Encoded = base64.StdEncoding.EncodeToString(w.body.Bytes()), true
	}
	return e
}

// Authorizer hosts a as the REQUEST authorizer of a REST API. It always allows
// and passes the verdict on in its context, because a denial would be worded by
// the gateway and not by the API; the functions enforce the verdict.
func Authorizer(a *keys.Authorizer) lambda.Handler {
	return function[authorizerRequest, authorizerResponse](func(ctx context.Context, e authorizerRequest) (authorizerResponse, error) {
		verdict := a.Authorize(ctx, keys.Request{
			Authorization: values(e.MultiValueHeaders, "Authorization"),
			Origin:        strings.Join(values(e.MultiValueHeaders, "Origin"), " "),
			Referer:       strings.Join(values(e.MultiValueHeaders, "Referer"), " "),
			RequestID:     e.RequestContext.RequestID,
			Counted:       Counted(e.HTTPMethod, e.Resource),
			Frame:         e.HTTPMethod == http.MethodGet && e.Resource == EmbedPath,
			Key:           e.MultiValueQueryStringParameters["key"],
			Searching:     e.HTTPMethod == http.MethodGet && e.Resource == ScreenPath,
			Own:           own(e),
		})
		return authorizerResponse{
			PrincipalID:    "caller",
			PolicyDocument: allow(e.MethodArn),
			Context:        verdict.Context(),
		}, nil
	})
}

// own reports whether a call does not come from another site's page, as far as browsers
// tell: those name the origin of every call of a script to another one.
func own(e authorizerRequest) bool {
	host := strings.Join(values(e.MultiValueHeaders, "Host"), " ")
	for _, origin := range values(e.MultiValueHeaders, "Origin") {
		if u, err := url.Parse(origin); err != nil || u.Host != host {
			return false
		}
	}
	for _, site := range values(e.MultiValueHeaders, "Sec-Fetch-Site") {
		if site != "same-origin" && site != "none" {
			return false
		}
	}
	return true
}

// values returns the values of a header, whose name may be in any case.
func values(headers map[string][]string, name string) []string {
	var all []string
	for key, list := range headers {
		if strings.EqualFold(key, name) {
			all = append(all, list...)
		}
	}
	return all
}

// allow is a policy for the whole stage, so that it can never be a mismatch.
// A method ARN is arn:aws:execute-api:region:account:api/stage/method/path.
func allow(methodARN string) events.APIGatewayCustomAuthorizerPolicy {
	api, rest, _ := strings.Cut(methodARN, "/")
	stage, _, _ := strings.Cut(rest, "/")
	return events.APIGatewayCustomAuthorizerPolicy{
		Version: "2012-10-17",
		Statement: []events.IAMPolicyStatement{{
			Action:   []string{"execute-api:Invoke"},
			Effect:   "Allow",
			Resource: []string{api + "/" + stage + "/*"},
		}},
	}
}
