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
	// distinct are the words, each once.
	distinct []string
	split    bool // apostrophes stand as blanks
	core     string
	// several says that the query has two different words or more, and single
	// that it is one word; apostrophes do not part words in either count.
	several, single bool
	// joined is the text without blanks, starts where its words begin in it, and where
	// it ends; long says that it may be looked for as a run of words.
	joined snapshot.Letters
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
	if tail := q.forms[0].joined.Text(); utf8.RuneCountInString(tail) >= minRegistration {
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
	forms := make([]qform, len(folded.Plain)+len(folded.Split))
	for i := range forms {
		forms[i] = qform{
			split:   i >= len(folded.Plain),
			several: several,
			single:  len(plainWords) == 1,
			within:  len(plainWords) >= 3,
		}
		switch f := &forms[i]; {
		case i == 0:
			f.plain(folded.Plain[i], plainWords)
		case !f.split:
			f.plain(folded.Plain[i], fold.Words(folded.Plain[i]))
		default:
			f.text = folded.Split[i-len(folded.Plain)]
			f.words = fold.Words(f.text)
		}
		forms[i].distinct = distinct(forms[i].words)
	}
	return forms
}

// distinct returns the words without repetitions: as a rule, the same slice.
func distinct(words []string) []string {
	for i, w := range words {
		if slices.Contains(words[:i], w) {
			kept := slices.Clone(words[:i])
			for _, w := range words[i:] {
				if !slices.Contains(kept, w) {
					kept = append(kept, w)
				}
			}
			return kept
		}
	}
	return words
}

// plain makes what a form without blanks for apostrophes has.
func (q *qform) plain(text string, words []string) {
	q.text, q.words = text, words
	q.core = fold.Core(words)
	q.joined = snapshot.NewLetters(strings.Join(words, ""))
	q.starts = make([]int, 1, len(words)+1)
	for i, w := range words {
		q.starts = append(q.starts, q.starts[i]+len(w))
	}
	q.long = longEnough(q.joined.Text())
}

// together is what n words from one on are, written together.
func (q *qform) together(first, n int) string {
	return q.joined.Text()[q.starts[first]:q.starts[first+n]]
}

// longest is how many words the longest run from one on has.
func (q *qform) longest(first int) int { return min(maxRun, len(q.words)-first) }

// run is some words of a query in a row, by the places of the first and the last.
type run struct{ first, last int }

func (r run) has(at int) bool { return r.first <= at && at <= r.last }

// runs yields the runs of at most maxRun words.
func (q *qform) runs(yield func(run) bool) {
	for first := range q.words {
		for last := first; last < first+q.longest(first); last++ {
			if !yield(run{first, last}) {
				return
			}
		}
	}
}

// longEnough says whether a run of words written together is telling: five
// letters or digits, or two where a letter is a syllable or more.
func longEnough(joined string) bool {
	n := 0
	for _, r := range joined {
		if r >= firstHangul && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			return utf8.RuneCountInString(joined) >= 2
		}
		n++
	}
	return n >= 5
}

// firstHangul is the lowest of the letters that are a syllable or more.
const firstHangul = '\u1100'

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
