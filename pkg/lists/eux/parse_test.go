package eux_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/lists/eux"
	"github.com/listward/listward/pkg/sanction"
)

// file lays out annexes as CELLAR does, in a text of 2026-02-03.
func file(annexes ...string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>EUR-Lex</title></head><body>
<p class="reference">02014R0833 — EN — 03.02.2026 — 040.001</p>
<div class="eli-container"><p class="modref">▼B</p>
<p class="title-doc-first">COUNCIL REGULATION (EU) No 833/2014</p><p class="norm">of 31 July 2014</p>
` + strings.Join(annexes, "\n") + `</div></body></html>`
}

func annex(number string, body ...string) string {
	return fmt.Sprintf(`<hr class="separator-annex"/><div class="eli-subdivision" id="anx_%s">
<p class="title-annex-1">ANNEX %[1]s</p><p class="title-annex-2">List of legal persons</p>%s</div>`,
		number, strings.Join(body, "\n"))
}

func table(rows ...string) string {
	return `<div class="centered"><table><tbody>` + strings.Join(rows, "\n") + `</tbody></table></div>`
}

// tr lays out a row; "|" begins a new line within a cell.
func tr(cells ...string) string {
	var row strings.Builder
	for _, cell := range cells {
		row.WriteString("<td>" + lines(cell) + "</td>")
	}
	return "<tr>" + row.String() + "</tr>"
}

func lines(cell string) string {
	return `<p class="tbl-norm">` + strings.ReplaceAll(cell, "|", `</p><p class="tbl-norm">`) + `</p>`
}

// parties is Annex IV, of which tests state the rows below the header.
func parties(rows ...string) string {
	return annex("IV", table(append([]string{tr("Number", "Name", "Identifying Information", "Date of listing")}, rows...)...))
}

// vessels is Annex XLII in the same way.
func vessels(rows ...string) string {
	return annex("XLII", table(append([]string{tr("", "Vessel name", "IMO number", "Grounds for inclusion", "Date of application")}, rows...)...))
}

const marker = `<tr><td colspan="4"><p class="modref"><a href="./x">▼M59</a></p></td></tr>`

func parse(t *testing.T, text string) sanction.List {
	t.Helper()
	list, err := eux.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	for _, broken := range law.Broken(list) {
		t.Errorf("Parse(%s): %s", text, broken)
	}
	return list
}

// parseOne parses a text of one good row.
func parseOne(t *testing.T, text string) sanction.Entry {
	t.Helper()
	list := parse(t, text)
	if len(list.Entries) != 1 || len(list.Rejected) != 0 {
		t.Fatalf("Parse(%s): got %d entries and %v rejected, want one entry", text, len(list.Entries), list.Rejected)
	}
	return list.Entries[0]
}

func ids(list sanction.List) []string {
	var all []string
	for _, e := range list.Entries {
		all = append(all, e.ID)
	}
	return all
}

func TestParseReadsEveryField(t *testing.T) {
	const url = "https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:02014R0833-20260203"
	text := file(
		annex("III", `<div class="grid-container"><div><span>1.</span></div><div><p class="norm">LAKE BANK</p></div></div>`),
		parties(tr("7.", "Lake Plant JSC|Local name: АО «Озеро»|A.k.a.: Lake Works", "Address: Lakeside|Registration number: 771 (INN)", "25.2.2025")),
		vessels(tr("1.", "Star (formerly Moon)", "9179842", "Article 3s", "3.3.2026")),
		annex("XLV", `<p class="norm">Part A</p>`, table(tr("Name", "Entry into force"), tr("Hill Bank", "4 February 2026"))))
	want := sanction.List{Date: "2026-02-03", Entries: []sanction.Entry{
		{
			ID: "EUX-III-lake-bank", Source: sanction.EUX, Type: sanction.Entity,
			Names:    []sanction.Name{{Text: "LAKE BANK", Kind: sanction.Primary}},
			Programs: []string{"833/2014 Annex III"}, URL: url,
		},
		{
			ID: "EUX-IV-lake-plant-jsc-2025-02-25", Source: sanction.EUX, Type: sanction.Entity,
			Names: []sanction.Name{
				{Text: "Lake Plant JSC", Kind: sanction.Primary},
				{Text: "АО «Озеро»", Kind: sanction.Native},
				{Text: "Lake Works", Kind: sanction.Alias},
			},
			Programs: []string{"833/2014 Annex IV"}, ListedOn: "2025-02-25", URL: url,
			CompanyNumbers: []string{"771"},
		},
		{
			ID: "EUX-XLII-9179842", Source: sanction.EUX, Type: sanction.Vessel,
			Names:    []sanction.Name{{Text: "Star", Kind: sanction.Primary}, {Text: "Moon", Kind: sanction.Former}},
			Programs: []string{"833/2014 Annex XLII (applies from 2026-03-03)"}, ListedOn: "2026-03-03", URL: url,
			IMOs: []string{"9179842"},
		},
		{
			ID: "EUX-XLV-A-hill-bank-2026-02-04", Source: sanction.EUX, Type: sanction.Entity,
			Names:    []sanction.Name{{Text: "Hill Bank", Kind: sanction.Primary}},
			Programs: []string{"833/2014 Annex XLV Part A (applies from 2026-02-04)"}, ListedOn: "2026-02-04", URL: url,
		},
	}}
	if diff := cmp.Diff(want, parse(t, text)); diff != "" {
		t.Errorf("Parse(%s) (-want +got):\n%s", text, diff)
	}
}

func TestAnnexes(t *testing.T) {
	dated := []string{"IV", "XIV", "XLIV", "XLV", "XLIX"}
	plain := []string{"III", "V", "VI", "XII", "XIII", "XV", "XIX"}
	others := []string{"I", "VII", "XXI", "XXV", "XLIII", "XLVI", "XLVII", "L", "LII", "LIII", "LIV", "IVa"}
	var annexes, want []string
	for _, number := range dated {
		annexes = append(annexes, annex(number, table(tr("Name", "Identifying information", "Date of application"), tr("Lake", "", "1.2.2026"))))
		want = append(want, "EUX-"+number+"-lake-2026-02-01")
	}
	for _, number := range plain {
		annexes = append(annexes, annex(number, `<p class="norm">Lake</p>`))
		want = append(want, "EUX-"+number+"-lake")
	}
	for _, number := range others {
		annexes = append(annexes, annex(number, table(tr("Name", "Date of application"), tr("Decoy", "1.2.2026")), `<p class="norm">Decoy</p>`))
	}
	list := parse(t, file(annexes...))
	if diff := cmp.Diff(want, ids(list)); diff != "" || len(list.Rejected) != 0 {
		t.Errorf("ids (-want +got):\n%s\nrejected %v, want none", diff, list.Rejected)
	}
}

func TestListAnnexes(t *testing.T) {
	tests := []struct {
		name, body string
		want       []string
	}{
		{"paragraphs", `<p class="norm">Lake TV</p><p class="norm">Hill / Hill 24</p>`, []string{"EUX-XV-lake-tv", "EUX-XV-hill-hill-24"}},
		{"parts", `<p class="norm">PART A</p><p class="norm">Lake</p><p class="title-gr-seq-level-1">Part B</p><p class="norm">Lake</p>`,
			[]string{"EUX-XV-A-lake", "EUX-XV-B-lake"}},
		{"numbers", `<p class="norm">1.</p><p class="norm">1. Lake</p><p class="norm">24. Hill</p>`, []string{"EUX-XV-lake", "EUX-XV-hill"}},
		{"markers", `<p class="modref">▼M10</p><p class="norm">►M58 Lake ◄</p><p class="norm">[…]</p>`, []string{"EUX-XV-lake"}},
		{"headings and notes", `<p class="title-gr-seq-level-1">Media</p><p class="norm">Lake</p><p class="note">See above</p>`, []string{"EUX-XV-lake"}},
		{"a table", table(tr("Number", "Name"), tr("1.", "Lake|A.k.a.: Hill")), []string{"EUX-XV-lake"}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, ids(parse(t, file(annex("XV", test.body))))); diff != "" {
			t.Errorf("%s: %s: ids (-want +got):\n%s", test.name, test.body, diff)
		}
	}
}

func TestTables(t *testing.T) {
	const cell = "</p></td><td><p>"
	lake, hill := tr("1.", "Lake", "", "1.2.2026"), tr("2.", "Hill", "", "1.2.2026")
	both := []string{"EUX-IV-lake-2026-02-01", "EUX-IV-hill-2026-02-01"}
	tests := []struct{ name, text string }{
		{"plain", parties(lake, hill)},
		{"marker rows", parties(marker, lake, tr("▼C1 —"), hill, tr("▼M60"))},
		{"markers over cells", parties("<tr><td><p>►M58 1."+cell+"Lake"+cell+cell+"1.2.2026 ◄</p></td></tr>", hill)},
		{"deleted rows", parties(lake, tr("—————"), tr("", "", "", ""), hill)},
		{"header repeated", parties(lake, tr("Number", "Name", "Identifying Information", "Date of listing"), hill)},
		{"a new table without header", parties(lake) + `<p class="modref">▼M59</p>` + table(hill)},
		{"header in th", strings.NewReplacer("<td><p class=\"tbl-norm\">Name</p></td>", "<th>Name</th>").Replace(parties(lake, hill))},
		{"other columns", annex("IV", table(tr("Date of listing", "Name of the legal person", "Identifying information"), tr("1.2.2026", "Lake"), tr("1.2.2026", "Hill")))},
		{"other headings", strings.NewReplacer(">Name<", ">Name of legal person, entity or body<", "Date of listing", "Entry into force").Replace(parties(lake, hill))},
		{"entities and breaks", strings.ReplaceAll(parties(lake, hill), "Lake", "&nbsp;Lake<br/>")},
	}
	for _, test := range tests {
		list := parse(t, file(test.text))
		if diff := cmp.Diff(both, ids(list)); diff != "" || len(list.Rejected) != 0 {
			t.Errorf("%s: Parse(%s): ids (-want +got):\n%s\nrejected %v, want none", test.name, test.text, diff, list.Rejected)
		}
	}
}

func TestDates(t *testing.T) {
	tests := []struct{ cell, want string }{
		{"25.2.2025", "2025-02-25"},
		{"25.02.2025", "2025-02-25"},
		{"25.2.2025’", "2025-02-25"},
		{"25.2.2025.", "2025-02-25"},
		{"25.2. 2025", "2025-02-25"},
		{"25.2 2025", "2025-02-25"},
		{"25/2/2025", "2025-02-25"},
		{"25 February 2025", "2025-02-25"},
		{"25 Feb. 2025", "2025-02-25"},
		{"25 Feb.2025", "2025-02-25"},
		{"February 25, 2025", "2025-02-25"},
		{"25.2.2025 ◄", "2025-02-25"},
		{"Feb. 2025", ""},
		{"February 2025", ""},
		{"2025", ""},
	}
	for _, test := range tests {
		e := parseOne(t, file(parties(tr("1.", "Lake", "", test.cell))))
		if e.ListedOn != test.want || e.ID != strings.TrimSuffix("EUX-IV-lake-"+test.want, "-") {
			t.Errorf("date %q: %s listed on %q, want %q", test.cell, e.ID, e.ListedOn, test.want)
		}
	}
}

func TestIDs(t *testing.T) {
	const company = "Registration number"
	tests := []struct {
		name string
		text string
		want []string
	}{
		{"punctuation", parties(tr("1.", "N.P. “Lake &amp; Hill”, Int’l", "", "1.2.2026")), []string{"EUX-IV-n-p-lake-hill-int-l-2026-02-01"}},
		{"accents", parties(tr("1.", "Șirketi Übersee", "", "1.2.2026")), []string{"EUX-IV-sirketi-ubersee-2026-02-01"}},
		{"letters without an ASCII base", parties(tr("1.", "ООО Озеро 1", "", "1.2.2026"), tr("2.", "ООО Холм 1", "", "1.2.2026"), tr("3.", "Lаke", "", "1.2.2026")),
			[]string{"EUX-IV-1-3928bd36-2026-02-01", "EUX-IV-1-6a280cbc-2026-02-01", "EUX-IV-l-ke-960a73f1-2026-02-01"}},
		{"another registration number", parties(tr("1.", "Lake", company+": 77-1 (INN)", "1.2.2026"), tr("2.", "Lake", company+" 772", "1.2.2026"),
			tr("3.", "LAKE", company+" 771", "1.2.2026"), tr("4.", "Lake", "", "1.2.2026")),
			[]string{"EUX-IV-lake-2026-02-01", "EUX-IV-lake-2026-02-01-2", "EUX-IV-lake-2026-02-01-3"}},
		{"another day", parties(tr("1.", "Lake", "", "1.2.2026"), tr("2.", "Lake", "", "2.2.2026")), []string{"EUX-IV-lake-2026-02-01", "EUX-IV-lake-2026-02-02"}},
		{"an IMO number twice", vessels(tr("1.", "Star", "9179842", "", "1.2.2026"), tr("9.", "Moon", "IMO 9179842", "", "2.2.2026")), []string{"EUX-XLII-9179842"}},
		{"a wrong check digit", vessels(tr("1.", "Star", "9179843", "", "1.2.2026")), []string{"EUX-XLII-9179843"}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, ids(parse(t, file(test.text)))); diff != "" {
			t.Errorf("%s: Parse(%s): ids (-want +got):\n%s", test.name, test.text, diff)
		}
	}
}

func TestRowsOfOneIDAreUnited(t *testing.T) {
	star := sanction.Entry{
		ID: "EUX-XLII-9179842", Source: sanction.EUX, Type: sanction.Vessel,
		Names:    []sanction.Name{{Text: "Star", Kind: sanction.Primary}},
		Programs: []string{"833/2014 Annex XLII", "833/2014 Annex XLII (applies from 2026-02-04)"},
		ListedOn: "2026-02-01",
		URL:      "https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:02014R0833-20260203",
		IMOs:     []string{"9179842"},
	}
	moon := star
	moon.Names = []sanction.Name{star.Names[0], {Text: "Moon", Kind: sanction.Alias}}
	for second, want := range map[string]sanction.List{
		"Star": {Entries: []sanction.Entry{star}},
		"Moon": {
			Entries:  []sanction.Entry{moon},
			Rejected: []sanction.Rejection{{ID: star.ID, Reason: `a second record of this id, "Moon", was united with the first`}},
		},
	} {
		want.Date = "2026-02-03"
		got := parse(t, file(vessels(tr("1.", "Star", "9179842", "", "1.2.2026"), tr("9.", second, "9179842", "", "4.2.2026"))))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("two rows of one IMO number, Star and %s (-want +got):\n%s", second, diff)
		}
	}
}

func TestRejectedRows(t *testing.T) {
	list := parse(t, file(
		parties(tr("1.", "Lake", "", "1.2.2026"), tr("2.", "", "Lakeside", "1.2.2026"), tr("3.", "(formerly Hill)", "", "1.2.2026"),
			tr("4.", "Hill", "", "31.2.2026"), tr("5.", "Hill", "", ""), tr("6.", "Hill"), tr("Group heading")),
		annex("XIV", table(tr("Group heading"), tr("Name", "Date of application"))),
		annex("XV", table(tr("1.", "Hill"))),
		vessels(tr("1.", "Star", "917984", "", "1.2.2026"), tr("2.", "Star", "91798420", "", "1.2.2026"), tr("3.", "Star", "", "", "1.2.2026")),
		annex("XLV", `<p class="norm">Part A</p>`, table(tr("Name", "Entry into force"), tr("Hill Bank", "soon")))))
	want := []sanction.Rejection{
		{ID: "Annex IV: 2.", Reason: "there is no name"},
		{ID: "Annex IV: (formerly Hill)", Reason: "there is no name"},
		{ID: "Annex IV: Hill", Reason: `the date "31.2.2026" is none`},
		{ID: "Annex IV: Hill", Reason: `the date "" is none`},
		{ID: "Annex IV: Hill", Reason: `the date "" is none`},
		{ID: "Annex IV: Group heading", Reason: "there is no name"},
		{ID: "Annex XIV: Group heading", Reason: "no header row stands above it"},
		{ID: "Annex XV: 1.", Reason: "no header row stands above it"},
		{ID: "Annex XLII: Star", Reason: `the IMO number "917984" has not seven digits`},
		{ID: "Annex XLII: Star", Reason: `the IMO number "91798420" has not seven digits`},
		{ID: "Annex XLII: Star", Reason: `the IMO number "" has not seven digits`},
		{ID: "Annex XLV Part A: Hill Bank", Reason: `the date "soon" is none`},
	}
	if diff := cmp.Diff(want, list.Rejected); diff != "" {
		t.Errorf("rejected rows (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"EUX-IV-lake-2026-02-01"}, ids(list)); diff != "" {
		t.Errorf("ids beside the rejected rows (-want +got):\n%s", diff)
	}
}

func TestParseRefuses(t *testing.T) {
	good := file(parties(tr("1.", "Lake", "", "1.2.2026")))
	tests := []struct {
		name, text string
		want       error
		detail     string // must stand in the message
	}{
		{"empty", "", lists.ErrEmpty, ""},
		{"blank", " \n", lists.ErrEmpty, ""},
		{"web page", "<!DOCTYPE html><html><body>Maintenance</body></html>", lists.ErrHTML, ""},
		{"web page without namespace", "<?xml version=\"1.0\"?><html><body><p>Maintenance</p></body></html>", lists.ErrRoot, "html"},
		{"web page in XHTML", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><p>Maintenance</p></body></html>`, lists.ErrSchema, "date"},
		{"JSON", `{"error": "busy"}`, lists.ErrSyntax, ""},
		{"cut in a row", good[:strings.Index(good, "Lake")], lists.ErrTruncated, ""},
		{"cut behind the annex", strings.TrimSuffix(good, "</div></body></html>"), lists.ErrTruncated, ""},
		{"broken", strings.Replace(good, "</tbody>", "</tbdoy>", 1), lists.ErrSyntax, ""},
		{"no reference", strings.Replace(good, "02014R0833 — EN —", "Text of", 1), lists.ErrSchema, `stands before "ANNEX IV"`},
		{"other act", strings.Replace(good, "02014R0833", "02014R0269", 1), lists.ErrSchema, "no reference"},
		{"other language", strings.Replace(good, "— EN —", "— DE —", 1), lists.ErrSchema, "no reference"},
		{"no real date", strings.Replace(good, "03.02.2026", "31.02.2026", 1), lists.ErrSchema, "no reference"},
		{"no annex", file(), lists.ErrNoEntries, ""},
		{"no row", file(parties()), lists.ErrNoEntries, ""},
		{"only decoys", strings.NewReplacer("ANNEX IV", "ANNEX XXI", "anx_IV", "anx_XXI").Replace(good), lists.ErrNoEntries, ""},
		{"another title", strings.Replace(good, "ANNEX IV", "ANNEX XIV", 1), lists.ErrSchema, `title of Annex IV, found "ANNEX XIV"`},
		{"another division", strings.Replace(good, "anx_IV", "anx_XXI", 1), lists.ErrSchema, `title of Annex XXI, found "ANNEX IV"`},
		{"a decoy's title like another's", file(strings.Replace(annex("LIV", table(tr("Name", "Year"))), "ANNEX L", "ANNEX X", 1)), lists.ErrSchema, "title of Annex LIV"},
		{"titles without their class", strings.ReplaceAll(good, "title-annex-1", "title"), lists.ErrSchema, "title-annex-1 of Annex IV"},
		{"a title without its class", file(annex("XXI")+strings.ReplaceAll(annex("XIV"), "title-annex-1", "title"), annex("IV")), lists.ErrSchema, "title-annex-1 of Annex XIV"},
		{"text for a table", file(annex("IV", `<p class="norm">Lake</p>`), annex("XV")), lists.ErrSchema, "(tr) in Annex IV"},
		{"no header", file(annex("XIV", table(tr("Hill", "1.2.2026")))), lists.ErrSchema, `the header row in Annex XIV, above "Hill"`},
		{"a header without date", strings.Replace(good, "Date of listing", "Year", 1), lists.ErrSchema, "column of the date in Annex IV"},
		{"a header without information", strings.Replace(good, "Identifying Information", "Address", 1), lists.ErrSchema, "column of the identifying information"},
		{"a header without IMO number", strings.Replace(file(vessels(tr("1.", "Star", "9179842", "", "1.2.2026"))), "IMO number", "MMSI", 1), lists.ErrSchema, "column of the IMO number"},
		{"a part missing", file(annex("XIX", "<p>Part A</p><p>Lake</p><p>Part C</p>")), lists.ErrSchema, `label of Part B in Annex XIX, found "Part C"`},
		{"a part twice", file(annex("XLV", "<p>Part A</p>", table(tr("Part A")))), lists.ErrSchema, `label of Part B in Annex XLV, found "Part A"`},
		{"a part misprinted", file(annex("XIX", "<p>Part A</p><p>Lake</p><p>PaRx B</p>")), lists.ErrSchema, `label of Part B in Annex XIX, found "PaRx B"`},
		{"all rejected", file(vessels(tr("1.", "Star", "", "", ""), tr("2.", "Moon", "", "", ""))), lists.ErrSchema, "all 2 records were rejected"},
	}
	for _, test := range tests {
		list, err := eux.Parse(strings.NewReader(test.text))
		if !errors.Is(err, test.want) || !strings.Contains(fmt.Sprint(err), test.detail) {
			t.Errorf("%s: Parse(%s): error %v, want %v with %q", test.name, test.text, err, test.want, test.detail)
		}
		if diff := cmp.Diff(sanction.List{}, list); diff != "" {
			t.Errorf("%s: Parse returned a list beside an error (-want +got):\n%s", test.name, diff)
		}
	}
}
