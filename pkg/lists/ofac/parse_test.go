package ofac_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists/ofac"
	"github.com/listward/listward/pkg/sanction"
)

const root = `<sanctionsData xmlns="https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/ENHANCED_XML">`

// file is a whole file around entities.
func file(entities ...string) string {
	return root + `<publicationInfo><dataAsOf>2026-01-02T00:00:00</dataAsOf></publicationInfo>
		<referenceValues>
			<referenceValue refId="1"><type>COUNTRY</type><value>Russia</value><isoCode>RU</isoCode></referenceValue>
			<referenceValue refId="2"><type>COUNTRY</type><value>Finland</value><isoCode>FI</isoCode></referenceValue>
			<referenceValue refId="3"><type>COUNTRY</type><value>Kosovo</value></referenceValue>
			<referenceValue refId="4"><type>SCRIPT</type><value>Latin</value><isoCode>215</isoCode></referenceValue>
		</referenceValues>
		<entities>` + strings.Join(entities, "") + `</entities></sanctionsData>`
}

// party writes an <entity>. A zero field is a plain one, "-" leaves it out.
type party struct {
	id, kind, lists, programs, names, more string
}

func (p party) String() string {
	or := func(value, plain string) string {
		switch value {
		case "":
			return plain
		case "-":
			return ""
		}
		return value
	}
	return fmt.Sprintf(`<entity%s><generalInfo>%s</generalInfo>
		<sanctionsLists>%s</sanctionsLists><sanctionsPrograms>%s</sanctionsPrograms><names>%s</names>%s</entity>`,
		or(p.id, ` id="7"`),
		or(p.kind, `<entityType>Entity</entityType>`),
		or(p.lists, list("SDN List", "2020-02-29")),
		or(p.programs, `<sanctionsProgram>SDGT</sanctionsProgram>`),
		or(p.names, name("primary", latin("ACME"))),
		p.more)
}

func entityType(kind string) string { return "<entityType>" + kind + "</entityType>" }

func list(name, published string) string {
	return fmt.Sprintf(`<sanctionsList datePublished="%s">%s</sanctionsList>`, published, name)
}

// name writes a <name>; what it is stands in traits: primary, fka, weak.
func name(traits string, translations ...string) string {
	aliasType := "A.K.A."
	if strings.Contains(traits, "fka") {
		aliasType = "F.K.A."
	}
	return fmt.Sprintf(`<name><isPrimary>%t</isPrimary><aliasType>%s</aliasType><isLowQuality>%t</isLowQuality>
		<translations>%s</translations></name>`, strings.Contains(traits, "primary"), aliasType,
		strings.Contains(traits, "weak"), strings.Join(translations, ""))
}

func translation(script, full string) string {
	return fmt.Sprintf(`<translation><script>%s</script><formattedFullName>%s</formattedFullName></translation>`,
		script, full)
}

func latin(full string) string { return translation("Latin", full) }

func person(first, last, full string) string {
	return fmt.Sprintf(`<translation><script>Latin</script><formattedFirstName>%s</formattedFirstName>
		<formattedLastName>%s</formattedLastName><formattedFullName>%s</formattedFullName></translation>`,
		first, last, full)
}

func features(typeAndValue ...string) string {
	var b strings.Builder
	for i := 0; i < len(typeAndValue); i += 2 {
		fmt.Fprintf(&b, `<feature><type>%s</type><value>%s</value></feature>`, typeAndValue[i], typeAndValue[i+1])
	}
	return "<features>" + b.String() + "</features>"
}

func documents(typeAndNumber ...string) string {
	var b strings.Builder
	for i := 0; i < len(typeAndNumber); i += 2 {
		fmt.Fprintf(&b, `<identityDocument><type>%s</type><documentNumber>%s</documentNumber></identityDocument>`,
			typeAndNumber[i], typeAndNumber[i+1])
	}
	return "<identityDocuments>" + b.String() + "</identityDocuments>"
}

func parse(t *testing.T, xml string) sanction.List {
	t.Helper()
	got, err := ofac.Parse(strings.NewReader(xml))
	if err != nil {
		t.Fatalf("Parse(%s): %v", xml, err)
	}
	return got
}

// parseOne parses a file with one entity, which must become an entry.
func parseOne(t *testing.T, p party) sanction.Entry {
	t.Helper()
	got := parse(t, file(p.String()))
	if len(got.Entries) != 1 || len(got.Rejected) != 0 {
		t.Fatalf("Parse(%s) = %d entries, rejected %v, want 1 entry", p, len(got.Entries), got.Rejected)
	}
	return got.Entries[0]
}

func TestParse(t *testing.T) {
	got := parse(t, file(party{}.String(), party{id: ` id="8"`}.String()))
	entry := func(id string) sanction.Entry {
		return sanction.Entry{
			ID: "OFAC-" + id, Source: sanction.OFAC, Type: sanction.Entity,
			Names:    []sanction.Name{{Text: "ACME", Kind: sanction.Primary}},
			Programs: []string{"SDGT"}, Lists: []string{"SDN"}, ListedOn: "2020-02-29",
			URL: "https://sanctionssearch.ofac.treas.gov/Details.aspx?id=" + id,
		}
	}
	want := sanction.List{Date: "2026-01-02", Entries: []sanction.Entry{entry("7"), entry("8")}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Parse of two plain entities (-want +got):\n%s", diff)
	}
}

func TestParseNames(t *testing.T) {
	individual := entityType("Individual")
	cyrillic, arabic := translation("Cyrillic", "АКМЕ"), translation("Arabic", "أكمي")
	for _, tt := range []struct {
		name string
		in   party
		want []sanction.Name
	}{
		{"kinds", party{names: name("primary", latin("ACME"), cyrillic) + name("", latin("APEX"), arabic) +
			name("fka", latin("OLD ACME")) + name("weak", latin("THE COMPANY")) + name("fka weak", latin("OLD"))},
			[]sanction.Name{
				{Text: "ACME", Kind: sanction.Primary},
				{Text: "АКМЕ", Kind: sanction.Native},
				{Text: "APEX", Kind: sanction.Alias},
				{Text: "أكمي", Kind: sanction.Native},
				{Text: "OLD ACME", Kind: sanction.Former},
				{Text: "THE COMPANY", Kind: sanction.Alias, Weak: true},
				{Text: "OLD", Kind: sanction.Former, Weak: true},
			}},
		{"primary name stands last", party{names: name("", latin("APEX")) + name("fka", latin("OLD")) + name("primary", latin("ACME"))},
			[]sanction.Name{{Text: "ACME", Kind: sanction.Primary}, {Text: "APEX", Kind: sanction.Alias}, {Text: "OLD", Kind: sanction.Former}}},
		{"primary name in Latin stands behind another script", party{names: name("primary", cyrillic, latin("ACME"))},
			[]sanction.Name{{Text: "ACME", Kind: sanction.Primary}, {Text: "АКМЕ", Kind: sanction.Native}}},
		{"primary name without Latin", party{names: name("", latin("ACME")) + name("primary", cyrillic, arabic)},
			[]sanction.Name{{Text: "АКМЕ", Kind: sanction.Primary}, {Text: "ACME", Kind: sanction.Alias}, {Text: "أكمي", Kind: sanction.Native}}},
		{"two primary names", party{names: name("primary", latin("ACME")) + name("primary", latin("APEX"))},
			[]sanction.Name{{Text: "ACME", Kind: sanction.Primary}, {Text: "APEX", Kind: sanction.Alias}}},
		{"no primary name", party{names: name("", cyrillic) + name("weak", latin("A")) + name("", latin("ACME"))},
			[]sanction.Name{{Text: "ACME", Kind: sanction.Primary}, {Text: "АКМЕ", Kind: sanction.Native}, {Text: "A", Kind: sanction.Alias, Weak: true}}},
		{"no strong Latin name at all", party{names: name("", cyrillic) + name("weak", latin("A"))},
			[]sanction.Name{{Text: "АКМЕ", Kind: sanction.Primary}, {Text: "A", Kind: sanction.Alias, Weak: true}}},
		{"blank primary name", party{names: name("primary", latin(" \n")) + name("", latin("ACME"))},
			[]sanction.Name{{Text: "ACME", Kind: sanction.Primary}}},
		{"repeated and spaced out", party{names: name("primary", latin("ACME  CO")) + name("weak", latin("APEX")) +
			name("", latin("APEX")) + name("", latin("\tACME CO "))},
			[]sanction.Name{{Text: "ACME CO", Kind: sanction.Primary}, {Text: "APEX", Kind: sanction.Alias}}},
		{"booleans as digits", party{names: `<name><isPrimary>0</isPrimary><isLowQuality>1</isLowQuality><translations>` + latin("A") +
			`</translations></name><name><isPrimary>1</isPrimary><isLowQuality>0</isLowQuality><translations>` + latin("ACME") + `</translations></name>`},
			[]sanction.Name{{Text: "ACME", Kind: sanction.Primary}, {Text: "A", Kind: sanction.Alias, Weak: true}}},
		{"reading from the parts", party{kind: individual, names: name("primary", person("Ali  Hasan", "AL-X, Jr.", "AL-X, Jr., Ali Hasan"))},
			[]sanction.Name{{Text: "AL-X, Jr., Ali Hasan", Kind: sanction.Primary, Reading: "Ali Hasan AL-X, Jr."}}},
		{"reading from the full name", party{kind: individual, names: name("primary", latin("X, Ali"))},
			[]sanction.Name{{Text: "X, Ali", Kind: sanction.Primary, Reading: "Ali X"}}},
		{"no reading with two commas or none", party{kind: individual, names: name("primary", latin("X, Ali, Jr.")) + name("", latin("EL X"))},
			[]sanction.Name{{Text: "X, Ali, Jr.", Kind: sanction.Primary}, {Text: "EL X", Kind: sanction.Alias}}},
		{"no reading of a part alone", party{kind: individual, names: name("primary", person("", "X", "X of Y"))},
			[]sanction.Name{{Text: "X of Y", Kind: sanction.Primary}}},
		{"no reading where it would not differ", party{kind: individual, names: name("primary", person("Ali", "X", "Ali X"))},
			[]sanction.Name{{Text: "Ali X", Kind: sanction.Primary}}},
		{"no reading of an entity", party{names: name("primary", latin("ACME, S.A.")) + name("", person("B", "A", "A, B"))},
			[]sanction.Name{{Text: "ACME, S.A.", Kind: sanction.Primary}, {Text: "A, B", Kind: sanction.Alias}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, parseOne(t, tt.in).Names); diff != "" {
				t.Errorf("Names of %s (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestParseListing(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		lists    []string
		listedOn string
	}{
		{"SDN date before an earlier one", list("Sectoral Sanctions Identifications List", "2014-07-16") + list("SDN List", "2022-04-06"),
			[]string{"SSI", "SDN"}, "2022-04-06"},
		{"earliest other list", list("Non-SDN Menu-Based Sanctions List", "2022-02-24") + list("Consolidated List", "2014-10-10") +
			list("Non-SDN CMIC List", "2021-06-03"), []string{"NS-MBS", "NS-CMIC"}, "2021-06-03"},
		{"Consolidated List alone", list("Consolidated List", "2014-10-10"), nil, "2014-10-10"},
		{"short names", list("Non-SDN Palestinian Legislative Council List", "2006-04-12") + list("CAPTA List", "2019-03-14") + list("FSE List", "2012-07-12"),
			[]string{"NS-PLC", "CAPTA", "FSE"}, "2006-04-12"},
		{"unknown list", list("Some New List", "2026-01-01"), []string{"Some New List"}, "2026-01-01"},
		{"SDN twice", list("SDN List", "2020-01-02") + list("SDN List", "2020-01-01"), []string{"SDN"}, "2020-01-01"},
		{"time of day and zone", list("SDN List", "2020-01-02T00:00:00-05:00"), []string{"SDN"}, "2020-01-02"},
		{"partial date", list("SDN List", "2020-01"), []string{"SDN"}, ""},
		{"no such day", list("SDN List", "2021-02-29"), []string{"SDN"}, ""},
		{"no date on the list that decides", list("SDN List", "") + list("CAPTA List", "2019-03-14"), []string{"SDN", "CAPTA"}, ""},
		{"date on the other of two equals", list("CAPTA List", "2019-03-14") + list("FSE List", ""), []string{"CAPTA", "FSE"}, "2019-03-14"},
		{"date on one of two equals", list("FSE List", "") + list("CAPTA List", "2019-03-14"), []string{"FSE", "CAPTA"}, "2019-03-14"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := parseOne(t, party{lists: tt.in})
			if diff := cmp.Diff(tt.lists, got.Lists); diff != "" {
				t.Errorf("Lists of %s (-want +got):\n%s", tt.in, diff)
			}
			if got.ListedOn != tt.listedOn {
				t.Errorf("ListedOn of %s = %q, want %q", tt.in, got.ListedOn, tt.listedOn)
			}
		})
	}
}

func TestParsePrograms(t *testing.T) {
	const program = `<sanctionsProgram>%s</sanctionsProgram>`
	in := fmt.Sprintf(program+program+program+program, "SDGT", "FTO", " SDGT", "")
	want := []string{"SDGT", "FTO"}
	if diff := cmp.Diff(want, parseOne(t, party{programs: in}).Programs); diff != "" {
		t.Errorf("Programs of %s (-want +got):\n%s", in, diff)
	}
}

func TestParseIMOs(t *testing.T) {
	const registration = "Vessel Registration Identification"
	vessel := entityType("Vessel")
	for _, tt := range []struct {
		name string
		in   party
		want []string
	}{
		{"as OFAC writes it", party{kind: vessel, more: documents(registration, "IMO 9421960")}, []string{"9421960"}},
		{"white space and zeros", party{kind: vessel, more: documents(registration, "IMO\n \u00a009421960", registration, "imo9306782")},
			[]string{"9421960", "9306782"}},
		{"misprinted but called IMO", party{kind: vessel, more: documents(registration, "IMO 9421961")}, []string{"9421961"}},
		{"bare", party{kind: vessel, more: documents(registration, " 9421960 ")}, []string{"9421960"}},
		{"bare and no ship's number", party{kind: vessel, more: documents(registration, "9421961", registration, "RS 150443")}, nil},
		{"too long", party{kind: vessel, more: documents(registration, "IMO 94219600")}, nil},
		{"twice", party{kind: vessel, more: documents(registration, "IMO 9421960", registration, "9421960")}, []string{"9421960"}},
		{"other document", party{kind: vessel, more: documents("MMSI", "IMO 9421960")}, nil},
		{"company", party{more: documents(registration, "IMO 9421960")}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, parseOne(t, tt.in).IMOs); diff != "" {
				t.Errorf("IMOs of %s (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestParseFeatures(t *testing.T) {
	facts := features(
		"Birthdate", "circa 1962", "Birthdate", "Nov 1955", "Birthdate", "circa 1962",
		"Nationality Country", "Russia", "Citizenship Country", "Russia", "Vessel Flag", "Kosovo",
		"Nationality of Registration", "Finland", "Nationality Country", "undetermined",
		"Former Vessel Flag", "Finland", "Aircraft Tail Number", "EP-MNE", "Previous Aircraft Tail Number", "F-OABC")
	for kind, registrations := range map[string][]string{
		"Aircraft": {"EP-MNE", "F-OABC"}, "Vessel": nil, "Individual": nil, "Entity": nil,
	} {
		got := parseOne(t, party{kind: entityType(kind), more: facts})
		want := got
		want.BirthDates = []string{"circa 1962", "Nov 1955"}
		want.Countries = []string{"RU", "XK", "FI"}
		want.Registrations = registrations
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s with %s (-want +got):\n%s", kind, facts, diff)
		}
	}
}

func TestParseCountriesWithoutCode(t *testing.T) {
	for country, want := range map[string][]string{
		"West Bank": {"PS"}, "Region: Gaza": {"PS"}, "Kosovo": {"XK"},
		"Democratic People's Republic of Korea": {"KP"}, "British Virgin Islands": {"VG"},
		"St. Kitts and Nevis": {"KN"}, "St. Vincent and the Grenadines": {"VC"},
		"None Identified": nil, "Latin": nil, // a script, which has a code too
	} {
		in := features("Vessel Flag", country)
		if diff := cmp.Diff(want, parseOne(t, party{more: in}).Countries); diff != "" {
			t.Errorf("Countries of %s (-want +got):\n%s", in, diff)
		}
	}
}

// Everything is read behind and around what we skip.
func TestParseSkipsOtherElements(t *testing.T) {
	plain := parseOne(t, party{})
	got := parseOne(t, party{more: `<addresses><address><country>Russia</country><names><name/></names></address></addresses>
		<relationships><relationship><relatedEntity entityId="9">OTHER</relatedEntity></relationship></relationships>`})
	if diff := cmp.Diff(plain, got); diff != "" {
		t.Errorf("entity with addresses and relationships (-without +with):\n%s", diff)
	}
}

func TestParseUnitesRepeatedID(t *testing.T) {
	got := parseOne(t, party{}) // the first record alone
	want := got
	want.Names = append(want.Names, sanction.Name{Text: "APEX", Kind: sanction.Alias})
	want.Lists = append(want.Lists, "CAPTA")
	in := file(party{}.String(), party{names: name("primary", latin("APEX")), lists: list("CAPTA List", "2010-01-01")}.String())
	if diff := cmp.Diff([]sanction.Entry{want}, parse(t, in).Entries); diff != "" {
		t.Errorf("Parse(%s) (-want +got):\n%s", in, diff)
	}
}

func TestParseRejectsRecords(t *testing.T) {
	for _, tt := range []struct {
		in   party
		want sanction.Rejection
	}{
		{party{id: "-"}, sanction.Rejection{ID: "#2", Reason: "no id"}},
		{party{id: ` id=" "`}, sanction.Rejection{ID: "#2", Reason: "no id"}},
		{party{id: ` id="8"`, kind: "-"}, sanction.Rejection{ID: "8", Reason: "no type"}},
		{party{id: ` id="8"`, kind: entityType("Satellite")}, sanction.Rejection{ID: "8", Reason: `unknown type "Satellite"`}},
		{party{id: ` id="8"`, names: "-"}, sanction.Rejection{ID: "8", Reason: "no name"}},
		{party{id: ` id="8"`, names: name("primary", latin(" "))}, sanction.Rejection{ID: "8", Reason: "no name"}},
		{party{id: ` id="8"`, lists: "-"}, sanction.Rejection{ID: "8", Reason: "on no sanctions list"}},
	} {
		t.Run(tt.want.Reason, func(t *testing.T) {
			got := parse(t, file(party{}.String(), tt.in.String(), party{id: ` id="9"`}.String()))
			if diff := cmp.Diff([]sanction.Rejection{tt.want}, got.Rejected); diff != "" {
				t.Errorf("Rejected of %s (-want +got):\n%s", tt.in, diff)
			}
			if len(got.Entries) != 2 {
				t.Errorf("Parse of two good entities and %s = %d entries, want 2", tt.in, len(got.Entries))
			}
		})
	}
}
