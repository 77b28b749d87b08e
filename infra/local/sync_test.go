package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/contract"
)

// TestSyncKeepsACopy runs the documentation's program before and after a refresh that
// adds, removes and changes entries: its copy is then the bulk file, attribution and all.
func TestSyncKeepsACopy(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not on this machine")
	}
	folder := t.TempDir()
	lastFirst := func(list string) string { // without its last entity
		return list[:strings.LastIndex(list, "<ENTITY>")] + list[strings.LastIndex(list, "</ENTITY>")+len("</ENTITY>"):]
	}
	c := testConfig(t, edited(t, t.TempDir(), unFile, lastFirst))
	server := httptest.NewUnstartedServer(nil)
	var ahead atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	s := startStackAt(t, c, "http://"+server.Listener.Addr().String(), now, slog.New(slog.DiscardHandler))
	server.Config.Handler = s.handler
	server.Start()
	t.Cleanup(server.Close)
	key, err := s.demoKey(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	sync := func() map[string]map[string]any {
		command := exec.CommandContext(t.Context(), python, "-c", syncProgram(t))
		command.Dir, command.Env = folder, append(os.Environ(), "LISTWARD_URL="+server.URL, "LISTWARD_KEY="+key)
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return readCopy(t, filepath.Join(folder, "listward.json"))
	}
	before := sync()
	c.lists = edited(t, t.TempDir(), unFile, func(list string) string {
		_, first, _ := strings.Cut(list, "<ENTITY>")
		first, _, _ = strings.Cut(first, "</ENTITY>")
		return strings.Replace(strings.Replace(list, "<ENTITY>"+first+"</ENTITY>", "", 1), "BOSCO", "OTHER", 1)
	})
	if err := refreshOnce(t.Context(), c, io.Discard); err != nil {
		t.Fatal(err)
	}
	ahead.Store(int64(2 * time.Second))
	after := sync()
	whole := s.bulkFile(t, key)
	if diff := cmp.Diff(whole, after); diff != "" {
		t.Errorf("the copy is not the bulk file (-file +copy):\n%s", diff)
	}
	if changes := len(whole) - len(before); changes != 0 || cmp.Equal(before, after) {
		t.Errorf("%d entries became %d, want one added, one removed and one changed", len(before), len(whole))
	}
}

func syncProgram(t *testing.T) string {
	t.Helper()
	for _, e := range contract.Examples() {
		if e.Language == "python" && strings.Contains(e.Code, "listward.json") {
			return e.Code
		}
	}
	t.Fatal("the documentation has no program that keeps a copy")
	return ""
}

// readCopy reads the program's file: entries by id.
func readCopy(t *testing.T, path string) map[string]map[string]any {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var kept struct {
		Entries map[string]map[string]any
	}
	if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	return kept.Entries
}

// bulkFile downloads all entries, by id.
func (s *stack) bulkFile(t *testing.T, key string) map[string]map[string]any {
	t.Helper()
	var described struct{ URL string }
	s.get(t, key, "/api/v1/exports/all.ndjson?redirect=false", &described)
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, described.URL, nil))
	entries := map[string]map[string]any{}
	for line := range bytes.Lines(w.Body.Bytes()) {
		var e map[string]any
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		entries[e["id"].(string)] = e
	}
	if len(entries) == 0 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return entries
}
