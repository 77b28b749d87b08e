package ofac

import (
	"math"
	"slices"
	"strings"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/sanction"
)

const latin = "Latin"

// name is one name of an entity, in one or more scripts.
type name struct {
	Primary    string     `xml:"isPrimary"`
	AliasType  string     `xml:"aliasType"`
	LowQuality string     `xml:"isLowQuality"`
	Spellings  []spelling `xml:"translations>translation"`
}

// spelling is a name in one script; OFAC calls it a translation.
type spelling struct {
	Script string `xml:"script"`
	First  string `xml:"formattedFirstName"`
	Last   string `xml:"formattedLastName"`
	Full   string `xml:"formattedFullName"`
}

// names returns every spelling of every name, the one that names the entry first.
func (rec *record) names() []sanction.Name {
	var names []sanction.Name
	primary, best := 0, math.MaxInt
	for _, n := range rec.Names {
		for _, s := range n.Spellings {
			if strings.TrimSpace(s.Full) == "" {
				continue
			}
			if rank := n.rank(s); rank < best {
				primary, best = len(names), rank
			}
			names = append(names, sanction.Name{
				Text:    s.Full,
				Kind:    n.kind(s),
				Weak:    isTrue(n.LowQuality),
				Reading: rec.reading(s),
			})
		}
	}
	if len(names) == 0 {
		return nil
	}
	first := names[primary]
	first.Kind = sanction.Primary
	return slices.Insert(slices.Delete(names, primary, primary+1), 0, first)
}

func (n name) expect(b *lists.Builder, individual bool) {
	b.Expect("name/isPrimary", n.Primary != "")
	b.Expect("name/isLowQuality", n.LowQuality != "")
	if !isTrue(n.Primary) {
		b.Expect("name/aliasType", n.AliasType != "")
	}
	b.Expect("name/translations/translation", len(n.Spellings) > 0)
	for _, s := range n.Spellings {
		b.Expect("translation/script of Latin", s.Script == latin)
		b.Expect("translation/formattedFullName", s.Full != "")
		if individual {
			b.Expect("translation/formattedFirstName", s.First != "")
			b.Expect("translation/formattedLastName", s.Last != "")
		}
	}
}

// rank orders spellings by their claim to be the primary name, the first of the
// lowest has it: OFAC promises neither that a primary name is flagged nor that
// only one is.
func (n name) rank(s spelling) int {
	switch {
	case isTrue(n.Primary) && s.Script == latin:
		return 0
	case isTrue(n.Primary):
		return 1
	case s.Script == latin && !isTrue(n.LowQuality):
		return 2
	}
	return 3
}

// kind is what a spelling is when it is not the primary name.
func (n name) kind(s spelling) sanction.Kind {
	switch {
	case s.Script != latin:
		return sanction.Native
	case n.AliasType == "F.K.A.":
		return sanction.Former
	}
	return sanction.Alias
}

// reading returns an individual's name as it is spoken, "First LAST" for
// "LAST, First"; "" for other parties, in whose names a comma has no such meaning.
func (rec *record) reading(s spelling) string {
	if rec.Type != "Individual" {
		return ""
	}
	first, last := s.First, s.Last
	if (first == "" || last == "") && strings.Count(s.Full, ", ") == 1 {
		last, first, _ = strings.Cut(s.Full, ", ")
	}
	if first == "" || last == "" {
		return ""
	}
	return strings.Join(strings.Fields(first+" "+last), " ")
}

// isTrue reads an XML Schema boolean.
func isTrue(s string) bool {
	return s == "true" || s == "1"
}
