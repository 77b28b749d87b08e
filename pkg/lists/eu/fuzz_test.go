package eu_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/lists/eu"
	"github.com/listward/listward/pkg/lists/liststest"
	"github.com/listward/listward/pkg/lists/sample"
	"github.com/listward/listward/pkg/sanction"
)

// law holds for every list that Parse returns.
var law = liststest.Law{Source: sanction.EU, More: func(e sanction.Entry) []string {
	var broken []string
	if !strings.HasPrefix(e.URL, "https://") && !strings.HasPrefix(e.URL, "http://") {
		broken = append(broken, fmt.Sprintf("url %q", e.URL))
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
}}

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
		list, err := eu.Parse(bytes.NewReader(body))
		law.Check(t, list, err)
	})
}
