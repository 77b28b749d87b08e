package eux

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/listward/listward/pkg/sanction"
)

// partyID is the id of an entry without an IMO number: annex, name and date of
// listing, but never the number of the row, which moves (decisions section 1).
func partyID(a annex, e sanction.Entry) string {
	id := "EUX-" + a.id() + "-" + slug(e.Name())
	if e.ListedOn != "" {
		id += "-" + e.ListedOn
	}
	return id
}

// slug spells a name in lower-case ASCII letters, digits and hyphens. Letters that
// have no ASCII base are left out; what they would have told apart ("ООО 1" of many
// names) is kept by the first eight hexadecimal digits of the name's SHA-256.
func slug(name string) string {
	var letters strings.Builder
	lost := false
	for _, r := range strings.ToLower(norm.NFKD.String(name)) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			letters.WriteRune(r)
		case unicode.Is(unicode.Mn, r):
		default:
			lost = lost || !notLetterOrDigit(r)
			letters.WriteByte(' ')
		}
	}
	words := strings.Fields(letters.String())
	if lost {
		sum := sha256.Sum256([]byte(name))
		words = append(words, fmt.Sprintf("%x", sum[:4]))
	}
	return strings.Join(words, "-")
}

// number tells parties of one id apart by their registration numbers, an absent one
// included: the second gets "-2", the third "-3".
func (p *parser) number(id, registration string) string {
	i := slices.Index(p.registrations[id], registration)
	if i < 0 {
		i = len(p.registrations[id])
		p.registrations[id] = append(p.registrations[id], registration)
	}
	if i == 0 {
		return id
	}
	return fmt.Sprintf("%s-%d", id, i+1)
}
