package api_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/history"
	"github.com/listward/listward/pkg/listing"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/snapshot"
)

// timeline publishes sets of entries, an hour apart, each with its history.
type timeline struct {
	*fixture
	snapshots []string
	entries   []sanction.Entry
	history   string
	fraction  time.Duration // of a second, at which is published
}

func newTimeline(t *testing.T) *timeline {
	f := newFixture(t)
	f.edge.Store = f.store
	return &timeline{fixture: f}
}

func (l *timeline) publish(t *testing.T, entries ...sanction.Entry) {
	t.Helper()
	file, err := snapshot.Build(entries)
	if err != nil {
		t.Fatal(err)
	}
	id, at := edition.ID(file), noon.AddDate(0, 0, -2).Add(time.Duration(len(l.snapshots))*time.Hour+l.fraction)
	if _, err := l.store.Put(t.Context(), edition.SnapshotName(id), file, objects.Always); err != nil {
		t.Fatal(err)
	}
	_, etag, err := edition.Read(t.Context(), l.store, "")
	if err != nil && len(l.snapshots) > 0 {
		t.Fatal(err)
	}
	changes := history.Diff(l.entries, entries)
	if l.history, err = history.Append(t.Context(), l.store, l.history, history.Publication{Snapshot: id, PublishedAt: at}, changes); err != nil {
		t.Fatal(err)
	}
	pointer := edition.Pointer{Snapshot: id, PublishedAt: at, History: l.history, Sources: []edition.State{{Source: sanction.UN, Status: edition.OK, AcceptedAt: noon, CheckedAt: noon}}}
	if err := edition.Write(t.Context(), l.store, pointer, etag); err != nil {
		t.Fatal(err)
	}
	l.snapshots, l.entries = append(l.snapshots, id), entries
}

// TestRowsOfChangesAreLinesOfTheBulkFile, so that a copy that is kept by them has the
// publishers' attribution: also of what was removed.
func TestRowsOfChangesAreLinesOfTheBulkFile(t *testing.T) {
	l := newTimeline(t)
	one, two := party("UN-1", sanction.Entity, "ALPHA"), party("UN-2", sanction.Entity, "BETA")
	free := sanction.Entry{ID: "OFAC-1", Source: sanction.OFAC, Type: sanction.Entity, URL: "https://ofac.example", Names: one.Names}
	l.publish(t, two)
	l.publish(t, free, one)
	query := map[string][]string{"since": {l.snapshots[0]}, "format": {"ndjson"}}
	answer := call(t, l.edge.Changes(), passes.Context(), query)
	var got []string
	for text := range strings.Lines(answer.Body) {
		var row map[string]any
		if err := json.Unmarshal([]byte(text), &row); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%v %v: %v", row["change"], row["id"], row["attribution"]))
	}
	un := listing.PublisherOf(sanction.UN).Attribution
	if want := []string{"added OFAC-1: <nil>", "added UN-1: " + un, "removed UN-2: " + un}; un == "" || !slices.Equal(got, want) {
		t.Errorf("ndjson: %q, want %q", got, want)
	}
	query["format"] = []string{"csv"}
	records, err := csv.NewReader(strings.NewReader(call(t, l.edge.Changes(), passes.Context(), query).Body)).ReadAll()
	if err != nil || len(records) != 4 {
		t.Fatal(records, err)
	}
	at := slices.Index(records[0], "attribution")
	if at < 0 || records[1][at] != "" || records[2][at] != un || records[3][at] != un {
		t.Errorf("csv: column %d of %q", at, records)
	}
}

// TestBeforeTheHistory: a day is offered when one has begun at which the history did, and
// else the first snapshot alone.
func TestBeforeTheHistory(t *testing.T) {
	l := newTimeline(t)
	l.publish(t, party("UN-1", sanction.Entity, "ALPHA")) // at noon of the 18th
	for _, tt := range []struct {
		now  time.Time
		want string
	}{
		{noon.AddDate(0, 0, -2).Add(time.Minute), "."},
		{time.Date(2026, 11, 18, 23, 59, 59, 999, time.UTC), "."},
		{time.Date(2026, 11, 19, 0, 0, 0, 0, time.UTC), ", or for a day from 2026-11-19 on."},
		{noon, ", or for a day from 2026-11-19 on."},
	} {
		l.edge.Now = func() time.Time { return tt.now }
		answer := call(t, l.edge.Changes(), passes.Context(), map[string][]string{"since": {"2026-11-18"}})
		if code(t, answer) != "invalid_since" || !strings.Contains(answer.Body, "ask for its snapshot "+l.snapshots[0]+tt.want+`"`) {
			t.Errorf("at %v: %s, want it to end with the snapshot and %q", tt.now, answer.Body, tt.want)
		}
	}
}

type changed struct {
	ID, Change, URL string
	Fields          []string
}

// since asks for the changes and returns their rows.
func (l *timeline) since(t *testing.T, query map[string][]string) (from string, rows []changed) {
	t.Helper()
	answer := call(t, l.edge.Changes(), passes.Context(), query)
	var body struct {
		From string
		Rows []changed
	}
	if err := json.Unmarshal([]byte(answer.Body), &body); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%v: %d %s, %v", query, answer.StatusCode, answer.Body, err)
	}
	return body.From, body.Rows
}

func party(id string, kind sanction.Type, name string) sanction.Entry {
	return sanction.Entry{ID: id, Source: sanction.UN, Type: kind, URL: "https://un.example/" + name,
		Names: []sanction.Name{{Text: name, Kind: sanction.Primary}}}
}

func TestChangesOfAnEntryThatLeavesAType(t *testing.T) {
	l := newTimeline(t)
	l.publish(t, party("UN-1", sanction.Individual, "ALPHA"), party("UN-2", sanction.Individual, "BETA"))
	l.publish(t, party("UN-1", sanction.Entity, "ALPHA"), party("UN-2", sanction.Individual, "BETA"))
	want := []changed{{ID: "UN-1", Change: "changed", URL: "https://un.example/ALPHA", Fields: []string{"type"}}}
	for _, kind := range []string{"individual", "entity"} {
		if _, rows := l.since(t, map[string][]string{"since": {l.snapshots[0]}, "type": {kind}}); !cmp.Equal(want, rows) {
			t.Errorf("changes of type %s: %+v, want %+v", kind, rows, want)
		}
	}
	if _, rows := l.since(t, map[string][]string{"since": {l.snapshots[0]}, "type": {"vessel"}}); len(rows) != 0 {
		t.Errorf("changes of vessels: %+v", rows)
	}
}

// TestChangesShowEntriesAsServed: another address is no change, and stands in the rows.
func TestChangesShowEntriesAsServed(t *testing.T) {
	moved := party("UN-1", sanction.Entity, "ALPHA")
	moved.URL = "https://un.example/moved"
	l := newTimeline(t)
	l.publish(t)
	l.publish(t, party("UN-1", sanction.Entity, "ALPHA"))
	l.publish(t, moved)
	want := []changed{{ID: "UN-1", Change: "added", URL: moved.URL}}
	if _, rows := l.since(t, map[string][]string{"since": {l.snapshots[0]}}); !cmp.Equal(want, rows) {
		t.Errorf("%+v, want %+v", rows, want)
	}
	if _, rows := l.since(t, map[string][]string{"since": {l.snapshots[1]}}); len(rows) != 0 {
		t.Errorf("since the address alone changed: %+v", rows)
	}
}

// TestChangesSinceASnapshotThatCameBack begin at its last publication.
func TestChangesSinceASnapshotThatCameBack(t *testing.T) {
	l := newTimeline(t)
	one, two := party("UN-1", sanction.Entity, "ALPHA"), party("UN-2", sanction.Entity, "BETA")
	l.publish(t, one)
	l.publish(t, one, two)
	l.publish(t, one)
	if l.snapshots[0] != l.snapshots[2] {
		t.Fatal("equal entries have different snapshots")
	}
	if from, rows := l.since(t, map[string][]string{"since": {l.snapshots[0]}}); from != l.snapshots[2] || len(rows) != 0 {
		t.Errorf("from %s: %+v", from, rows)
	}
	want := []changed{{ID: "UN-2", Change: "removed", URL: "https://un.example/BETA"}}
	if _, rows := l.since(t, map[string][]string{"since": {l.snapshots[1]}}); !cmp.Equal(want, rows) {
		t.Errorf("%+v, want %+v", rows, want)
	}
}

// TestSpreadsheetChangesWithTheStates: the sources' states stand in a spreadsheet of a
// list and in no other format.
func TestSpreadsheetChangesWithTheStates(t *testing.T) {
	for format, moves := range map[string]bool{"json": false, "csv": false, "xlsx": true} {
		l := newTimeline(t)
		l.publish(t, party("UN-1", sanction.Entity, "ALPHA"))
		tag := func() string {
			return header(call(t, l.edge.Sanctions(), passes.Context(), map[string][]string{"format": {format}, "source": {"UN"}}), "ETag")
		}
		before := tag()
		pointer, etag, err := edition.Read(t.Context(), l.store, "")
		if err != nil {
			t.Fatal(err)
		}
		pointer.Sources[0].Status = edition.Stale
		if err := edition.Write(t.Context(), l.store, pointer, etag); err != nil {
			t.Fatal(err)
		}
		if after := tag(); before == "" || (after != before) != moves {
			t.Errorf("%s: ETag %s, then %s", format, before, after)
		}
	}
}
