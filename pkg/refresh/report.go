package refresh

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/history"
	"github.com/listward/listward/pkg/sanction"
)

// Report is what one source's files hold, and what accepting them would change.
type Report struct {
	// State is what the source would report, and its detail the reason.
	State edition.State
	// Refused says that the source would be refused. What else is here is then about
	// the one file that lost too much, or not there.
	Refused bool
	// Tallies counts the entries of each type that occurs, in the order of
	// sanction.Types.
	Tallies  []Tally
	Rejected []sanction.Rejection
	// Doubts are what a person must look at besides: those that the state is made of,
	// and names that were broken before they came to us, which change no state.
	Doubts []string
	// Changes is the difference to what was accepted last.
	Changes []history.Change
}

// Tally counts what the entries of one type have.
type Tally struct {
	Type    sanction.Type
	Entries int
	// Kinds counts the names by the kind that callers see, Scripts by the script
	// of most letters.
	Kinds   map[sanction.Kind]int
	Scripts map[string]int
	// IMOs, Registrations, BirthDates and Countries count the values.
	IMOs, Registrations, BirthDates, Countries int
	// Undated counts the entries without a full date of listing.
	Undated int
}

// Report reads all sources as Run does and publishes nothing. The error is the
// store's or the context's.
func (r *Refresher) Report(ctx context.Context) ([]Report, error) {
	before, _, err := r.before(ctx)
	if err != nil {
		return nil, err
	}
	var reports []Report
	for _, s := range Sources() {
		state := before.State(s.Name)
		served, err := r.served(ctx, s, before)
		if err != nil {
			return nil, err
		}
		was := served.united()
		list, reason := r.read(ctx, s, state, served)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if reason != nil {
			reports = append(reports, refusedReport(refusal(state, reason, was).state, reason, served))
			continue
		}
		state.Status, state.Detail = list.judged()
		state.ListDate, state.Entries = list.date, len(list.entries)
		reports = append(reports, Report{State: state, Tallies: tallyTypes(list.entries), Rejected: list.rejected,
			Doubts: append(list.doubts, broken(list.entries)...), Changes: history.Diff(was, list.entries)})
	}
	return reports, nil
}

// refusedReport shows of a file that lost too much what an operator must look at.
func refusedReport(state edition.State, reason error, served accepted) Report {
	report := Report{State: state, Refused: true}
	var lost lossError
	if errors.As(reason, &lost) {
		list := lost.file.list
		report.Tallies, report.Rejected, report.Doubts = tallyTypes(list.Entries), list.Rejected, broken(list.Entries)
		report.Changes = history.Diff(united(served.byFile[lost.file.Path]), united(list.Entries))
	}
	return report
}

// broken tells of the names that hold U+FFFD, which stands where the publisher's
// programs lost a letter: nobody finds such a name by its right spelling.
func broken(entries []sanction.Entry) []string {
	var doubts []string
	for i := range entries {
		for _, n := range entries[i].Names {
			if strings.ContainsRune(n.Text, utf8.RuneError) {
				doubts = append(doubts, fmt.Sprintf("%s: a letter of the name %q is lost (U+FFFD)", entries[i].ID, n.Text))
			}
		}
	}
	return doubts
}

func tallyTypes(entries []sanction.Entry) []Tally {
	var tallies []Tally
	for _, typ := range sanction.Types() {
		t := Tally{Type: typ, Kinds: map[sanction.Kind]int{}, Scripts: map[string]int{}}
		for i := range entries {
			if entries[i].Type == typ {
				t.count(&entries[i])
			}
		}
		if t.Entries > 0 {
			tallies = append(tallies, t)
		}
	}
	return tallies
}

func (t *Tally) count(e *sanction.Entry) {
	t.Entries++
	for _, n := range e.Names {
		t.Kinds[n.Shown()]++
		t.Scripts[script(n.Text)]++
	}
	t.IMOs += len(e.IMOs)
	t.Registrations += len(e.Registrations)
	t.BirthDates += len(e.BirthDates)
	t.Countries += len(e.Countries)
	if e.ListedOn == "" {
		t.Undated++
	}
}

// script is the Unicode name of the script of most letters of a text, the first in
// the alphabet on a tie; "Common" is that of digits and punctuation.
func script(text string) string {
	counts := map[string]int{}
	for _, r := range text {
		if unicode.IsLetter(r) {
			counts[scriptOf(r)]++
		}
	}
	most := "Common"
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > counts[most] {
			most = name
		}
	}
	return most
}

func scriptOf(r rune) string {
	for _, common := range []string{"Latin", "Cyrillic", "Arabic", "Han"} { // nearly all letters
		if unicode.Is(unicode.Scripts[common], r) {
			return common
		}
	}
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			return name
		}
	}
	return "Common"
}
