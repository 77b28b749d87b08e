package embed_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/locale/localetest"
)

// TestEverythingIsTranslated: texts stand as .T "…" in templates, and as f.T("…") and the
// values of messages in the code.
func TestEverythingIsTranslated(t *testing.T) {
	localetest.Translated(t, "box/chinese.json", localetest.Sources{
		"box/*.html":  regexp.MustCompile(`\.T ("(?:[^"\\]|\\.)*")`),
		"embed.go":    regexp.MustCompile(`\.T\(("(?:[^"\\]|\\.)*")\)`),
		"messages.go": regexp.MustCompile(`(?m)^\t\t"\w+": +("(?:[^"\\]|\\.)*"),$`),
	}, nil)
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
