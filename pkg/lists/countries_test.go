package lists_test

import (
	"encoding/xml"
	"errors"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/lists/liststest"
)

func TestCountries(t *testing.T) {
	countries := lists.NewCountries()
	for name, want := range map[string]string{
		"Togo": "TG", "west bank": "PS", "Region: Gaza": "PS", "Korea, North": "KP",
		" Democratic  People’s\nRepublic of Korea": "KP", "Kosovo": "XK", "Macau": "MO",
		"": "", "undetermined": "", "Netherlands Antilles": "", "former Soviet Union": "",
	} {
		if got := countries.Code(name); got != want {
			t.Errorf("Code(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestFullCountriesOfOFAC compares with the codes that OFAC's own table gives.
func TestFullCountriesOfOFAC(t *testing.T) {
	countries := lists.NewCountries()
	behind := errors.New("the tables end here")
	for _, file := range []string{"SDN_ENHANCED.XML.gz", "CONS_ENHANCED.XML.gz"} {
		compared := 0
		root := xml.Name{Space: "https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/ENHANCED_XML", Local: "sanctionsData"}
		err := lists.ReadXML(liststest.Open(t, "newer/ofac/"+file), root, lists.Handlers{
			"entities": func(*xml.Decoder, xml.StartElement) error { return behind },
			"referenceValue": func(d *xml.Decoder, start xml.StartElement) error {
				var row struct {
					Type string `xml:"type"`
					Name string `xml:"value"`
					Code string `xml:"isoCode"`
				}
				if err := d.DecodeElement(&row, &start); err != nil || row.Type != "COUNTRY" || row.Code == "" {
					return err
				}
				compared++
				if got := countries.Code(row.Name); got != strings.TrimSpace(row.Code) {
					t.Errorf("%s: Code(%q) = %q, want %q", file, row.Name, got, row.Code)
				}
				return nil
			},
		})
		if !errors.Is(err, behind) || compared < 150 {
			t.Errorf("%s: %d countries compared and error %v, want 150 or more and %v", file, compared, err, behind)
		}
	}
}
