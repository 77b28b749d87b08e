package screen

import "slices"

// joined finds the names that meet the query with words written together. They have a
// join: a run of words of the query, written together, is another run of the name, and
// the two have no end of a word in common but the last. What is in no join is a word of
// the name, which tells soonest for the rarest word of the query.
func (l *lookup) joined(q *qform, terms []term) {
	at := rarest(terms)
	var joins []join
	for r := range q.runs {
		if r.has(at) {
			joins = l.joins(joins, q, r)
		}
	}
	if len(joins) == 0 && terms[at].word == unknown {
		return
	}
	for r := range q.runs {
		if !r.has(at) {
			joins = l.joins(joins, q, r)
		}
	}
	beside, known := unjoined(terms, joins)
	if !known {
		return
	}
	// A word that the query repeats gives the same joins again.
	byWords := func(a, b join) int { return slices.Compare(a.words, b.words) }
	slices.SortFunc(joins, byWords)
	joins = slices.CompactFunc(joins, func(a, b join) bool { return byWords(a, b) == 0 })
	var asked formSet
	if len(joins) > fewJoins {
		asked = newFormSet(l.snapshot.Forms())
	}
	for _, j := range joins {
		l.together(q, append(j.words, beside...), asked)
	}
}

// fewJoins is of how many joins it is not worth remembering which forms were asked.
const fewJoins = 8

// join is a run of the query, and the words of a name that it may be.
type join struct {
	run   run
	words []int
}

// unjoined returns the words that are in no join, and whether all of them are known.
func unjoined(terms []term, joins []join) (words []int, known bool) {
	for i, t := range terms {
		if slices.ContainsFunc(joins, func(j join) bool { return j.run.has(i) }) {
			continue
		}
		if t.word == unknown {
			return nil, false
		}
		words = append(words, t.word)
	}
	return words, true
}

// joins appends the joins of a run.
func (l *lookup) joins(to []join, q *qform, r run) []join {
	begin, end := q.starts[r.first], q.starts[r.last+1]
	if r.first < r.last {
		if word, known := l.snapshot.WordIn(q.joined, begin, end); known {
			to = append(to, join{r, []int{word}})
		}
	}
	if !l.snapshot.RunIn(q.joined, begin, end) {
		return to
	}
	inner := q.starts[r.first+1 : r.last+1]
	var room [roomForParts]part
	lasts := room[:0]
	for at := begin + 1; at < end; at++ {
		if word, known := l.snapshot.WordIn(q.joined, at, end); known && !slices.Contains(inner, at) {
			lasts = append(lasts, part{word, at})
		}
	}
	if len(lasts) == 0 {
		return to
	}
	for at := begin + 1; at <= lasts[len(lasts)-1].at; at++ {
		if word, known := l.snapshot.WordIn(q.joined, begin, at); known && !slices.Contains(inner, at) {
			to = l.joinsOf(to, q, r, part{word, at}, lasts)
		}
	}
	return to
}

// part is a word with which a run begins or ends, and the byte where the rest does.
type part struct{ word, at int }

// roomForParts is for how many parts of a run room is made at first.
const roomForParts = 16

// joinsOf appends the joins of a first word, and one of the last with or without another
// between them.
func (l *lookup) joinsOf(to []join, q *qform, r run, first part, lasts []part) []join {
	for _, last := range lasts {
		if last.at == first.at {
			to = append(to, join{r, []int{first.word, last.word}})
		} else if last.at > first.at {
			if middle, known := l.snapshot.WordIn(q.joined, first.at, last.at); known {
				to = append(to, join{r, []int{first.word, middle, last.word}})
			}
		}
	}
	return to
}

// together looks at the names that have the words of a join and those beside it, but for
// forms that were asked already, if that is remembered.
func (l *lookup) together(q *qform, words []int, asked formSet) {
	for form := range l.snapshot.FormsWithAll(words...) {
		if asked != nil {
			if asked.has(form) {
				continue
			}
			asked.add(form)
		}
		if !l.asks(form) {
			continue
		}
		if f := l.snapshot.Form(form); !f.Split && isJoined(q, f.Text) {
			l.found.add(form, Joined)
		}
	}
}
