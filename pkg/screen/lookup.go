package screen

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/listward/listward/pkg/fold"
	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/snapshot"
)

// lookup finds by the index what match finds by looking at every form. The index
// gives the forms in which a word stands, so each rule asks it for a word, or for a
// few, that every name has which meets the query by that rule; the rule itself is
// then asked of these names only.
type lookup struct {
	snapshot *snapshot.Snapshot
	query    *query
	found    *found
	vessels  bool // the form being looked up is compared with vessels
}

// all looks up all forms of the query.
func (l *lookup) all() {
	for i := range l.query.forms {
		l.form(&l.query.forms[i])
	}
	if l.query.prefixed {
		l.vessels = true
		for i := range l.query.vessel {
			l.form(&l.query.vessel[i])
		}
	}
}

func (l *lookup) form(q *qform) {
	if q.hash != 0 {
		l.core(q)
	}
	if len(q.words) == 1 {
		l.pieces(q)
	} else {
		l.words(q)
	}
	if q.within {
		l.contained(q)
	}
	if !q.split {
		l.joined(q)
	}
}

// add takes a form in, unless it is of an entry with which another form of the query
// is compared.
func (l *lookup) add(form int, rule Rule) {
	if l.query.prefixed {
		e, _ := l.snapshot.FormOf(form)
		if l.vessels != (l.snapshot.Type(e) == sanction.Vessel) {
			return
		}
	}
	l.found.add(form, rule)
}

func (l *lookup) core(q *qform) {
	for form := range l.snapshot.FormsOfCore(q.hash) {
		if q.core == fold.Core(l.snapshot.Text(form)) {
			l.add(form, Core)
		}
	}
}

// pieces finds the names that a query of one word is (equal), in which it begins a
// word (start) or stands in one (inside).
func (l *lookup) pieces(q *qform) {
	for word, text := range l.snapshot.WordsWith(q.text) {
		rule := Inside
		if strings.HasPrefix(text, q.text) {
			rule = Start
		}
		if rule == Inside && (!q.single || q.split) {
			continue
		}
		for form := range l.snapshot.FormsWith(word) {
			if text == q.text && l.snapshot.Text(form) == q.text {
				l.add(form, Equal)
			} else {
				l.add(form, rule)
			}
		}
	}
}

// words finds the names that a query of several words is (equal), of which it has
// words (phrase) or in which it begins at a word (start). The first two have all its
// words. The third has all but the last, which may be the beginning of one; where the
// rarest of these is common, words that begin so may be rarer.
func (l *lookup) words(q *qform) {
	last := len(q.words) - 1
	word, known := l.rarest(q.words[:last])
	if !known {
		return
	}
	if l.snapshot.Uses(word) > common {
		if rarest, known := l.rarest(q.words); known {
			l.among(q, rarest)
		}
		if begun, fewer := l.begun(q.words[last], l.snapshot.Uses(word)); fewer {
			for _, word := range begun {
				l.among(q, word)
			}
			return
		}
	}
	l.among(q, word)
}

// common is in how many forms a word stands that it is worth looking for a rarer one.
const common = 100

// begun returns the words that begin with text, and whether they stand in fewer forms
// than most.
func (l *lookup) begun(text string, most int) (words []int, fewer bool) {
	for word := range l.snapshot.WordsFrom(text) {
		if most -= l.snapshot.Uses(word) + 1; most <= 0 {
			return nil, false
		}
		words = append(words, word)
	}
	return words, true
}

// among looks at the names that have a word.
func (l *lookup) among(q *qform, word int) {
	for form := range l.snapshot.FormsWith(word) {
		switch text := l.snapshot.Text(form); {
		case text == q.text:
			l.add(form, Equal)
		case q.several && isPhrase(q.words, text):
			l.add(form, Phrase)
		case startsWord(text, q.text):
			l.add(form, Start)
		}
	}
}

// contained finds the names all of whose words are in the query. They have its first
// word and, since no name of one word tells enough, another of its words.
func (l *lookup) contained(q *qform) {
	first, known := l.snapshot.Word(q.words[0])
	if !known {
		return
	}
	for i, w := range q.words {
		word, known := l.snapshot.Word(w)
		if !known || slices.Contains(q.words[:i], w) || word == first {
			continue
		}
		for form := range l.snapshot.FormsWithAll(first, word) {
			if f := l.snapshot.Form(form); f.Distinctive && isContained(f.Text, q.words) {
				l.add(form, Contained)
			}
		}
	}
}

// rarest returns the word that stands in the fewest forms, and whether all of the
// words stand in any.
func (l *lookup) rarest(words []string) (word int, known bool) {
	return l.snapshot.Word(words[l.rarestAt(words)])
}

// joined finds the names that meet the query with words written together. However
// they are, each word of the query is in a run that is a run of the name; asked are
// the runs that have the rarest word.
func (l *lookup) joined(q *qform) {
	if len(q.words) == 1 && !q.long {
		return
	}
	at := l.rarestAt(q.words)
	for first := max(0, at-maxRun+1); first <= at; first++ {
		for n := at - first + 1; n <= q.runs(first); n++ {
			l.run(q, q.run(first, n))
		}
	}
}

// rarestAt returns the place of the word that stands in the fewest forms, which may
// be none.
func (l *lookup) rarestAt(words []string) int {
	at, fewest := 0, -1
	for i, w := range words {
		uses := 0
		if n, known := l.snapshot.Word(w); known {
			uses = l.snapshot.Uses(n)
		}
		if fewest < 0 || uses < fewest {
			at, fewest = i, uses
		}
	}
	return at
}

// run finds the names of which text is one word, or two or three in a row.
func (l *lookup) run(q *qform, text string) {
	if word, known := l.snapshot.Word(text); known && len(q.words) > 1 {
		l.together(q, text, word)
	}
	firsts, lasts := l.ends(text)
	for _, first := range firsts {
		for _, last := range lasts {
			if first.at == last.at {
				l.together(q, text, first.word, last.word)
			} else if first.at < last.at {
				if middle, known := l.snapshot.Word(text[first.at:last.at]); known {
					l.together(q, text, first.word, middle, last.word)
				}
			}
		}
	}
}

// part is a word with which a text begins, or ends, and where the rest is.
type part struct{ word, at int }

// ends returns the words with which a text begins and those with which it ends.
func (l *lookup) ends(text string) (firsts, lasts []part) {
	for i := 1; i < len(text); i++ {
		if !utf8.RuneStart(text[i]) {
			continue
		}
		if word, known := l.snapshot.Word(text[:i]); known {
			firsts = append(firsts, part{word, i})
		}
		if word, known := l.snapshot.Word(text[i:]); known {
			lasts = append(lasts, part{word, i})
		}
	}
	return firsts, lasts
}

// together looks at the names that may have a run because they have the words of it.
func (l *lookup) together(q *qform, run string, words ...int) {
	for i, word := range words[1:] {
		if !l.snapshot.Beside(words[i], word) {
			return
		}
	}
	for form := range l.snapshot.FormsWithAll(words...) {
		if f := l.snapshot.Form(form); !f.Split && hasRun(f.Text, run, 1) && isJoined(q, f.Text) {
			l.add(form, Joined)
		}
	}
}
