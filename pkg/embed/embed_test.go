package embed_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// How texts stand in the sources: .T "…" in templates, f.T("…") and the values of messages
// in the code.
var said = map[string]*regexp.Regexp{
	"box/*.html":  regexp.MustCompile(`\.T ("(?:[^"\\]|\\.)*")`),
	"embed.go":    regexp.MustCompile(`\.T\(("(?:[^"\\]|\\.)*")\)`),
	"messages.go": regexp.MustCompile(`(?m)^\t\t"\w+": +("(?:[^"\\]|\\.)*"),$`),
}

var han, gap = regexp.MustCompile(`\p{Han}`), regexp.MustCompile(`\{\w+\}`)

// TestEverythingIsTranslated: every text has a Chinese one with the same gaps, and none is
// left over.
func TestEverythingIsTranslated(t *testing.T) {
	chinese := map[string]string{}
	text, err := os.ReadFile("box/chinese.json")
	if err == nil {
		err = json.Unmarshal(text, &chinese)
	}
	if err != nil {
		t.Fatal(err)
	}
	english := map[string]bool{}
	for pattern, how := range said {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(names), err)
		}
		for _, name := range names {
			collect(t, name, how, english)
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(english)), slices.Sorted(maps.Keys(chinese))); diff != "" {
		t.Errorf("texts (-said +translated):\n%s", diff)
	}
	for from, to := range chinese {
		gaps := func(s string) []string { return slices.Sorted(slices.Values(gap.FindAllString(s, -1))) }
		if !slices.Equal(gaps(from), gaps(to)) || !han.MatchString(to) {
			t.Errorf("%q is translated as %q", from, to)
		}
	}
}

func collect(t *testing.T, name string, how *regexp.Regexp, into map[string]bool) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range how.FindAllStringSubmatch(string(text), -1) {
		var s string
		if err := json.Unmarshal([]byte(found[1]), &s); err != nil {
			t.Fatalf("%s: %s: %v", name, found[1], err)
		}
		into[s] = true
	}
}

// TestScriptKnowsItsMessages: what the script says stands among the messages.
func TestScriptKnowsItsMessages(t *testing.T) {
	script, err := os.ReadFile("box/box.js")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("messages.go")
	if err != nil {
		t.Fatal(err)
	}
	used := regexp.MustCompile(`messages\.(\w+)`).FindAllStringSubmatch(string(script), -1)
	if len(used) < 10 {
		t.Fatalf("the script uses %d messages", len(used))
	}
	for _, m := range used {
		if !strings.Contains(string(code), `"`+m[1]+`":`) {
			t.Errorf("there is no message %s", m[1])
		}
	}
}
