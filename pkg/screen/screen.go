// Package screen finds the listed entries that a name meets, by the rules of
// decisions section 2.
//
// [Find] answers a query from one snapshot: the snapshot's index gives the names
// that the query may meet (lookup.go), and the rules say which it does and how
// (match.go).
package screen

import (
	"slices"

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
// limit of them, which is not negative. It is safe for concurrent use.
func Find(s *snapshot.Snapshot, asked Query, limit int) Result {
	q := newQuery(asked.Name)
	f := search{snapshot: s, asked: asked, limit: limit}
	if f.byName(&q) {
		f.look(&q)
	}
	return f.result()
}

// Scan returns what Find does, by comparing the query with every name: the measure
// of what is right, for tests and benchmarks.
func Scan(s *snapshot.Snapshot, asked Query, limit int) Result {
	q := newQuery(asked.Name)
	f := search{snapshot: s, asked: asked, limit: limit}
	if f.byName(&q) {
		f.scan(&q)
	}
	return f.result()
}

// search collects hits by rule; within a rule they come in the order of entries,
// which is the order of rows.
type search struct {
	snapshot   *snapshot.Snapshot
	asked      Query
	limit      int
	registered []int // entries found by registration, which stand once
	counts     [noRule]int
	hits       [noRule][]Hit // the first limit of each rule
}

func (f *search) wanted(e int) bool {
	return (f.asked.Source == "" || f.snapshot.Source(e) == f.asked.Source) &&
		(f.asked.Type == "" || f.snapshot.Type(e) == f.asked.Type)
}

// byName adds the entries that have the query as an identifier, and reports whether
// their names are to be searched too.
func (f *search) byName(q *query) bool {
	switch {
	case q.isIMO:
		f.identified(f.snapshot.ByIMO(q.imo), IMO)
		return false
	case len(q.forms) == 0:
		return false
	}
	f.identified(f.snapshot.ByRegistration(q.tail), Registration)
	return true
}

func (f *search) identified(entries []int, rule Rule) {
	for _, e := range entries {
		primary, _ := f.snapshot.EntryNames(e)
		f.add(Hit{Entry: e, Rule: rule, Name: primary})
	}
	f.registered = entries
}

// add counts a hit that is asked for, and keeps it while it can be among those
// returned. An entry found by its registration is not found again.
func (f *search) add(h Hit) {
	if h.Rule == noRule || !f.wanted(h.Entry) || slices.Contains(f.registered, h.Entry) {
		return
	}
	f.counts[h.Rule]++
	if len(f.hits[h.Rule]) < f.limit {
		f.hits[h.Rule] = append(f.hits[h.Rule], h)
	}
}

// look finds the forms that the query meets by the index.
func (f *search) look(q *query) {
	met := found{few: make([]uint64, 0, usuallyMet), size: f.snapshot.Forms()}
	l := lookup{snapshot: f.snapshot, query: q, found: &met}
	l.all()
	best := Hit{Entry: -1, Rule: noRule}
	for form, rule := range met.all {
		f.take(&best, form, rule)
	}
	f.add(best)
}

// scan finds them by comparing the query with all forms.
func (f *search) scan(q *query) {
	best := Hit{Entry: -1, Rule: noRule}
	for form := range f.snapshot.Forms() {
		entry, _ := f.snapshot.FormOf(form)
		kind := f.snapshot.Type(entry)
		against, named, rule := q.forms, f.snapshot.Form(form), noRule
		if kind == sanction.Vessel {
			against = q.vessel
		}
		for i := range against {
			rule = min(rule, match(&against[i], &named, kind == sanction.Individual))
		}
		f.take(&best, form, rule)
	}
	f.add(best)
}

// take is given the forms in their order, with the best rule of each, and adds their
// entries: the forms of an entry, and those of each of its names, stand together. The
// last entry stays in best.
func (f *search) take(best *Hit, form int, rule Rule) {
	entry, name := f.snapshot.FormOf(form)
	if entry != best.Entry {
		f.add(*best)
		*best = Hit{Entry: entry, Rule: noRule}
	}
	if rule < best.Rule {
		best.Rule, best.Name = rule, name
	}
}

func (f *search) result() Result {
	var r Result
	for _, n := range f.counts {
		r.Count += n
	}
	if r.Count == 0 || f.limit == 0 {
		return r
	}
	r.Hits = make([]Hit, 0, min(r.Count, f.limit))
	for _, hits := range f.hits {
		r.Hits = append(r.Hits, hits[:min(len(hits), f.limit-len(r.Hits))]...)
	}
	return r
}
