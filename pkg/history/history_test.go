package history_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/listward/listward/pkg/archive"
	"github.com/listward/listward/pkg/history"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/objects/dir"
	"github.com/listward/listward/pkg/sanction"
)

func newStore(t *testing.T) objects.Store {
	t.Helper()
	store, err := dir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func entry(id, name string) sanction.Entry {
	return sanction.Entry{ID: id, Source: sanction.UN, Type: sanction.Entity, URL: "https://example.org/1",
		Names: []sanction.Name{{Text: name, Kind: sanction.Primary}}}
}

func TestDiffNamesWhatChanged(t *testing.T) {
	changes := map[string]func(*sanction.Entry){
		"name":          func(e *sanction.Entry) { e.Names[0].Text = "Sea" },
		"aliases":       func(e *sanction.Entry) { e.AddName(sanction.Name{Text: "Sea", Kind: sanction.Alias}) },
		"type":          func(e *sanction.Entry) { e.Type = sanction.Vessel },
		"programs":      func(e *sanction.Entry) { e.Programs = []string{"P"} },
		"lists":         func(e *sanction.Entry) { e.Lists = []string{"L"} },
		"listed_on":     func(e *sanction.Entry) { e.ListedOn = "2026-01-02" },
		"imo":           func(e *sanction.Entry) { e.IMOs = []string{"9074729"} },
		"registrations": func(e *sanction.Entry) { e.Registrations = []string{"EP-ABC"} },
		"birth_dates":   func(e *sanction.Entry) { e.BirthDates = []string{"1970"} },
		"countries":     func(e *sanction.Entry) { e.Countries = []string{"RU"} },
	}
	for field, change := range changes {
		before, after := entry("UN-1", "Lake"), entry("UN-1", "Lake")
		change(&after)
		want := []history.Change{{Kind: history.Changed, Entry: after, Before: &before, Fields: []string{field}}}
		if diff := gocmp.Diff(want, history.Diff([]sanction.Entry{before}, []sanction.Entry{after})); diff != "" {
			t.Errorf("%s changed (-want +got):\n%s", field, diff)
		}
	}
	before, after := entry("UN-1", "Lake"), entry("UN-1", "Lake")
	after.URL, after.CompanyNumbers, after.Names[0].Reading = "https://example.org/2", []string{"77"}, "Lake the"
	if got := history.Diff([]sanction.Entry{before}, []sanction.Entry{after}); len(got) != 0 {
		t.Errorf("what is no change is one: %+v", got)
	}
}

func TestDiffFindsComingAndGoing(t *testing.T) {
	gone, stays, new := entry("UN-2", "Lake"), entry("UN-3", "Hill"), entry("UN-1", "Sea")
	want := []history.Change{{Kind: history.Added, Entry: new}, {Kind: history.Removed, Entry: gone}}
	got := history.Diff([]sanction.Entry{gone, stays}, []sanction.Entry{new, stays})
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("Diff (-want +got):\n%s", diff)
	}
}

// generations draws lists of entries with few ids and names, so that all kinds of
// changes occur.
func generations(r *rapid.T) [][]sanction.Entry {
	list := rapid.Custom(func(r *rapid.T) []sanction.Entry {
		var entries []sanction.Entry
		for id := range 5 {
			if name := rapid.SampledFrom([]string{"", "Lake", "Sea", "Hill"}).Draw(r, "name"); name != "" {
				entries = append(entries, entry(fmt.Sprint("UN-", id), name))
			}
		}
		return entries
	})
	return rapid.SliceOfN(list, 1, 6).Draw(r, "generations")
}

// TestHistoryGivesEveryState: the rows of the first publications, in turn, give the
// entries that were served then, and nothing is recorded that did not happen.
func TestHistoryGivesEveryState(t *testing.T) {
	store := newStore(t)
	day := time.Date(2026, 11, 20, 4, 30, 0, 0, time.UTC)
	rapid.Check(t, func(r *rapid.T) {
		var before []sanction.Entry
		name := ""
		all := generations(r)
		for i, entries := range all {
			p := history.Publication{Snapshot: fmt.Sprint(i), PublishedAt: day.AddDate(0, 0, i), Rules: 1,
				Sources: []history.Source{{Source: sanction.UN, Entries: len(entries)}}}
			var err error
			if name, err = history.Append(t.Context(), store, name, p, history.Diff(before, entries)); err != nil {
				r.Fatal(err)
			}
			before = entries
		}
		index, err := history.ReadIndex(t.Context(), store, name)
		if err != nil || len(index) != len(all) {
			r.Fatalf("index %v, %v, want %d publications", index, err, len(all))
		}
		var state []sanction.Entry
		for i, reference := range index {
			p, changes, err := history.Read(t.Context(), store, reference)
			if err != nil || p.Snapshot != fmt.Sprint(i) || p.Sources[0].Entries != len(all[i]) || !reference.PublishedAt.Equal(p.PublishedAt) {
				r.Fatalf("publication %d is %+v, %v", i, p, err)
			}
			if !slices.IsSortedFunc(changes, cmpIDs) {
				r.Fatalf("changes are not sorted: %+v", changes)
			}
			state = history.Apply(state, changes)
			if diff := gocmp.Diff(all[i], state); diff != "" {
				r.Fatalf("state %d (-served +history):\n%s", i, diff)
			}
		}
	})
}

// TestNetEffect: between any two publications the net effect is the difference of what
// they served, once for each id.
func TestNetEffect(t *testing.T) {
	store := newStore(t)
	day := time.Date(2026, 11, 20, 4, 30, 0, 0, time.UTC)
	rapid.Check(t, func(r *rapid.T) {
		all := append([][]sanction.Entry{nil}, generations(r)...)
		name := ""
		for i := 1; i < len(all); i++ {
			var err error
			p := history.Publication{Snapshot: fmt.Sprint(i), PublishedAt: day.AddDate(0, 0, i), Rules: 1}
			if name, err = history.Append(t.Context(), store, name, p, history.Diff(all[i-1], all[i])); err != nil {
				r.Fatal(err)
			}
		}
		index, err := history.ReadIndex(t.Context(), store, name)
		if err != nil {
			r.Fatal(err)
		}
		from := rapid.IntRange(0, len(index)).Draw(r, "from")
		to := rapid.IntRange(from, len(index)).Draw(r, "to")
		net, err := history.Net(t.Context(), store, index[from:to])
		if err != nil {
			r.Fatal(err)
		}
		want := history.Diff(all[from], all[to])
		slices.SortStableFunc(want, func(a, b history.Change) int {
			return cmp.Compare(slices.Index(sanction.Sources(), a.Entry.Source), slices.Index(sanction.Sources(), b.Entry.Source))
		})
		if diff := gocmp.Diff(want, net, cmpopts.EquateEmpty()); diff != "" {
			r.Fatalf("from %d to %d (-difference +net effect):\n%s", from, to, diff)
		}
	})
}

func TestPublicationAlone(t *testing.T) {
	store := newStore(t)
	want := history.Publication{Snapshot: "s", PublishedAt: time.Date(2026, 11, 20, 4, 30, 0, 0, time.UTC), Rules: 1,
		Sources: []history.Source{{Source: sanction.UN, ListDate: "2026-11-19", Entries: 1, Files: []history.File{{Path: "un/a.xml", SHA256: "ab"}}}}}
	entries := []sanction.Entry{{ID: "UN-1", Source: sanction.UN, Names: []sanction.Name{{Text: "A"}}}}
	name, err := history.Append(t.Context(), store, "", want, history.Diff(nil, entries))
	if err != nil {
		t.Fatal(err)
	}
	index, err := history.ReadIndex(t.Context(), store, name)
	if err != nil || len(index) != 1 {
		t.Fatal(index, err)
	}
	got, err := history.ReadPublication(t.Context(), store, index[0])
	if diff := gocmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	index[0].Document = "history/" + strings.Repeat("0", 64) + ".gz"
	if _, err := history.ReadPublication(t.Context(), store, index[0]); !errors.Is(err, archive.ErrDamaged) {
		t.Errorf("a document that is not there: error %v, want ErrDamaged", err)
	}
	if _, err := history.Net(t.Context(), store, index); !errors.Is(err, archive.ErrDamaged) {
		t.Errorf("the net effect without a document: error %v, want ErrDamaged", err)
	}
}

func cmpIDs(a, b history.Change) int { return cmp.Compare(a.Entry.ID, b.Entry.ID) }

func TestBeforeTheFirstPublication(t *testing.T) {
	if index, err := history.ReadIndex(t.Context(), newStore(t), ""); err != nil || len(index) != 0 {
		t.Errorf("index %v, %v, want an empty one", index, err)
	}
}
