// Package fold turns a name as written into the folded forms that both sides of
// a comparison use (decisions section 2). The snapshot stores the forms of every
// listed name; screening folds the query alone.
//
// [Of] gives all forms of a text and [Fold] its first one; [Core] takes the legal
// forms out of a company's name; [VesselName] drops a ship prefix. Everything
// here is a pure function and safe for concurrent use.
package fold

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Version names the folding and matching rules. It changes with every change of
// their results, and a snapshot built under another version must be rebuilt.
//
// History: 1, the first; 2, a ship prefix stays where nothing is left without it.
const Version = 2

// Forms are the folded forms of one text, each of letters, digits and single
// blanks. The two sets differ in what becomes of apostrophes.
type Forms struct {
	// Plain has the apostrophes removed: one form, or two when the text has a
	// letter that is also written with two (ä as a or ae). It is empty when the
	// text holds no letter and no digit.
	Plain []string
	// Split has a blank for each apostrophe; it holds only what Plain does not.
	Split []string
}

// Of returns the folded forms of a text.
func Of(s string) Forms {
	var f Forms
	if form, apostrophes, ok := quick(s, false); ok {
		f.Plain = appendForm(nil, form)
		if apostrophes {
			form, _, _ = quick(s, true)
			f.addSplit(form)
		}
		return f
	}
	for _, digraphs := range []bool{false, true} {
		f.Plain = appendForm(f.Plain, fold(s, "", digraphs))
	}
	for _, digraphs := range []bool{false, true} {
		f.addSplit(fold(s, " ", digraphs))
	}
	return f
}

func (f *Forms) addSplit(form string) {
	if !slices.Contains(f.Plain, form) {
		f.Split = appendForm(f.Split, form)
	}
}

func appendForm(forms []string, form string) []string {
	if form == "" || slices.Contains(forms, form) {
		return forms
	}
	return append(forms, form)
}

// Fold returns the first plain form of a text: empty when the text holds no
// letter and no digit. Folding a folded text changes nothing.
func Fold(s string) string {
	if form, _, ok := quick(s, false); ok {
		return form
	}
	return fold(s, "", false)
}

// Words splits a folded form.
func Words(form string) []string { return strings.Fields(form) }

func fold(s, apostrophe string, digraphs bool) string {
	s = clean(s, apostrophe)
	// x/text folds Cherokee to and fro; lower case settles it and changes no
	// other folded text.
	s = strings.ToLower(cases.Fold().String(norm.NFKC.String(s)))
	// Compatibility forms hide apostrophes too: ŉ is ʼn.
	s = clean(norm.NFC.String(s), apostrophe)
	if digraphs {
		s = twoLetters.Replace(s)
	}
	return unmix(separate(norm.NFC.String(letters(norm.NFD.String(s)))))
}

// apostrophes are the characters that stand for an apostrophe, ayin or hamza in
// the lists and on keyboards. NFKC would turn some of them into blanks.
const apostrophes = "'’‘‛`´ʼʻʽʿʾ′ˈʹˮ＇"

// tatweel lengthens Arabic words for layout and has no meaning.
const tatweel = 'ـ'

// clean removes invisible characters and treats the apostrophes.
func clean(s, apostrophe string) string {
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case r == tatweel || invisible(r):
		case r == '\'' || r >= '`' && strings.ContainsRune(apostrophes, r):
			b.WriteString(apostrophe)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// invisible reports format characters, and what fonts show nothing for either:
// variation selectors and fillers, which look like no letter at all.
func invisible(r rune) bool {
	return r >= 0x80 && unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// twoLetters writes out the letters that German, Danish, Norwegian, Swedish and
// Finnish names often spell with two.
var twoLetters = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "å", "aa", "ø", "oe")

// letters maps a decomposed, case-folded text: it drops the combining marks
// of alphabets in which writers leave them out, and replaces letters that do not
// decompose. Marks of other scripts (Thai, Indic, Kana) carry the reading.
func letters(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	markless := false
	for _, r := range s {
		if unicode.Is(unicode.M, r) {
			if !markless {
				b.WriteRune(r)
			}
			continue
		}
		if r >= 0x80 {
			r = asciiDigit(r)
		}
		markless = r < 0x80 || unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic)
		if r < 0x80 {
			b.WriteByte(byte(r))
			continue
		}
		writeLetter(&b, r)
	}
	return b.String()
}

func writeLetter(b *strings.Builder, r rune) {
	switch r {
	case 'ø':
		b.WriteByte('o')
	case 'ł':
		b.WriteByte('l')
	case 'đ', 'ð':
		b.WriteByte('d')
	case 'ı':
		b.WriteByte('i')
	case 'æ':
		b.WriteString("ae")
	case 'œ':
		b.WriteString("oe")
	case 'ß':
		b.WriteString("ss")
	case 'þ':
		b.WriteString("th")
	case 'ħ':
		b.WriteByte('h')
	case 'ə': // as in Əliyev, Aliyev
		b.WriteByte('a')
	case 'ŋ':
		b.WriteByte('n')
	case 'ى', 'ی', 'ے':
		b.WriteRune('ي')
	case 'ک':
		b.WriteRune('ك')
	case 'ة', 'ہ', 'ھ':
		b.WriteRune('ه')
	case 'ء': // hamza on the line is left out as often as written
	default:
		b.WriteRune(r)
	}
}

// asciiDigit writes a decimal digit of any script as 0 to 9. Unicode keeps the
// ten digits of a script together, in order.
func asciiDigit(r rune) rune {
	for _, block := range unicode.Nd.R16 {
		if lo, hi := rune(block.Lo), rune(block.Hi); r >= lo && r <= hi {
			return '0' + (r-lo)%10
		}
	}
	return r
}

// separate makes one blank of everything but letters, their marks and digits.
func separate(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	gap, letter := false, false
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.L, unicode.Nd, unicode.Nl), letter && unicode.Is(unicode.M, r):
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap, letter = false, true
			b.WriteRune(r)
		default:
			gap, letter = true, false
		}
	}
	return b.String()
}
