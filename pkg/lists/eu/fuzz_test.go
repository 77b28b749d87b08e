package eu_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/lists/eu"
	"github.com/listward/listward/pkg/lists/liststest"
	"github.com/listward/listward/pkg/lists/sample"
	"github.com/listward/listward/pkg/sanction"
)

// brokenLaws names what must hold for every list that Parse returns without an
// error and does not for this one.
func brokenLaws(list sanction.List) []string {
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
		for _, what := range append(brokenFields(e), brokenNames(e.Names)...) {
			broken = append(broken, fmt.Sprintf("entry %q: %s", e.ID, what))
		}
	}
	return broken
}

func brokenFields(e sanction.Entry) []string {
	var broken []string
	if id, ok := strings.CutPrefix(e.ID, "EU-"); !ok || id == "" || e.Source != sanction.EU {
		broken = append(broken, fmt.Sprintf("id %q and source %q", e.ID, e.Source))
	}
	if !strings.HasPrefix(e.URL, "https://") && !strings.HasPrefix(e.URL, "http://") {
		broken = append(broken, fmt.Sprintf("url %q", e.URL))
	}
	if e.ListedOn != "" && !isDay(e.ListedOn) {
		broken = append(broken, fmt.Sprintf("listed on %q", e.ListedOn))
	}
	// Of any type: an entry that unites two records keeps the type of the first.
	for _, imo := range e.IMOs {
		if !lists.ShipIMO(imo) || lists.CompanyIMO(imo) {
			broken = append(broken, fmt.Sprintf("%s with IMO number %q", e.Type, imo))
		}
	}
	for _, code := range e.Countries {
		if len(code) != 2 {
			broken = append(broken, fmt.Sprintf("country %q", code))
		}
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

func readSample(tb testing.TB) []byte {
	tb.Helper()
	text, err := fs.ReadFile(sample.Files(), "eu/FULL-1_1.xml")
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// FuzzParse starts from the records of the sample one by one: the engine takes a
// minute to shrink each finding that grew from the whole file.
func FuzzParse(f *testing.F) {
	for _, record := range liststest.Records(f, readSample(f), "<sanctionEntity ", "</sanctionEntity>") {
		f.Add([]byte(file(record)))
	}
	f.Add([]byte(file(entity("EU.1.1", "person", alias("Кот", "RU")+alias("Kot", "")+`<birthdate circa="true" year="1958"/>`))))
	f.Add([]byte(file(entity("EU.1.1", "enterprise", alias("A", "")+`<identification identificationTypeCode="imo" number="8514306"/>`))))
	f.Add([]byte(file(entity("EU.1.1", "vessel", alias("A", "")), entity("EU.2.2", "person", ""))))
	f.Add([]byte(file()))
	f.Add([]byte("<html></html>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := eu.Parse(bytes.NewReader(body))
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
