// Package history records what each publication changed, and finds it again.
//
// A publication is a snapshot that took the place of another one. The refresh
// leaves a document of each: its [Publication] and its rows, one [Change] for
// every entry added, removed or changed. An [Index] names all documents, the
// oldest first; the pointer (pkg/edition) names the newest index. Documents and
// indexes are named by their content and never rewritten, so a run that fails
// midway leaves nothing behind that anybody reads.
//
// The first publication has every entry as added: from nothing, the rows of all
// publications in turn give what is served ([Apply]).
package history

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/listward/listward/pkg/archive"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/sanction"
)

const folder = "history"

// Publication is the evidence of what was published when.
type Publication struct {
	// Snapshot is the id of the snapshot.
	Snapshot    string    `json:"snapshot"`
	PublishedAt time.Time `json:"published_at"`
	// Rules is the version of the fold with which the names were prepared.
	Rules int `json:"rules"`
	// Sources holds every source that was served, in table order.
	Sources []Source `json:"sources"`
}

// Source says which files of a source made up a publication.
type Source struct {
	Source   sanction.Source `json:"source"`
	ListDate string          `json:"list_date"`
	Entries  int             `json:"entries"`
	Files    []File          `json:"files"`
}

// File is a publisher's file, which the archive holds under its SHA-256.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256,omitempty"`
}

// Index names the documents of all publications, the oldest first.
type Index []Reference

// Reference is where the document of a publication is.
type Reference struct {
	Snapshot    string    `json:"snapshot"`
	PublishedAt time.Time `json:"published_at"`
	Document    string    `json:"document"`
}

// Append records a publication behind those of the index of a name, which is empty
// before the first, and returns the name of the new index.
func Append(ctx context.Context, store objects.Store, index string, p Publication, changes []Change) (string, error) {
	all, err := ReadIndex(ctx, store, index)
	if err != nil {
		return "", err
	}
	document, err := archive.SaveLines(ctx, store, folder, lines(p, changes))
	if err != nil {
		return "", fmt.Errorf("record publication %s: %w", p.Snapshot, err)
	}
	all = append(all, Reference{p.Snapshot, p.PublishedAt, document})
	name, err := archive.SaveLines(ctx, store, folder, func(yield func(Reference) bool) {
		for _, r := range all {
			if !yield(r) {
				return
			}
		}
	})
	if err != nil {
		return "", fmt.Errorf("record publication %s: %w", p.Snapshot, err)
	}
	return name, nil
}

// line is one line of a document: the first holds the publication, each further
// one a change.
type line struct {
	*Publication
	*Change
}

func lines(p Publication, changes []Change) iter.Seq[line] {
	return func(yield func(line) bool) {
		if !yield(line{Publication: &p}) {
			return
		}
		for i := range changes {
			if !yield(line{Change: &changes[i]}) {
				return
			}
		}
	}
}

// ReadIndex reads the index of a name; the empty name gives an empty one. The error
// is archive.ErrDamaged or the store's.
func ReadIndex(ctx context.Context, store objects.Store, name string) (Index, error) {
	if name == "" {
		return nil, nil
	}
	var all Index
	for r, err := range archive.Lines[Reference](ctx, store, name) {
		if err != nil {
			return nil, fmt.Errorf("read the index of the history: %w", err)
		}
		all = append(all, r)
	}
	return all, nil
}

// Read reads the document of a publication. The error is archive.ErrDamaged or the
// store's.
func Read(ctx context.Context, store objects.Store, r Reference) (Publication, []Change, error) {
	var p Publication
	var changes []Change
	for l, err := range archive.Lines[line](ctx, store, r.Document) {
		switch {
		case err != nil:
			return Publication{}, nil, fmt.Errorf("read publication %s: %w", r.Snapshot, err)
		case l.Publication != nil:
			p = *l.Publication
		case l.Change != nil:
			changes = append(changes, *l.Change)
		}
	}
	return p, changes, nil
}

// ReadPublication reads the evidence of a publication alone. The errors are those of
// Read.
func ReadPublication(ctx context.Context, store objects.Store, r Reference) (Publication, error) {
	var p Publication
	for l, err := range archive.Lines[struct{ *Publication }](ctx, store, r.Document) { // to the end: only that proves it
		if err != nil {
			return Publication{}, fmt.Errorf("read publication %s: %w", r.Snapshot, err)
		}
		if l.Publication != nil {
			p = *l.Publication
		}
	}
	return p, nil
}

// atOnce is how many documents are read at once.
const atOnce = 16

// Net returns the net effect of publications that follow each other: once for each id
// that is other behind the last than before the first, in the order of source (table
// order) and id. The errors are those of Read.
func Net(ctx context.Context, store objects.Store, publications Index) ([]Change, error) {
	all := make([][]Change, len(publications))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, r := range publications {
		group.Go(func() (err error) {
			_, all[i], err = Read(ctx, store, r)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	net := netOf(slices.Concat(all...))
	slices.SortFunc(net, func(a, b Change) int {
		return cmp.Or(
			cmp.Compare(slices.Index(sanction.Sources(), a.Entry.Source), slices.Index(sanction.Sources(), b.Entry.Source)),
			cmp.Compare(a.Entry.ID, b.Entry.ID),
		)
	})
	return net, nil
}

// netOf compares what each entry was before its first change with what it is behind its
// last.
func netOf(changes []Change) []Change {
	was, is := map[string]*sanction.Entry{}, map[string]*sanction.Entry{}
	for i := range changes {
		c := &changes[i]
		id := c.Entry.ID
		if _, met := is[id]; !met {
			was[id] = c.former()
		}
		if is[id] = &c.Entry; c.Kind == Removed {
			is[id] = nil
		}
	}
	return Diff(there(was), there(is))
}

// former is the entry before the change, or nil if there was none.
func (c *Change) former() *sanction.Entry {
	switch c.Kind {
	case Added:
		return nil
	case Removed:
		return &c.Entry
	}
	return c.Before
}

func there(entries map[string]*sanction.Entry) []sanction.Entry {
	var all []sanction.Entry
	for _, e := range entries {
		if e != nil {
			all = append(all, *e)
		}
	}
	return all
}
