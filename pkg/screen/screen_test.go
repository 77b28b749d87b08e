package screen_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/screen"
	"github.com/listward/listward/pkg/snapshot"
)

const (
	person = sanction.Individual
	firm   = sanction.Entity
	ship   = sanction.Vessel
	plane  = sanction.Aircraft
)

// TestHardQueries is the table of queries that plain substring search gets
// wrong, one way or the other, with the rule that answers each; "" is a miss.
func TestHardQueries(t *testing.T) {
	tests := []struct {
		kind   sanction.Type
		listed string
		query  string
		want   string
	}{
		// Writing.
		{firm, "Bank Melli Iran", "BANK  melli-iran.", "equal"},
		{person, "NHATE, JÚLIO", "nhate julio", "equal"},
		{person, "Jörg MÜLLER", "Joerg Mueller", "equal"},
		{person, "Joerg MUELLER", "Jörg Müller", "equal"},
		{person, "Jorg MULLER", "Jörg Müller", "equal"},
		{firm, "ＬＵＫＯＩＬ", "Lukoil", "equal"},
		{firm, "Gaz\u00adprom\u200b", "Gazprom", "equal"},

		// Apostrophes: removed or blank, on either side.
		{person, "BA'ASYIR, Abdul Rachim", "BA`ASYIR, Abdul Rachim", "equal"},
		{person, "BA'ASYIR, Abdul Rachim", "Baasyir Abdul Rachim", "equal"},
		{person, "BA'ASYIR, Abdul Rachim", "Ba asyir Abdul Rachim", "equal"},
		{firm, "GROUPE D INVESTISSEMENT", "Groupe d’investissement", "equal"},
		{person, "Musa Adil", "Sa'ad", ""}, // "sa ad" is one word, not a piece of text
		{person, "Sa Abdullah Ad", "Sa'ad", ""},

		// Order of words.
		{person, "PUTIN, Vladimir Vladimirovich", "Vladimir Putin", "phrase"},
		{person, "PUTIN, Vladimir Vladimirovich", "Vladimir Vladimirovich Putin", "equal"}, // reading order
		{person, "Said BAHAJI", "BAHAJI, SAID", "phrase"},
		{person, "Haji Ali NAWAY", "Li Na", ""},
		{firm, "LIMITED LIABILITY COMPANY STROYPROEKT MURMANSK", "limited murmansk", "phrase"},

		// Legal forms.
		{firm, "Gazprombank Joint Stock Company", "JSC Gazprombank", "core"},
		{firm, "PUBLIC JOINT STOCK COMPANY LUKOIL", "Lukoil PJSC", "core"},
		{firm, "OPEN JOINT-STOCK COMPANY ROSNEFT OIL COMPANY", "PJSC Rosneft Oil Company", "core"},
		{firm, "Limited Liability Company Interservis", "OOO Interservis", "core"},
		{firm, "ООО РЕСАД", "Общество с ограниченной ответственностью Ресад", "core"},
		{firm, "旷视科技有限公司", "旷视科技股份有限公司", "core"},
		{firm, "Gibbs & Cox, Inc.", "Gibbs and Cox", "core"},
		{person, "Rossiya Ltd", "Rossiya Co", ""}, // not for individuals
		{firm, "Gazprombank", "Joint Stock Company", ""},
		{firm, "CORP", "Corp 7", ""},

		// Words written together or apart.
		{firm, "AL-QAIDA", "Alqaida", "joined"},
		{firm, "AL QAIDA IN IRAQ", "Alqaida", "joined"},
		{firm, "AL QAIDA IN IRAQ", "Alqaida Iraq", "joined"},
		{firm, "ALQAIDA IN IRAQ", "Al-Qaida in Iraq", "joined"},
		{person, "KIM, Jong Un", "Kim Jongun", "joined"},
		{person, "AL-ASSAD, Bashar", "Bashar Alassad", "joined"},
		{firm, "L3 Harris Technologies", "L3Harris Technologies", "joined"},
		{person, "ABD AL-RAHMAN, Atiyah", "Atiyah Abdalrahman", "joined"},
		{person, "LI, Na", "Lina", ""},          // fewer than five letters
		{person, "김 정은", "김정은", "joined"},       // two are enough in Hangul
		{person, "AL KHATIB, Omar", "Alkh", ""}, // a run is whole words
		{firm, "A B C D E F", "abcdef", ""},     // a run is at most three words
		{person, "LI, Na", "Li Na", "equal"},
		{person, "LINA", "Li Na", "joined"},          // the whole name, however short
		{person, "LINA, Maria", "Li Na", ""},         // a single short run is not telling
		{firm, "X BC Y", "b c x", "joined"},          // several runs are
		{firm, "SASA SASA", "sa sa sa sa", "joined"}, // several joins
		{firm, "A BC DEF", "AB CD EF", "joined"},     // on both sides
		{firm, "AB CDEFGH", "a b c d e f g h", ""},   // six words are no run
		{person, "DA, Li", "D'Ali", ""},              // not with apostrophes as blanks
		{firm, "TURK BANK", "Turk Ban kasi", ""},     // the joined word must be there

		// A middle name or patronymic that the list lacks.
		{person, "GUZMAN LOERA, Joaquin", "Joaquin Archivaldo Guzman Loera", "contained"},
		{person, "BABAKOV, Alexander", "Alexander Mikhailovich Babakov", "contained"},
		{person, "BABAKOV, Alexander", "Ivan Alexander Babakov", ""}, // not the first word
		{person, "Abu Mohammed", "ABU MOHAMMED AL-JAWLANI", ""},      // a particle does not tell
		{firm, "Alexander Babakov", "Alexander Mikhailovich Babakov", ""},

		// Scripts.
		{person, "Aлександр БАБАКОВ", "Александр Бабаков", "equal"}, // listed with a Latin A
		{person, "Александр БАБАКОВ", "Aлександр Бабаков", "equal"},
		{firm, "АО ТЕХНОДИНАМИКА", "Технодинамика", "core"},
		{person, "عبدالمنان نیازی", "عبدالمنان نيازي", "equal"},
		{person, "شمس الدین", "شمس الدين", "equal"},
		{person, "محمد يوسف", "مُحَمَّد يـوسف", "equal"},
		{person, "فاطمة", "فاطمه", "equal"},
		{person, "김정은", "김정은", "equal"},
		{person, "สมชาย ใจดี", "สมชาย ใจดี", "equal"},
		{person, "สมชาย", "สมชย", ""}, // a vowel sign is a letter's part, not a mark to drop
		{person, "कुमार कान्ती", "कुमार कान्ती", "equal"},

		// Ships.
		{ship, "SEA STAR", "M/V SEA STAR", "equal"},
		{ship, "SEA STAR", "mt Sea Star", "equal"},
		{ship, "M/T SEA STAR", "Sea Star", "equal"},
		{ship, "MV SEA STAR", "MT SEA STAR", "equal"},
		{firm, "SEA STAR", "M/V SEA STAR", ""},
		{ship, "MV", "MV", "equal"},

		// Aircraft.
		{plane, "EP-IBC", "EPIBC", "registration"},
		{plane, "EP-IBC", "ep ibc", "registration"},
		{plane, "P-633", "P633", "registration"},
		{plane, "P-63", "P63", ""}, // fewer than four letters and digits
		{firm, "EP-IBC", "EPIBC", "joined"},

		// Parts.
		{firm, "STANKOMASHKOMPLEKS OOO", "STANKOMASHKOMPLE", "start"},
		{firm, "BANK OF KUNLUN", "Bank of Kun", "start"},
		{firm, "BANK OF KUNLUN", "ank of Kunlun", ""}, // several words begin where a word does
		{firm, "COMPUTING", "Putin", "inside"},
		{firm, "GAZPROMBANK", "prom", "inside"},

		// Names that fold to nothing match nothing.
		{firm, "Gazprom", "-- !", ""},
	}
	for _, tt := range tests {
		s := listed(t, entry("OFAC-1", sanction.OFAC, tt.kind, tt.listed))
		got := ""
		if r := screen.Find(s, screen.Query{Name: tt.query}, 1); r.Count > 0 {
			got = r.Hits[0].Rule.String()
		}
		if got != tt.want {
			t.Errorf("%s %q, query %q: rule %q, want %q", tt.kind, tt.listed, tt.query, got, tt.want)
		}
	}
}

func TestIMO(t *testing.T) {
	vessel := entry("OFAC-1", sanction.OFAC, ship, "SEA STAR")
	vessel.IMOs = []string{"9187629"}
	number := entry("OFAC-2", sanction.OFAC, firm, "COMPANY 9187629")
	s := listed(t, vessel, number)
	for query, want := range map[string]string{
		"9187629":             "imo",
		" 9187629 ":           "imo",
		"IMO 9187629":         "imo",
		"imo9187629":          "imo",
		"IMO no. 9187629":     "imo",
		"IMO No 9187629":      "imo",
		"IMO: 9187629":        "imo",
		"IMO number 9187629":  "imo",
		"imonumber9187629":    "imo",
		"９１８７６２９":             "imo",
		"٩١٨٧٦٢٩":             "imo",
		"9187620":             "", // a number is never searched as text
		"918762":              "inside",
		"91876290":            "",
		"IMO 9187629 SEA":     "",
		"company 9187629":     "equal",
		"9187629 company":     "core",
		"IMO vessel 9187629":  "",
		"IMO number 09187629": "",
	} {
		got := ""
		if r := screen.Find(s, screen.Query{Name: query}, 5); r.Count > 0 {
			got = r.Hits[0].Rule.String()
		}
		if got != want && !(want == "inside" && got == "start") {
			t.Errorf("query %q: rule %q, want %q", query, got, want)
		}
	}
}

// TestHostileQueryEnds asks what would take for ever if every cut of the query
// into runs were tried.
func TestHostileQueryEnds(t *testing.T) {
	s := listed(t, entry("OFAC-1", sanction.OFAC, firm, "A A A AA AAA", "S S R L"))
	for _, query := range []string{strings.Repeat("a ", 99) + "zz", strings.Repeat("s r l ", 33) + "zz", strings.Repeat("a", 200)} {
		if r := screen.Find(s, screen.Query{Name: query}, 1); r.Count != 0 {
			t.Errorf("%.20q… meets %d entries, want none", query, r.Count)
		}
	}
}

// TestMatchedName is the name by the best rule, then the primary, then the
// publisher's order.
func TestMatchedName(t *testing.T) {
	e := entry("OFAC-1", sanction.OFAC, firm, "ALPHA TRADING HOUSE", "ALPHA HOUSE TRADING", "BETA HOUSE", "HOUSE BETA", "ALPHA")
	s := listed(t, e)
	for query, want := range map[string]string{
		"alpha house":         "ALPHA TRADING HOUSE", // start fits the alias alone, but phrase is better
		"house trading alpha": "ALPHA TRADING HOUSE",
		"beta house":          "BETA HOUSE",
		"house beta":          "HOUSE BETA",
		"alpha":               "ALPHA",
		"alph":                "ALPHA TRADING HOUSE",
	} {
		r := screen.Find(s, screen.Query{Name: query}, 1)
		if len(r.Hits) != 1 {
			t.Errorf("query %q: %d hits, want 1", query, len(r.Hits))
			continue
		}
		if got := s.Name(r.Hits[0].Name).Text; got != want {
			t.Errorf("query %q: matched name %q, want %q", query, got, want)
		}
	}
}

func TestOrderCountAndLimit(t *testing.T) {
	s := listed(t,
		entry("UN-2", sanction.UN, firm, "DELTA"),
		entry("UN-1", sanction.UN, firm, "DELTA"),
		entry("OFAC-9", sanction.OFAC, firm, "DELTA B"),
		entry("OFAC-8", sanction.OFAC, firm, "DELTA A"),
		entry("OFAC-7", sanction.OFAC, firm, "XDELTA"),
		entry("OFAC-6", sanction.OFAC, firm, "DELTA LTD"),
		entry("OFAC-5", sanction.OFAC, firm, "DEL TA WORKS"),
	)
	want := []string{"equal UN-1", "equal UN-2", "core OFAC-6", "joined OFAC-5", "start OFAC-8", "start OFAC-9", "inside OFAC-7"}
	for limit := range len(want) + 2 {
		r := screen.Find(s, screen.Query{Name: "Delta"}, limit)
		var got []string
		for _, h := range r.Hits {
			got = append(got, fmt.Sprint(h.Rule, " ", s.Entry(h.Entry).ID))
		}
		if !slices.Equal(got, want[:min(limit, len(want))]) || r.Count != len(want) {
			t.Errorf("limit %d: count %d, rows %q, want %d and %q", limit, r.Count, got, len(want), want)
		}
	}
}

func TestFilters(t *testing.T) {
	vessel := entry("OFAC-1", sanction.OFAC, ship, "DELTA")
	vessel.IMOs = []string{"9187629"}
	s := listed(t, vessel,
		entry("OFAC-2", sanction.OFAC, plane, "DELTA"),
		entry("OFAC-3", sanction.OFAC, firm, "DELTA"),
		entry("UN-1", sanction.UN, firm, "DELTA"),
	)
	for _, tt := range []struct {
		query screen.Query
		want  []string
	}{
		{screen.Query{Name: "delta"}, []string{"OFAC-2", "OFAC-1", "OFAC-3", "UN-1"}}, // the registration first
		{screen.Query{Name: "delta", Source: sanction.UN}, []string{"UN-1"}},
		{screen.Query{Name: "delta", Type: ship}, []string{"OFAC-1"}},
		{screen.Query{Name: "delta", Type: plane}, []string{"OFAC-2"}},
		{screen.Query{Name: "delta", Source: sanction.UN, Type: ship}, nil},
		{screen.Query{Name: "9187629", Type: ship}, []string{"OFAC-1"}},
		{screen.Query{Name: "9187629", Type: firm}, nil},
		{screen.Query{Name: "9187629", Source: sanction.UN}, nil},
	} {
		var got []string
		for _, h := range screen.Find(s, tt.query, 10).Hits {
			got = append(got, s.Entry(h.Entry).ID)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%+v: %v, want %v", tt.query, got, tt.want)
		}
	}
}

// TestWeakNameIsNotContained: a weak alias inside a longer query says nothing.
func TestWeakNameIsNotContained(t *testing.T) {
	e := entry("OFAC-1", sanction.OFAC, person, "PRIMARY, Name")
	e.Names = append(e.Names, sanction.Name{Text: "Lucky Luciano", Kind: sanction.Alias, Weak: true})
	s := listed(t, e)
	if r := screen.Find(s, screen.Query{Name: "Lucky Charles Luciano"}, 1); r.Count != 0 {
		t.Errorf("a weak alias was met inside a longer query: %v", r)
	}
	if r := screen.Find(s, screen.Query{Name: "Luciano, Lucky"}, 1); r.Count != 1 || r.Hits[0].Rule != screen.Phrase {
		t.Errorf("a weak alias was not met by phrase: %v", r)
	}
}

func TestSearchable(t *testing.T) {
	for name, want := range map[string]bool{"a": true, "7": true, "李": true, "": false, " -!": false, "\u200b": false, "´": false} {
		if got := screen.Searchable(name); got != want {
			t.Errorf("Searchable(%q) = %v, want %v", name, got, want)
		}
	}
}

func entry(id string, source sanction.Source, kind sanction.Type, names ...string) sanction.Entry {
	e := sanction.Entry{ID: id, Source: source, Type: kind, URL: "https://example.org/" + id}
	for i, text := range names {
		n := sanction.Name{Text: text, Kind: sanction.Alias}
		if i == 0 {
			n.Kind = sanction.Primary
		}
		if last, first, ok := strings.Cut(text, ", "); ok && kind == person {
			n.Reading = first + " " + last
		}
		e.AddName(n)
	}
	return e
}

func listed(t *testing.T, entries ...sanction.Entry) *snapshot.Snapshot {
	t.Helper()
	data, err := snapshot.Build(entries)
	if err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
