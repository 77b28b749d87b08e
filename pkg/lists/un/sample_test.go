package un_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists/un"
	"github.com/listward/listward/pkg/sanction"
)

func parseSample(t *testing.T) sanction.List {
	t.Helper()
	list, err := un.Parse(bytes.NewReader(readSample(t)))
	if err != nil {
		t.Fatalf("Parse(un/consolidated.xml): %v", err)
	}
	law.Check(t, list, nil)
	return list
}

func TestParseSample(t *testing.T) {
	const committees = "https://main.un.org/securitycouncil/en/sanctions/"
	list := parseSample(t)
	byID := map[string]sanction.Entry{}
	for _, e := range list.Entries {
		byID[e.ID] = e
	}
	for _, want := range []sanction.Entry{
		{
			ID: "UN-QDi.299", Source: sanction.UN, Type: sanction.Individual,
			Names: []sanction.Name{
				{Text: "IBRAHIM AWWAD IBRAHIM ALI AL-BADRI AL-SAMARRAI", Kind: sanction.Primary},
				{Text: "إبراهيم عواد إبراهيم علي البدري السامرائي", Kind: sanction.Native},
				{Text: "Ibrahim Awad Ibrahim Ali al-Badri", Kind: sanction.Alias},
				{Text: "أبو دعاء", Kind: sanction.Native, Weak: true},
				{Text: "أبو بكر البغدادي", Kind: sanction.Native, Weak: true},
				{Text: "Abu Bakr al-Baghdadi", Kind: sanction.Alias, Weak: true},
				{Text: "Abu Bakr al-Husseini al-Qurashi", Kind: sanction.Alias, Weak: true},
			},
			Programs: []string{"Al-Qaida"}, ListedOn: "2011-10-05", URL: committees + "1267/materials",
			BirthDates: []string{"1971"}, Countries: []string{"IQ"},
		},
		{
			ID: "UN-QDi.291", Source: sanction.UN, Type: sanction.Individual,
			Names: []sanction.Name{
				{Text: "IBRAHIM HASSAN TALI AL-ASIRI", Kind: sanction.Primary},
				{Text: "إبراهيم حسن طالع العسيري", Kind: sanction.Native},
				{Text: "Ibrahim Hassan Tali Assiri", Kind: sanction.Alias},
				{Text: "Ibrahim Hasan Talea Aseeri", Kind: sanction.Alias},
				{Text: "ابراهيم حسن طالع عسيري", Kind: sanction.Native},
				{Text: "Abu Saleh", Kind: sanction.Alias, Weak: true},
			},
			Programs: []string{"Al-Qaida"}, ListedOn: "2011-03-24", URL: committees + "1267/materials",
			BirthDates: []string{"1982-04-19", "1982-04-18", "24/06/1402 (Hijri)"}, Countries: []string{"SA"},
		},
		{
			ID: "UN-IRi.039", Source: sanction.UN, Type: sanction.Individual,
			Names: []sanction.Name{
				{Text: "QASEM SOLEIMANI", Kind: sanction.Primary},
				{Text: "قاسم سلیمانی", Kind: sanction.Native},
				{Text: "Qassem Soleimani", Kind: sanction.Alias},
				{Text: "Qasem Soleymani", Kind: sanction.Alias},
				{Text: "Ghasem Soleimani", Kind: sanction.Alias},
				{Text: "Hajj Qassem", Kind: sanction.Alias, Weak: true},
			},
			Programs: []string{"Iran"}, ListedOn: "2007-03-24", URL: committees + "1737/materials",
			BirthDates: []string{"1957-03-11"}, Countries: []string{"IR"},
		},
		{
			ID: "UN-SSi.006", Source: sanction.UN, Type: sanction.Individual,
			Names: []sanction.Name{
				{Text: "PETER GADET", Kind: sanction.Primary},
				{Text: "Peter Gatdet Yaka", Kind: sanction.Alias},
				{Text: "Peter Gatdeet Yaka", Kind: sanction.Alias},
			},
			Programs: []string{"SouthSudan"}, ListedOn: "2015-07-01", URL: committees + "2206/materials",
			BirthDates: []string{"1957 to 1959"},
		},
		{
			ID: "UN-QDe.137", Source: sanction.UN, Type: sanction.Entity,
			Names: []sanction.Name{
				{Text: "AL-NUSRAH FRONT FOR THE PEOPLE OF THE LEVANT", Kind: sanction.Primary},
				{Text: "جبهة النصرة لأهل الشام", Kind: sanction.Native},
				{Text: "Tahrir al-Sham (HTS)", Kind: sanction.Alias},
				{Text: "تحرير الشام", Kind: sanction.Native},
				{Text: "Hayat Tahrir as-Sham", Kind: sanction.Alias},
				{Text: "Levant Liberation Committee", Kind: sanction.Alias},
				{Text: "جبهة النصرة", Kind: sanction.Native},
				{Text: "Jabhat an-Nusra (JN)", Kind: sanction.Alias},
			},
			Programs: []string{"Al-Qaida"}, ListedOn: "2014-05-14", URL: committees + "1267/materials",
		},
		{
			ID: "UN-QDe.115", Source: sanction.UN, Type: sanction.Entity,
			Names: []sanction.Name{
				{Text: "AL-QAIDA IN IRAQ", Kind: sanction.Primary},
				{Text: "القاعدة في العراق", Kind: sanction.Native},
				{Text: "AQI", Kind: sanction.Alias},
				{Text: "Islamic State in Iraq and the Levant", Kind: sanction.Alias},
				{Text: "ISIL", Kind: sanction.Alias},
				{Text: "Islamic State of Iraq", Kind: sanction.Alias},
				{Text: "Jama’at al-Tawhid Wa’al-Jihad", Kind: sanction.Former},
			},
			Programs: []string{"Al-Qaida"}, ListedOn: "2004-10-18", URL: committees + "1267/materials",
		},
		{
			ID: "UN-KPe.059", Source: sanction.UN, Type: sanction.Entity,
			Names: []sanction.Name{
				{Text: "HUAXIN SHIPPING HONGKONG LTD", Kind: sanction.Primary},
				{Text: "華信船務(香港)有限公司", Kind: sanction.Native},
			},
			Programs: []string{"DPRK"}, ListedOn: "2018-03-30", URL: committees + "1718/materials",
		},
		{
			ID: "UN-CDe.003", Source: sanction.UN, Type: sanction.Entity,
			Names: []sanction.Name{{
				Text: "COMPAGNIE AERIENNE DES GRANDS LACS (CAGL) ; GREAT LAKES BUSINESS COMPANY (GLBC)",
				Kind: sanction.Primary,
			}},
			Programs: []string{"DRC"}, ListedOn: "2007-03-29", URL: committees + "1533/materials",
		},
	} {
		if diff := cmp.Diff(want, byID[want.ID]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.ID, diff)
		}
	}
}

// The demonstration shows every committee and every kind of name.
func TestSampleHoldsEveryShape(t *testing.T) {
	list := parseSample(t)
	if list.Date != "2026-06-30" || len(list.Rejected) != 0 {
		t.Errorf("sample of %s, rejected %v, want 2026-06-30 and none", list.Date, list.Rejected)
	}
	types, kinds, programs := map[sanction.Type]int{}, map[sanction.Kind]int{}, map[string]int{}
	for _, e := range list.Entries {
		types[e.Type]++
		programs[e.Programs[0]]++
		for _, n := range e.Names {
			kinds[n.Shown()]++
		}
		if e.ListedOn == "" {
			t.Errorf("%s has no date of listing", e.ID)
		}
	}
	if len(types) != 2 || len(programs) != 14 || len(kinds) != 5 {
		t.Errorf("sample has types %v, programmes %v, kinds of names %v, want 2, 14 and 5 of them", types, programs, kinds)
	}
}
