package lists

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/listward/listward/pkg/sanction"
)

// Builder gathers the records of one file into a list. The zero value is ready;
// it is not safe for concurrent use.
type Builder struct {
	// Date is the publisher's date of the file, YYYY-MM-DD.
	Date string

	entries   []sanction.Entry
	positions map[string]int // in entries, by entry id
	rejected  []sanction.Rejection
	records   int
	expected  map[string]places // by what Expect was told to look for
}

// places counts where something was looked for, and where it was found.
type places struct{ asked, found int }

// leastPlaces is from how many places on it means something that none of them has
// what is expected there. It is the number from which on decisions section 1
// (Refresh) judges what a list lost: samples and small lists stay below it.
const leastPlaces = 20

// maxName is the length of a name in characters; the longest published so far has
// about 330.
const maxName = 2000

// Add takes an entry. One of an id that is there already is united with the
// first, since a publisher's id names one party; if it tells anything else of the
// party it is reported besides, for a damaged id looks the same. A name of absurd
// length is left out and reported, and with it the entry if it has no other.
func (b *Builder) Add(e sanction.Entry) {
	b.records++
	e.Names = slices.DeleteFunc(e.Names, func(n sanction.Name) bool {
		length := utf8.RuneCountInString(n.Text)
		if length > maxName {
			b.leaveOut(e.ID, fmt.Sprintf("a name of %d characters", length))
		}
		return length > maxName
	})
	if len(e.Names) == 0 {
		return
	}
	e.Names[0].Kind = sanction.Primary
	if i, known := b.positions[e.ID]; known {
		if !sameParty(b.entries[i], e) {
			b.leaveOut(e.ID, fmt.Sprintf("a second record of this id, %.80q, was united with the first", e.Name()))
		}
		b.entries[i].Unite(e)
		return
	}
	if b.positions == nil {
		b.positions = map[string]int{}
	}
	b.positions[e.ID] = len(b.entries)
	b.entries = append(b.entries, e)
}

// sameParty reports whether two records of one id differ at most in where and
// since when the party is listed, as the rows of a vessel that an act lists twice.
func sameParty(a, b sanction.Entry) bool {
	a.Programs, a.Lists, a.ListedOn, a.URL = b.Programs, b.Lists, b.ListedOn, b.URL
	return reflect.DeepEqual(a, b)
}

// Expect notes whether a place in the file holds what the publisher puts there:
// an element or attribute that its schema requires or that, where it is optional,
// at least a third of such places have. What 20 places or more are without, and
// none has, was renamed or dropped, and List refuses the file naming it.
func (b *Builder) Expect(what string, found bool) {
	if b.expected == nil {
		b.expected = map[string]places{}
	}
	p := b.expected[what]
	p.asked++
	if found {
		p.found++
	}
	b.expected[what] = p
}

// missing names what was expected in many places and found in none.
func (b *Builder) missing() []string {
	var missing []string
	for _, what := range slices.Sorted(maps.Keys(b.expected)) {
		if p := b.expected[what]; p.found == 0 && p.asked >= leastPlaces {
			missing = append(missing, fmt.Sprintf("%s is in none of %d places", what, p.asked))
		}
	}
	return missing
}

// Reject names a record that cannot become an entry. One without an id is named
// by its position among the records, as "#17".
func (b *Builder) Reject(id, reason string) {
	b.records++
	b.leaveOut(cmp.Or(strings.TrimSpace(id), fmt.Sprintf("#%d", b.records)), reason)
}

func (b *Builder) leaveOut(id, reason string) {
	b.rejected = append(b.rejected, sanction.Rejection{ID: id, Reason: reason})
}

// List returns the list, or why it cannot be the whole one: ErrNoEntries without
// a single record, ErrSchema without a date, without anything that was expected
// (see [Builder.Expect]) or when every record was rejected.
func (b *Builder) List() (sanction.List, error) {
	missing := b.missing()
	switch {
	case b.Date == "":
		return sanction.List{}, fmt.Errorf("%w: the date of the list", ErrSchema)
	case b.records == 0:
		return sanction.List{}, ErrNoEntries
	case len(missing) > 0:
		return sanction.List{}, fmt.Errorf("%w: %s", ErrSchema, strings.Join(missing, "; "))
	case len(b.entries) == 0:
		return sanction.List{}, fmt.Errorf("%w: all %d records were rejected, most of them for: %s",
			ErrSchema, b.records, b.commonestReason())
	}
	return sanction.List{Date: b.Date, Entries: b.entries, Rejected: b.rejected}, nil
}

func (b *Builder) commonestReason() string {
	counts := map[string]int{}
	commonest := ""
	for _, r := range b.rejected {
		counts[r.Reason]++
		if counts[r.Reason] > counts[commonest] {
			commonest = r.Reason
		}
	}
	return commonest
}

// Day returns the calendar day with which a published date or time begins, and
// nothing where that is no full, real day: days are never padded (decisions
// section 1). A zone behind it ("2015-07-01-04:00") leaves the day as it is.
func Day(published string) string {
	day := strings.TrimSpace(published)
	day = day[:min(len(day), len(time.DateOnly))]
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return ""
	}
	return day
}
