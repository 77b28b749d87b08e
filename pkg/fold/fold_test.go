package fold_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/listward/listward/pkg/fold"
)

func TestForms(t *testing.T) {
	tests := []struct {
		why  string
		in   string
		want fold.Forms
	}{
		{"case and punctuation", "PUTIN, Vladimir-Vladimirovich", fold.Forms{Plain: []string{"putin vladimir vladimirovich"}}},
		{"digits stay", "  P-633 / No. 7", fold.Forms{Plain: []string{"p 633 no 7"}}},
		{"nothing left", " -–— !? ", fold.Forms{}},
		{"apostrophe removed and as a blank", "Sa'ad", fold.Forms{Plain: []string{"saad"}, Split: []string{"sa ad"}}},
		{"every apostrophe alike", "a’b‘c‛d`e´fʼgʻhʽiʿjʾk′lˈmʹnˮo＇p", fold.Forms{
			Plain: []string{"abcdefghijklmnop"}, Split: []string{"a b c d e f g h i j k l m n o p"}}},
		{"apostrophe at the edge gives one form", "'ALIYAN", fold.Forms{Plain: []string{"aliyan"}}},
		{"apostrophe hidden in a ligature", "ŉa", fold.Forms{Plain: []string{"na"}}},
		{"invisible characters", "Ga\u200bz\u00adprom\u200e \ufeffbank", fold.Forms{Plain: []string{"gazprom bank"}}},
		{"full width", "ＬＵＫＯＩＬ　７", fold.Forms{Plain: []string{"lukoil 7"}}},
		{"marks of Latin", "JÚLIO Ertaş Łódź", fold.Forms{Plain: []string{"julio ertas lodz"}}},
		{"two letters for one", "Müller-Åse", fold.Forms{Plain: []string{"muller ase", "mueller aase"}}},
		{"two letters for one, decomposed", "Mu\u0308ller", fold.Forms{Plain: []string{"muller", "mueller"}}},
		{"both doublings", "Jö'rg", fold.Forms{Plain: []string{"jorg", "joerg"}, Split: []string{"jo rg", "joe rg"}}},
		{"letters that do not decompose", "Straße Æþelđ Œuvre ħıŋ Əliyev ð", fold.Forms{Plain: []string{"strasse aetheld oeuvre hin aliyev d"}}},
		{"Turkish capital I", "İSTANBUL", fold.Forms{Plain: []string{"istanbul"}}},
		{"Greek final sigma and accents", "Πέτρος", fold.Forms{Plain: []string{"πετροσ"}}},
		{"Cyrillic й and ё lose their marks", "Сергей Пётр", fold.Forms{Plain: []string{"сергеи петр"}}},
		{"Latin A in a Cyrillic word", "Aлександр Бабаков", fold.Forms{Plain: []string{"александр бабаков"}}},
		{"Cyrillic letters in a Latin word", "Mоsсow", fold.Forms{Plain: []string{"moscow"}}},
		{"Latin i for Cyrillic \u0456", "Iгор Юрiйович", fold.Forms{Plain: []string{"\u0456гор юр\u0456иович"}}},
		{"Cyrillic \u0456 for Latin i", "Dmitr\u0456", fold.Forms{Plain: []string{"dmitri"}}},
		{"every look-alike to Cyrillic", "aжbжcжeжhжiжjжkжmжoжpжsжtжxжyжĸж", fold.Forms{Plain: []string{
			"\u0430ж\u0432ж\u0441ж\u0435ж\u043dж\u0456ж\u0458ж\u043aж\u043cж\u043eж\u0440ж\u0455ж\u0442ж\u0445ж\u0443ж\u043aж"}}},
		{"digits of other scripts", "٩١٨٧٦٢٩ ۹ ९", fold.Forms{Plain: []string{"9187629 9 9"}}},
		{"fillers and variation selectors", "李\U000e0100明\u3164\ufe0f", fold.Forms{Plain: []string{"李明"}}},
		{"nothing but a filler", "\u3164", fold.Forms{}},
		{"tie goes to Cyrillic", "aд", fold.Forms{Plain: []string{"ад"}}},
		{"pure words stay in their script", "сор cop", fold.Forms{Plain: []string{"сор cop"}}},
		{"Arabic letters, marks, tatweel, hamza", "عَلِيّ یـک شيء فاطمة أإآ", fold.Forms{Plain: []string{"علي يك شي فاطمه ااا"}}},
		{"Hebrew points", "שָׁלוֹם", fold.Forms{Plain: []string{"שלום"}}},
		{"Thai keeps its vowels", "สุมัชญา ตั้งรบ", fold.Forms{Plain: []string{"สุมัชญา ตั้งรบ"}}},
		{"Devanagari keeps its signs", "कुमार कान्ती", fold.Forms{Plain: []string{"कुमार कान्ती"}}},
		{"Hangul is composed", "김정은", fold.Forms{Plain: []string{"김정은"}}},
		{"Kana keeps its voicing", "がぎ", fold.Forms{Plain: []string{"がぎ"}}},
		{"Han with brackets", "華信船務(香港)有限公司", fold.Forms{Plain: []string{"華信船務 香港 有限公司"}}},
		{"Han zero", "第一〇研究所", fold.Forms{Plain: []string{"第一〇研究所"}}},
		{"a mark without a letter", "\u0301a \u0e31", fold.Forms{Plain: []string{"a"}}},
		{"invalid bytes are no letters", "a\xffb", fold.Forms{Plain: []string{"a b"}}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, fold.Of(tt.in)); diff != "" {
			t.Errorf("%s: Of(%q): %s", tt.why, tt.in, diff)
		}
	}
}

func TestCore(t *testing.T) {
	tests := []struct{ a, b string }{
		{"JSC Gazprombank", "Gazprombank Joint Stock Company"},
		{"Lukoil PJSC", "PUBLIC JOINT STOCK COMPANY LUKOIL"},
		{"Limited Liability Company Ural", "URAL LLC"},
		{"OOO 'Ural'", "Ural, L.L.C."},
		{"Gibbs and Cox", "Gibbs & Cox, Inc."},
		{"Boeing Defense Space and Security", "Boeing Defense, Space & Security"},
		{"Общество с ограниченной ответственностью Урал", "ООО «Урал»"},
		{"旷视科技有限公司", "旷视科技股份有限公司"},
		{"FARMACIA VIDA SUPREMA, S.A. DE C.V.", "Farmacia Vida Suprema"},
		{"Bank Bank Rossiya", "Rossiya Bank"},
	}
	for _, tt := range tests {
		a, b := core(tt.a), core(tt.b)
		if a != b || a == "" {
			t.Errorf("Core(%q) = %q, Core(%q) = %q, want them equal", tt.a, a, tt.b, b)
		}
	}
	for _, in := range []string{"Joint Stock Company", "The Co. of Ltd", "有限公司"} {
		if got := core(in); got != "" {
			t.Errorf("Core(%q) = %q, want nothing left", in, got)
		}
	}
	if a, b := core("gazprom neft"), core("gazprom"); a == b {
		t.Errorf("a word more or less gives the same core %q", a)
	}
}

func core(name string) string { return fold.Core(fold.Words(fold.Fold(name))) }

func TestVesselName(t *testing.T) {
	tests := []struct{ in, want string }{
		{"M/V SEA STAR", "SEA STAR"},
		{"mt 'Ocean'", "'Ocean'"},
		{"MV.Lucky", ".Lucky"},
		{"  M/T  X", "X"},
		{"MV", "MV"},
		{"MV -", "MV -"},
		{"MVP STAR", "MVP STAR"},
		{"MT7", "MT7"},
		{"SEA MV", "SEA MV"},
		{"", ""},
		{"MV ʼ", "MV ʼ"}, // a letter to Unicode, of which nothing is left
	}
	for _, tt := range tests {
		if got := fold.VesselName(tt.in); got != tt.want {
			t.Errorf("VesselName(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// TestFoldLaws holds what every comparison relies on, for texts of all scripts.
func TestFoldLaws(t *testing.T) {
	letters := rapid.StringOfN(rapid.RuneFrom(nil, unicode.Latin, unicode.Cyrillic, unicode.Arabic, unicode.Greek,
		unicode.Hebrew, unicode.Han, unicode.Hangul, unicode.Thai, unicode.Devanagari, unicode.Katakana, unicode.Mn,
		unicode.Cf, unicode.P, unicode.N, unicode.Zs), 0, 30, -1)
	rapid.Check(t, func(t *rapid.T) {
		checkLaws(t, rapid.OneOf(letters, rapid.String()).Draw(t, "text"))
	})
}

func FuzzFold(f *testing.F) {
	for _, seed := range []string{"Sa'ad", "Müller", "Aлександр", "عَلِيّ ی", "สุมัชญา", "ŉa ẚ", "ﬁ ß İ", "M/V X", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) { checkLaws(t, s) })
}

func checkLaws(t interface{ Errorf(string, ...any) }, s string) {
	forms := fold.Of(s)
	all := slices.Concat(forms.Plain, forms.Split)
	for i, form := range all {
		if again := fold.Fold(form); again != form {
			t.Errorf("Fold(%q) = %q, a form of %q that folds to something else", form, again, s)
		}
		if form == "" || strings.Join(fold.Words(form), " ") != form {
			t.Errorf("form %q of %q is empty or not separated by single blanks", form, s)
		}
		if slices.Contains(all[:i], form) {
			t.Errorf("form %q of %q is there twice", form, s)
		}
	}
	if got := fold.Fold(s); (got == "") != (len(forms.Plain) == 0) || got != "" && got != forms.Plain[0] {
		t.Errorf("Fold(%q) = %q, but the forms are %q", s, got, all)
	}
	if plain, upper := fold.Fold(s), fold.Fold(strings.ToUpper(s)); isASCII(s) && plain != upper {
		t.Errorf("Fold(%q) = %q, in capitals %q", s, plain, upper)
	}
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}

func TestDistinctive(t *testing.T) {
	tests := []struct {
		form string
		want bool
	}{
		{"vladimir putin", true},
		{"abu mohammed", false},
		{"abu mohammed al jawlani", true},
		{"li na wan", false},
		{"mohammed mohammed", false},
		{"a mohammed b", false},
		{"haji abdul kabir", false},
		{"владимир путин", true},
		{"1234 5678 putin", false},
		{"", false},
	}
	for _, tt := range tests {
		if got := fold.Distinctive(tt.form); got != tt.want {
			t.Errorf("Distinctive(%q) = %v, want %v", tt.form, got, tt.want)
		}
	}
}

// TestQuickWayGivesTheSame: text of letters that fold by themselves takes a shorter
// way, to the same forms. An invisible character makes it take the longer one.
func TestQuickWayGivesTheSame(t *testing.T) {
	const invisible = "\u200b"
	check := func(t interface{ Errorf(string, ...any) }, text string) {
		if diff := cmp.Diff(fold.Of(text+invisible), fold.Of(text)); diff != "" {
			t.Errorf("Of(%q) (-longer +shorter way):\n%s", text, diff)
		}
		if long, short := fold.Fold(invisible+text), fold.Fold(text); long != short {
			t.Errorf("Fold(%q) is %q, by the longer way %q", text, short, long)
		}
	}
	for r := range rune(0x10000) {
		check(t, string(r))
		check(t, "a"+string(r)+"б")
	}
	near := rapid.RuneFrom([]rune("aZ09 '`-.,/&ʼ’йЇґІ·（ŁéŸßäøة"), unicode.Cyrillic, unicode.Arabic, unicode.Latin, unicode.Han)
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.StringOf(near).Draw(t, "text")) })
}
