package history

import (
	"cmp"
	"maps"
	"slices"

	"github.com/listward/listward/pkg/sanction"
)

// Kind is what became of an entry.
type Kind string

// The kinds of a change (decisions section 3, changes).
const (
	Added   Kind = "added"
	Removed Kind = "removed"
	Changed Kind = "changed"
)

// Change is what one publication did to one entry.
type Change struct {
	Kind Kind `json:"change"`
	// Entry is the entry as it is now or, for a removed one, as it was last.
	Entry sanction.Entry `json:"entry"`
	// Before is a changed entry as it was.
	Before *sanction.Entry `json:"before,omitempty"`
	// Fields names what differs in a changed entry, as rows of the API do.
	Fields []string `json:"fields,omitempty"`
}

// compared are the fields in which a change shows. The URL is none of them, for it
// moves with every consolidation of an act (decisions section 1), and the numbers of
// companies are not, for they are not served.
var compared = []struct {
	name  string
	equal func(a, b *sanction.Entry) bool
}{
	{"name", func(a, b *sanction.Entry) bool { return sameNames(a.Names[:1], b.Names[:1]) }},
	{"aliases", func(a, b *sanction.Entry) bool { return sameNames(a.Names[1:], b.Names[1:]) }},
	{"type", func(a, b *sanction.Entry) bool { return a.Type == b.Type }},
	{"programs", func(a, b *sanction.Entry) bool { return slices.Equal(a.Programs, b.Programs) }},
	{"lists", func(a, b *sanction.Entry) bool { return slices.Equal(a.Lists, b.Lists) }},
	{"listed_on", func(a, b *sanction.Entry) bool { return a.ListedOn == b.ListedOn }},
	{"imo", func(a, b *sanction.Entry) bool { return slices.Equal(a.IMOs, b.IMOs) }},
	{"registrations", func(a, b *sanction.Entry) bool { return slices.Equal(a.Registrations, b.Registrations) }},
	{"birth_dates", func(a, b *sanction.Entry) bool { return slices.Equal(a.BirthDates, b.BirthDates) }},
	{"countries", func(a, b *sanction.Entry) bool { return slices.Equal(a.Countries, b.Countries) }},
}

// sameNames compares names but for their reading order, which is not shown.
func sameNames(a, b []sanction.Name) bool {
	return slices.EqualFunc(a, b, func(x, y sanction.Name) bool {
		x.Reading, y.Reading = "", ""
		return x == y
	})
}

// Diff returns what makes after of before, in the order of the ids. Each of the two
// holds an id once. The changes share the entries' slices.
func Diff(before, after []sanction.Entry) []Change {
	was := byID(before)
	var changes []Change
	for i := range after {
		e := &after[i]
		old := was[e.ID]
		delete(was, e.ID)
		if old == nil {
			changes = append(changes, Change{Kind: Added, Entry: *e})
		} else if fields := differing(old, e); len(fields) > 0 {
			changes = append(changes, Change{Kind: Changed, Entry: *e, Before: old, Fields: fields})
		}
	}
	for _, old := range was {
		changes = append(changes, Change{Kind: Removed, Entry: *old})
	}
	slices.SortFunc(changes, func(a, b Change) int { return cmp.Compare(a.Entry.ID, b.Entry.ID) })
	return changes
}

// Apply returns the entries that the changes make of those before, in the order of
// the ids: Apply(before, Diff(before, after)) is after but for addresses.
func Apply(before []sanction.Entry, changes []Change) []sanction.Entry {
	is := byID(before)
	for i := range changes {
		c := &changes[i]
		is[c.Entry.ID] = &c.Entry
		if c.Kind == Removed {
			delete(is, c.Entry.ID)
		}
	}
	var entries []sanction.Entry
	for _, id := range slices.Sorted(maps.Keys(is)) {
		entries = append(entries, *is[id])
	}
	return entries
}

func byID(entries []sanction.Entry) map[string]*sanction.Entry {
	ids := make(map[string]*sanction.Entry, len(entries))
	for i := range entries {
		ids[entries[i].ID] = &entries[i]
	}
	return ids
}

func differing(a, b *sanction.Entry) []string {
	var fields []string
	for _, f := range compared {
		if !f.equal(a, b) {
			fields = append(fields, f.name)
		}
	}
	return fields
}
