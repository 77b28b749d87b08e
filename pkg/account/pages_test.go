package account_test

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

// texts finds what is said to people: .T "…" in templates, v.t("…") and the messages of
// errors in the code.
var texts = regexp.MustCompile(`(?:\.T |\.t\(|Message: (?:v\.t\()?)("(?:[^"\\]|\\.)*")`)

// TestEverythingIsTranslated: every text has a Chinese one with the same verbs, and none
// is left over.
func TestEverythingIsTranslated(t *testing.T) {
	chinese := map[string]string{}
	file, err := os.ReadFile("pages/chinese.json")
	if err == nil {
		err = json.Unmarshal(file, &chinese)
	}
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]bool{}
	for _, pattern := range []string{"pages/*.html", "*.go", "../api/errors.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		for _, name := range found {
			for _, text := range textsOf(t, name) {
				said[text] = true
			}
		}
	}
	// Of the table of errors, those that people can meet here.
	for _, text := range textsOf(t, "../api/errors.go") {
		if _, found := chinese[text]; !found {
			delete(said, text)
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(said)), slices.Sorted(maps.Keys(chinese))); diff != "" {
		t.Errorf("texts (-said +translated):\n%s", diff)
	}
	for text, translation := range chinese {
		if strings.Count(text, "%s") != strings.Count(translation, "%s") || !regexp.MustCompile(`\p{Han}`).MatchString(translation) {
			t.Errorf("%q is translated as %q", text, translation)
		}
	}
}

func textsOf(t *testing.T, name string) []string {
	t.Helper()
	if strings.HasSuffix(name, "_test.go") {
		return nil
	}
	file, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	pattern := texts
	if strings.HasSuffix(name, "errors.go") {
		pattern = regexp.MustCompile(`http\.Status\w+, ("(?:[^"\\]|\\.)*")`)
	}
	var all []string
	for _, found := range pattern.FindAllStringSubmatch(string(file), -1) {
		var text string
		if err := json.Unmarshal([]byte(found[1]), &text); err != nil {
			t.Fatalf("%s: %s: %v", name, found[1], err)
		}
		all = append(all, text)
	}
	return all
}

func TestLanguages(t *testing.T) {
	p := newWorld(t).signedIn("ada")
	for _, tt := range []struct{ path, accept, want string }{
		{"/account", "", "Overview"},
		{"/account", "zh-CN,zh;q=0.9,en;q=0.8", "概览"},
		{"/account", "fr, zh-TW;q=0.5", "概览"},
		{"/account", "de, en;q=0.5, zh;q=0.1", "Overview"},
		{"/account?lang=xx", "zh", "概览"},
		{"/account?lang=zh", "en", "概览"},
		{"/account/keys", "en", "API 密钥"}, // it is remembered
		{"/account/none", "en", "页面不存在"},
		{"/account?lang=en", "zh", "Overview"},
	} {
		got := p.send("GET", tt.path, nil, map[string]string{"Accept-Language": tt.accept})
		lang := `<html lang="en">`
		if tt.want != "Overview" {
			lang = `<html lang="zh-Hans">`
		}
		if !strings.Contains(got.body, "<h1>"+tt.want+"</h1>") || !strings.Contains(got.body, lang) {
			t.Errorf("%s in a browser for %s: not %q as %s", tt.path, tt.accept, tt.want, lang)
		}
	}
}
