package un

import (
	"strings"
	"unicode"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/sanction"
)

const latin = "Latin"

// maxCell is the length of an alias cell in bytes; the longest published so far
// has about 350. It is more than lists.Builder takes for a name in any script.
const maxCell = 8000

type alias struct {
	Quality string `xml:"QUALITY"`
	Cell    string `xml:"ALIAS_NAME"`
}

// names are the names of an entry in the publisher's order. The parts of the
// primary name are joined and never split, whatever is in them. Where they are all
// empty, the first of the other names is the primary one: it would be worse to
// leave out the party.
func (rec *record) names() []sanction.Name {
	var e sanction.Entry
	primary := strings.Join([]string{rec.FirstName, rec.SecondName, rec.ThirdName, rec.FourthName}, " ")
	e.AddName(sanction.Name{Text: primary, Kind: sanction.Primary})
	e.AddName(sanction.Name{Text: rec.NativeName, Kind: sanction.Native})
	for _, aliases := range [][]alias{rec.PersonAliases, rec.EntityAliases} {
		for _, a := range aliases {
			for _, name := range a.names(script(primary) == latin) {
				e.AddName(name)
			}
		}
	}
	if len(e.Names) > 0 {
		e.Names[0].Kind = sanction.Primary
	}
	return e.Names
}

// expectAliases passes over the cells that the publisher leaves empty.
func expectAliases(b *lists.Builder, element string, aliases []alias) {
	b.Expect(element, len(aliases) > 0)
	for _, a := range aliases {
		if a.Quality != "" {
			b.Expect(element+"/ALIAS_NAME", a.Cell != "")
		}
		if a.Cell != "" {
			b.Expect(element+"/QUALITY", a.Quality != "")
		}
	}
}

// names are the names in one alias cell. The publisher's qualities are Good and Low
// for individuals, a.k.a. and f.k.a. for entities; empty ones mark empty cells.
func (a alias) names(latinPrimary bool) []sanction.Name {
	kind := sanction.Alias
	quality := clean(a.Quality)
	if quality == "f.k.a." {
		kind = sanction.Former
	}
	var names []sanction.Name
	for _, text := range splitCell(a.Cell) {
		name := sanction.Name{Text: text, Kind: kind, Weak: quality == "Low"}
		if s := script(text); latinPrimary && s != "" && s != latin {
			name.Kind = sanction.Native
		}
		names = append(names, name)
	}
	return names
}

// splitCell returns the names in an alias cell. They are joined by ";", and a
// bracket behind a name may hold further ones, most often the same in another
// script:
//
//	Haji Karim (Hajji Karim; Haji Kareem)      three names
//	Abu Yusuf (original script: Абу Юсуф)      two names
//	شبكة النور (Al-Nur Network (ANN))          two names, the second with its acronym
//	Al-Nur Network (ANN)                       one name
//
// A cell of more than maxCell bytes stays whole, and lists.Builder then leaves it
// out and reports it as a name of absurd length: brackets within brackets would
// cost the square of it.
func splitCell(cell string) []string {
	if len(cell) > maxCell {
		return []string{cell}
	}
	labels := strings.NewReplacer("(original script)", "", "original script:", "")
	return splitNames(labels.Replace(clean(cell)))
}

func splitNames(text string) []string {
	var names []string
	for _, piece := range splitOutsideBrackets(text) {
		piece = strings.Trim(piece, " ,")
		before, inside := cutLastBracket(piece)
		switch {
		case holdsNames(before, inside):
			names = append(names, splitNames(before)...)
			names = append(names, splitNames(inside)...)
		case piece != "":
			names = append(names, piece)
		}
	}
	return names
}

// splitOutsideBrackets splits at every ";" that is not in brackets. A closing
// bracket without an opening one ("b) Karim") is text.
func splitOutsideBrackets(text string) []string {
	var pieces []string
	start, depth := 0, 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			depth = max(depth-1, 0)
		case ';':
			if depth == 0 {
				pieces = append(pieces, text[start:i])
				start = i + 1
			}
		}
	}
	return append(pieces, text[start:])
}

// cutLastBracket returns what stands before the bracket with which a text ends,
// and what stands inside; both are empty for a text without such a bracket.
func cutLastBracket(text string) (before, inside string) {
	if !strings.HasSuffix(text, ")") {
		return "", ""
	}
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')':
			depth++
		case '(':
			depth--
		}
		if depth == 0 {
			return text[:i], text[i+1 : len(text)-1]
		}
	}
	return "", ""
}

// holdsNames tells a bracket with further names from one that belongs to the name
// before it, such as an acronym or a remark.
func holdsNames(before, inside string) bool {
	s := script(inside)
	return strings.Contains(inside, ";") || s != "" && s != script(before)
}

// script names the Unicode script of the first letter in a text, passing over
// letters that several scripts share; it is empty for a text without letters.
func script(text string) string {
	for _, r := range text {
		if !unicode.IsLetter(r) || unicode.In(r, unicode.Common, unicode.Inherited) {
			continue
		}
		for name, table := range unicode.Scripts {
			if unicode.Is(table, r) {
				return name
			}
		}
	}
	return ""
}
