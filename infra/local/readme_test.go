package main

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/screen"
)

// TestReadmeAnswer: the answer shown is the one that a fresh clone gives, but for the
// times and the number of the call.
func TestReadmeAnswer(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(readme), "```json\n")
	shown, _, _ = strings.Cut(shown, "```")
	s := startStack(t, testConfig(t, sampleLists), time.Now, slog.New(slog.DiscardHandler))
	key, err := s.createDemo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	answer := s.call(t, key.Reveal(), "/api/v1/screen?name=Vladimir+Putin").Body.String()
	if diff := cmp.Diff(lasting(t, shown), lasting(t, answer)); diff != "" {
		t.Errorf("README's sample answer (-shown +given):\n%s", diff)
	}
}

// lasting is what of a screening is the same at each call.
func lasting(t *testing.T, answer string) map[string]any {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(answer), &fields); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	delete(fields, "screened_at")
	delete(fields, "request_id")
	sources, _ := fields["sources"].([]any)
	for _, source := range sources {
		delete(source.(map[string]any), "accepted_at")
	}
	return fields
}

// matchRow is a row of the README's table of rules: rule, words, query, name.
var matchRow = regexp.MustCompile("(?m)^\\| `([a-z]+)` \\| [^|]+ \\| `([^`]+)`, (.+) \\|$")

// TestReadmeExamples asks each query of the README's table of rules: the entry
// named there is met by the rule of its row. Every rule has a row.
func TestReadmeExamples(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	s := startStack(t, testConfig(t, sampleLists), time.Now, slog.New(slog.DiscardHandler))
	key, err := s.createDemo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	for _, row := range matchRow.FindAllStringSubmatch(string(readme), -1) {
		rule, query, name := row[1], row[2], row[3]
		rules = append(rules, rule)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/screen?name="+url.QueryEscape(query), nil)
		r.Header.Set("Authorization", "Bearer "+key.Reveal())
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, r)
		var answer struct {
			Rows []struct{ Name, Match string }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(answer.Rows, struct{ Name, Match string }{name, rule}) {
			t.Errorf("README: %q meets %v, want %s by %q", query, answer.Rows, name, rule)
		}
	}
	var want []string
	for _, rule := range screen.Rules() {
		want = append(want, rule.String())
	}
	if !slices.Equal(rules, want) {
		t.Errorf("README has the rules %s, want %s", strings.Join(rules, " "), strings.Join(want, " "))
	}
}
