package ofac_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"testing"

	"github.com/listward/listward/pkg/lists/liststest"
	"github.com/listward/listward/pkg/lists/ofac"
	"github.com/listward/listward/pkg/lists/sample"
	"github.com/listward/listward/pkg/sanction"
)

// law holds for every list that Parse returns.
var law = liststest.Law{Source: sanction.OFAC, URL: "https://", More: func(e sanction.Entry) []string {
	var broken []string
	if e.Type != sanction.Vessel && len(e.IMOs) > 0 {
		broken = append(broken, fmt.Sprintf("%s with IMO numbers %q", e.Type, e.IMOs))
	}
	if e.Type != sanction.Aircraft && len(e.Registrations) > 0 {
		broken = append(broken, fmt.Sprintf("%s with tail numbers %q", e.Type, e.Registrations))
	}
	return broken
}}

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
		list, err := ofac.Parse(bytes.NewReader(body))
		law.Check(t, list, err)
	})
}
