package api_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/listward/listward/pkg/api"
	"github.com/listward/listward/pkg/apigw"
	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/objects/dir"
	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/snapshot"
)

// The contract as callers see it is tested through the whole stack
// (infra/apitest); here stands what cannot be brought about from outside.

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

const secretName = "Zorblatt Quuxington"

// fixture is an edge on a store of its own, and what it logged.
type fixture struct {
	edge  *api.Edge
	store objects.Store
	log   bytes.Buffer
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	store, err := dir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{store: store}
	log := slog.New(slog.NewJSONHandler(&f.log, nil))
	now := func() time.Time { return noon }
	f.edge = &api.Edge{Editions: edition.NewFollower(store, 0, now, log), Now: now, Log: log}
	return f
}

// publish serves n entries named LISTED ALPHA.
func (f *fixture) publish(t *testing.T, n int, states ...edition.State) {
	t.Helper()
	var list []sanction.Entry
	for i := range n {
		list = append(list, sanction.Entry{
			ID: "UN-" + strings.Repeat("x", i+1), Source: sanction.UN, Type: sanction.Entity, URL: "https://un.example",
			Names: []sanction.Name{{Text: "LISTED ALPHA", Kind: sanction.Primary}},
		})
	}
	file, err := snapshot.Build(list)
	if err != nil {
		t.Fatal(err)
	}
	id := edition.ID(file)
	if _, err := f.store.Put(t.Context(), edition.SnapshotName(id), file, objects.Always); err != nil {
		t.Fatal(err)
	}
	if err := edition.Write(t.Context(), f.store, edition.Pointer{Snapshot: id, PublishedAt: noon, Sources: states}, ""); err != nil {
		t.Fatal(err)
	}
}

var passes = keys.Verdict{Code: keys.OK, Limit: 1000, Remaining: 999, Reset: keys.NextReset(noon), KeyID: "key_1", Account: "acct_1", RequestID: "r-1"}

// call sends an event with a verdict through the handler.
func call(t *testing.T, h http.Handler, verdict map[string]any, query map[string][]string) events.APIGatewayProxyResponse {
	t.Helper()
	return callAt(t, h, "/api/v1/screen", verdict, query)
}

func callAt(t *testing.T, h http.Handler, path string, verdict map[string]any, query map[string][]string) events.APIGatewayProxyResponse {
	t.Helper()
	payload, err := json.Marshal(events.APIGatewayProxyRequest{
		HTTPMethod: "GET", Path: path, Resource: path,
		MultiValueQueryStringParameters: query,
		RequestContext:                  events.APIGatewayProxyRequestContext{RequestID: "r-1", Authorizer: verdict},
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := apigw.Handler(h).Invoke(t.Context(), payload)
	if err != nil {
		t.Fatalf("the handler failed: %v", err)
	}
	var answer events.APIGatewayProxyResponse
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func code(t *testing.T, answer events.APIGatewayProxyResponse) string {
	t.Helper()
	var body struct {
		Error struct{ Code string }
	}
	if err := json.Unmarshal([]byte(answer.Body), &body); err != nil {
		t.Errorf("body %q: %v", answer.Body, err)
	}
	return body.Error.Code
}

func header(answer events.APIGatewayProxyResponse, name string) string {
	return strings.Join(http.Header(answer.MultiValueHeaders).Values(name), ",")
}

var aName = map[string][]string{"name": {secretName}}

// TestFailsClosed: without a whole verdict on this very call, nothing is served.
func TestFailsClosed(t *testing.T) {
	f := newFixture(t)
	f.publish(t, 1, edition.State{Source: sanction.UN, Status: edition.OK, AcceptedAt: noon})
	cached := passes
	cached.RequestID = "r-0"
	for what, verdict := range map[string]map[string]any{
		"none":                nil,
		"empty":               {},
		"unknown code":        {"code": "fine", "limit": "1000", "remaining": "1", "reset": "1", "request_id": "r-1"},
		"of another call":     cached.Context(),
		"principal id alone":  {"principalId": "caller"},
		"ok and nothing else": {"code": "ok"},
	} {
		answer := call(t, f.edge.Screen(), verdict, aName)
		if answer.StatusCode != 500 || code(t, answer) != "internal_error" {
			t.Errorf("verdict %s: %d %s, want 500 internal_error", what, answer.StatusCode, answer.Body)
		}
		if header(answer, "X-RateLimit-Limit") != "1000" || header(answer, "X-RateLimit-Remaining") != "0" {
			t.Errorf("verdict %s: rate headers %v", what, answer.MultiValueHeaders)
		}
	}
	if answer := call(t, f.edge.Screen(), passes.Context(), aName); answer.StatusCode != 200 {
		t.Errorf("a whole verdict: %d %s, want 200", answer.StatusCode, answer.Body)
	}
}

func TestVerdictsBecomeErrors(t *testing.T) {
	f := newFixture(t)
	for verdict, status := range map[keys.Code]int{
		keys.MissingKey: 401, keys.InvalidKey: 401, keys.MembershipRequired: 403,
		keys.DomainNotAllowed: 403, keys.QuotaExceeded: 429, keys.Unavailable: 503,
	} {
		v := passes
		v.Code, v.Remaining = verdict, 7
		answer := call(t, f.edge.Screen(), v.Context(), aName)
		if answer.StatusCode != status || code(t, answer) != string(verdict) || header(answer, "X-RateLimit-Remaining") != "7" {
			t.Errorf("verdict %s: %d %s %v, want %d", verdict, answer.StatusCode, answer.Body, answer.MultiValueHeaders, status)
		}
		wait := map[keys.Code]string{keys.QuotaExceeded: "43200", keys.Unavailable: "5"}[verdict]
		if got := header(answer, "Retry-After"); got != wait {
			t.Errorf("verdict %s: Retry-After %q, want %q", verdict, got, wait)
		}
	}
}

func TestUnavailableWithoutLists(t *testing.T) {
	f := newFixture(t)
	answer := call(t, f.edge.Screen(), passes.Context(), aName)
	if answer.StatusCode != 503 || code(t, answer) != "unavailable" || header(answer, "Retry-After") == "" {
		t.Errorf("nothing published: %d %s", answer.StatusCode, answer.Body)
	}
	f.publish(t, 1, edition.State{Source: sanction.UN, Status: edition.OK, AcceptedAt: noon})
	if answer := call(t, f.edge.Screen(), passes.Context(), aName); answer.StatusCode != 200 {
		t.Errorf("after the first publication: %d %s", answer.StatusCode, answer.Body)
	}
}

// TestUnloadedSource: absent data never reads as "clear". When nothing of what was
// asked for is loaded there is no answer; else the answer says what is missing.
func TestUnloadedSource(t *testing.T) {
	f := newFixture(t)
	f.publish(t, 1, edition.State{Source: sanction.UN, Status: edition.OK, AcceptedAt: noon},
		edition.State{Source: sanction.CN, Status: edition.Missing, Detail: "fetch: no such file"})
	one := call(t, f.edge.Screen(), passes.Context(), map[string][]string{"name": {"x"}, "source": {"CN"}})
	batch := callBatch(t, f, `{"names": ["x"]}`, map[string][]string{"source": {"CN"}})
	for what, answer := range map[string]events.APIGatewayProxyResponse{"screen": one, "batch": batch} {
		if answer.StatusCode != 503 || code(t, answer) != "unavailable" || header(answer, "Retry-After") == "" || strings.Contains(answer.Body, "no such file") {
			t.Errorf("%s: %d %s, want 503 without its cause", what, answer.StatusCode, answer.Body)
		}
	}
	all := call(t, f.edge.Screen(), passes.Context(), map[string][]string{"name": {"x"}})
	const missing = `{"source":"CN","list_date":"","accepted_at":"","status":"missing"}`
	if all.StatusCode != 200 || !strings.Contains(all.Body, missing) || !strings.Contains(header(all, "X-Incomplete"), "CN=missing") {
		t.Errorf("%d %s, X-Incomplete %q", all.StatusCode, all.Body, header(all, "X-Incomplete"))
	}
}

// TestEvidenceOfAge: entries that nobody refused turn stale with time.
func TestEvidenceOfAge(t *testing.T) {
	f := newFixture(t)
	f.publish(t, 1, edition.State{Source: sanction.UN, Status: edition.OK, AcceptedAt: noon.Add(-49 * time.Hour)})
	answer := call(t, f.edge.Screen(), passes.Context(), map[string][]string{"name": {"x"}, "source": {"UN"}})
	if answer.StatusCode != 200 || !strings.Contains(answer.Body, `"status":"stale"`) || header(answer, "X-Incomplete") != "UN=stale" {
		t.Errorf("%d %s, X-Incomplete %q", answer.StatusCode, answer.Body, header(answer, "X-Incomplete"))
	}
}

func TestRowsAreCapped(t *testing.T) {
	for _, entries := range []int{500, 501} {
		f := newFixture(t)
		f.publish(t, entries, edition.State{Source: sanction.UN, Status: edition.OK, AcceptedAt: noon})
		var got struct {
			Count     int
			Truncated bool
			Rows      []json.RawMessage
		}
		answer := call(t, f.edge.Screen(), passes.Context(), map[string][]string{"name": {"alpha"}})
		if err := json.Unmarshal([]byte(answer.Body), &got); err != nil {
			t.Fatal(err)
		}
		if got.Count != entries || got.Truncated != (entries > 500) || len(got.Rows) != 500 {
			t.Errorf("%d entries: count %d, truncated %v, %d rows", entries, got.Count, got.Truncated, len(got.Rows))
		}
	}
}

// callBatch sends a batch to the fixture's edge.
func callBatch(t *testing.T, f *fixture, body string, query map[string][]string) events.APIGatewayProxyResponse {
	t.Helper()
	payload, err := json.Marshal(events.APIGatewayProxyRequest{
		HTTPMethod: "POST", Path: "/api/v1/screen", Body: body, MultiValueQueryStringParameters: query,
		RequestContext: events.APIGatewayProxyRequestContext{RequestID: "r-1", Authorizer: passes.Context()},
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := apigw.Handler(f.edge.Batch()).Invoke(t.Context(), payload)
	if err != nil {
		t.Fatal(err)
	}
	var answer events.APIGatewayProxyResponse
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestBatchRowsAreCapped(t *testing.T) {
	f := newFixture(t)
	f.publish(t, 41, edition.State{Source: sanction.UN, Status: edition.OK, AcceptedAt: noon})
	answer := callBatch(t, f, `{"names": ["alpha"], "rows": true}`, nil)
	var got struct {
		Results []struct {
			Count     int
			Truncated bool
			Rows      []json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(answer.Body), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Results) != 1 || got.Results[0].Count != 41 || !got.Results[0].Truncated || len(got.Results[0].Rows) != 40 {
		t.Errorf("41 entries: %+v", got.Results)
	}
}

// TestBatchFilesTellOfMore: each line tells how many hits its name has, and whether its
// lines are all of them.
func TestBatchFilesTellOfMore(t *testing.T) {
	for entries, truncated := range map[int]string{40: "false", 41: "true"} {
		f := newFixture(t)
		f.publish(t, entries, edition.State{Source: sanction.UN, Status: edition.OK, AcceptedAt: noon})
		answer := callBatch(t, f, `{"names": ["alpha", "nobody"], "rows": true}`, map[string][]string{"format": {"csv"}})
		records, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(answer.Body, "\ufeff"))).ReadAll()
		if err != nil || len(records) != 42 {
			t.Fatalf("%d entries: %d lines, error %v, want a header, 40 hits and a miss", entries, len(records), err)
		}
		for i, record := range records {
			want := []string{"alpha", strconv.Itoa(entries), truncated}
			switch i {
			case 0:
				want = []string{"query", "count", "truncated"}
			case 41:
				want = []string{"nobody", "0", "false"}
			}
			if got := append(record[:1:1], record[len(record)-2:]...); !slices.Equal(got, want) {
				t.Errorf("%d entries, line %d: %q, want %q", entries, i, got, want)
			}
		}
	}
}

// TestSourcesTellWhatIsIncomplete as the endpoints do that answer from the lists, also
// when none is there.
func TestSourcesTellWhatIsIncomplete(t *testing.T) {
	f := newFixture(t)
	f.publish(t, 1, edition.State{Source: sanction.UN, Status: edition.OK, AcceptedAt: noon.Add(-49 * time.Hour)})
	answer := call(t, f.edge.Sources(), passes.Context(), nil)
	const want = "OFAC=missing, UN=stale, EU=missing, EUX=missing, CN=missing"
	if got := header(answer, "X-Incomplete"); answer.StatusCode != 200 || got != want {
		t.Errorf("%d, X-Incomplete %q, want %q", answer.StatusCode, got, want)
	}
}

// TestRetryAfterIsNeverZero: a client that waits the seconds told is not too early.
func TestRetryAfterIsNeverZero(t *testing.T) {
	f := newFixture(t)
	f.edge.Now = func() time.Time { return noon.Add(12*time.Hour - time.Millisecond) }
	v := passes
	v.Code = keys.QuotaExceeded
	if got := header(call(t, f.edge.Screen(), v.Context(), aName), "Retry-After"); got != "1" {
		t.Errorf("a millisecond before midnight: Retry-After %q, want 1", got)
	}
}

// TestPanicIsAnError: a 5xx never shows its cause, and the log has it.
func TestPanicIsAnError(t *testing.T) {
	f := newFixture(t)
	f.edge.Editions = nil // a fault in the wiring
	answer := call(t, f.edge.Screen(), passes.Context(), aName)
	if answer.StatusCode != 500 || code(t, answer) != "internal_error" || strings.Contains(answer.Body, "nil pointer") {
		t.Errorf("%d %s", answer.StatusCode, answer.Body)
	}
	if !strings.Contains(f.log.String(), "nil pointer") || !strings.Contains(f.log.String(), "r-1") {
		t.Errorf("the log does not tell what happened in which call: %s", f.log.String())
	}
}

// TestNoNameIsLogged: screened names are personal data (decisions section 6).
func TestNoNameIsLogged(t *testing.T) {
	f := newFixture(t)
	call(t, f.edge.Screen(), passes.Context(), aName)
	f.publish(t, 1, edition.State{Source: sanction.UN, Status: edition.OK, AcceptedAt: noon})
	for _, query := range []map[string][]string{
		aName, {"name": {secretName}, secretName: {"x"}}, {"name": {secretName, secretName}},
		{"name": {secretName}, "source": {secretName}}, {"name": {strings.Repeat(secretName, 20)}},
	} {
		call(t, f.edge.Screen(), passes.Context(), query)
	}
	if log := f.log.String(); !strings.Contains(log, `"endpoint":"screen"`) || strings.Contains(log, "Zorblatt") {
		t.Errorf("the log is empty or holds the name: %s", log)
	}
}

// TestHandlerOutsideAPIGateway: an http.Handler that is mounted elsewhere by
// mistake has no verdict and refuses.
func TestHandlerOutsideAPIGateway(t *testing.T) {
	f := newFixture(t)
	w := httptest.NewRecorder()
	f.edge.Screen().ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), "GET", "/api/v1/screen?name=x", nil))
	if w.Code != 500 {
		t.Errorf("status %d, want 500", w.Code)
	}
}
