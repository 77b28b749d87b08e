package eu

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/sanction"
)

// alias is one spelling of a name. The file repeats names for every language of
// the Union and every act that spells them anew.
type alias struct {
	cited
	Whole    string   `xml:"wholeName,attr"`
	First    string   `xml:"firstName,attr"`
	Middle   string   `xml:"middleName,attr"`
	Last     string   `xml:"lastName,attr"`
	Language string   `xml:"nameLanguage,attr"` // ISO 639-1 in capitals, often empty
	Strong   string   `xml:"strong,attr"`
	Remarks  []string `xml:"remark"`
}

// lowQuality matches the remark that the acts make on weak aliases. It is not
// always reflected in the attribute "strong".
var lowQuality = regexp.MustCompile(`(?i)\blow[\s-]*quality`)

// names returns the distinct names of a record, the one that names the entry
// first, the others in the publisher's order.
func (rec *record) names() []sanction.Name {
	named := slices.DeleteFunc(slices.Clone(rec.Aliases), func(a alias) bool { return a.text() == "" })
	if len(named) == 0 {
		return nil
	}
	person := rec.Subject.Code == person
	primary := slices.MinFunc(named, func(a, b alias) int { return cmp.Compare(a.rank(person), b.rank(person)) })
	var e sanction.Entry
	e.AddName(sanction.Name{Text: primary.text(), Kind: sanction.Primary, Weak: primary.weak()})
	for _, a := range named {
		e.AddName(sanction.Name{Text: a.text(), Kind: a.kind(isLatin(primary.text())), Weak: a.weak()})
	}
	return e.Names
}

func (a alias) expect(b *lists.Builder) {
	b.Expect("nameAlias/@wholeName", a.Whole != "")
	b.Expect("nameAlias/@nameLanguage", a.Language != "")
	b.Expect("nameAlias/@strong", a.Strong != "")
	b.Expect("nameAlias/regulationSummary", len(a.Acts) > 0)
	for _, act := range a.Acts {
		b.Expect("regulationSummary/@publicationDate", act.Published != "")
	}
}

// rank orders names by their claim to be the primary one, the first of the lowest
// has it (decisions section 1). What counts more weighs more: a weak name is the
// primary one only if all are, and a person's single word, which most often is a
// nickname, gives way to a full name in any language.
func (a alias) rank(person bool) int {
	rank := 0
	if a.weak() {
		rank += 8
	}
	if !isLatin(a.text()) {
		rank += 4
	}
	if person && !strings.Contains(a.text(), " ") {
		rank += 2
	}
	if a.Language != "" && a.Language != "EN" {
		rank++
	}
	return rank
}

// kind is what a name is when it is not the primary one.
func (a alias) kind(latinPrimary bool) sanction.Kind {
	switch {
	case latinPrimary && !isLatin(a.text()):
		return sanction.Native
	case slices.ContainsFunc(a.Remarks, marksFormer):
		return sanction.Former
	}
	return sanction.Alias
}

func (a alias) weak() bool {
	return a.Strong == "false" || slices.ContainsFunc(a.Remarks, lowQuality.MatchString)
}

// text is the name in one piece, put together from its parts where the publisher
// did not do so, for a name must not be lost.
func (a alias) text() string {
	return cmp.Or(clean(a.Whole), clean(a.First+" "+a.Middle+" "+a.Last))
}

// marksFormer reports whether a remark says of its own name that it is a former
// one. A remark that goes on ("formerly known as Lake Bank") says so of another.
func marksFormer(remark string) bool {
	switch strings.Trim(strings.ToLower(clean(remark)), "().:") {
	case "formerly", "formerly known as", "former name", "f.k.a", "fka":
		return true
	}
	return false
}

// isLatin reports whether at least half of the letters in a text are Latin; a text
// without letters counts as Latin. One letter would not tell: hundreds of Cyrillic
// names hold a Latin look-alike, some at their beginning.
func isLatin(text string) bool {
	surplus := 0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Latin, r):
			surplus++
		case unicode.IsLetter(r):
			surplus--
		}
	}
	return surplus >= 0
}

// clean trims a text and makes one blank of each run of white space in it.
func clean(text string) string { return strings.Join(strings.Fields(text), " ") }
