package ofac_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists/ofac"
	"github.com/listward/listward/pkg/sanction"
)

// parseSample parses a file of the sample in the repository and returns its
// entries by ID.
func parseSample(t *testing.T, file string) map[string]sanction.Entry {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "sample", "ofac", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := ofac.Parse(f)
	if err != nil {
		t.Fatalf("Parse(%s): %v", file, err)
	}
	if list.Date != "2026-01-02" || len(list.Rejected) != 0 {
		t.Errorf("Parse(%s) = list of %s, rejected %v, want 2026-01-02 and none", file, list.Date, list.Rejected)
	}
	for _, broken := range law.Broken(list) {
		t.Errorf("%s: %s", file, broken)
	}
	byID := make(map[string]sanction.Entry, len(list.Entries))
	for _, e := range list.Entries {
		byID[e.ID] = e
	}
	return byID
}

func TestParseSample(t *testing.T) {
	const record = "https://sanctionssearch.ofac.treas.gov/Details.aspx?id="
	for file, entries := range map[string][]sanction.Entry{
		"SDN_ENHANCED.XML": {
			{
				ID: "OFAC-35096", Source: sanction.OFAC, Type: sanction.Individual,
				Names: []sanction.Name{
					{Text: "PUTIN, Vladimir Vladimirovich", Kind: sanction.Primary, Reading: "Vladimir Vladimirovich PUTIN"},
					{Text: "ПУТИН, Владимир Владимирович", Kind: sanction.Native, Reading: "Владимир Владимирович ПУТИН"},
					{Text: "PUTIN, Vladimir", Kind: sanction.Alias, Reading: "Vladimir PUTIN"},
				},
				Programs: []string{"RUSSIA-EO14024"}, Lists: []string{"SDN"}, ListedOn: "2022-02-25", URL: record + "35096",
				BirthDates: []string{"07 Oct 1952"}, Countries: []string{"RU"},
			},
			{
				ID: "OFAC-6861", Source: sanction.OFAC, Type: sanction.Individual,
				Names: []sanction.Name{
					{Text: "GUZMAN LOERA, Joaquin", Kind: sanction.Primary, Reading: "Joaquin GUZMAN LOERA"},
					{Text: "GUZMAN LOERA, Joaquin Archivaldo", Kind: sanction.Alias, Reading: "Joaquin Archivaldo GUZMAN LOERA"},
					{Text: "GUZMAN, Chapo", Kind: sanction.Alias, Weak: true, Reading: "Chapo GUZMAN"},
					{Text: "EL CHAPO", Kind: sanction.Alias, Weak: true},
				},
				Programs: []string{"SDNTK"}, Lists: []string{"SDN"}, ListedOn: "2001-06-01", URL: record + "6861",
				BirthDates: []string{"04 Apr 1957", "25 Dec 1954"}, Countries: []string{"MX"},
			},
			{
				ID: "OFAC-17016", Source: sanction.OFAC, Type: sanction.Entity,
				Names: []sanction.Name{
					{Text: "GAZPROMBANK JOINT STOCK COMPANY", Kind: sanction.Primary},
					{Text: "ГАЗПРОМБАНК АКЦИОНЕРНОЕ ОБЩЕСТВО", Kind: sanction.Native},
					{Text: "BANK GPB JSC", Kind: sanction.Alias},
					{Text: "БАНК ГПБ АО", Kind: sanction.Native},
					{Text: "GAZPROMBANK OAO", Kind: sanction.Former},
				},
				Programs: []string{"UKRAINE-EO13662", "RUSSIA-EO14024"}, Lists: []string{"SSI", "SDN"},
				ListedOn: "2024-11-21", URL: record + "17016",
			},
			{
				ID: "OFAC-17069", Source: sanction.OFAC, Type: sanction.Vessel,
				Names: []sanction.Name{
					{Text: "CHONG CHON GANG", Kind: sanction.Primary},
					{Text: "청천강", Kind: sanction.Native},
					{Text: "CHONGCHONGANG", Kind: sanction.Alias},
				},
				Programs: []string{"DPRK"}, Lists: []string{"SDN"}, ListedOn: "2014-07-30", URL: record + "17069",
				IMOs: []string{"7937317"}, Countries: []string{"KP"},
			},
			{
				ID: "OFAC-35302", Source: sanction.OFAC, Type: sanction.Aircraft,
				Names:    []sanction.Name{{Text: "M-IABU", Kind: sanction.Primary}},
				Programs: []string{"RUSSIA-EO14024"}, Lists: []string{"SDN"}, ListedOn: "2022-03-03", URL: record + "35302",
				Registrations: []string{"M-IABU"}, Countries: []string{"IM"},
			},
		},
		"CONS_ENHANCED.XML": {
			{
				ID: "OFAC-9668", Source: sanction.OFAC, Type: sanction.Individual,
				Names: []sanction.Name{
					{Text: "DWEIK, Aziz", Kind: sanction.Primary, Reading: "Aziz DWEIK"},
					{Text: "عزيز الدويك", Kind: sanction.Native},
					{Text: "DUWAIK, Abdel Aziz", Kind: sanction.Alias, Reading: "Abdel Aziz DUWAIK"},
				},
				Programs: []string{"NS-PLC"}, Lists: []string{"NS-PLC"}, ListedOn: "2006-04-12", URL: record + "9668",
				BirthDates: []string{"1948"},
			},
			{
				ID: "OFAC-30947", Source: sanction.OFAC, Type: sanction.Entity,
				Names: []sanction.Name{
					{Text: "HUAWEI TECHNOLOGIES CO., LTD.", Kind: sanction.Primary},
					{Text: "华为技术有限公司", Kind: sanction.Native},
					{Text: "HUAWEI", Kind: sanction.Alias},
				},
				Programs: []string{"CMIC-EO13959"}, Lists: []string{"NS-CMIC"}, ListedOn: "2021-06-03", URL: record + "30947",
			},
		},
	} {
		parsed := parseSample(t, file)
		for _, want := range entries {
			if diff := cmp.Diff(want, parsed[want.ID]); diff != "" {
				t.Errorf("%s in %s (-want +got):\n%s", want.ID, file, diff)
			}
		}
	}
}

// A party on lists of both files has one id and one date of listing.
func TestParseSampleSharedEntries(t *testing.T) {
	sdn, cons := parseSample(t, "SDN_ENHANCED.XML"), parseSample(t, "CONS_ENHANCED.XML")
	for id, want := range map[string]string{"OFAC-17018": "2022-04-06", "OFAC-17022": "2025-10-22"} {
		if got := sdn[id].ListedOn; got != want {
			t.Errorf("%s of the SDN file is listed on %q, want %q", id, got, want)
		}
		if got := cons[id].ListedOn; got != want {
			t.Errorf("%s of the Consolidated file is listed on %q, want %q", id, got, want)
		}
	}
}
