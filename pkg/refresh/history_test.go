package refresh_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/archive"
	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/history"
	"github.com/listward/listward/pkg/lists/sample"
	"github.com/listward/listward/pkg/sanction"
)

// publications reads the history up to a pointer.
func (b *bench) publications(p edition.Pointer) history.Index {
	b.t.Helper()
	index, err := history.ReadIndex(b.t.Context(), b.store, p.History)
	if err != nil {
		b.t.Fatal(err)
	}
	return index
}

// lastChanges are those of the newest publication.
func (b *bench) lastChanges(p edition.Pointer) []history.Change {
	b.t.Helper()
	index := b.publications(p)
	_, changes, err := history.Read(b.t.Context(), b.store, index[len(index)-1])
	if err != nil {
		b.t.Fatal(err)
	}
	return changes
}

// TestHistory follows the UN list through a delisting, a change and a refusal.
func TestHistory(t *testing.T) {
	text, err := fs.ReadFile(sample.Files(), un)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	first := b.mustRun(sample.Files())
	if same := b.mustRun(sample.Files()); same.History != first.History || !same.PublishedAt.Equal(first.PublishedAt) {
		t.Errorf("equal lists were published again: %+v after %+v", same, first)
	}
	b.mustRun(files(t, map[string]string{un: withoutFirstEntity(t)}))
	const name = "<FIRST_NAME>"
	at := strings.LastIndex(string(text), name) + len(name)
	last := b.mustRun(files(t, map[string]string{un: string(text[:at]) + "NEW " + string(text[at:])}))
	b.mustRun(files(t, map[string]string{un: "<html>"})) // refused: nothing changes

	index := b.publications(last)
	if len(index) != 3 || index[0].Snapshot != first.Snapshot || index[2].Snapshot != last.Snapshot || !index[2].PublishedAt.Equal(last.PublishedAt) {
		t.Fatalf("publications %+v, want three that end with %s", index, last.Snapshot)
	}
	var kinds []map[history.Kind]int
	var state []sanction.Entry
	for _, reference := range index {
		p, changes, err := history.Read(t.Context(), b.store, reference)
		if err != nil {
			t.Fatal(err)
		}
		counts := map[history.Kind]int{}
		for _, c := range changes {
			counts[c.Kind]++
		}
		kinds = append(kinds, counts)
		state = history.Apply(state, changes)
		b.checkEvidence(p)
	}
	want := []map[history.Kind]int{{history.Added: len(b.served())}, {history.Removed: 1}, {history.Added: 1, history.Changed: 1}}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("changes by publication (-want +got):\n%s", diff)
	}
	if len(state) != len(b.served()) {
		t.Errorf("the history ends with %d entries, %d are served", len(state), len(b.served()))
	}
}

// withoutFirstEntity is the sample of the UN with one delisting.
func withoutFirstEntity(t *testing.T) string {
	t.Helper()
	text, err := fs.ReadFile(sample.Files(), un)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), "<ENTITY>")
	_, after, found := strings.Cut(rest, "</ENTITY>")
	if !found {
		t.Fatal("the sample has no entity")
	}
	return before + after
}

// checkEvidence finds the raw file of every publisher in the archive.
func (b *bench) checkEvidence(p history.Publication) {
	b.t.Helper()
	found := 0
	for _, s := range p.Sources {
		for _, f := range s.Files {
			if f.SHA256 == "" {
				continue
			}
			found++
			raw, err := archive.Open(b.t.Context(), b.store, archive.Name("raw", f.SHA256))
			if err != nil {
				b.t.Errorf("%s: %v", f.Path, err)
				continue
			}
			if err := raw.Close(); err != nil {
				b.t.Error(err)
			}
		}
	}
	if found < 10 {
		b.t.Errorf("publication %s names %d files", p.Snapshot, found)
	}
}
