// Package localetest is for the tests of packages that speak to people in more than one
// language: it holds that what their sources say and what is translated are the same.
package localetest

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

// Sources tells where texts stand: by the pattern of the files' names ([filepath.Glob]),
// what finds them there. Its first group is the text as a string of JSON. Files of tests
// say nothing to people and are left out.
type Sources map[string]*regexp.Regexp

var (
	han = regexp.MustCompile(`\p{Han}`)
	gap = regexp.MustCompile(`%s|\{\w+\}`)
)

// Translated fails the test unless every text of said has a Chinese one with the same gaps
// in the file at chinese, as [locale.Read] reads it, and none is left over. Texts of lent,
// another package's, may be translated.
func Translated(t *testing.T, chinese string, said, lent Sources) {
	t.Helper()
	words := map[string]string{}
	text, err := os.ReadFile(chinese)
	if err == nil {
		err = json.Unmarshal(text, &words)
	}
	if err != nil {
		t.Fatal(err)
	}
	english := texts(t, said)
	for text := range texts(t, lent) {
		if words[text] != "" {
			english[text] = true
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(english)), slices.Sorted(maps.Keys(words))); diff != "" {
		t.Errorf("texts (-said +translated):\n%s", diff)
	}
	for from, to := range words {
		if !slices.Equal(gaps(from), gaps(to)) || !han.MatchString(to) {
			t.Errorf("%q is translated as %q", from, to)
		}
	}
}

func gaps(s string) []string { return slices.Sorted(slices.Values(gap.FindAllString(s, -1))) }

// texts are all texts of the sources. That a source has none fails the test.
func texts(t *testing.T, sources Sources) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for pattern, how := range sources {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, name := range names {
			if !strings.HasSuffix(name, "_test.go") {
				found += collect(t, name, how, all)
			}
		}
		if found == 0 {
			t.Fatalf("%s: no text in %d files", pattern, len(names))
		}
	}
	return all
}

// collect adds the texts of a file and returns how many it finds.
func collect(t *testing.T, name string, how *regexp.Regexp, into map[string]bool) int {
	t.Helper()
	file, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	all := how.FindAllStringSubmatch(string(file), -1)
	for _, found := range all {
		var text string
		if err := json.Unmarshal([]byte(found[1]), &text); err != nil {
			t.Fatalf("%s: %s: %v", name, found[1], err)
		}
		into[text] = true
	}
	return len(all)
}
