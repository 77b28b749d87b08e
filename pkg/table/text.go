package table

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"

	"golang.org/x/text/width"
)

// maxCellUnits is what Excel holds in a cell, in UTF-16 units.
const maxCellUnits = 32_767

// clip returns the text as far as a cell holds it, with … for what is left out.
func clip(text string) string {
	if len(text) <= maxCellUnits {
		return text
	}
	units, end := 0, 0
	for i, r := range text {
		if units < maxCellUnits {
			end = i
		}
		units += utf16.RuneLen(r)
	}
	if units <= maxCellUnits {
		return text
	}
	return text[:end] + "…"
}

// appendText appends valid UTF-8 as the content of an element or attribute of
// the type ST_Xstring (ISO/IEC 29500-1, 22.9.2.19), in which _xHHHH_ stands for
// a character that XML cannot hold.
func appendText(b []byte, text string) []byte {
	start := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c > '_' && c != 0xEF || c > '>' && c < '_' {
			continue
		}
		if escaped, size := escape(text[i:]); escaped != "" {
			b = append(append(b, text[start:i]...), escaped...)
			start = i + size
		}
	}
	return append(b, text[start:]...)
}

// escape returns what stands for the first character of the text and the bytes
// that it takes, or nothing if it stands for itself.
func escape(text string) (string, int) {
	switch c := text[0]; {
	case c == '&':
		return "&amp;", 1
	case c == '<':
		return "&lt;", 1
	case c == '>':
		return "&gt;", 1
	case c == '"':
		return "&quot;", 1
	case c == '\r':
		// XML would read it as a line feed.
		return "&#xD;", 1
	case c == '_' && isEscape(text):
		return "_x005F_", 1
	case c < ' ' && c != '\t' && c != '\n':
		return fmt.Sprintf("_x%04X_", c), 1
	case strings.HasPrefix(text, "\uFFFE"):
		return "_xFFFE_", 3
	case strings.HasPrefix(text, "\uFFFF"):
		return "_xFFFF_", 3
	}
	return "", 0
}

// isEscape tells whether text begins so that a reader could take it for an
// escape. The last underscore does not count: the escape of the next character
// may supply it.
func isEscape(text string) bool {
	return len(text) > 6 && text[1] == 'x' && strings.Trim(text[2:6], "0123456789abcdefABCDEF") == ""
}

// trimmable tells whether XML readers may drop blanks at the ends of the text.
func trimmable(text string) bool { return strings.Trim(text, " \t\r\n") != text }

// columnsOf returns how many places of a fixed-width font the longest line of
// the text takes: two for each wide character of East Asian writing, none for
// marks on other letters. It is never more than the bytes of the text.
func columnsOf(text string) int {
	longest, n := 0, 0
	for _, r := range text {
		switch {
		case r == '\n':
			n = 0
		case r < 0x300:
			n++
		default:
			n += placesOf(r)
		}
		longest = max(longest, n)
	}
	return longest
}

func placesOf(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
