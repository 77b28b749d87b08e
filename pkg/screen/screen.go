// Package screen finds the listed entries that a name meets, by the rules of
// decisions section 2.
//
// [Find] answers a query from one snapshot. It compares the query with every
// form of every name: a plain scan, which an index in the snapshot may replace
// behind the same function, and which then remains the measure of what is right.
package screen

import (
	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/snapshot"
)

// Query is what a caller asks.
type Query struct {
	// Name is the name as sent. One without a letter or digit matches nothing.
	Name string
	// Source and Type limit the entries searched; empty means all.
	Source sanction.Source
	Type   sanction.Type
}

// Hit is an entry that the query met.
type Hit struct {
	// Entry is the number of the entry in the snapshot.
	Entry int
	Rule  Rule
	// Name is the number of the name that met the query: of those that did by
	// the best rule the first in the publisher's order, which begins with the
	// primary name. Hits by an identifier name the primary name.
	Name int
}

// Result is an answer.
type Result struct {
	// Count is the number of entries that met the query, however many.
	Count int
	// Hits are the first of them in the order of rows: rule, then source, name
	// and id. The caller owns the slice.
	Hits []Hit
}

// Find returns how many entries of the snapshot the query meets, and at most
// limit of them. It is safe for concurrent use.
func Find(s *snapshot.Snapshot, asked Query, limit int) Result {
	q := newQuery(asked.Name)
	found := search{snapshot: s, asked: asked}
	if q.isIMO {
		found.identified(s.ByIMO(q.imo), IMO)
		return found.result(limit)
	}
	registered := map[int]bool{}
	if q.tail != "" {
		aircraft := s.ByRegistration(q.tail)
		found.identified(aircraft, Registration)
		for _, e := range aircraft {
			registered[e] = true
		}
	}
	for e := range s.Entries() {
		if found.wanted(e) && !registered[e] {
			found.scan(&q, e)
		}
	}
	return found.result(limit)
}

// search collects hits by rule; within a rule they come in the order of entries,
// which is the order of rows.
type search struct {
	snapshot *snapshot.Snapshot
	asked    Query
	hits     [noRule][]Hit
}

func (f *search) wanted(e int) bool {
	return (f.asked.Source == "" || f.snapshot.Source(e) == f.asked.Source) &&
		(f.asked.Type == "" || f.snapshot.Type(e) == f.asked.Type)
}

func (f *search) identified(entries []int, rule Rule) {
	for _, e := range entries {
		if f.wanted(e) {
			primary, _ := f.snapshot.EntryNames(e)
			f.hits[rule] = append(f.hits[rule], Hit{Entry: e, Rule: rule, Name: primary})
		}
	}
}

// scan compares the query with all names of one entry.
func (f *search) scan(q *query, e int) {
	forms := q.forms
	if f.snapshot.Type(e) == sanction.Vessel {
		forms = q.vessel
	}
	best := Hit{Entry: e, Rule: noRule}
	from, to := f.snapshot.EntryNames(e)
	for n := from; n < to && best.Rule != Equal; n++ {
		if rule := f.matchName(forms, n); rule < best.Rule {
			best.Rule, best.Name = rule, n
		}
	}
	if best.Rule < noRule {
		f.hits[best.Rule] = append(f.hits[best.Rule], best)
	}
}

func (f *search) matchName(forms []qform, n int) Rule {
	best := noRule
	from, to := f.snapshot.NameForms(n)
	for i := from; i < to; i++ {
		form := f.snapshot.Form(i)
		for q := range forms {
			best = min(best, match(&forms[q], &form))
		}
	}
	return best
}

func (f *search) result(limit int) Result {
	var r Result
	for _, hits := range f.hits {
		r.Count += len(hits)
		r.Hits = append(r.Hits, hits[:min(len(hits), limit-len(r.Hits))]...)
	}
	return r
}
