package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
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

// TestProbes asks the whole stack, with the full lists loaded, every probe query: a
// listed party must be among the rows, a clean or delisted name must match nothing.
func TestProbes(t *testing.T) {
	folder := liststest.Folder(t)
	s := startStack(t, testConfig(t, filepath.Join(folder, "newer")), time.Now, slog.New(slog.DiscardHandler))
	key, err := s.createDemo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	prefixes := map[string]string{"ofac_sdn": "OFAC-", "ofac_cons": "OFAC-", "un": "UN-", "eu": "EU-", "eux": "EUX-", "cn": "CN-", "": "none"}
	asked := map[string]int{}
	for _, p := range readProbes(t, folder) {
		prefix, known := prefixes[p.source]
		if !known {
			t.Errorf("%q is a probe of an unknown source %q", p.query, p.source)
			continue
		}
		asked[p.source]++
		got := s.screen(t, key.Reveal(), p.query)
		switch found := slices.ContainsFunc(got, func(id string) bool { return p.named(prefix, id) }); {
		case p.hit && !found:
			t.Errorf("%q (%s): %s%s is not among the %d rows", p.query, p.why, prefix, p.id, len(got))
		case !p.hit && len(got) > 0:
			t.Errorf("%q (%s): matches %v, want nothing", p.query, p.why, got)
		}
	}
	for source := range prefixes {
		if asked[source] == 0 {
			t.Errorf("no probe of source %q was asked", source)
		}
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

// screen asks the stack's handler and returns the ids of the rows.
func (s *stack) screen(t *testing.T, key, name string) []string {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/screen?name="+url.QueryEscape(name), nil)
	r.Header.Set("Authorization", "Bearer "+key)
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	var answer struct {
		Rows []struct{ ID string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK {
		t.Fatal(fmt.Errorf("query %q: status %d, %s: %w", name, w.Code, w.Body, err))
	}
	var ids []string
	for _, r := range answer.Rows {
		ids = append(ids, r.ID)
	}
	return ids
}
