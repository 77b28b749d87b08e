package screen

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/listward/listward/pkg/fold"
	"github.com/listward/listward/pkg/snapshot"
)

// Searchable reports whether a name has a letter or a digit to search for; any
// other query is refused (decisions section 2).
func Searchable(name string) bool { return fold.Fold(name) != "" }

// query is a name to look for, folded once.
type query struct {
	// imo is the number of a query that is an IMO number, or 0 and false.
	imo    uint32
	isIMO  bool
	tail   string  // letters and digits, or empty when too short for a registration
	forms  []qform // for every type but vessels
	vessel []qform // for vessels: without a ship prefix
}

// qform is one folded form of the query.
type qform struct {
	text  string
	words []string
	split bool // apostrophes stand as blanks
	core  string
	hash  uint32
	// several says that the query has two different words or more, and single
	// that it is one word; apostrophes do not part words in either count.
	several, single bool
	// long says that it may be looked for as a run of words joined, and runs holds
	// for each word what one to maxRun words from it on are, written together.
	long bool
	runs [][]string
	// within says that a person's name may be looked for in it.
	within bool
}

func newQuery(name string) query {
	q := query{forms: queryForms(name)}
	q.vessel = q.forms
	if bare := fold.VesselName(name); bare != name {
		q.vessel = queryForms(bare)
	}
	if len(q.forms) == 0 {
		return q
	}
	q.imo, q.isIMO = imoNumber(q.forms[0].text)
	if tail := strings.ReplaceAll(q.forms[0].text, " ", ""); utf8.RuneCountInString(tail) >= minRegistration {
		q.tail = tail
	}
	return q
}

// minRegistration is the least number of letters and digits of a query that is
// compared with tail numbers.
const minRegistration = 4

func queryForms(name string) []qform {
	folded := fold.Of(name)
	if len(folded.Plain) == 0 {
		return nil
	}
	plainWords := fold.Words(folded.Plain[0])
	several := slices.ContainsFunc(plainWords, func(w string) bool { return w != plainWords[0] })
	var forms []qform
	for i, text := range slices.Concat(folded.Plain, folded.Split) {
		f := qform{
			text:    text,
			words:   fold.Words(text),
			split:   i >= len(folded.Plain),
			several: several,
			single:  len(plainWords) == 1,
			within:  len(plainWords) >= 3,
		}
		if !f.split {
			f.core = fold.Core(text)
			f.hash = snapshot.CoreHash(f.core)
			f.long = longEnough(strings.Join(f.words, ""))
			f.runs = runsOf(f.words)
		}
		forms = append(forms, f)
	}
	return forms
}

func runsOf(words []string) [][]string {
	runs := make([][]string, len(words))
	for i := range words {
		for n := 1; n <= maxRun && i+n <= len(words); n++ {
			runs[i] = append(runs[i], strings.Join(words[i:i+n], ""))
		}
	}
	return runs
}

// longEnough says whether a run of words written together is telling: five
// letters or digits, or two where a letter is a syllable or more.
func longEnough(joined string) bool {
	n := 0
	for _, r := range joined {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			return utf8.RuneCountInString(joined) >= 2
		}
		n++
	}
	return n >= 5
}

// imoNumber reads a folded query that is seven digits and nothing else, with
// "imo", "imo no" or "imo number" before them or not.
func imoNumber(form string) (uint32, bool) {
	if rest, ok := strings.CutPrefix(form, "imo"); ok {
		rest = strings.TrimPrefix(rest, " ")
		for _, word := range []string{"number", "no"} {
			if after, ok := strings.CutPrefix(rest, word); ok {
				rest = strings.TrimPrefix(after, " ")
				break
			}
		}
		form = rest
	}
	if len(form) != 7 {
		return 0, false
	}
	var n uint32
	for _, c := range []byte(form) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + uint32(c-'0')
	}
	return n, true
}
