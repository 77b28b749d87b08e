package apitest

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// listed is a row of a browsed list.
type listed struct {
	row
	Aliases []string `json:"aliases"`
}

// page is the part that all paged answers have.
type page struct {
	Total    int    `json:"total"`
	Count    int    `json:"count"`
	Limit    int    `json:"limit"`
	Offset   int    `json:"offset"`
	Next     *int   `json:"next"`
	Snapshot string `json:"snapshot"`
}

type browsing struct {
	page
	Rows []listed `json:"rows"`
}

func sources() []string { return []string{"OFAC", "UN", "EU", "EUX", "CN"} }

// testBrowse follows the links of all pages: every id once, in order.
func (s Service) testBrowse(t *testing.T) {
	key := s.key(t)
	var whole browsing
	s.do(t, at(key, "sanctions", "limit=500")).decode(t, &whole)
	if whole.Total < 30 || whole.Total != len(whole.Rows) || whole.Next != nil || whole.Limit != 500 {
		t.Fatalf("the sample in one page: %+v", whole.page)
	}
	ordered := slices.IsSortedFunc(whole.Rows, func(a, b listed) int {
		if i, j := slices.Index(sources(), a.Source), slices.Index(sources(), b.Source); i != j {
			return i - j
		}
		return strings.Compare(a.ID, b.ID)
	})
	if !ordered {
		t.Error("the rows are not in the order of source and id")
	}
	var paged []listed
	for next := "?limit=7"; next != ""; {
		var part browsing
		answer := s.do(t, request{"GET", "/api/v1/sanctions" + next, bearer(key), ""})
		answer.decode(t, &part)
		if part.Offset != len(paged) || part.Count != len(part.Rows) || part.Total != whole.Total || part.Snapshot != whole.Snapshot {
			t.Fatalf("page %s: %+v", next, part.page)
		}
		paged = append(paged, part.Rows...)
		next = s.nextPage(t, answer, part.page)
	}
	if diff := cmp.Diff(whole.Rows, paged, cmp.AllowUnexported(listed{})); diff != "" {
		t.Errorf("all pages in turn (-whole +paged):\n%s", diff)
	}
	var beyond browsing
	s.do(t, at(key, "sanctions", "offset=1000000")).decode(t, &beyond)
	if beyond.Count != 0 || beyond.Rows == nil || beyond.Next != nil || beyond.Total != whole.Total {
		t.Errorf("beyond the end: %+v", beyond)
	}
}

// nextPage returns the query of the Link, which must agree with the body's next.
func (s Service) nextPage(t *testing.T, answer response, part page) string {
	t.Helper()
	link := answer.header.Get("Link")
	if part.Next == nil {
		if link != "" {
			t.Errorf("the last page has the link %s", link)
		}
		return ""
	}
	target, relation, _ := strings.Cut(link, "; ")
	target = strings.Trim(target, "<>")
	u, err := url.Parse(target)
	if err != nil || relation != `rel="next"` || u.Query().Get("offset") != fmt.Sprint(*part.Next) || u.Query().Get("snapshot") != part.Snapshot ||
		strings.Contains(link, "lw_") {
		t.Fatalf("link %s, next %d", link, *part.Next)
	}
	return target
}

func (s Service) testBrowseFilters(t *testing.T) {
	key := s.key(t)
	for _, tt := range []struct {
		query string
		ok    func(listed) bool
	}{
		{"source=UN", func(r listed) bool { return r.Source == "UN" }},
		{"type=vessel", func(r listed) bool { return r.Type == "vessel" && len(r.IMO) == 7 }},
		{"source=OFAC&type=individual", func(r listed) bool { return r.Source == "OFAC" && r.Type == "individual" }},
		{"q=&source=EU", func(r listed) bool { return r.Source == "EU" }},
		{"q=al-Qaida", func(r listed) bool {
			return strings.Contains(strings.ToLower(r.Name+strings.Join(r.Aliases, " ")), "qaida")
		}},
	} {
		var got browsing
		s.do(t, at(key, "sanctions", tt.query)).decode(t, &got)
		if got.Total == 0 || got.Total != len(got.Rows) {
			t.Errorf("%s: total %d, %d rows", tt.query, got.Total, len(got.Rows))
		}
		for _, r := range got.Rows {
			if !tt.ok(r) {
				t.Errorf("%s: row %+v", tt.query, r)
			}
		}
	}
	var all browsing
	s.do(t, at(key, "sanctions", "source=UN")).decode(t, &all)
	for _, want := range all.Rows {
		var got browsing
		s.do(t, at(key, "sanctions", "q="+url.QueryEscape(want.ID))).decode(t, &got)
		if len(got.Rows) != 1 || got.Rows[0].ID != want.ID {
			t.Errorf("q=%s: %d rows", want.ID, len(got.Rows))
		}
	}
	var screened screening
	s.do(t, get(key, name("bank"))).decode(t, &screened)
	var browsed browsing
	s.do(t, at(key, "sanctions", "q=bank&limit=500")).decode(t, &browsed)
	if screened.Count == 0 || browsed.Total != screened.Count {
		t.Errorf("q=bank finds %d entries, a screening %d", browsed.Total, screened.Count)
	}
}

type statistics struct {
	Sources []struct {
		Source       string `json:"source"`
		Title        string `json:"title"`
		PublisherURL string `json:"publisher_url"`
		Entries      int    `json:"entries"`
		LastUpdated  string `json:"last_updated"`
		CheckedAt    string `json:"checked_at"`
		ListDate     string `json:"list_date"`
		AcceptedAt   string `json:"accepted_at"`
		Status       string `json:"status"`
		Detail       string `json:"detail"`
	} `json:"sources"`
	Snapshot string `json:"snapshot"`
}

func (s Service) testSources(t *testing.T) {
	key := s.key(t)
	var got statistics
	answer := s.do(t, at(key, "sources", ""))
	answer.decode(t, &got)
	if incomplete := answer.header.Get("X-Incomplete"); incomplete != s.Incomplete {
		t.Errorf("X-Incomplete %q, want %q", incomplete, s.Incomplete)
	}
	var whole browsing
	s.do(t, at(key, "sanctions", "limit=500")).decode(t, &whole)
	counted := map[string]int{}
	for _, r := range whole.Rows {
		counted[r.Source]++
	}
	var names []string
	for _, source := range got.Sources {
		names = append(names, source.Source)
		if source.Entries != counted[source.Source] || source.Title == "" || !strings.HasPrefix(source.PublisherURL, "https://") ||
			(source.Status == "ok") != (source.Detail == "") {
			t.Errorf("%d entries are listed; source %+v", counted[source.Source], source)
		}
		for what, when := range map[string]string{"last_updated": source.LastUpdated, "checked_at": source.CheckedAt, "accepted_at": source.AcceptedAt} {
			if at, err := time.Parse(time.RFC3339, when); err != nil || !strings.HasSuffix(when, "Z") || time.Since(at) < -time.Minute {
				t.Errorf("source %s: %s %q", source.Source, what, when)
			}
		}
		if _, err := time.Parse(time.DateOnly, source.ListDate); err != nil {
			t.Errorf("source %s: list_date %q", source.Source, source.ListDate)
		}
	}
	if !slices.Equal(names, sources()) || got.Snapshot != whole.Snapshot {
		t.Errorf("sources %q, snapshot %s of %s", names, got.Snapshot, whole.Snapshot)
	}
}

func (s Service) testChanges(t *testing.T) {
	key := s.key(t)
	var whole browsing
	s.do(t, at(key, "sanctions", "")).decode(t, &whole)
	var got struct {
		Since, From, To string
		page
		Rows []struct {
			listed
			Change string
			Fields []string
			Before map[string]any
		}
	}
	s.do(t, at(key, "changes", "since="+whole.Snapshot)).decode(t, &got)
	if got.Since != whole.Snapshot || got.From != whole.Snapshot || got.To != whole.Snapshot || got.Total != 0 || got.Rows == nil {
		t.Errorf("since what is served: %+v", got)
	}
	long := s.do(t, at(key, "changes", "since=2020-02-30"))
	if fault := long.error(t); fault.Code != "invalid_since" || fault.Param != "since" {
		t.Errorf("a day that there is not: %+v", fault)
	}
	before := s.do(t, at(key, "changes", "since=2020-02-29")).error(t)
	if !strings.Contains(before.Message, whole.Snapshot) {
		t.Errorf("a day before the history: %+v does not name its beginning", before)
	}
	for _, day := range regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}`).FindAllString(before.Message, -1) {
		if day > time.Now().UTC().Format(time.DateOnly) {
			t.Errorf("a day before the history: %q offers a day that has not begun", before.Message)
		}
	}
	header := s.do(t, at(key, "changes", "format=csv&since="+whole.Snapshot)).body
	if !strings.Contains(string(header), "id,imo,birth_dates,countries,lists,aliases,attribution,change,fields,before\r\n") {
		t.Errorf("the columns of changes: %s", header)
	}
}

func (s Service) testSnapshots(t *testing.T) {
	key := s.key(t)
	var whole browsing
	s.do(t, at(key, "sanctions", "limit=500")).decode(t, &whole)
	var got struct {
		Snapshot    string
		PublishedAt time.Time `json:"published_at"`
		Rules       int
		Sources     []struct {
			Source   string
			ListDate string `json:"list_date"`
			Entries  int
			Files    []struct{ Path, SHA256 string }
		}
	}
	s.do(t, at(key, "snapshots/"+whole.Snapshot, "")).decode(t, &got)
	entries := 0
	for _, source := range got.Sources {
		entries += source.Entries
		if len(source.Files) == 0 || source.ListDate == "" {
			t.Errorf("source %+v", source)
		}
	}
	if got.PublishedAt.Nanosecond() != 0 {
		t.Errorf("published_at %v, want whole seconds as in all other times", got.PublishedAt)
	}
	unknown := s.do(t, at(key, "snapshots/"+noSnapshot, "")).error(t)
	if !strings.HasPrefix(unknown.Message, "No snapshot of this id is known here.") {
		t.Errorf("an id of no snapshot: %q", unknown.Message)
	}
	if got.Snapshot != whole.Snapshot || entries != whole.Total || got.Rules < 1 || time.Since(got.PublishedAt) < 0 {
		t.Errorf("%+v, %d entries of %d", got, entries, whole.Total)
	}
}

// testConditional sends an answer's ETag back. Those that have none are not conditional.
func (s Service) testConditional(t *testing.T) {
	key := s.key(t)
	for _, path := range []string{"/api/v1/exports/UN.csv?redirect=false", "/api/v1/openapi.json", "/docs"} {
		got := s.do(t, request{"GET", path, map[string]string{"Authorization": "Bearer " + key, "If-None-Match": "*"}, ""})
		if got.status != 200 || got.header.Get("ETag") != "" {
			t.Errorf("%s: %d, ETag %q", path, got.status, got.header.Get("ETag"))
		}
	}
	var whole browsing
	s.do(t, at(key, "sanctions", "")).decode(t, &whole)
	for _, endpoint := range []string{"screen?name=bank", "sanctions?limit=3", "sources?format=csv", "changes?since=" + whole.Snapshot, "snapshots/" + whole.Snapshot + "?"} {
		call := request{"GET", "/api/v1/" + endpoint, bearer(key), ""}
		first := s.do(t, call)
		tag := first.header.Get("ETag")
		if first.status != 200 || tag == "" {
			t.Errorf("%s: %d, ETag %q", endpoint, first.status, tag)
			continue
		}
		for _, condition := range []string{tag, strings.TrimPrefix(tag, "W/"), `"other", ` + tag, "*"} {
			call.header = map[string]string{"Authorization": "Bearer " + key, "If-None-Match": condition}
			again := s.do(t, call)
			if again.status != http.StatusNotModified || len(again.body) > 0 || again.header.Get("ETag") != tag ||
				again.remaining() != first.remaining()-1 {
				t.Errorf("%s, If-None-Match %s: %d, %d bytes, %d calls left of %d", endpoint, condition, again.status, len(again.body), again.remaining(), first.remaining())
			}
			first = again
		}
		call.header["If-None-Match"] = `W/"other"`
		if again := s.do(t, call); again.status != 200 || again.header.Get("ETag") != tag {
			t.Errorf("%s with another ETag: %d, ETag %q", endpoint, again.status, again.header.Get("ETag"))
		}
		call.path += "&format=ndjson"
		if strings.HasPrefix(endpoint, "screen") && s.do(t, call).header.Get("ETag") == tag {
			t.Errorf("%s has the same ETag in another format", endpoint)
		}
	}
}

func (s Service) testDocs(t *testing.T) {
	for path, want := range map[string][2]string{
		"/docs": {"text/html; charset=utf-8", "GET"}, "/api/v1/openapi.json": {"application/json; charset=utf-8", "GET, OPTIONS"},
	} {
		got := s.do(t, request{"GET", path, nil, ""})
		if got.status != 200 || got.header.Get("Content-Type") != want[0] || len(got.body) < 1000 {
			t.Errorf("%s: %d %s, %d bytes", path, got.status, got.header.Get("Content-Type"), len(got.body))
		}
		if head := s.do(t, request{"HEAD", path, nil, ""}); head.status != 405 || head.header.Get("Allow") != want[1] {
			t.Errorf("HEAD %s: %d, Allow %q", path, head.status, head.header.Get("Allow"))
		}
	}
}

// testListErrors sends every bad value of every parameter of the list endpoints.
func (s Service) testListErrors(t *testing.T) {
	key := s.key(t)
	s.refuse(t, slices.Concat(pagingRefusals(key, "sanctions", ""), pagingRefusals(key, "changes", "since="+noSnapshot+"&"),
		listRefusals(key), fileRefusals(key)))
	for _, endpoint := range []string{"sanctions", "sources", "changes", "exports/UN.csv", "snapshots/x"} {
		got := s.do(t, request{"GET", "/api/v1/" + endpoint, nil, ""})
		if got.status != 401 || got.error(t).Code != "missing_key" {
			t.Errorf("%s without a key: %d %s", endpoint, got.status, got.body)
		}
		if got := s.do(t, request{"POST", "/api/v1/" + endpoint, nil, ""}); got.status != 405 || got.header.Get("Allow") != "GET, OPTIONS" {
			t.Errorf("POST %s: %d, Allow %q", endpoint, got.status, got.header.Get("Allow"))
		}
		if got := s.do(t, request{"OPTIONS", "/api/v1/" + endpoint, nil, ""}); got.status != 204 {
			t.Errorf("OPTIONS %s: %d", endpoint, got.status)
		}
	}
}

// noSnapshot is an id that no snapshot has.
const noSnapshot = "0000000000000000000000000000000000000000000000000000000000000000"

// pagingRefusals are those of a paged endpoint whose other parameters are right.
func pagingRefusals(key, endpoint, rest string) []refusal {
	tests := []refusal{{at(key, endpoint, rest+"snapshot="+noSnapshot), 409, "snapshot_changed", "snapshot"}}
	for query, want := range map[string][2]string{
		"source=FBI": {"invalid_source", "source"}, "source=ofac": {"invalid_source", "source"},
		"type=person": {"invalid_type", "type"}, "format=pdf": {"invalid_format", "format"},
		"limit=0": {"invalid_limit", "limit"}, "limit=501": {"invalid_limit", "limit"}, "limit=ten": {"invalid_limit", "limit"},
		"limit=1.5": {"invalid_limit", "limit"}, "limit=%2B5": {"invalid_limit", "limit"}, "limit=-1": {"invalid_limit", "limit"},
		"limit=99999999999999999999": {"invalid_limit", "limit"}, "limit=05": {"invalid_limit", "limit"},
		"offset=-1": {"invalid_offset", "offset"}, "offset=x": {"invalid_offset", "offset"}, "offset=99999999999": {"invalid_offset", "offset"},
		"snapshot=x": {"invalid_parameter", "snapshot"}, "snapshot=ABC": {"invalid_parameter", "snapshot"},
		"cursor=5": {"invalid_parameter", "cursor"}, "limit=5&limit=6": {"invalid_parameter", "limit"},
		"source=UN&name=x": {"invalid_parameter", "name"},
	} {
		tests = append(tests, refusal{at(key, endpoint, rest+query), 400, want[0], want[1]})
	}
	return tests
}

func listRefusals(key string) []refusal {
	tomorrow := time.Now().UTC().AddDate(0, 0, 1).Format(time.DateOnly)
	return []refusal{
		{at(key, "sanctions", "q=%20%21"), 400, "missing_name", "q"},
		{at(key, "sanctions", "q="+strings.Repeat("x", 201)), 400, "name_too_long", "q"},
		{at(key, "changes", ""), 400, "invalid_since", "since"},
		{at(key, "changes", "since="), 400, "invalid_since", "since"},
		{at(key, "changes", "since="+tomorrow), 400, "invalid_since", "since"},
		{at(key, "changes", "since="+noSnapshot), 400, "invalid_since", "since"},
		{at(key, "changes", "since=2026-1-2"), 400, "invalid_since", "since"},
		{at(key, "changes", "since=yesterday"), 400, "invalid_since", "since"},
		{at(key, "changes", "since=2026-01-02&q=x"), 400, "invalid_parameter", "q"},
		{at(key, "sources", "format=pdf"), 400, "invalid_format", "format"},
		{at(key, "sources", "source=UN"), 400, "invalid_parameter", "source"},
	}
}

func fileRefusals(key string) []refusal {
	return []refusal{
		{at(key, "exports/UN.json", ""), 400, "invalid_format", "file"},
		{at(key, "exports/UN", ""), 400, "invalid_format", "file"},
		{at(key, "exports/un.csv", ""), 400, "invalid_source", "file"},
		{at(key, "exports/ALL.csv", ""), 400, "invalid_source", "file"},
		{at(key, "exports/index.json", ""), 400, "invalid_source", "file"},
		{at(key, "exports/UN.csv", "format=csv"), 400, "invalid_parameter", "format"},
		{at(key, "exports/UN.csv", "redirect=no"), 400, "invalid_parameter", "redirect"},
		{at(key, "exports/", ""), 404, "not_found", ""},
		{at(key, "snapshots/"+noSnapshot, ""), 404, "not_found", ""},
		{at(key, "snapshots/x", ""), 404, "not_found", ""},
		{at(key, "snapshots/"+noSnapshot, "format=json"), 400, "invalid_parameter", "format"},
	}
}
