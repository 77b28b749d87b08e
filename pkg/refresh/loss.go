package refresh

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/listward/listward/pkg/sanction"
)

// ErrLoss is returned for a list that lost so much since it was last accepted that
// it is more likely broken than right (decisions section 1, Refresh). An operator
// can accept it all the same, see [Refresher].
var ErrLoss = errors.New("the list lost too much")

const (
	// leastGroup is the number of entries below which a group may fall as it likes:
	// few come and go together.
	leastGroup = 20
	// mostLoss is how much may be lost at once, in percent.
	mostLoss = 10
	// leastLoss is the fewest of anything that are too many: more than a tenth of
	// the smallest group. The one ship of two that the EU delists is none.
	leastLoss = 3
)

// checkLoss compares a list with the one accepted before: as a whole, by type, and
// by the publisher's lists and annexes, since losing every vessel is 8 % of OFAC.
func checkLoss(before, after []sanction.Entry) error {
	ids := map[string]bool{}
	for i := range after {
		ids[after[i].ID] = true
	}
	was, is := tallies(before, ids), tallies(after, ids)
	for _, group := range slices.Sorted(maps.Keys(was)) {
		if was[group].entries < leastGroup {
			continue
		}
		if what, lost, of := was[group].worstLoss(is[group]); lost*100 > of*mostLoss {
			return fmt.Errorf("%w: of the %d %s of %s %d are gone", ErrLoss, of, what, group, lost)
		}
	}
	return nil
}

// tally counts what a group of entries has.
type tally struct {
	entries, gone, names, native, imos, dates int
}

// worstLoss returns what fell most in proportion, by how much and from what.
func (t tally) worstLoss(now tally) (what string, lost, of int) {
	of = 1
	for _, c := range []struct {
		what     string
		lost, of int
	}{
		{"entries", t.gone, t.entries},
		{"names", t.names - now.names, t.names},
		{"native-script names", t.native - now.native, t.native},
		{"IMO numbers", t.imos - now.imos, t.imos},
		{"dates of listing", t.dates - now.dates, t.dates},
	} {
		if c.lost >= leastLoss && c.lost*of > lost*c.of {
			what, lost, of = c.what, c.lost, c.of
		}
	}
	return what, lost, of
}

// tallies counts entries by group; those whose id is not in ids are gone.
func tallies(entries []sanction.Entry, ids map[string]bool) map[string]tally {
	groups := map[string]tally{}
	for i := range entries {
		e := &entries[i]
		for _, group := range groupsOf(e) {
			t := groups[group]
			t.add(e, !ids[e.ID])
			groups[group] = t
		}
	}
	return groups
}

func (t *tally) add(e *sanction.Entry, gone bool) {
	t.entries++
	if gone {
		t.gone++
	}
	t.names += len(e.Names)
	for _, n := range e.Names {
		if n.Kind == sanction.Native {
			t.native++
		}
	}
	t.imos += len(e.IMOs)
	if e.ListedOn != "" {
		t.dates++
	}
}

// groupsOf names the groups that an entry is counted in. Annexes stand in the
// programmes of EUX, as "833/2014 Annex IV".
func groupsOf(e *sanction.Entry) []string {
	groups := []string{"the whole list", "type " + string(e.Type)}
	for _, l := range e.Lists {
		groups = append(groups, "list "+l)
	}
	for _, p := range e.Programs {
		if _, annex, ok := strings.Cut(p, "Annex "); ok {
			annex, _, _ = strings.Cut(annex, " ")
			groups = append(groups, "annex "+annex)
		}
	}
	return groups
}
