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
	imo      uint32
	isIMO    bool
	tail     string  // letters and digits, or empty when too short for a registration
	forms    []qform // for every type but vessels
	vessel   []qform // for vessels: without a ship prefix, which prefixed says it had
	prefixed bool
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
	// joined is the text without blanks, and starts where its words begin in it; long
	// says that it may be looked for as a run of words.
	joined string
	starts []int
	long   bool
	// within says that a person's name may be looked for in it.
	within bool
}

func newQuery(name string) query {
	q := query{forms: queryForms(name)}
	q.vessel = q.forms
	if bare := fold.VesselName(name); bare != name {
		q.vessel, q.prefixed = queryForms(bare), true
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
			f.join()
		}
		forms = append(forms, f)
	}
	return forms
}

func (q *qform) join() {
	q.joined = strings.Join(q.words, "")
	q.starts = make([]int, 1, len(q.words)+1)
	for i, w := range q.words {
		q.starts = append(q.starts, q.starts[i]+len(w))
	}
	q.long = longEnough(q.joined)
}

// run is what n words from one on are, written together.
func (q *qform) run(first, n int) string { return q.joined[q.starts[first]:q.starts[first+n]] }

// runs is how many words the longest run from one on has.
func (q *qform) runs(first int) int { return min(maxRun, len(q.words)-first) }

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
