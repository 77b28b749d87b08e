package fold

import (
	"strings"
	"unicode"
)

// Latin and Cyrillic letters that look alike, pair by pair: lists and queries
// hold words typed with the keyboard in the wrong layout (222 EU entries do).
const (
	latinLookalikes    = "abcehijkmopstxyĸ"
	cyrillicLookalikes = "авсен\u0456јкморѕтхук" // \u0456 is і, not и
)

var (
	toCyrillic = lookalikes(latinLookalikes, cyrillicLookalikes)
	// ĸ is Latin itself, and к is written k.
	toLatin = lookalikes(strings.TrimSuffix(cyrillicLookalikes, "к"), strings.TrimSuffix(latinLookalikes, "ĸ"))
)

func lookalikes(from, to string) *strings.Replacer {
	var pairs []string
	target := []rune(to)
	for i, r := range []rune(from) {
		pairs = append(pairs, string(r), string(target[i]))
	}
	return strings.NewReplacer(pairs...)
}

// unmix writes each word that mixes Latin and Cyrillic letters in the script of
// most of its letters, as far as its letters look alike; on a tie in Cyrillic.
func unmix(s string) string {
	latin, cyrillic := scripts(s)
	if latin == 0 || cyrillic == 0 {
		return s
	}
	words := strings.Fields(s)
	for i, w := range words {
		switch latin, cyrillic := scripts(w); {
		case latin == 0 || cyrillic == 0:
		case latin > cyrillic:
			words[i] = toLatin.Replace(w)
		default:
			words[i] = toCyrillic.Replace(w)
		}
	}
	return strings.Join(words, " ")
}

// scripts counts the Latin and the Cyrillic letters.
func scripts(s string) (latin, cyrillic int) {
	for _, r := range s {
		switch {
		case r < 0x80:
			if r >= 'a' && r <= 'z' {
				latin++
			}
		case unicode.Is(unicode.Latin, r):
			latin++
		case unicode.Is(unicode.Cyrillic, r):
			cyrillic++
		}
	}
	return latin, cyrillic
}
