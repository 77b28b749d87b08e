package eux_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists/eux"
	"github.com/listward/listward/pkg/sanction"
)

func TestParseSample(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "sample", "eux", "02014R0833.xhtml"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := eux.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	if list.Date != "2025-10-24" || len(list.Entries) != 34 || len(list.Rejected) != 0 {
		t.Errorf("got a list of %s with %d entries and %v rejected, want 2025-10-24, 34 and none",
			list.Date, len(list.Entries), list.Rejected)
	}
	law.Check(t, list, nil)
	byID := map[string]sanction.Entry{}
	for _, e := range list.Entries {
		byID[e.ID] = e
	}
	const url = "https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:02014R0833-20251024"
	for _, want := range []sanction.Entry{
		{
			ID: "EUX-III-vnesheconombank-veb", Source: sanction.EUX, Type: sanction.Entity,
			Names:    []sanction.Name{{Text: "VNESHECONOMBANK (VEB)", Kind: sanction.Primary}},
			Programs: []string{"833/2014 Annex III"}, URL: url,
		},
		{
			ID: "EUX-IV-jsc-kalashnikov-2014-09-12", Source: sanction.EUX, Type: sanction.Entity,
			Names: []sanction.Name{
				{Text: "JSC Kalashnikov", Kind: sanction.Primary},
				{Text: "АО «Концерн «Калашников»", Kind: sanction.Native},
				{Text: "Kalashnikov Concern", Kind: sanction.Alias},
				{Text: "Izhmash", Kind: sanction.Alias},
			},
			Programs: []string{"833/2014 Annex IV"}, ListedOn: "2014-09-12", URL: url,
		},
		{
			ID: "EUX-IV-oao-almaz-antey-2014-09-12", Source: sanction.EUX, Type: sanction.Entity,
			Names: []sanction.Name{
				{Text: "OAO Almaz Antey", Kind: sanction.Primary},
				{Text: "Almaz-Antey Corporation", Kind: sanction.Alias},
				{Text: "Almaz-Antey Concern", Kind: sanction.Alias},
			},
			Programs: []string{"833/2014 Annex IV"}, ListedOn: "2014-09-12", URL: url,
		},
		{
			ID: "EUX-XIX-B-russian-maritime-register-of-shipping", Source: sanction.EUX, Type: sanction.Entity,
			Names:    []sanction.Name{{Text: "Russian Maritime Register of Shipping", Kind: sanction.Primary}},
			Programs: []string{"833/2014 Annex XIX Part B"}, URL: url,
		},
		{
			ID: "EUX-XLII-9332810", Source: sanction.EUX, Type: sanction.Vessel,
			Names:    []sanction.Name{{Text: "Boracay", Kind: sanction.Primary}, {Text: "Kiwala", Kind: sanction.Former}},
			Programs: []string{"833/2014 Annex XLII"}, ListedOn: "2025-02-25", URL: url, IMOs: []string{"9332810"},
		},
		{
			ID: "EUX-XLV-B-payeer-2025-11-25", Source: sanction.EUX, Type: sanction.Entity,
			Names:    []sanction.Name{{Text: "Payeer", Kind: sanction.Primary}},
			Programs: []string{"833/2014 Annex XLV Part B (applies from 2025-11-25)"}, ListedOn: "2025-11-25", URL: url,
		},
	} {
		if diff := cmp.Diff(want, byID[want.ID]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.ID, diff)
		}
	}
}
