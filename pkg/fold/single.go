package fold

import (
	"strings"
	"unicode/utf8"
)

// Nearly all names are written in characters each of which folds to the same, whatever
// stands beside it: most letters of Latin, Cyrillic, Arabic and Han, and no combining
// marks. Their forms are made in one pass, some ten times faster than by fold. That it
// gives the same is a law that the tests hold.

const (
	dropped   rune = -1 // nothing becomes of the character
	blank     rune = ' '
	apart     rune = '\'' // an apostrophe
	dependent rune = -2   // what becomes of it is for fold to say
)

// quick returns a form of s, with apostrophes as blanks (split) or removed, and whether
// s has any; ok says that s has only characters that fold by themselves.
func quick(s string, split bool) (form string, apostrophes, ok bool) {
	var b strings.Builder
	b.Grow(len(s))
	gap, foreign := false, false
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		i += size
		switch r = single(r); {
		case r == dependent:
			return "", false, false
		case r == apart:
			apostrophes, gap = true, gap || split
		case r == blank:
			gap = true
		case r != dropped:
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			b.WriteRune(r)
			foreign = foreign || r >= utf8.RuneSelf
		}
	}
	if form = b.String(); foreign {
		form = unmix(form)
	}
	return form, apostrophes, true
}

// single returns what a character becomes, if that does not depend on others.
func single(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
		return r
	case r >= 'A' && r <= 'Z':
		return r + 'a' - 'A'
	case r == '\'' || r == '`':
		return apart
	case r < utf8.RuneSelf:
		return blank
	case r >= 'À' && r <= 'ž':
		return fromLatin(r)
	case r >= '\u0400' && r <= '\u04ff':
		return fromCyrillic(r)
	case r >= '\u0600' && r <= '\u06ff':
		return fromArabic(r)
	case r >= '\u4e00' && r <= '\u9fff': // Han without the compatibility ideographs
		return r
	case strings.ContainsRune(apostrophes, r):
		return apart
	case strings.ContainsRune("·–—“”„«»、。（），", r):
		return blank
	}
	return dependent
}

// Letters of Latin-1 and Latin Extended-A, and what they are without their marks. Those
// that are also written with two letters are missing, and those that become two.
const (
	markedLatin = "ÀÁÂÃÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÙÚÛÝàáâãçèéêëìíîïðñòóôõùúûýÿĀāĂăĄąĆćĈĉĊċČčĎďĐđĒēĔĕĖėĘęĚěĜĝĞğĠġĢģĤĥĦħĨĩĪīĬĭĮįİıĴĵĶķĹĺĻļĽľŁłŃńŅņŇňŌōŎŏŐőŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŹźŻżŽž"
	plainLatin  = "aaaaceeeeiiiidnoooouuuyaaaaceeeeiiiidnoooouuuyyaaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiijjkkllllllllnnnnnnoooooorrrrrrssssssssttttuuuuuuuuuuuuwwyyyzzzzzz"
)

func fromLatin(r rune) rune {
	if i := strings.IndexRune(markedLatin, r); i >= 0 {
		return rune(plainLatin[i/2]) // all of them take two bytes
	}
	return dependent
}

// fromCyrillic knows the letters of Russian, Ukrainian, Belarusian and Serbian.
func fromCyrillic(r rune) rune {
	switch {
	case r == 'Й' || r == 'й':
		return 'и'
	case r >= 'А' && r <= 'Я':
		return r + 'а' - 'А'
	case r >= 'а' && r <= 'я':
		return r
	case r == 'Ё' || r == 'ё':
		return 'е'
	case r == '\u0407' || r == '\u0457': // Ї, ї
		return '\u0456' // і
	case r == 'Ў' || r == 'ў':
		return 'у'
	case r == 'Є' || r == '\u0406' || r == '\u0408' || r == 'Ђ' || r == 'Љ' || r == 'Њ' || r == 'Ћ' || r == 'Џ': // and І, Ј
		return r + 'є' - 'Є'
	case r == 'є' || r == '\u0456' || r == '\u0458' || r == 'ђ' || r == 'љ' || r == 'њ' || r == 'ћ' || r == 'џ':
		return r
	case r == 'Ґ' || r == 'ґ':
		return 'ґ'
	}
	return dependent
}

// fromArabic knows the letters of Arabic and Persian.
func fromArabic(r rune) rune {
	switch {
	case strings.ContainsRune("آأإ", r):
		return 'ا'
	case r == 'ؤ':
		return 'و'
	case r == 'ة' || r == 'ہ' || r == 'ھ':
		return 'ه'
	case strings.ContainsRune("ئىیے", r):
		return 'ي'
	case r == 'ک':
		return 'ك'
	case r == tatweel || r == 'ء':
		return dropped
	case r >= 'ا' && r <= 'غ', r >= 'ف' && r <= 'ي', strings.ContainsRune("پچژگ", r):
		return r
	case r == '،':
		return blank
	}
	return dependent
}
