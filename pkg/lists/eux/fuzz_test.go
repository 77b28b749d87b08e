package eux_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/lists/eux"
	"github.com/listward/listward/pkg/lists/liststest"
	"github.com/listward/listward/pkg/lists/sample"
	"github.com/listward/listward/pkg/sanction"
)

var (
	validID      = regexp.MustCompile(`^EUX-(XLII-[0-9]{7}|[IVXL]+(-[A-Z])?-[a-z0-9]+(-[a-z0-9]+)*)$`)
	validProgram = regexp.MustCompile(`^833/2014 Annex [IVXL]+( Part [A-Z])?( \(applies from \d{4}-\d\d-\d\d\))?$`)
)

// law holds for every list that Parse returns.
var law = liststest.Law{Source: sanction.EUX, URL: "https://eur-lex.europa.eu/", More: func(e sanction.Entry) []string {
	var broken []string
	if !validID.MatchString(e.ID) {
		broken = append(broken, "an id of no known form")
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
}}

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
		list, err := eux.Parse(bytes.NewReader(body))
		law.Check(t, list, err)
	})
}
