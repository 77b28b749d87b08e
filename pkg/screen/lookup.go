package screen

import (
	"slices"
	"strings"

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

// term is a word of the query: its number, or unknown, and in how many forms it stands.
type term struct{ word, uses int }

const unknown = -1

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
	if q.core != "" {
		l.core(q)
	}
	if len(q.words) == 1 {
		l.pieces(q)
		if q.long && !q.split {
			for _, j := range l.joins(nil, q, run{}) {
				l.together(q, j.words, nil)
			}
		}
		return
	}
	terms := l.terms(make([]term, 0, usualWords), q.words)
	l.words(q, terms)
	if q.within {
		l.contained(q, terms)
	}
	if !q.split {
		l.joined(q, terms)
	}
}

// usualWords is for how many words of a query room is made at first.
const usualWords = 8

func (l *lookup) terms(terms []term, words []string) []term {
	for _, w := range words {
		if word, known := l.snapshot.Word(w); known {
			terms = append(terms, term{word, l.snapshot.Uses(word)})
		} else {
			terms = append(terms, term{word: unknown})
		}
	}
	return terms
}

// rarest returns the place of the term that stands in the fewest forms, which may be
// none.
func rarest(terms []term) int {
	at := 0
	for i, t := range terms {
		if t.uses < terms[at].uses {
			at = i
		}
	}
	return at
}

// asks reports whether a form is compared with the form of the query that is being
// looked up: vessels and others are with forms of their own where a ship prefix is.
func (l *lookup) asks(form int) bool {
	if !l.query.prefixed {
		return true
	}
	e, _ := l.snapshot.FormOf(form)
	return l.vessels == (l.snapshot.Type(e) == sanction.Vessel)
}

func (l *lookup) core(q *qform) {
	for form := range l.snapshot.FormsOfCore(q.core) {
		if l.asks(form) && isCore(q, l.snapshot.Text(form)) {
			l.found.add(form, Core)
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
			switch {
			case !l.asks(form):
			case text == q.text && l.snapshot.Text(form) == q.text:
				l.found.add(form, Equal)
			default:
				l.found.add(form, rule)
			}
		}
	}
}

// words finds the names that a query of several words is (equal), of which it has
// words (phrase) or in which it begins at a word (start). All of them have all its words
// but the last, and a word that begins with that.
func (l *lookup) words(q *qform, terms []term) {
	last := len(terms) - 1
	least := terms[rarest(terms[:last])]
	if least.word == unknown {
		return
	}
	words := make([]int, 0, usualWords)
	for _, t := range terms[:last] {
		if !slices.Contains(words, t.word) {
			words = append(words, t.word)
		}
	}
	ending := l.ending(q.words[last], least.uses)
	for form := range l.snapshot.FormsWithAll(words...) {
		if !ending.admits(form) || !l.asks(form) {
			continue
		}
		switch text := l.snapshot.Text(form); {
		case text == q.text:
			l.found.add(form, Equal)
		case q.several && isPhrase(q.distinct, text):
			l.found.add(form, Phrase)
		case startsWord(text, q.text):
			l.found.add(form, Start)
		}
	}
}

// ending returns the forms in which a word stands that begins with text, if having does.
func (l *lookup) ending(text string, forms int) formSet {
	var words []int
	if forms > common {
		for word := range l.snapshot.WordsFrom(text) {
			if words = append(words, word); len(words) > forms*snapshot.TextFactor {
				return nil
			}
		}
	}
	return l.having(words, forms)
}

// having returns the forms in which one of some words stands, or nil if it takes less
// time to look at the text of so many forms than to find out.
func (l *lookup) having(words []int, forms int) formSet {
	left := forms * snapshot.TextFactor
	for _, word := range words {
		left -= l.snapshot.Uses(word)
	}
	if forms <= common || left < 0 {
		return nil
	}
	set := newFormSet(l.snapshot.Forms())
	for _, word := range words {
		for form := range l.snapshot.FormsWith(word) {
			set.add(form)
		}
	}
	return set
}

// common is how many forms are looked at without asking which.
const common = 100

// contained finds the names all of whose words are in the query. Two of these are the
// rarest of the name, and few pairs of words are that of any.
func (l *lookup) contained(q *qform, terms []term) {
	if l.vessels { // the rule is for persons
		return
	}
	for i, a := range terms {
		for j, b := range terms {
			// A word that the query repeats is asked for once.
			if a.word == unknown || b.word == unknown || q.words[i] >= q.words[j] ||
				slices.Contains(terms[:i], a) || slices.Contains(terms[:j], b) || !l.snapshot.Telling(q.words[i], q.words[j]) {
				continue
			}
			for form := range l.snapshot.FormsWithAll(a.word, b.word) {
				if f := l.snapshot.Form(form); f.Distinctive && isContained(f.Text, q.distinct) {
					l.found.add(form, Contained)
				}
			}
		}
	}
}
