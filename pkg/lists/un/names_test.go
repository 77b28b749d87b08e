package un_test

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/sanction"
)

func TestPrimaryName(t *testing.T) {
	tests := []struct{ name, record, want string }{
		{"all four parts", individual("<THIRD_NAME>BIN ALI</THIRD_NAME><FOURTH_NAME>AL-NURI</FOURTH_NAME>"),
			"KARIM YUSUF BIN ALI AL-NURI"},
		{"a part missing", individual("<THIRD_NAME/><FOURTH_NAME>AL-NURI</FOURTH_NAME>"), "KARIM YUSUF AL-NURI"},
		{"white space", individual("<THIRD_NAME> BIN\n  ALI </THIRD_NAME>"), "KARIM YUSUF BIN ALI"},
		{"an entity with two names", entity("<FIRST_NAME>LAKE AIR (LA) ; HILL CARGO (HC)</FIRST_NAME>"),
			"LAKE AIR (LA) ; HILL CARGO (HC)"},
		{"only a name in the original script",
			entity("<NAME_ORIGINAL_SCRIPT>شبكة النور</NAME_ORIGINAL_SCRIPT><ENTITY_ALIAS><ALIAS_NAME>Al-Nur</ALIAS_NAME></ENTITY_ALIAS>"),
			"شبكة النور"},
		{"only an alias", entity("<ENTITY_ALIAS><ALIAS_NAME>Al-Nur</ALIAS_NAME></ENTITY_ALIAS>"), "Al-Nur"},
	}
	for _, test := range tests {
		got := parseOne(t, file(test.record, "")).Names[0]
		want := sanction.Name{Text: test.want, Kind: sanction.Primary}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: primary name (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestKindOfAlias(t *testing.T) {
	tests := []struct {
		quality, cell string
		want          sanction.Name
	}{
		{"Good", "Karim Youssef", sanction.Name{Text: "Karim Youssef", Kind: sanction.Alias}},
		{"Low", "Abu Nur", sanction.Name{Text: "Abu Nur", Kind: sanction.Alias, Weak: true}},
		{"a.k.a.", "Nur Network", sanction.Name{Text: "Nur Network", Kind: sanction.Alias}},
		{"f.k.a.", "Nur Network", sanction.Name{Text: "Nur Network", Kind: sanction.Former}},
		{"", "Nur Network", sanction.Name{Text: "Nur Network", Kind: sanction.Alias}},
		{"Good", "كريم يوسف", sanction.Name{Text: "كريم يوسف", Kind: sanction.Native}},
		{"Low", "أبو نور", sanction.Name{Text: "أبو نور", Kind: sanction.Native, Weak: true}},
		{"f.k.a.", "光明网络", sanction.Name{Text: "光明网络", Kind: sanction.Native}},
		{"Good", "Karim Nuri كريم نوري", sanction.Name{Text: "Karim Nuri كريم نوري", Kind: sanction.Alias}},
		{"Good", "313", sanction.Name{Text: "313", Kind: sanction.Alias}},
	}
	for _, test := range tests {
		aliases := aliasElement(t, test.quality, test.cell)
		got := parseOne(t, file(individual(aliases), "")).Names[1:]
		if diff := cmp.Diff([]sanction.Name{test.want}, got); diff != "" {
			t.Errorf("quality %q, cell %q: names (-want +got):\n%s", test.quality, test.cell, diff)
		}
	}
}

func TestAliasOfAPrimaryNameInAnotherScript(t *testing.T) {
	record := entity("<FIRST_NAME>شبكة النور</FIRST_NAME><ENTITY_ALIAS><ALIAS_NAME>النور; Al-Nur</ALIAS_NAME></ENTITY_ALIAS>")
	want := []sanction.Name{
		{Text: "شبكة النور", Kind: sanction.Primary},
		{Text: "النور", Kind: sanction.Alias},
		{Text: "Al-Nur", Kind: sanction.Alias},
	}
	if diff := cmp.Diff(want, parseOne(t, file("", record)).Names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestAliasCells(t *testing.T) {
	tests := []struct {
		cell string
		want []string
	}{
		// One name, whatever stands in it.
		{"Lake Holding Company (LHC)", []string{"Lake Holding Company (LHC)"}},
		{"Lake/Hill Movement (L/HM)", []string{"Lake/Hill Movement (L/HM)"}},
		{"Lake (Hill Town) Trading Limited", []string{"Lake (Hill Town) Trading Limited"}},
		{"光明船務(香港)有限公司", []string{"光明船務(香港)有限公司"}},
		{"(Sheikh) Karim Nuri", []string{"(Sheikh) Karim Nuri"}},
		{") Karim Nuri", []string{") Karim Nuri"}},
		{"Karim Nuri (birth name)", []string{"Karim Nuri (birth name)"}},
		{"Lake Department (QDE.901)", []string{"Lake Department (QDE.901)"}},
		{"Brigade (55)", []string{"Brigade (55)"}},
		{"NURI, Karim", []string{"NURI, Karim"}},
		{`"NURI, Sheikh"`, []string{`"NURI, Sheikh"`}},
		{"Lake Trading, Intl.", []string{"Lake Trading, Intl."}},
		{"Lake\n      Trading", []string{"Lake Trading"}},

		// Several, joined by ";".
		{"Karim Noori; Kareem Nuri", []string{"Karim Noori", "Kareem Nuri"}},
		{"Lake Company (LC); Hill Company (HC)", []string{"Lake Company (LC)", "Hill Company (HC)"}},
		{"Karim Noori; ; Kareem Nuri;", []string{"Karim Noori", "Kareem Nuri"}},
		{"Karim Noori; Karim Nouri b) K. Nouri; K. Noori", []string{"Karim Noori", "Karim Nouri b) K. Nouri", "K. Noori"}},
		{"Karim Noori; Karim Noori", []string{"Karim Noori"}},

		// A bracket with the same name in another script.
		{"Karim Nuri (كريم نوري)", []string{"Karim Nuri", "كريم نوري"}},
		{"Karim son of Ali Nuri (كريم ولد علي نوري ),", []string{"Karim son of Ali Nuri", "كريم ولد علي نوري"}},
		{"كتيبة النور (Katibat al-Nur)", []string{"كتيبة النور", "Katibat al-Nur"}},
		{"كتيبة النور (Katibat al-Nur in Hilltown (KNH))", []string{"كتيبة النور", "Katibat al-Nur in Hilltown (KNH)"}},
		{"Jin Guangming (金光明)", []string{"Jin Guangming", "金光明"}},
		{"김광명 (金光明)", []string{"김광명", "金光明"}},
		{"Abu Yusuf (original script: Абу Юсуф)", []string{"Abu Yusuf", "Абу Юсуф"}},
		{"Абу Юсуф (original script)", []string{"Абу Юсуф"}},
		{"(Абу Юсуф)", []string{"Абу Юсуф"}},

		// A bracket with several names.
		{"Lake Front (Front of the Lake; Lakeside Front)", []string{"Lake Front", "Front of the Lake", "Lakeside Front"}},
		{"كريم نوري (Karim Nuri; Kareem Nuri)", []string{"كريم نوري", "Karim Nuri", "Kareem Nuri"}},
		{"Nur Front (NF) (جبهة النور (original script); Jabhat al-Nur; Jabhat an-Nur)",
			[]string{"Nur Front (NF)", "جبهة النور", "Jabhat al-Nur", "Jabhat an-Nur"}},
		{"Nur Front (جبهة النور) (Jabhat al-Nur; Jabhat an-Nur)",
			[]string{"Nur Front", "جبهة النور", "Jabhat al-Nur", "Jabhat an-Nur"}},
		{"Nur Front (Jabhat al-Nur; كتيبة النور (Katibat al-Nur))",
			[]string{"Nur Front", "Jabhat al-Nur", "كتيبة النور", "Katibat al-Nur"}},

		// No name.
		{"", nil},
		{" ; , ", nil},
		{"KARIM YUSUF", nil}, // the primary name again
	}
	for _, test := range tests {
		var got []string
		for _, name := range parseOne(t, file(individual(aliasElement(t, "Good", test.cell)), "")).Names[1:] {
			got = append(got, name.Text)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("cell %q: names (-want +got):\n%s", test.cell, diff)
		}
	}
}

// Brackets in brackets make the work grow with the square of a cell's length, so
// that a hostile cell must not be split; the party stays under its other names.
func TestAbsurdAliasCellIsReported(t *testing.T) {
	cell := strings.Repeat("Karim (Nuri; ", 100_000) + strings.Repeat(")", 100_000)
	list := parse(t, file(individual(aliasElement(t, "Good", cell)), ""))
	if len(list.Rejected) != 1 || list.Rejected[0].ID != "UN-QDi.901" {
		t.Errorf("a cell of %d bytes: rejected %v, want one name of UN-QDi.901", len(cell), list.Rejected)
	}
	wantNames := []sanction.Name{{Text: "KARIM YUSUF", Kind: sanction.Primary}}
	if diff := cmp.Diff(wantNames, list.Entries[0].Names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

// FuzzAliasCell asserts that no word of an alias cell is lost, however its
// brackets stand. The labels, which are taken out on purpose, and cells beyond the
// length of a name are not tried.
func FuzzAliasCell(f *testing.F) {
	for _, cell := range []string{
		"Karim Noori; Kareem Nuri", "Lake Company (LC)", "Nur Front (NF) (جبهة النور; Jabhat al-Nur (JN))",
		") Karim (", "((a;b);(c))", "a (b; c", "光明船務(香港)有限公司",
	} {
		f.Add(cell)
	}
	f.Fuzz(func(t *testing.T, cell string) {
		if strings.Contains(cell, "original script") || len(cell) > 1000 {
			return
		}
		var names strings.Builder
		for _, name := range parseOne(t, file(individual(aliasElement(t, "Good", cell)), "")).Names {
			names.WriteString(name.Text + "\n")
		}
		for _, word := range strings.FieldsFunc(cell, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if !strings.Contains(names.String(), word) {
				t.Errorf("cell %q: %q is in none of the names\n%s", cell, word, names.String())
			}
		}
	})
}

func aliasElement(t *testing.T, quality, cell string) string {
	t.Helper()
	var text bytes.Buffer
	if err := xml.EscapeText(&text, []byte(cell)); err != nil {
		t.Fatalf("escape %q: %v", cell, err)
	}
	return "<INDIVIDUAL_ALIAS><QUALITY>" + quality + "</QUALITY><ALIAS_NAME>" + text.String() + "</ALIAS_NAME></INDIVIDUAL_ALIAS>"
}
