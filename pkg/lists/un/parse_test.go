package un_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/lists/liststest"
	"github.com/listward/listward/pkg/lists/un"
	"github.com/listward/listward/pkg/sanction"
)

// law holds for every list that Parse returns.
var law = liststest.Law{Source: sanction.UN, URL: "https://main.un.org/"}

// file lays out records as the publisher does.
func file(individuals, entities string) string {
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<CONSOLIDATED_LIST dateGenerated="2026-02-03T00:00:09.554Z">
<INDIVIDUALS>%s</INDIVIDUALS>
<ENTITIES>%s</ENTITIES>
</CONSOLIDATED_LIST>`, individuals, entities)
}

// individual is a complete record but for what a test adds to it.
func individual(elements string) string {
	return `<INDIVIDUAL><REFERENCE_NUMBER>QDi.901</REFERENCE_NUMBER><UN_LIST_TYPE>Al-Qaida</UN_LIST_TYPE>` +
		`<FIRST_NAME>KARIM</FIRST_NAME><SECOND_NAME>YUSUF</SECOND_NAME>` + elements + `</INDIVIDUAL>`
}

// entity is a complete record but for its name and what a test adds to it.
func entity(elements string) string {
	return `<ENTITY><REFERENCE_NUMBER>QDe.901</REFERENCE_NUMBER><UN_LIST_TYPE>Al-Qaida</UN_LIST_TYPE>` +
		elements + `</ENTITY>`
}

func parse(t *testing.T, text string) sanction.List {
	t.Helper()
	list, err := un.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	law.Check(t, list, nil)
	return list
}

// parseOne parses a file of one good record.
func parseOne(t *testing.T, text string) sanction.Entry {
	t.Helper()
	list := parse(t, text)
	if len(list.Entries) != 1 || len(list.Rejected) != 0 {
		t.Fatalf("Parse(%s): got %d entries and %v rejected, want one entry", text, len(list.Entries), list.Rejected)
	}
	return list.Entries[0]
}

func TestParseReadsEveryField(t *testing.T) {
	text := file(`<INDIVIDUAL>
      <DATAID>1</DATAID>
      <FIRST_NAME>KARIM</FIRST_NAME>
      <THIRD_NAME> AL-NURI </THIRD_NAME>
      <UN_LIST_TYPE> Libya </UN_LIST_TYPE>
      <REFERENCE_NUMBER> LYi.901
      </REFERENCE_NUMBER>
      <LISTED_ON>2011-02-26</LISTED_ON>
      <NAME_ORIGINAL_SCRIPT>كريم
            النوري </NAME_ORIGINAL_SCRIPT>
      <NATIONALITY><VALUE>Libya</VALUE></NATIONALITY>
      <INDIVIDUAL_ALIAS><QUALITY>Low</QUALITY><ALIAS_NAME>Abu Nur</ALIAS_NAME></INDIVIDUAL_ALIAS>
      <INDIVIDUAL_DATE_OF_BIRTH><TYPE_OF_DATE>EXACT</TYPE_OF_DATE><DATE>1972-06-25</DATE></INDIVIDUAL_DATE_OF_BIRTH>
    </INDIVIDUAL>`, `<ENTITY>
      <FIRST_NAME>NURI TRADING</FIRST_NAME>
      <UN_LIST_TYPE>DPRK</UN_LIST_TYPE>
      <REFERENCE_NUMBER>KPe.901</REFERENCE_NUMBER>
      <ENTITY_ALIAS><QUALITY>f.k.a.</QUALITY><ALIAS_NAME>Nuri Brothers</ALIAS_NAME></ENTITY_ALIAS>
    </ENTITY>`)
	want := sanction.List{Date: "2026-02-03", Entries: []sanction.Entry{
		{
			ID: "UN-LYi.901", Source: sanction.UN, Type: sanction.Individual,
			Names: []sanction.Name{
				{Text: "KARIM AL-NURI", Kind: sanction.Primary},
				{Text: "كريم النوري", Kind: sanction.Native},
				{Text: "Abu Nur", Kind: sanction.Alias, Weak: true},
			},
			Programs: []string{"Libya"}, ListedOn: "2011-02-26",
			URL:        "https://main.un.org/securitycouncil/en/sanctions/1970/materials",
			BirthDates: []string{"1972-06-25"}, Countries: []string{"LY"},
		},
		{
			ID: "UN-KPe.901", Source: sanction.UN, Type: sanction.Entity,
			Names: []sanction.Name{
				{Text: "NURI TRADING", Kind: sanction.Primary},
				{Text: "Nuri Brothers", Kind: sanction.Former},
			},
			Programs: []string{"DPRK"},
			URL:      "https://main.un.org/securitycouncil/en/sanctions/1718/materials",
		},
	}}
	if diff := cmp.Diff(want, parse(t, text)); diff != "" {
		t.Errorf("Parse(%s) (-want +got):\n%s", text, diff)
	}
}

func TestListedOn(t *testing.T) {
	tests := []struct{ element, want string }{
		{"<LISTED_ON>2015-07-01</LISTED_ON>", "2015-07-01"},
		{"<LISTED_ON>2015-07-01-04:00</LISTED_ON>", "2015-07-01"},
		{"<LISTED_ON> 2015-07-01 </LISTED_ON>", "2015-07-01"},
		{"<LISTED_ON>2015-07</LISTED_ON>", ""},
		{"<LISTED_ON>2015-02-30</LISTED_ON>", ""},
		{"<LISTED_ON>1 July 2015</LISTED_ON>", ""},
		{"<LISTED_ON/>", ""},
		{"", ""},
	}
	for _, test := range tests {
		if got := parseOne(t, file(individual(test.element), "")).ListedOn; got != test.want {
			t.Errorf("%s: listed on %q, want %q", test.element, got, test.want)
		}
	}
}

func TestURLIsTheCommitteesPage(t *testing.T) {
	const site = "https://main.un.org/securitycouncil/en/"
	tests := map[string]string{
		"Al-Qaida": "sanctions/1267/materials", "Taliban": "sanctions/1988/materials",
		"DPRK": "sanctions/1718/materials", "Iraq": "sanctions/1518/materials",
		"DRC": "sanctions/1533/materials", "Libya": "sanctions/1970/materials",
		"Somalia": "sanctions/2713/materials", "CAR": "sanctions/2127/materials",
		"Yemen": "sanctions/2140/materials", "GB": "sanctions/2048/materials",
		"SouthSudan": "sanctions/2206/materials", "Haiti": "sanctions/2653/materials",
		"Sudan": "sanctions/1591/materials", "Iran": "sanctions/1737/materials",
		"Atlantis": "content/un-sc-consolidated-list",
	}
	for listType, want := range tests {
		record := strings.Replace(individual(""), "Al-Qaida", listType, 1)
		if got := parseOne(t, file(record, "")).URL; got != site+want {
			t.Errorf("list type %s: URL %s, want %s", listType, got, site+want)
		}
	}
}

func TestBirthDates(t *testing.T) {
	birth := func(elements string) string {
		return "<INDIVIDUAL_DATE_OF_BIRTH>" + elements + "</INDIVIDUAL_DATE_OF_BIRTH>"
	}
	const exact, circa, between = "<TYPE_OF_DATE>EXACT</TYPE_OF_DATE>",
		"<TYPE_OF_DATE>APPROXIMATELY</TYPE_OF_DATE>", "<TYPE_OF_DATE>BETWEEN</TYPE_OF_DATE>"
	tests := []struct {
		name, elements string
		want           []string
	}{
		{"day", birth(exact + "<DATE>1964-07-17</DATE>"), []string{"1964-07-17"}},
		{"year", birth(exact + "<YEAR>1964</YEAR>"), []string{"1964"}},
		{"note beside a year", birth(exact + "<YEAR>1964</YEAR><NOTE>from a passport</NOTE>"), []string{"1964"}},
		{"circa year", birth(circa + "<YEAR>1974</YEAR>"), []string{"circa 1974"}},
		{"circa day", birth(circa + "<DATE>1974-05-01</DATE>"), []string{"circa 1974-05-01"}},
		{"between", birth(between + "<FROM_YEAR>1957</FROM_YEAR><TO_YEAR>1960</TO_YEAR>"), []string{"1957 to 1960"}},
		{"between with a note", birth(between + "<FROM_YEAR>1957</FROM_YEAR><TO_YEAR>1960</TO_YEAR><NOTE>Roughly </NOTE>"),
			[]string{"1957 to 1960"}},
		{"note alone", birth(exact + "<NOTE>Spring\n   of 1973 </NOTE>"), []string{"Spring of 1973"}},
		{"circa note", birth(circa + "<NOTE>about 40 years old</NOTE>"), []string{"about 40 years old"}},
		{"empty", birth("<TYPE_OF_DATE/>"), nil},
		{"several, one of them twice", birth(exact+"<YEAR>1964</YEAR>") + birth(circa+"<YEAR>1966</YEAR>") +
			birth(exact+"<YEAR>1964</YEAR>"), []string{"1964", "circa 1966"}},
	}
	for _, test := range tests {
		got := parseOne(t, file(individual(test.elements), "")).BirthDates
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: dates of birth (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestCountries(t *testing.T) {
	tests := []struct {
		nationalities []string
		want          []string
	}{
		{[]string{"Afghanistan"}, []string{"AF"}},
		{[]string{"Democratic People's Republic of Korea"}, []string{"KP"}},
		{[]string{"Democratic People’s Republic of Korea"}, []string{"KP"}},
		{[]string{"Republic of Korea"}, []string{"KR"}},
		{[]string{"Iran (Islamic Republic of)"}, []string{"IR"}},
		{[]string{"State of Palestine"}, []string{"PS"}},
		{[]string{"Türkiye", "Turkey"}, []string{"TR"}},
		{[]string{"United Kingdom of Great Britain\n   and Northern Ireland "}, []string{"GB"}},
		{[]string{"democratic republic of the congo", "CONGO"}, []string{"CD", "CG"}},
		{[]string{"Guinea", "Guinea-Bissau", "Equatorial Guinea"}, []string{"GN", "GW", "GQ"}},
		{[]string{"Côte d’Ivoire", "Niger", "Nigeria"}, []string{"CI", "NE", "NG"}},
		{[]string{"Sudan", "South Sudan", "Holy See", "Andorra", "Zimbabwe"}, []string{"SD", "SS", "VA", "AD", "ZW"}},
		{[]string{"former Soviet Union", "na", "", "|", "Sudan | South Sudan"}, nil},
	}
	for _, test := range tests {
		var elements strings.Builder
		for _, n := range test.nationalities {
			fmt.Fprintf(&elements, "<NATIONALITY><VALUE>%s</VALUE></NATIONALITY>", n)
		}
		got := parseOne(t, file(individual(elements.String()), "")).Countries
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("nationalities %q: countries (-want +got):\n%s", test.nationalities, diff)
		}
	}
}

func TestRecordsOfOneReferenceAreOneEntry(t *testing.T) {
	again := strings.NewReplacer("Al-Qaida", "Taliban", "YUSUF", "YOUSSEF").Replace(individual(""))
	got := parse(t, file(individual("")+again, ""))
	want := sanction.List{
		Date: "2026-02-03",
		Entries: []sanction.Entry{{
			ID: "UN-QDi.901", Source: sanction.UN, Type: sanction.Individual,
			Names:    []sanction.Name{{Text: "KARIM YUSUF", Kind: sanction.Primary}, {Text: "KARIM YOUSSEF", Kind: sanction.Alias}},
			Programs: []string{"Al-Qaida", "Taliban"},
			URL:      "https://main.un.org/securitycouncil/en/sanctions/1267/materials",
		}},
		Rejected: []sanction.Rejection{{ID: "UN-QDi.901", Reason: `a second record of this id, "KARIM YOUSSEF", was united with the first`}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("two records of one reference (-want +got):\n%s", diff)
	}
}

func TestRejectedRecords(t *testing.T) {
	const reference, listType, name = "<REFERENCE_NUMBER>QDe.7</REFERENCE_NUMBER>",
		"<UN_LIST_TYPE>DRC</UN_LIST_TYPE>", "<FIRST_NAME>M7</FIRST_NAME>"
	list := parse(t, file(individual(""),
		"<ENTITY>"+listType+name+"</ENTITY>"+
			"<ENTITY>"+reference+name+"</ENTITY>"+
			"<ENTITY>"+reference+listType+"<FIRST_NAME> </FIRST_NAME><ENTITY_ALIAS><QUALITY/><ALIAS_NAME/></ENTITY_ALIAS></ENTITY>"+
			"<VESSEL>"+reference+listType+name+"</VESSEL>"))
	want := []sanction.Rejection{
		{ID: "#2", Reason: "REFERENCE_NUMBER is missing"},
		{ID: "QDe.7", Reason: "UN_LIST_TYPE is missing"},
		{ID: "QDe.7", Reason: "every name is missing"},
		{ID: "QDe.7", Reason: "<VESSEL> is no known type of record"},
	}
	if diff := cmp.Diff(want, list.Rejected); diff != "" {
		t.Errorf("rejected records (-want +got):\n%s", diff)
	}
	if len(list.Entries) != 1 {
		t.Errorf("got %d entries beside the rejected records, want 1", len(list.Entries))
	}
}

func TestParseRefuses(t *testing.T) {
	good := file(individual(""), entity("<FIRST_NAME>M7</FIRST_NAME>"))
	tests := []struct {
		name, text string
		want       error
		detail     string // must stand in the message
	}{
		{"empty", "", lists.ErrEmpty, ""},
		{"blank", " \n", lists.ErrEmpty, ""},
		{"web page", "<!DOCTYPE html><html><body>Maintenance</body></html>", lists.ErrHTML, ""},
		{"JSON", `{"error": "busy"}`, lists.ErrSyntax, ""},
		{"cut in a record", good[:strings.Index(good, "YUSUF")], lists.ErrTruncated, ""},
		{"cut between sections", good[:strings.Index(good, "<ENTITIES>")], lists.ErrTruncated, ""},
		{"cut before the end", strings.TrimSuffix(good, "</CONSOLIDATED_LIST>"), lists.ErrTruncated, ""},
		{"broken", strings.Replace(good, "</SECOND_NAME>", "</THIRD_NAME>", 1), lists.ErrSyntax, ""},
		{"broken between records", strings.Replace(good, "</INDIVIDUAL>", "</INDIVIDUAL>&", 1), lists.ErrSyntax, ""},
		{"other root", strings.ReplaceAll(good, "CONSOLIDATED_LIST", "SANCTIONS"), lists.ErrRoot, "SANCTIONS"},
		{"other namespace", strings.Replace(good, " dateGenerated", ` xmlns="urn:un" dateGenerated`, 1), lists.ErrRoot, "urn:un"},
		{"no date", strings.Replace(good, "dateGenerated", "generated", 1), lists.ErrSchema, "dateGenerated"},
		{"no real date", strings.Replace(good, "2026-02-03", "2026-02-31", 1), lists.ErrSchema, "dateGenerated"},
		{"no individuals", strings.ReplaceAll(good, "INDIVIDUALS>", "PERSONS>"), lists.ErrSchema, "<INDIVIDUALS>"},
		{"no entities", strings.ReplaceAll(good, "ENTITIES>", "PARTIES>"), lists.ErrSchema, "<ENTITIES>"},
		{"no records", file("", " "), lists.ErrNoEntries, ""},
		{"all rejected", file("<INDIVIDUAL/>"+strings.Repeat(individual("<FIRST_NAME/><SECOND_NAME/>"), 2), ""),
			lists.ErrSchema, "all 3 records were rejected, most of them for: every name is missing"},
	}
	for _, test := range tests {
		list, err := un.Parse(strings.NewReader(test.text))
		if !errors.Is(err, test.want) || !strings.Contains(fmt.Sprint(err), test.detail) {
			t.Errorf("%s: Parse(%s): error %v, want %v with %q", test.name, test.text, err, test.want, test.detail)
		}
		law.Check(t, list, err)
	}
}
