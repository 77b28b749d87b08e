package account_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/locale/localetest"
)

// TestEverythingIsTranslated: texts stand as .T "…" in templates, and as v.t("…") and the
// messages of errors in the code. Of the API's errors, those that people can meet here are
// translated, too.
func TestEverythingIsTranslated(t *testing.T) {
	localetest.Translated(t, "pages/chinese.json", localetest.Sources{
		"pages/*.html": regexp.MustCompile(`\.T ("(?:[^"\\]|\\.)*")`),
		"*.go":         regexp.MustCompile(`(?:\.t\(|Message: (?:v\.t\()?)("(?:[^"\\]|\\.)*")`),
	}, localetest.Sources{
		"../api/errors.go": regexp.MustCompile(`http\.Status\w+, ("(?:[^"\\]|\\.)*")`),
	})
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
