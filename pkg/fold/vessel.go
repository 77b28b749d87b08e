package fold

import (
	"strings"
	"unicode"
)

// shipPrefixes stand before the names of motor vessels and tankers.
func shipPrefixes() []string { return []string{"M/V", "M/T", "MV", "MT"} }

// VesselName drops a leading M/V, MV, M/T or MT, in either case, from a ship's
// name as written, if anything is left. Everything else is returned as it is;
// "MVP" has no prefix.
func VesselName(s string) string {
	trimmed := strings.TrimSpace(s)
	for _, prefix := range shipPrefixes() {
		if len(trimmed) <= len(prefix) || !strings.EqualFold(trimmed[:len(prefix)], prefix) {
			continue
		}
		rest := trimmed[len(prefix):]
		if strings.IndexFunc(rest, isWordRune) > 0 && Fold(rest) != "" {
			return strings.TrimSpace(rest)
		}
	}
	return s
}

func isWordRune(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) }
