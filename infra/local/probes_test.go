package main

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/listward/listward/pkg/lists/liststest"
)

// TestFullProbes asks the whole stack every probe query on the newer lists: a listed
// party must be among the rows, a clean or delisted name must match nothing. Those
// that were delisted since match on the older lists, which are there before.
func TestFullProbes(t *testing.T) {
	folder := liststest.Folder(t)
	c := testConfig(t, filepath.Join(folder, "older"))
	s := startStack(t, c, time.Now, slog.New(slog.DiscardHandler))
	key, err := s.createDemo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	probes := readProbes(t, folder)
	delisted := 0
	for _, p := range probes {
		if !strings.HasPrefix(p.why, "delisted") {
			continue
		}
		delisted++
		p.hit = true
		p.check(t, s.screen(t, key.Reveal(), p.query))
	}
	c.lists = filepath.Join(folder, "newer")
	if err := refreshOnce(t.Context(), c, io.Discard); err != nil {
		t.Fatal(err)
	}
	asked := map[string]int{}
	for _, p := range probes {
		asked[p.source]++
		p.check(t, s.screen(t, key.Reveal(), p.query))
	}
	if len(asked) != 7 || len(probes) != 446 || delisted != 56 {
		t.Errorf("asked %v, %d delisted: want 446 probes of 6 files and of none, 56 delisted", asked, delisted)
	}
}

// check compares the ids of a probe's rows with what it expects.
func (p probe) check(t *testing.T, got []string) {
	t.Helper()
	prefixes := map[string]string{"ofac_sdn": "OFAC-", "ofac_cons": "OFAC-", "un": "UN-", "eu": "EU-", "eux": "EUX-", "cn": "CN-", "": "none"}
	prefix, known := prefixes[p.source]
	switch found := slices.ContainsFunc(got, func(id string) bool { return p.named(prefix, id) }); {
	case !known:
		t.Errorf("%q is a probe of an unknown source %q", p.query, p.source)
	case p.hit && !found:
		t.Errorf("%q (%s): %s%s is not among the %d rows", p.query, p.why, prefix, p.id, len(got))
	case !p.hit && len(got) > 0:
		t.Errorf("%q (%s): matches %v, want nothing", p.query, p.why, got)
	}
}

type probe struct {
	query, source, id, why string
	hit                    bool
}

// named reports whether an id is the one that the probe names. Of EUX the probes
// name annex and IMO number ("XLII/IMO9319686"), or annex and row: rows are no ids
// of ours, so there the annex decides.
func (p probe) named(prefix, id string) bool {
	if p.source == "cn" { // "ECL/2025-1/8" is CN-ECL-2025-1-8
		return id == prefix+strings.ReplaceAll(p.id, "/", "-")
	}
	annex, row, eux := strings.Cut(p.id, "/")
	if p.source != "eux" || !eux {
		return id == prefix+p.id
	}
	annex = prefix + strings.ReplaceAll(annex, ".", "-") + "-"
	if imo, vessel := strings.CutPrefix(row, "IMO"); vessel {
		return id == annex+imo
	}
	return strings.HasPrefix(id, annex)
}

func readProbes(t *testing.T, folder string) []probe {
	t.Helper()
	file, err := os.Open(filepath.Join(folder, "probes.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := "query,expected_hit,source,official_id,type,why,naive_matches"; strings.Join(rows[0], ",") != want {
		t.Fatalf("probes.csv has the columns %v, want %s", rows[0], want)
	}
	var probes []probe
	for _, r := range rows[1:] {
		probes = append(probes, probe{query: r[0], hit: r[1] == "true", source: r[2], id: r[3], why: r[5]})
	}
	return probes
}

// screening is an answer of the stack's.
type screening struct {
	Count int
	Rows  []struct {
		ID, Match   string
		MatchedName string `json:"matched_name"`
		MatchedKind string `json:"matched_kind"`
	}
}

// ask screens a name through the stack's handler.
func (s *stack) ask(t *testing.T, key, name string) (answer screening) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/screen?name="+url.QueryEscape(name), nil)
	r.Header.Set("Authorization", "Bearer "+key)
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK {
		t.Fatalf("query %q: status %d, %s, error %v", name, w.Code, w.Body, err)
	}
	return answer
}

// screen returns the ids of the rows.
func (s *stack) screen(t *testing.T, key, name string) []string {
	t.Helper()
	var ids []string
	for _, r := range s.ask(t, key, name).Rows {
		ids = append(ids, r.ID)
	}
	return ids
}
