package eu_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/sanction"
)

func TestParseSample(t *testing.T) {
	const celex = "https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:"
	body, err := os.ReadFile(filepath.Join("..", "sample", "eu", "FULL-1_1.xml"))
	if err != nil {
		t.Fatal(err)
	}
	list := parse(t, string(body))
	if list.Date != "2026-01-02" || len(list.Rejected) != 0 {
		t.Errorf("list of %s, rejected %v, want 2026-01-02 and none", list.Date, list.Rejected)
	}
	parsed := map[string]sanction.Entry{}
	types := map[sanction.Type]int{}
	for _, e := range list.Entries {
		parsed[e.ID] = e
		types[e.Type]++
	}
	wantTypes := map[sanction.Type]int{sanction.Individual: 20, sanction.Entity: 10, sanction.Vessel: 2}
	if diff := cmp.Diff(wantTypes, types); diff != "" {
		t.Errorf("entries by type (-want +got):\n%s", diff)
	}
	for _, want := range []sanction.Entry{
		{
			ID: "EU-EU.7510.16", Source: sanction.EU, Type: sanction.Individual,
			Names: []sanction.Name{
				{Text: "Vladimir Vladimirovich PUTIN", Kind: sanction.Primary},
				{Text: "Владимир Владимирович ПУТИН", Kind: sanction.Native},
				{Text: "Vladimir Vladimirovitj PUTIN", Kind: sanction.Alias},
				{Text: "Vladimir Vladimirovitš PUTIN", Kind: sanction.Alias},
			},
			Programs: []string{"UKR"}, ListedOn: "2022-02-25", URL: celex + "32022R0332",
			BirthDates: []string{"1952-10-07"}, Countries: []string{"RU"},
		},
		{
			ID: "EU-EU.90010.20", Source: sanction.EU, Type: sanction.Individual,
			Names: []sanction.Name{
				{Text: "Sirajuddin Jallaloudine Haqqani", Kind: sanction.Primary},
				{Text: "Khalifa", Kind: sanction.Alias, Weak: true},
				{Text: "Siraj Haqqani", Kind: sanction.Alias},
			},
			Programs: []string{"AFG"}, ListedOn: "2011-08-02", URL: celex + "32011R0753",
			BirthDates: []string{"circa 1977", "circa 1978"}, Countries: []string{"AF"},
		},
		{
			ID: "EU-EU.90019.29", Source: sanction.EU, Type: sanction.Entity,
			Names: []sanction.Name{
				{Text: "VTB Bank", Kind: sanction.Primary},
				{Text: "Банк ВТБ", Kind: sanction.Native},
				{Text: "Vneshtorgbank", Kind: sanction.Former},
			},
			Programs: []string{"UKR"}, ListedOn: "2022-12-16", URL: celex + "32022R2476",
		},
		{
			ID: "EU-EU.9442.82", Source: sanction.EU, Type: sanction.Vessel,
			Names:    []sanction.Name{{Text: "Unica", Kind: sanction.Primary}},
			Programs: []string{"PRK"}, ListedOn: "2022-12-12", URL: celex + "32022R2429", IMOs: []string{"8514306"},
		},
	} {
		if diff := cmp.Diff(want, parsed[want.ID]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.ID, diff)
		}
	}
}
