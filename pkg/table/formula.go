package table

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// formulaLike tells whether a spreadsheet could run a cell as a formula: it
// begins with = + - @, their full-width forms, TAB, CR, LF or NUL (OWASP, "CSV
// Injection"; NUL after OWASP ASVS 5.0, 1.2.10). Blanks and invisible characters
// before the sign do not hide it, because some programs drop them.
func formulaLike(cell string) bool {
	if cell == "" {
		return false
	}
	if strings.IndexByte("\t\r\n\x00", cell[0]) >= 0 {
		return true
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(cell, unseen))
	return strings.ContainsRune("=+-@＝＋－＠", first)
}

func unseen(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// isInteger tells whether a cell is what [Number] says, of any length.
func isInteger(cell string) bool {
	digits := strings.TrimPrefix(cell, "-")
	if digits == "" || digits[0] == '0' {
		return cell == "0"
	}
	return !strings.ContainsFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
}
