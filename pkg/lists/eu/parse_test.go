package eu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists/eu"
	"github.com/listward/listward/pkg/sanction"
)

const listPage = "https://data.europa.eu/data/datasets/consolidated-list-of-persons-groups-and-entities-subject-to-eu-financial-sanctions"

// file lays out records as the publisher does.
func file(records ...string) string {
	return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<export xmlns="http://eu.europa.ec/fpi/fsd/export" generationDate="2026-02-23T23:19:20.000+01:00" globalFileId="0">` +
		strings.Join(records, "\n") + `</export>`
}

func entity(reference, code, elements string) string {
	return fmt.Sprintf(`<sanctionEntity euReferenceNumber="%s" logicalId="1"><subjectType code="%s"/>%s</sanctionEntity>`,
		reference, code, elements)
}

func alias(name, language string) string {
	return fmt.Sprintf(`<nameAlias wholeName="%s" nameLanguage="%s" strong="true"/>`, name, language)
}

func weak(name string) string {
	return fmt.Sprintf(`<nameAlias wholeName="%s" strong="false"/>`, name)
}

func remarked(name, remark string) string {
	return fmt.Sprintf(`<nameAlias wholeName="%s" strong="true"><remark>%s</remark></nameAlias>`, name, remark)
}

func parse(t *testing.T, text string) sanction.List {
	t.Helper()
	list, err := eu.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	for _, broken := range law.Broken(list) {
		t.Errorf("Parse(%s): %s", text, broken)
	}
	return list
}

// parseOne parses a file of one good record of the given type and elements.
func parseOne(t *testing.T, code, elements string) sanction.Entry {
	t.Helper()
	list := parse(t, file(entity("EU.1.1", code, elements)))
	if len(list.Entries) != 1 || len(list.Rejected) != 0 {
		t.Fatalf("%s: got %d entries and %v rejected, want one entry", elements, len(list.Entries), list.Rejected)
	}
	return list.Entries[0]
}

func TestParseReadsEveryField(t *testing.T) {
	got := parse(t, file(`<sanctionEntity designationDate="2008-07-03" designationDetails="" unitedNationId="" euReferenceNumber=" EU.901.1 " logicalId="5295">
        <regulation regulationType="amendment" organisationType="commission" publicationDate="2019-04-08" entryIntoForceDate="2019-04-09" numberTitle="2019/555 (OJ L97)" programme="TAQA" logicalId="1">
            <publicationUrl>https://eur-lex.europa.eu/legal-content/EN/TXT/PDF/?uri=OJ:L:2019:097:FULL&amp;from=EN</publicationUrl>
        </regulation>
        <subjectType code="person" classificationCode="P"/>
        <nameAlias firstName="Karim" middleName="" lastName="Nuri" wholeName="Karim  Nuri" function="" title="" nameLanguage="" strong="true" regulationLanguage="en" logicalId="2">
            <regulationSummary regulationType="amendment" publicationDate="2002-07-06" numberTitle="598/2002 (OJ L176)" publicationUrl="http://eur-lex.europa.eu/x"/>
        </nameAlias>
        <nameAlias wholeName="كريم نوري" nameLanguage="AR" strong="true"/>
        <citizenship countryIso2Code="DZ" countryDescription="ALGERIA"/>
        <birthdate circa="false" calendarType="GREGORIAN" birthdate="1965-12-12" dayOfMonth="12" monthOfYear="12" year="1965"/>
        <address city="Oran"/>
    </sanctionEntity>`))
	want := sanction.List{Date: "2026-02-23", Entries: []sanction.Entry{{
		ID: "EU-EU.901.1", Source: sanction.EU, Type: sanction.Individual,
		Names: []sanction.Name{
			{Text: "Karim Nuri", Kind: sanction.Primary},
			{Text: "كريم نوري", Kind: sanction.Native},
		},
		Programs: []string{"TAQA"}, ListedOn: "2008-07-03",
		URL:        "https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:32019R0555",
		BirthDates: []string{"1965-12-12"}, Countries: []string{"DZ"},
	}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

func TestPrimaryName(t *testing.T) {
	for _, tt := range []struct{ name, code, aliases, want string }{
		{"the first", "person", alias("Karim Nuri", "") + alias("Kareem Nuri", "EN"), "Karim Nuri"},
		{"Latin before others", "person", alias("Карим Нури", "EN") + alias("Karim Nuri", "EN"), "Karim Nuri"},
		{"Latin in another language before others", "person", alias("Карим Нури", "") + alias("Karim Nuri", "SV"), "Karim Nuri"},
		{"English before other languages", "person", alias("Karime Nouri", "FR") + alias("Karim Nuri", "EN"), "Karim Nuri"},
		{"no language before others", "person", alias("Karime Nouri", "FR") + alias("Karim Nuri", ""), "Karim Nuri"},
		{"two words of a person", "person", alias("Karim", "") + alias("Karim Nuri", "FR"), "Karim Nuri"},
		{"one word of an entity", "enterprise", alias("Nuri", "") + alias("Nuri Bank", ""), "Nuri"},
		{"one word before another script", "person", alias("Карим Нури", "RU") + alias("Karim", ""), "Karim"},
		{"strong before weak", "person", weak("Abu Nur") + alias("Карим", "RU"), "Карим"},
		{"nothing but weak", "person", weak("Нур") + weak("Abu Nur"), "Abu Nur"},
		{"low quality by remark", "person", remarked("Abu Nur", "Low Quality a.k.a.") + alias("Karim", "FR"), "Karim"},
		{"a look-alike among Cyrillic letters", "person", alias("Cергей Нури", "") + alias("Sergei Nuri", "SV"), "Sergei Nuri"},
		{"put together from parts", "person", `<nameAlias firstName="Karim" middleName="" lastName="Nuri" wholeName="" strong="true"/>`, "Karim Nuri"},
		{"digits", "enterprise", alias("313", ""), "313"},
	} {
		if got := parseOne(t, tt.code, tt.aliases).Names[0].Text; got != tt.want {
			t.Errorf("%s: primary name of %s is %q, want %q", tt.name, tt.aliases, got, tt.want)
		}
	}
}

func TestOtherNames(t *testing.T) {
	for _, tt := range []struct {
		aliases string
		want    []sanction.Name
	}{
		{alias("Nur Bank", "EN") + alias(" ", "") + alias("Nur  Bank", "SV"), nil},
		{alias("Banque Nur", "FR"), []sanction.Name{{Text: "Banque Nur", Kind: sanction.Alias}}},
		{alias("Нур Банк", "RU"), []sanction.Name{{Text: "Нур Банк", Kind: sanction.Native}}},
		{weak("NB"), []sanction.Name{{Text: "NB", Kind: sanction.Alias, Weak: true}}},
		{weak("NB") + alias("NB", ""), []sanction.Name{{Text: "NB", Kind: sanction.Alias}}},
		{remarked("NB", "(LOW-QUALITY alias)"), []sanction.Name{{Text: "NB", Kind: sanction.Alias, Weak: true}}},
		{remarked("Lake Bank", "Formerly"), []sanction.Name{{Text: "Lake Bank", Kind: sanction.Former}}},
		{remarked("Lake Bank", "(f.k.a.)"), []sanction.Name{{Text: "Lake Bank", Kind: sanction.Former}}},
		{remarked("Lake Bank", "formerly known as Hill Bank"), []sanction.Name{{Text: "Lake Bank", Kind: sanction.Alias}}},
		{remarked("Нур", "f.k.a."), []sanction.Name{{Text: "Нур", Kind: sanction.Native}}},
		{alias("313", ""), []sanction.Name{{Text: "313", Kind: sanction.Alias}}},
	} {
		got := parseOne(t, "enterprise", alias("Nur Bank", "")+tt.aliases).Names[1:]
		if diff := cmp.Diff(append([]sanction.Name{}, tt.want...), got); diff != "" {
			t.Errorf("names of %s (-want +got):\n%s", tt.aliases, diff)
		}
	}
	cyrillic := parseOne(t, "enterprise", alias("Нур Банк", "RU")+alias("Нур", "RU")).Names
	if cyrillic[1].Kind != sanction.Alias {
		t.Errorf("beside a Cyrillic primary name %q is of kind %s, want alias", cyrillic[1].Text, cyrillic[1].Kind)
	}
}

func TestType(t *testing.T) {
	const imo = `<identification identificationTypeCode="%s" number="%s"/>`
	for _, tt := range []struct {
		code, kind, number string
		want               sanction.Type
		imos               []string
	}{
		{"person", "passport", "8514306", sanction.Individual, nil},
		{"person", "imo", "8514306", sanction.Individual, nil},
		{"enterprise", "imo", " 8514306 ", sanction.Vessel, []string{"8514306"}},
		{"enterprise", "regnumber", "8514306", sanction.Entity, nil},
		{"enterprise", "imo", "5342883", sanction.Entity, nil}, // a company's
		{"enterprise", "imo", "1000021", sanction.Entity, nil}, // passes both checks
		{"enterprise", "imo", "8514307", sanction.Entity, nil}, // passes neither
	} {
		got := parseOne(t, tt.code, alias("Nuri Star", "")+fmt.Sprintf(imo, tt.kind, tt.number))
		if got.Type != tt.want || !cmp.Equal(got.IMOs, tt.imos) {
			t.Errorf("%s with %s %q: %s with IMO numbers %q, want %s with %q",
				tt.code, tt.kind, tt.number, got.Type, got.IMOs, tt.want, tt.imos)
		}
	}
}

func TestListedOn(t *testing.T) {
	const summary = `<regulationSummary publicationDate="2003-04-05"/>`
	regulation := `<regulation publicationDate="2019-04-08" entryIntoForceDate="2019-04-07" programme="X"/>`
	for elements, want := range map[string]string{
		"":                                       "",
		regulation:                               "2019-04-07",
		`<regulation publicationDate="2019"/>`:   "",
		`<birthdate>` + summary + `</birthdate>`: "2003-04-05",
		`<citizenship>` + summary + `</citizenship>`:           "2003-04-05",
		`<address>` + summary + `</address>`:                   "2003-04-05",
		`<identification>` + summary + `</identification>`:     "2003-04-05",
		`<nameAlias wholeName="B">` + summary + `</nameAlias>`: "2003-04-05",
	} {
		if got := parseOne(t, "person", alias("A", "")+elements).ListedOn; got != want {
			t.Errorf("%s: listed on %q, want %q", elements, got, want)
		}
		if elements != regulation && want != "" {
			if got := parseOne(t, "person", alias("A", "")+regulation+elements).ListedOn; got != want {
				t.Errorf("%s beside a later regulation: listed on %q, want %q", elements, got, want)
			}
		}
	}
	designated := strings.Replace(file(entity("EU.1.1", "person", alias("A", "")+regulation)),
		"<sanctionEntity ", `<sanctionEntity designationDate="2020-01-02" `, 1)
	if got := parse(t, designated).Entries[0].ListedOn; got != "2020-01-02" {
		t.Errorf("with a designation date after the regulation: listed on %q, want 2020-01-02", got)
	}
}

func TestURL(t *testing.T) {
	const celex = "https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:"
	for _, tt := range []struct{ published, title, link, want string }{
		{"2017-03-08", "2017/396 (OJ L60)", "http://eur-lex.europa.eu/legal-content/EN/TXT/PDF/?uri=CELEX:32017R0396&amp;from=EN", celex + "32017R0396"},
		{"2022-01-01", "", "https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX%3A32022R0012", celex + "32022R0012"},
		{"2020-01-14", "2020/19 (OJ L8I)", "https://eur-lex.europa.eu/x", celex + "32020R0019"},
		{"2022-12-12", "2022//2429 (OJ L318I)", "", celex + "32022R2429"},
		{"2024-08-01", "2024/2065(OJ L202402065)", "", celex + "32024R2065"},
		{"2008-07-17", "678/2008 (OJ L189)", "", celex + "32008R0678"},
		{"2025-03-21", "2005/611 (OJ L202500611)", "https://eur-lex.europa.eu/x", "https://eur-lex.europa.eu/x"},
		{"2024-07-11", "2024/90388 (OJ L11072024)", "https://eur-lex.europa.eu/x", "https://eur-lex.europa.eu/x"},
		{"2005-11-30", "2005/848/EC (OJ L314)", " https://eur-lex.europa.eu/x ", "https://eur-lex.europa.eu/x"},
		{"2025-07-08", "UNLI Haiti 9.07.2025", "https://press.un.org/x", "https://press.un.org/x"},
		{"", "2020/19 (OJ L8I)", "", listPage},
		{"2025-07-08", "", "javascript:alert(1)", listPage},
	} {
		regulation := fmt.Sprintf(`<regulation publicationDate="%s" numberTitle="%s"><publicationUrl>%s</publicationUrl></regulation>`,
			tt.published, tt.title, tt.link)
		if got := parseOne(t, "person", alias("A", "")+regulation).URL; got != tt.want {
			t.Errorf("URL of %s is %q, want %q", regulation, got, tt.want)
		}
	}
	if got := parseOne(t, "person", alias("A", "")).URL; got != listPage {
		t.Errorf("URL without a regulation is %q, want %q", got, listPage)
	}
}

func TestPrograms(t *testing.T) {
	got := parseOne(t, "person", alias("A", "")+`<regulation programme="UKR"/><regulation programme=" TERR "/>`+
		`<regulation programme="UKR"/><regulation programme=""/>`).Programs
	if want := []string{"UKR", "TERR"}; !cmp.Equal(got, want) {
		t.Errorf("programmes %q, want %q", got, want)
	}
}

func TestBirthDates(t *testing.T) {
	for attributes, want := range map[string]string{
		`circa="false" birthdate="1965-12-12" year="1965"`:                          "1965-12-12",
		`circa="true" birthdate="1965-12-12"`:                                       "circa 1965-12-12",
		`circa="true" calendarType="GREGORIAN" year="1958"`:                         "circa 1958",
		`year="1958" monthOfYear="4"`:                                               "1958-04",
		`year="1958" monthOfYear="4" dayOfMonth="25"`:                               "1958-04-25",
		`year="1958" dayOfMonth="25"`:                                               "1958",
		`year="1958" monthOfYear="spring"`:                                          "1958",
		`circa="true" yearRangeFrom="1953" yearRangeTo="1958"`:                      "circa 1953 to 1958",
		`yearRangeFrom="1953"`:                                                      "from 1953",
		`yearRangeTo="1958"`:                                                        "to 1958",
		`calendarType="ISLAMIC" year="1343"`:                                        "1343 (ISLAMIC calendar)",
		`calendarType="ISLAMIC" birthdate="1982-04-19" year="1402" monthOfYear="6"`: "1982-04-19",
	} {
		born := "<birthdate " + attributes + "/>"
		got := parseOne(t, "person", alias("A", "")+born+born).BirthDates
		if !cmp.Equal(got, []string{want}) {
			t.Errorf("dates of birth of %s twice are %q, want %q", born, got, want)
		}
	}
	if got := parseOne(t, "person", alias("A", "")+`<birthdate circa="true" city="Oran"/>`).BirthDates; got != nil {
		t.Errorf("dates of birth of a place are %q, want none", got)
	}
}

func TestCountries(t *testing.T) {
	var citizenships string
	for _, code := range []string{"RU", "00", "CS", "UNKNOWN", "", "RS", " BY ", "RU"} {
		citizenships += fmt.Sprintf(`<citizenship countryIso2Code="%s"/>`, code)
	}
	got := parseOne(t, "person", alias("A", "")+citizenships+`<address countryIso2Code="FR"/>`).Countries
	if want := []string{"RU", "RS", "BY"}; !cmp.Equal(got, want) {
		t.Errorf("countries of %s are %q, want %q", citizenships, got, want)
	}
}

func TestParseUnitesRecordsOfOneReference(t *testing.T) {
	got := parse(t, file(entity("EU.1.1", "person", alias("Karim Nuri", "")), entity("EU.1.1", "person", alias("K Nuri", ""))))
	if len(got.Entries) != 1 || len(got.Entries[0].Names) != 2 {
		t.Errorf("entries %v, want one with both names", got.Entries)
	}
}

func TestParseRejectsRecords(t *testing.T) {
	good := entity("EU.1.1", "person", alias("A", ""))
	for record, want := range map[string]sanction.Rejection{
		entity(" ", "person", alias("A", "")):                                          {ID: "#2", Reason: "euReferenceNumber is missing"},
		entity("EU.2.2", "", alias("A", "")):                                           {ID: "EU.2.2", Reason: "subjectType is missing"},
		entity("EU.2.2", "vessel", alias("A", "")):                                     {ID: "EU.2.2", Reason: `unknown subjectType "vessel"`},
		entity("EU.2.2", "person", ""):                                                 {ID: "EU.2.2", Reason: "every name is missing"},
		entity("EU.2.2", "person", alias(" ", "")):                                     {ID: "EU.2.2", Reason: "every name is missing"},
		strings.ReplaceAll(entity("EU.2.2", "person", ""), "sanctionEntity", "vessel"): {ID: "EU.2.2", Reason: "<vessel> is no known kind of record"},
	} {
		list := parse(t, file(good, record))
		if diff := cmp.Diff([]sanction.Rejection{want}, list.Rejected); diff != "" || len(list.Entries) != 1 {
			t.Errorf("%s: %d entries, rejected (-want +got):\n%s", record, len(list.Entries), diff)
		}
	}
}
