package liststest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/listward/listward/pkg/sanction"
)

// Law is what holds for every list that a publisher's parser returns, whatever the
// input.
type Law struct {
	Source sanction.Source
	// URL is what a record's address begins with, empty where More looks at it.
	URL string
	// More names what else is broken in an entry. It may be nil.
	More func(sanction.Entry) []string
}

// Check fails the test unless an error comes with an empty list, or a list without
// one keeps the law.
func (l Law) Check(t *testing.T, list sanction.List, err error) {
	t.Helper()
	if err != nil {
		checkEmpty(t, list, err)
		return
	}
	for _, broken := range l.Broken(list) {
		t.Error(broken)
	}
}

func checkEmpty(t *testing.T, list sanction.List, err error) {
	t.Helper()
	if !reflect.DeepEqual(list, sanction.List{}) {
		t.Errorf("a list of %q with %d entries and %d rejected came beside the error %v, want an empty one",
			list.Date, len(list.Entries), len(list.Rejected), err)
	}
}

// Broken names what does not hold for a list and must.
func (l Law) Broken(list sanction.List) []string {
	var broken []string
	if !isDay(list.Date) {
		broken = append(broken, fmt.Sprintf("the list is dated %q", list.Date))
	}
	if len(list.Entries) == 0 {
		broken = append(broken, "there are no entries")
	}
	ids := map[string]bool{}
	for _, e := range list.Entries {
		if ids[e.ID] {
			broken = append(broken, fmt.Sprintf("two entries have the id %q", e.ID))
		}
		ids[e.ID] = true
		for _, what := range l.brokenEntry(e) {
			broken = append(broken, fmt.Sprintf("entry %q: %s", e.ID, what))
		}
	}
	return broken
}

func (l Law) brokenEntry(e sanction.Entry) []string {
	broken := brokenNames(e.Names)
	if id, ok := strings.CutPrefix(e.ID, string(l.Source)+"-"); !ok || id == "" || e.Source != l.Source {
		broken = append(broken, fmt.Sprintf("id %q and source %q", e.ID, e.Source))
	}
	if !strings.HasPrefix(e.URL, l.URL) {
		broken = append(broken, fmt.Sprintf("url %q", e.URL))
	}
	if e.ListedOn != "" && !isDay(e.ListedOn) {
		broken = append(broken, fmt.Sprintf("listed on %q", e.ListedOn))
	}
	if l.More != nil {
		broken = append(broken, l.More(e)...)
	}
	return broken
}

func brokenNames(names []sanction.Name) []string {
	if len(names) == 0 {
		return []string{"no names"}
	}
	var broken []string
	texts := map[string]bool{}
	for i, n := range names {
		if strings.TrimSpace(n.Text) == "" {
			broken = append(broken, "a blank name")
		}
		if first := i == 0; first != (n.Kind == sanction.Primary) {
			broken = append(broken, fmt.Sprintf("name %d, %q, is of kind %q", i, n.Text, n.Kind))
		}
		if texts[n.Text] {
			broken = append(broken, fmt.Sprintf("two names are %q", n.Text))
		}
		texts[n.Text] = true
	}
	return broken
}

func isDay(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// CheckBadFiles parses responses that were met or made from the true format, in
// samples/bad of [Folder]. Each file named in reasons must be refused for its
// reason, with an empty list. Some files must match the glob, and each of them have
// a reason.
func CheckBadFiles(t *testing.T, parse Parser, glob string, reasons map[string]error) {
	t.Helper()
	bad := filepath.Join(Folder(t), "samples", "bad")
	for name, reason := range reasons {
		t.Run(name, func(t *testing.T) {
			body, err := os.ReadFile(filepath.Join(bad, name))
			if err != nil {
				t.Fatal(err)
			}
			list, err := parse(bytes.NewReader(body))
			if !errors.Is(err, reason) {
				t.Errorf("error %v, want %v", err, reason)
			}
			checkEmpty(t, list, err)
		})
	}
	found, err := filepath.Glob(filepath.Join(bad, glob))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Errorf("no file in %s matches %s", bad, glob)
	}
	for _, path := range found {
		if reasons[filepath.Base(path)] == nil {
			t.Errorf("no reason for which to refuse %s stands in this test", path)
		}
	}
}
