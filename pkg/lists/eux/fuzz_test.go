package eux_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists/eux"
	"github.com/listward/listward/pkg/lists/liststest"
	"github.com/listward/listward/pkg/lists/sample"
	"github.com/listward/listward/pkg/sanction"
)

// brokenLaws names what must hold for every list that Parse returns without an
// error and does not for this one.
func brokenLaws(list sanction.List) []string {
	var broken []string
	if !isDay(list.Date) || len(list.Entries) == 0 {
		broken = append(broken, fmt.Sprintf("a list of %q with %d entries", list.Date, len(list.Entries)))
	}
	met := map[string]bool{}
	for _, e := range list.Entries {
		if met[e.ID] {
			broken = append(broken, fmt.Sprintf("two entries have the id %q", e.ID))
		}
		met[e.ID] = true
		for _, what := range append(brokenFields(e), brokenNames(e.Names)...) {
			broken = append(broken, fmt.Sprintf("entry %q: %s", e.ID, what))
		}
	}
	return broken
}

var (
	validID      = regexp.MustCompile(`^EUX-(XLII-[0-9]{7}|[IVXL]+(-[A-Z])?-[a-z0-9]+(-[a-z0-9]+)*)$`)
	validProgram = regexp.MustCompile(`^833/2014 Annex [IVXL]+( Part [A-Z])?( \(applies from \d{4}-\d\d-\d\d\))?$`)
)

func brokenFields(e sanction.Entry) []string {
	var broken []string
	if !validID.MatchString(e.ID) || e.Source != sanction.EUX {
		broken = append(broken, fmt.Sprintf("id %q and source %q", e.ID, e.Source))
	}
	if !strings.HasPrefix(e.URL, "https://eur-lex.europa.eu/") {
		broken = append(broken, fmt.Sprintf("url %q", e.URL))
	}
	if e.ListedOn != "" && !isDay(e.ListedOn) {
		broken = append(broken, fmt.Sprintf("listed on %q", e.ListedOn))
	}
	if vessel := e.Type == sanction.Vessel; vessel != (len(e.IMOs) == 1) || vessel != strings.HasPrefix(e.ID, "EUX-XLII-") {
		broken = append(broken, fmt.Sprintf("%s with IMO numbers %q", e.Type, e.IMOs))
	}
	if len(e.Programs) == 0 {
		broken = append(broken, "no programme")
	}
	for _, program := range e.Programs {
		if !validProgram.MatchString(program) {
			broken = append(broken, fmt.Sprintf("programme %q", program))
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
	text, err := fs.ReadFile(sample.Files(), "eux/02014R0833.xhtml")
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// FuzzParse starts from the whole sample, which is small, and from its rows one by
// one, under a header that suits those of vessels best.
func FuzzParse(f *testing.F) {
	f.Add(readSample(f))
	for _, row := range liststest.Records(f, readSample(f), "<tr>", "</tr>") {
		f.Add([]byte(file(vessels(row))))
	}
	f.Add([]byte(file(parties(tr("1.", "Lake|A.k.a.: Sea (湖泊)", "Registration number 7", "1.2.2026"), marker, tr("2.", "Lake", "", "1.2.2026")))))
	f.Add([]byte(file(vessels(tr("1.", "Star (ex Moon", "IMO 9179842", "", "Feb. 2026"), tr("—", "", "9", "", "")))))
	f.Add([]byte(file(annex("XIX", `<p>PART A</p><p>1. Озеро</p><p>[…]</p><p>Part B</p><p>2. 1</p>`))))
	f.Add([]byte("<html></html>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := eux.Parse(bytes.NewReader(body))
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
