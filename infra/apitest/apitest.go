// Package apitest holds the tests of the API's contract, for any way in which the
// whole service can be hosted: [Run] drives it over HTTP, as callers do.
//
// The service under test serves the sample lists of pkg/lists/sample.
package apitest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/contract/contracttest"
)

// Service is a running service.
type Service struct {
	// URL is its address, without a slash at the end.
	URL string
	// Incomplete is the header X-Incomplete of answers from all sources, for the one
	// source that is not ok: "CN=review". It is empty where all are.
	Incomplete string
	// Admin carries out one operator's command (infra/admin) and returns its JSON.
	Admin func(t testing.TB, args ...string) []byte

	promised *contracttest.Validator
}

// Run runs the suite. Every answer is held against the OpenAPI document.
func Run(t *testing.T, s Service) {
	promised := contracttest.New(t)
	s.promised = &promised
	t.Run("Screen", s.testScreen)
	t.Run("ScreenFilters", s.testScreenFilters)
	t.Run("Batch", s.testBatch)
	t.Run("Browse", s.testBrowse)
	t.Run("BrowseFilters", s.testBrowseFilters)
	t.Run("Sources", s.testSources)
	t.Run("Changes", s.testChanges)
	t.Run("Exports", s.testExports)
	t.Run("Snapshots", s.testSnapshots)
	t.Run("Formats", s.testFormats)
	t.Run("Conditional", s.testConditional)
	t.Run("Docs", s.testDocs)
	t.Run("Examples", s.testExamples)
	t.Run("Errors", s.testErrors)
	t.Run("ListErrors", s.testListErrors)
	t.Run("BatchErrors", s.testBatchErrors)
	t.Run("OrderOfChecks", s.testOrderOfChecks)
	t.Run("KeyStates", s.testKeyStates)
	t.Run("LifeOfAKey", s.testLifeOfAKey)
	t.Run("Embed", s.testEmbed)
	t.Run("Payment", s.testPayment)
	t.Run("DomainLock", s.testDomainLock)
	t.Run("Preflight", s.testPreflight)
	t.Run("CountedCalls", s.testCountedCalls)
	t.Run("AllowanceIsExact", s.testAllowance)
}

// account is an account with a running plan, made for one test.
type account struct {
	service Service
	id      string
}

func (s Service) account(t testing.TB) account {
	t.Helper()
	var made struct {
		ID string `json:"id"`
	}
	s.admin(t, &made, "account", "create")
	a := account{s, made.ID}
	s.admin(t, nil, "plan", "grant", a.id)
	return a
}

// key makes a key of the account and returns it with its id.
func (a account) key(t testing.TB, flags ...string) (key, id string) {
	t.Helper()
	var made struct {
		Key string `json:"key"`
		ID  string `json:"id"`
	}
	a.service.admin(t, &made, append([]string{"key", "create", a.id}, flags...)...)
	if !strings.HasPrefix(made.Key, "lw_") || made.ID == "" {
		t.Fatalf("key create gave key %q, id %q", made.Key, made.ID)
	}
	return made.Key, made.ID
}

func (s Service) key(t testing.TB) string {
	t.Helper()
	key, _ := s.account(t).key(t)
	return key
}

func (s Service) admin(t testing.TB, into any, args ...string) {
	t.Helper()
	out := s.Admin(t, args...)
	if into == nil {
		return
	}
	if err := json.Unmarshal(out, into); err != nil {
		t.Fatalf("admin %q printed %q: %v", args, out, err)
	}
}

// request is one call.
type request struct {
	method string
	path   string
	header map[string]string
	body   string
}

// at is a GET of an endpoint with a key.
func at(key, endpoint, query string) request {
	return request{"GET", "/api/v1/" + endpoint + "?" + query, bearer(key), ""}
}

// get is a call of the screening endpoint with a key.
func get(key, query string) request {
	return request{"GET", "/api/v1/screen?" + query, bearer(key), ""}
}

// post is a call of the batch endpoint with a key.
func post(key, query, body string) request {
	return request{"POST", "/api/v1/screen?" + query, bearer(key), body}
}

func bearer(key string) map[string]string {
	return map[string]string{"Authorization": "Bearer " + key}
}

func name(s string) string { return "name=" + url.QueryEscape(s) }

// response is an answer, its body read.
type response struct {
	status int
	header http.Header
	body   []byte
}

// do makes a call and checks what every answer must have: the rate headers, no
// storing by caches, JSON, and the error shape where it is an error.
func (s Service) do(t testing.TB, r request) response {
	t.Helper()
	call, err := http.NewRequest(r.method, s.URL+r.path, strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range r.header {
		call.Header.Set(name, value)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(call)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	got := response{answer.StatusCode, answer.Header, body}
	got.checkCommon(t, r)
	s.checkPromise(t, call, got)
	return got
}

func (got response) checkCommon(t testing.TB, r request) {
	t.Helper()
	if limit := got.header.Get("X-RateLimit-Limit"); limit != "1000" {
		t.Errorf("%s %s: X-RateLimit-Limit %q, want 1000", r.method, r.path, limit)
	}
	if rest, err := strconv.Atoi(got.header.Get("X-RateLimit-Remaining")); err != nil || rest < 0 || rest > 1000 {
		t.Errorf("%s %s: X-RateLimit-Remaining %q", r.method, r.path, got.header.Get("X-RateLimit-Remaining"))
	}
	if reset, err := strconv.ParseInt(got.header.Get("X-RateLimit-Reset"), 10, 64); !got.byGateway() && (err != nil || reset%86400 != 0) {
		t.Errorf("%s %s: X-RateLimit-Reset %q is not a midnight in UTC", r.method, r.path, got.header.Get("X-RateLimit-Reset"))
	}
	cached := "private, no-cache"
	html := strings.HasPrefix(r.path, "/embed") && strings.HasPrefix(got.header.Get("Content-Type"), "text/html")
	if html {
		cached = "private, no-store" // a token is in it, or may be next time
	}
	if cache := got.header.Get("Cache-Control"); cache != cached {
		t.Errorf("%s %s: Cache-Control %q", r.method, r.path, cache)
	}
	path := strings.ReplaceAll(r.path, "%2F", "/")
	if under := strings.HasPrefix(path, "/api/v1/"); under != (got.header.Get("Access-Control-Allow-Origin") == "*") {
		t.Errorf("%s %s: Access-Control-Allow-Origin %q", r.method, r.path, got.header.Get("Access-Control-Allow-Origin"))
	}
	if got.status >= 400 && r.method != "HEAD" && !html && got.error(t).Message == "" {
		t.Errorf("%s %s: the error has no message: %s", r.method, r.path, got.body)
	}
}

// fault is the body of an error (spec section 2.6).
type fault struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Param   string `json:"param"`
	Index   *int   `json:"index"`
}

func (got response) error(t testing.TB) fault {
	t.Helper()
	var body struct {
		Error fault `json:"error"`
	}
	if err := json.Unmarshal(got.body, &body); err != nil || body.Error.Code == "" {
		t.Errorf("status %d with a body that is no error: %s", got.status, got.body)
	}
	return body.Error
}

func (got response) remaining() int {
	n, err := strconv.Atoi(got.header.Get("X-RateLimit-Remaining"))
	if err != nil {
		return -1
	}
	return n
}

// decode reads a 200 answer.
func (got response) decode(t testing.TB, into any) {
	t.Helper()
	if got.status != http.StatusOK {
		t.Fatalf("status %d: %s", got.status, got.body)
	}
	if err := json.Unmarshal(got.body, into); err != nil {
		t.Fatalf("%s: %v", got.body, err)
	}
}

// byGateway tells an answer that the gateway made by itself, which has no reset
// (decisions section 4), from one of the service.
func (got response) byGateway() bool {
	return got.header.Get("X-RateLimit-Reset") == "" && got.header.Get("X-Content-Type-Options") == ""
}
