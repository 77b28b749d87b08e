package eux_test

import (
	"html"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists/eux"
	"github.com/listward/listward/pkg/sanction"
)

func TestNames(t *testing.T) {
	const primary, alias, former, native = sanction.Primary, sanction.Alias, sanction.Former, sanction.Native
	tests := []struct {
		cell string // "|" begins a new line
		want []sanction.Name
	}{
		// The first line is one name, whatever stands in it.
		{"Lake Institute; Hill Institute (LHI)", []sanction.Name{{Text: "Lake Institute; Hill Institute (LHI)", Kind: primary}}},
		{"Lake/Hill 24, JSC", []sanction.Name{{Text: "Lake/Hill 24, JSC", Kind: primary}}},
		{"Alias Systems", []sanction.Name{{Text: "Alias Systems", Kind: primary}}},
		{" Lake\nPlant ", []sanction.Name{{Text: "Lake Plant", Kind: primary}}},
		{"(Ex-Im Bank) of Lakeside", []sanction.Name{{Text: "(Ex-Im Bank) of Lakeside", Kind: primary}}},

		// Lines begin with any block within the cell.
		{"Lake<div>A.k.a.: Sea</div><div>Pond</div>", []sanction.Name{{Text: "Lake", Kind: primary}, {Text: "Sea", Kind: alias}, {Text: "Pond", Kind: alias}}},

		// Former names leave it.
		{"Star (formerly Moon)", []sanction.Name{{Text: "Star", Kind: primary}, {Text: "Moon", Kind: former}}},
		{"Star|(formerly Moon)", []sanction.Name{{Text: "Star", Kind: primary}, {Text: "Moon", Kind: former}}},
		{"Star (formerly Moon", []sanction.Name{{Text: "Star", Kind: primary}, {Text: "Moon", Kind: former}}},
		{"Star|(formerly Moon", []sanction.Name{{Text: "Star", Kind: primary}, {Text: "Moon", Kind: former}}},
		{"STAR (ex MOON)", []sanction.Name{{Text: "STAR", Kind: primary}, {Text: "MOON", Kind: former}}},
		{"Star (Formerly known as: Moon)", []sanction.Name{{Text: "Star", Kind: primary}, {Text: "Moon", Kind: former}}},
		{"Star (formerly Moon; Sun)", []sanction.Name{{Text: "Star", Kind: primary}, {Text: "Moon", Kind: former}, {Text: "Sun", Kind: former}}},
		{"Star|(formerly Moon; Sun", []sanction.Name{{Text: "Star", Kind: primary}, {Text: "Moon", Kind: former}, {Text: "Sun", Kind: former}}},
		{"Lake (formerly Hill (H)) JSC", []sanction.Name{{Text: "Lake JSC", Kind: primary}, {Text: "Hill (H)", Kind: former}}},

		// Alias lines, by label.
		{"Lake|Local name: АО «Озеро» (ОАО «Озеро»)", []sanction.Name{{Text: "Lake", Kind: primary}, {Text: "АО «Озеро» (ОАО «Озеро»)", Kind: native}}},
		{"Lake|A.k.a.: Sea; Pond", []sanction.Name{{Text: "Lake", Kind: primary}, {Text: "Sea", Kind: alias}, {Text: "Pond", Kind: alias}}},
		{"Lake|a.k.a.: Sea", []sanction.Name{{Text: "Lake", Kind: primary}, {Text: "Sea", Kind: alias}}},
		{"Lake|Alias: Sea", []sanction.Name{{Text: "Lake", Kind: primary}, {Text: "Sea", Kind: alias}}},
		{"Lake|Alias(es): Sea;", []sanction.Name{{Text: "Lake", Kind: primary}, {Text: "Sea", Kind: alias}}},
		{"Lake|Also known as: Sea", []sanction.Name{{Text: "Lake", Kind: primary}, {Text: "Sea", Kind: alias}}},
		{"Lake|Chinese company name: 湖泊有限公司", []sanction.Name{{Text: "Lake", Kind: primary}, {Text: "湖泊有限公司", Kind: native}}},
		{"Lake|Also known as Sea", []sanction.Name{{Text: "Lake", Kind: primary}, {Text: "Sea", Kind: alias}}},
		{"Lake|A.k.a. Sea", []sanction.Name{{Text: "Lake", Kind: primary}, {Text: "Sea", Kind: alias}}},
		{"Lake|A.k.a.:|Sea;|Pond", []sanction.Name{{Text: "Lake", Kind: primary}, {Text: "Sea", Kind: alias}, {Text: "Pond", Kind: alias}}},
		{"Lake|Aliased Systems", []sanction.Name{{Text: "Lake", Kind: primary}, {Text: "Aliased Systems", Kind: alias}}},
		{"Lake|A.k.a.: Lake; Sea; Sea; —", []sanction.Name{{Text: "Lake", Kind: primary}, {Text: "Sea", Kind: alias}}},
		{"Lake|A.k.a.: Sea (S; SE); Pond (P; Q", []sanction.Name{{Text: "Lake", Kind: primary}, {Text: "Sea (S; SE)", Kind: alias},
			{Text: "Pond (P", Kind: alias}, {Text: "Q", Kind: alias}}},
		{"Lake|A.k.a.: Sea (formerly Pond); Well", []sanction.Name{{Text: "Lake", Kind: primary}, {Text: "Sea", Kind: alias},
			{Text: "Well", Kind: alias}, {Text: "Pond", Kind: former}}},

		// Scripts.
		{"Lake FZCO (بحيرة)", []sanction.Name{{Text: "Lake FZCO (بحيرة)", Kind: primary}, {Text: "بحيرة", Kind: native}}},
		{"Lake|A.k.a.: Sea (湖泊); ทะเล", []sanction.Name{{Text: "Lake", Kind: primary}, {Text: "Sea (湖泊)", Kind: alias},
			{Text: "ทะเล", Kind: native}, {Text: "湖泊", Kind: native}}},
		{"Lake|Local name: Göl Șirketi", []sanction.Name{{Text: "Lake", Kind: primary}, {Text: "Göl Șirketi", Kind: alias}}},
		{"Lake|A.k.a.: Lаke Plant", []sanction.Name{{Text: "Lake", Kind: primary}, {Text: "Lаke Plant", Kind: alias}}}, // one Cyrillic letter
		{"АО «Озеро»|A.k.a.: Lake; Озеро", []sanction.Name{{Text: "АО «Озеро»", Kind: primary}, {Text: "Lake", Kind: alias}, {Text: "Озеро", Kind: alias}}},
	}
	for _, test := range tests {
		got := parseOne(t, file(parties(tr("1.", test.cell, "", "1.2.2026")))).Names
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("cell %q: names (-want +got):\n%s", test.cell, diff)
		}
	}
}

// FuzzNameCell asserts that no word of a cell is lost, however its brackets stand,
// but the words of the labels.
func FuzzNameCell(f *testing.F) {
	for _, cell := range []string{
		"Lake; Hill (LHI)", "Lake|(formerly Hill; Sea", "Lake (Озеро)|Sea (湖泊); Pond", "Lake (formerly Hill (H)) JSC",
		"Lake (a;b|(c);d", ") Lake (|; ;", "Lake (formerly )(ex Sea|(ex",
	} {
		f.Add(cell)
	}
	labels := strings.Fields("formerly known as ex local name a k alias aliases es also chinese company")
	f.Fuzz(func(t *testing.T, cell string) {
		if strings.ContainsAny(cell, "►▼<&") {
			return // a marker of an amendment, which is taken out with what it holds
		}
		text := file(parties(tr("1.", html.EscapeString(cell), "", "1.2.2026"), tr("2.", "Good", "", "1.2.2026")))
		list, err := eux.Parse(strings.NewReader(text))
		if err != nil || len(list.Rejected) > 0 || len(list.Entries) == 0 {
			return // no text of XML, or no name
		}
		var names strings.Builder
		for _, name := range list.Entries[0].Names {
			names.WriteString(name.Text + "\n")
		}
		for _, word := range strings.FieldsFunc(cell, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if !slices.Contains(labels, strings.ToLower(word)) && !strings.Contains(names.String(), word) {
				t.Errorf("cell %q: %q is in none of the names\n%s", cell, word, names.String())
			}
		}
	})
}
