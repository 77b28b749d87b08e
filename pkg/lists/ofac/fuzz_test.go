package ofac_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists/liststest"
	"github.com/listward/listward/pkg/lists/ofac"
	"github.com/listward/listward/pkg/lists/sample"
	"github.com/listward/listward/pkg/sanction"
)

// brokenLaws names what must hold for every list that Parse returns without an
// error and does not for this one.
func brokenLaws(list sanction.List) []string {
	var broken []string
	if _, err := time.Parse(time.DateOnly, list.Date); err != nil {
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
		for _, what := range append(brokenFields(e), brokenNames(e.Names)...) {
			broken = append(broken, fmt.Sprintf("entry %q: %s", e.ID, what))
		}
	}
	return broken
}

func brokenFields(e sanction.Entry) []string {
	var broken []string
	if id, ok := strings.CutPrefix(e.ID, "OFAC-"); !ok || id == "" || e.Source != sanction.OFAC {
		broken = append(broken, fmt.Sprintf("id %q and source %q", e.ID, e.Source))
	}
	if !strings.HasPrefix(e.URL, "https://") {
		broken = append(broken, fmt.Sprintf("url %q", e.URL))
	}
	if _, err := time.Parse(time.DateOnly, e.ListedOn); e.ListedOn != "" && err != nil {
		broken = append(broken, fmt.Sprintf("listed on %q", e.ListedOn))
	}
	if e.Type != sanction.Vessel && len(e.IMOs) > 0 {
		broken = append(broken, fmt.Sprintf("%s with IMO numbers %q", e.Type, e.IMOs))
	}
	if e.Type != sanction.Aircraft && len(e.Registrations) > 0 {
		broken = append(broken, fmt.Sprintf("%s with tail numbers %q", e.Type, e.Registrations))
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

func readSample(tb testing.TB, file string) []byte {
	tb.Helper()
	text, err := fs.ReadFile(sample.Files(), "ofac/"+file)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// FuzzParse starts from the entities of the sample one by one: the engine takes a
// minute to shrink each finding that grew from the whole file.
func FuzzParse(f *testing.F) {
	for _, list := range []string{"SDN_ENHANCED.XML", "CONS_ENHANCED.XML"} {
		for _, entity := range liststest.Records(f, readSample(f, list), "<entity ", "</entity>") {
			f.Add([]byte(file(entity)))
		}
	}
	f.Add([]byte(file(
		party{kind: entityType("Individual"), names: name("primary", person("Ali", "X", "X, Ali"), translation("Arabic", "علي")) +
			name("fka weak", latin("X"))}.String(),
		party{id: ` id="8"`, kind: entityType("Vessel"), more: features("Vessel Flag", "Russia") +
			documents("Vessel Registration Identification", "IMO 9421960")}.String(),
		party{id: ` id="9"`, kind: entityType("Aircraft"), more: features("Aircraft Tail Number", "EP-MNE")}.String(),
		party{lists: list("CAPTA List", "2019-03-14")}.String())))
	f.Add([]byte(file(party{names: name("weak", latin("A"), translation("Cyrillic", "А")) + name("", latin(" "), latin("A"))}.String())))
	f.Add([]byte(file(party{id: "-"}.String())))
	f.Add([]byte("<html></html>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := ofac.Parse(bytes.NewReader(body))
		if err != nil {
			if diff := cmp.Diff(sanction.List{}, got); diff != "" {
				t.Errorf("Parse(%q) returned a list beside the error %v (-want +got):\n%s", body, err, diff)
			}
			return
		}
		for _, broken := range brokenLaws(got) {
			t.Errorf("Parse(%q): %s", body, broken)
		}
	})
}
