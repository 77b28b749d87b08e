package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/lists/liststest"
	"github.com/listward/listward/pkg/refresh"
	"github.com/listward/listward/pkg/sanction"
)

// generation is what a stack served at a time.
type generation struct {
	snapshot string
	entries  map[string]sanction.Entry
}

// date is the folder with the lists of a date.
func date(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(liststest.Folder(t), name)
}

// TestFullListsOfTwoDates browses full lists page by page, and asks for the changes between
// two dates of them, also after a refresh that changes nothing.
func TestFullListsOfTwoDates(t *testing.T) {
	c := testConfig(t, date(t, "older"))
	now := time.Now()
	s := startStack(t, c, func() time.Time { return now }, slog.New(slog.DiscardHandler))
	key, err := s.demoKey(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	older := s.generation(t)
	c.lists = date(t, "newer")
	newer := generation{}
	for range 2 {
		s.refreshAgain(t, c)
		now = now.Add(time.Hour)
		newer = s.generation(t)
	}
	checkPaging(t, s, key, newer)
	if newer.snapshot == older.snapshot {
		t.Fatal("the two dates have one snapshot: there is nothing to compare")
	}
	got := map[string]string{}
	for path := "/api/v1/changes?limit=500&since=" + older.snapshot; path != ""; {
		var part struct {
			From, To, Snapshot string
			Total              int
			Next               *int
			Rows               []struct {
				ID, Change string
				Fields     []string
				Before     map[string]any
			}
		}
		s.get(t, key, path, &part)
		if part.From != older.snapshot || part.To != newer.snapshot {
			t.Fatalf("from %s to %s", part.From, part.To)
		}
		for _, r := range part.Rows {
			if got[r.ID] != "" || (r.Change == "changed") != (len(r.Fields) > 0) || len(r.Before) != len(r.Fields) {
				t.Errorf("row %+v after %q", r, got[r.ID])
			}
			got[r.ID] = r.Change
		}
		path = ""
		if part.Next != nil {
			path = fmt.Sprintf("/api/v1/changes?limit=500&since=%s&offset=%d&snapshot=%s", older.snapshot, *part.Next, part.Snapshot)
		}
	}
	if diff := cmp.Diff(difference(older, newer), got); diff != "" {
		t.Errorf("changes between the two dates (-difference +answer):\n%s", diff)
	}
	w := s.call(t, key, "/api/v1/sanctions?limit=5&offset=5&snapshot="+older.snapshot)
	if w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "snapshot_changed") {
		t.Errorf("a page of the older lists: %d %s", w.Code, w.Body)
	}
}

// difference compares two generations by what their snapshots hold of each entry.
func difference(older, newer generation) map[string]string {
	changes := map[string]string{}
	for id, e := range newer.entries {
		old, was := older.entries[id]
		e.URL, old.URL = "", "" // it moves with every consolidation, and is no change
		if !was {
			changes[id] = "added"
		} else if !cmp.Equal(old, e) {
			changes[id] = "changed"
		}
	}
	for id := range older.entries {
		if _, is := newer.entries[id]; !is {
			changes[id] = "removed"
		}
	}
	return changes
}

func (s *stack) generation(t *testing.T) generation {
	t.Helper()
	current, err := edition.NewFollower(s.objects, 0, s.now, slog.New(slog.DiscardHandler)).Current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g := generation{current.Snapshot, map[string]sanction.Entry{}}
	for e := range current.Data.Entries() {
		entry := current.Data.Entry(e)
		g.entries[entry.ID] = entry
	}
	return g
}

func (s *stack) refreshAgain(t *testing.T, c config) {
	t.Helper()
	r := &refresh.Refresher{Store: s.objects, Origin: c.origin(nil), Now: s.now, Log: slog.New(slog.DiscardHandler), Guard: c.guard()}
	if _, err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// checkPaging follows all pages of 500: every id once, in order.
func checkPaging(t *testing.T, s *stack, key string, g generation) {
	t.Helper()
	var ids []string
	for offset := 0; offset >= 0; {
		var part struct {
			Total    int
			Next     *int
			Rows     []struct{ ID, Source string }
			Snapshot string
		}
		s.get(t, key, "/api/v1/sanctions?limit=500&offset="+fmt.Sprint(offset)+"&snapshot="+g.snapshot, &part)
		for _, r := range part.Rows {
			rank := slices.Index(sanction.Sources(), sanction.Source(r.Source))
			ids = append(ids, fmt.Sprint(rank, " ", r.ID))
		}
		if offset = -1; part.Next != nil {
			offset = *part.Next
		}
		if part.Total != len(g.entries) || part.Snapshot != g.snapshot {
			t.Fatalf("total %d of %d, snapshot %s of %s", part.Total, len(g.entries), part.Snapshot, g.snapshot)
		}
	}
	if len(ids) != len(g.entries) || !slices.IsSorted(ids) || len(slices.Compact(ids)) != len(g.entries) {
		t.Errorf("%d ids of %d, in order: %v", len(ids), len(g.entries), slices.IsSorted(ids))
	}
}

func (s *stack) call(t *testing.T, key, path string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.Header.Set("Authorization", "Bearer "+key)
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w
}

func (s *stack) get(t *testing.T, key, path string, into any) {
	t.Helper()
	w := s.call(t, key, path)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
		t.Fatal(err)
	}
}
