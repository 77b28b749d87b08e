package apitest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// row and screening are what callers read of an answer.
type row struct {
	Source      string   `json:"source"`
	Name        string   `json:"name"`
	Type        string   `json:"type"`
	Programs    string   `json:"programs"`
	ListedOn    string   `json:"listed_on"`
	URL         string   `json:"url"`
	ID          string   `json:"id"`
	IMO         string   `json:"imo"`
	BirthDates  []string `json:"birth_dates"`
	Countries   []string `json:"countries"`
	Lists       []string `json:"lists"`
	Match       string   `json:"match"`
	MatchedName string   `json:"matched_name"`
	MatchedKind string   `json:"matched_kind"`
}

type evidence struct {
	ScreenedAt time.Time `json:"screened_at"`
	RequestID  string    `json:"request_id"`
	Snapshot   string    `json:"snapshot"`
	Rules      int       `json:"rules"`
	Sources    []struct {
		Source     string `json:"source"`
		ListDate   string `json:"list_date"`
		AcceptedAt string `json:"accepted_at"`
		Status     string `json:"status"`
	} `json:"sources"`
}

type screening struct {
	Query     string `json:"query"`
	Matched   bool   `json:"matched"`
	Count     int    `json:"count"`
	Truncated bool   `json:"truncated"`
	Rows      []row  `json:"rows"`
	evidence
}

func (s Service) testScreen(t *testing.T) {
	key := s.key(t)
	t.Run("hit", func(t *testing.T) {
		var got screening
		answer := s.do(t, get(key, name("al-Qaida")))
		answer.decode(t, &got)
		if got.Query != "al-Qaida" || !got.Matched || got.Count != len(got.Rows) || got.Truncated {
			t.Errorf("summary %+v", got)
		}
		var sources []string
		for _, r := range got.Rows {
			sources = append(sources, r.Source)
			if r.URL == "" || r.Name == "" || r.ID == "" || r.MatchedName == "" || r.MatchedKind == "" || r.Match == "" {
				t.Errorf("a row lacks a field: %+v", r)
			}
		}
		if !slices.Contains(sources, "OFAC") || !slices.Contains(sources, "UN") {
			t.Errorf("sources %v, want OFAC and UN among them", sources)
		}
		s.checkEvidence(t, answer, got.evidence)
	})
	t.Run("miss", func(t *testing.T) {
		answer := s.do(t, get(key, name("Zorblatt Quuxington")))
		var got screening
		answer.decode(t, &got)
		if got.Matched || got.Count != 0 || !strings.Contains(string(answer.body), `"rows":[]`) {
			t.Errorf("a miss: %s", answer.body)
		}
	})
	t.Run("every field", func(t *testing.T) {
		for _, tt := range []struct {
			query string
			want  row
		}{
			{"Joaquin Archivaldo GUZMAN LOERA", row{Source: "OFAC", Type: "individual", Match: "equal"}},
			{"حزب الله", row{Source: "OFAC", Type: "entity", Match: "equal", MatchedName: "حزب الله", MatchedKind: "native"}},
		} {
			var got screening
			s.do(t, get(key, name(tt.query)+"&source="+tt.want.Source)).decode(t, &got)
			if len(got.Rows) == 0 {
				t.Errorf("query %q: no row", tt.query)
				continue
			}
			r := got.Rows[0]
			if r.Type != tt.want.Type || r.Match != tt.want.Match ||
				tt.want.MatchedName != "" && (r.MatchedName != tt.want.MatchedName || r.MatchedKind != tt.want.MatchedKind) {
				t.Errorf("query %q: first row %+v, want %+v", tt.query, r, tt.want)
			}
			if r.Programs == "" || r.ListedOn == "" || len(r.Lists) == 0 || !strings.HasPrefix(r.ID, "OFAC-") {
				t.Errorf("query %q: row without programme, date, list or id: %+v", tt.query, r)
			}
		}
	})
	t.Run("vessel by IMO", func(t *testing.T) {
		var byName, byIMO screening
		s.do(t, get(key, name("M/V Adrian Darya 1"))).decode(t, &byName)
		if len(byName.Rows) != 1 || len(byName.Rows[0].IMO) != 7 {
			t.Fatalf("vessel by name: %+v", byName.Rows)
		}
		s.do(t, get(key, name("IMO "+byName.Rows[0].IMO))).decode(t, &byIMO)
		if len(byIMO.Rows) != 1 || byIMO.Rows[0].ID != byName.Rows[0].ID || byIMO.Rows[0].Match != "imo" {
			t.Errorf("the same vessel by IMO: %+v", byIMO.Rows)
		}
	})
}

// checkEvidence holds the fields that make an answer usable later.
func (s Service) checkEvidence(t *testing.T, answer response, got evidence) {
	t.Helper()
	if age := time.Since(got.ScreenedAt); age < -time.Minute || age > time.Minute {
		t.Errorf("screened_at %v", got.ScreenedAt)
	}
	if got.RequestID == "" || got.RequestID != answer.header.Get("X-Amzn-RequestId") || got.Rules < 1 {
		t.Errorf("request_id %q, rules %d", got.RequestID, got.Rules)
	}
	if len(got.Snapshot) != 64 || got.Snapshot != answer.header.Get("X-Snapshot") {
		t.Errorf("snapshot %q, X-Snapshot %q", got.Snapshot, answer.header.Get("X-Snapshot"))
	}
	statuses := map[string]string{}
	for _, source := range got.Sources {
		statuses[source.Source] = source.Status
		if source.ListDate == "" || source.AcceptedAt == "" {
			t.Errorf("source %+v", source)
		}
	}
	want := map[string]string{"OFAC": "ok", "UN": "ok", "EU": "ok", "EUX": "ok", "CN": "ok"}
	if source, status, incomplete := strings.Cut(s.Incomplete, "="); incomplete {
		want[source] = status
	}
	if diff := cmp.Diff(want, statuses); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	if incomplete := answer.header.Get("X-Incomplete"); incomplete != s.Incomplete {
		t.Errorf("X-Incomplete %q", incomplete)
	}
}

func (s Service) testScreenFilters(t *testing.T) {
	key := s.key(t)
	for _, tt := range []struct {
		query string
		ok    func(row) bool
	}{
		{"&source=OFAC", func(r row) bool { return r.Source == "OFAC" }},
		{"&source=UN", func(r row) bool { return r.Source == "UN" }},
		{"&type=individual", func(r row) bool { return r.Type == "individual" }},
		{"&source=UN&type=entity", func(r row) bool { return r.Source == "UN" && r.Type == "entity" }},
		{"&source=&type=&format=", func(row) bool { return true }},
		{"&format=json", func(row) bool { return true }},
	} {
		var got screening
		s.do(t, get(key, name("al")+tt.query)).decode(t, &got)
		if got.Count == 0 || got.Count != len(got.Rows) {
			t.Errorf("%s: count %d, %d rows", tt.query, got.Count, len(got.Rows))
		}
		for _, r := range got.Rows {
			if !tt.ok(r) {
				t.Errorf("%s: row %+v", tt.query, r)
			}
		}
	}
}

type batchScreening struct {
	Results []struct {
		Query     string `json:"query"`
		Matched   bool   `json:"matched"`
		Count     int    `json:"count"`
		Truncated *bool  `json:"truncated"`
		Rows      *[]row `json:"rows"`
	} `json:"results"`
	evidence
}

func (s Service) testBatch(t *testing.T) {
	key := s.key(t)
	var got batchScreening
	answer := s.do(t, post(key, "", `{"names": ["Hizballah", "Zorblatt Quuxington", "Hizballah"]}`))
	answer.decode(t, &got)
	s.checkEvidence(t, answer, got.evidence)
	var queries []string
	for _, r := range got.Results {
		queries = append(queries, r.Query)
		if r.Rows != nil || r.Truncated != nil || r.Matched != (r.Count > 0) || r.Matched != (r.Query == "Hizballah") {
			t.Errorf("result %+v", r)
		}
	}
	if want := []string{"Hizballah", "Zorblatt Quuxington", "Hizballah"}; !slices.Equal(queries, want) {
		t.Errorf("queries %q, want input order with duplicates %q", queries, want)
	}
	var withRows batchScreening
	s.do(t, post(key, "source=OFAC", `{"rows": true, "names": ["Hizballah", "Zorblatt Quuxington", "a"]}`)).decode(t, &withRows)
	for _, r := range withRows.Results {
		if r.Rows == nil || r.Truncated == nil || len(*r.Rows) != min(r.Count, 40) || *r.Truncated != (r.Count > 40) {
			t.Errorf("result with rows %+v", r)
		}
	}
	var full batchScreening
	s.do(t, post(key, "", `{"names": [`+strings.Repeat(`"x",`, 99)+`"x"]}`)).decode(t, &full)
	if len(full.Results) != 100 {
		t.Errorf("a batch of 100 gave %d results", len(full.Results))
	}
}
