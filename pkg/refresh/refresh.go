// Package refresh brings the publishers' lists into service.
//
// [Refresher.Run] reads each source of the table ([Sources]) from an origin,
// accepts or refuses it as a whole, builds one snapshot of the entries accepted
// now and of those that refused sources had before, records what changed, and
// rewrites the pointer last. So a reader always sees a whole edition, and one bad
// source never blocks another (decisions section 1, Refresh). [Refresher.Report]
// reads in the same way and publishes nothing.
package refresh

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/listward/listward/pkg/archive"
	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/exports"
	"github.com/listward/listward/pkg/fetch"
	"github.com/listward/listward/pkg/fold"
	"github.com/listward/listward/pkg/history"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/snapshot"
)

// ErrNothing is returned when not a single source has entries to serve, neither
// new ones nor earlier ones. Nothing is published then.
var ErrNothing = errors.New("no source has entries")

// ErrTooLarge is returned when the lists have grown beyond what functions load.
var ErrTooLarge = errors.New("the lists are too large to be served")

// ErrNotRead is returned when no file that a run could read is the one that an operator
// accepts: the name has a typo, or the file is another one by now.
var ErrNotRead = errors.New("no file that could be read has the SHA-256 to be accepted")

// Guard lets one run at a time work on a store. It returns what ends the guard,
// which is called once, or an error when another run is at work.
type Guard func(context.Context) (release func(context.Context) error, err error)

const (
	leaseName = "refresh.lease"
	// leaseFor is longer than a run can last: Lambda ends one after 15 minutes.
	leaseFor = 20 * time.Minute
	// releaseTime is what the end of the guard may take, also when the run's own
	// time is over.
	releaseTime = 10 * time.Second
)

// Lease guards by an expiring lease in the store, for runs on whatever machines.
// The holder is named to others, who get objects.ErrHeld. A run that is killed
// leaves the lease to expire, 20 minutes after it began.
func Lease(store objects.Store, holder string, now func() time.Time) Guard {
	return func(ctx context.Context) (func(context.Context) error, error) {
		lease, err := objects.Acquire(ctx, store, leaseName, holder, leaseFor, now)
		if err != nil {
			return nil, err
		}
		return lease.Release, nil
	}
}

// Refresher holds what a run needs. Its fields are set before use.
type Refresher struct {
	Store  objects.Store
	Origin fetch.Origin
	Now    func() time.Time
	Log    *slog.Logger
	// Guard keeps other runs out.
	Guard Guard
	// AcceptLoss is the SHA-256, in hex, of one file that an operator accepts in
	// spite of what it lost. It lifts no other refusal. Empty means none.
	AcceptLoss string
	// Anew begins as if nothing had been accepted before, for lists of another
	// kind than those (real ones after a sample).
	Anew bool
}

// Run refreshes all sources once and returns what is served from now on, or the
// Guard's error. An error beside a pointer that is not empty is about the end of the
// guard, or ErrNotRead. A source that is refused is no error of the run; it is in the
// pointer, with the reason.
func (r *Refresher) Run(ctx context.Context) (edition.Pointer, error) {
	release, err := r.Guard(ctx)
	if err != nil {
		return edition.Pointer{}, fmt.Errorf("refresh: %w", err)
	}
	pointer, err := r.run(ctx)
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	if err := errors.Join(err, release(ending)); err != nil {
		return pointer, fmt.Errorf("refresh: %w", err)
	}
	return pointer, nil
}

func (r *Refresher) run(ctx context.Context) (edition.Pointer, error) {
	before, etag, err := r.before(ctx)
	if err != nil {
		return edition.Pointer{}, err
	}
	outcomes, err := r.sources(ctx, before)
	if err != nil {
		return edition.Pointer{}, err
	}
	pointer, err := r.serve(ctx, before, etag, outcomes)
	if r.AcceptLoss != "" && !slices.ContainsFunc(outcomes, func(o outcome) bool { return o.named }) {
		err = errors.Join(err, fmt.Errorf("%w: %s", ErrNotRead, r.AcceptLoss))
	}
	return pointer, err
}

// serve puts what became of the sources in the place of the pointer with the ETag.
func (r *Refresher) serve(ctx context.Context, before edition.Pointer, etag string, outcomes []outcome) (edition.Pointer, error) {
	next := edition.Pointer{PublishedAt: before.PublishedAt, History: before.History}
	var entries []sanction.Entry
	var changes []history.Change
	for _, o := range outcomes {
		next.Sources = append(next.Sources, o.state)
		entries = append(entries, o.entries...)
		changes = append(changes, o.changes...)
	}
	if len(entries) == 0 {
		return edition.Pointer{}, fmt.Errorf("%w: %s", ErrNothing, details(next.Sources))
	}
	id, err := r.publish(ctx, entries)
	if err != nil {
		return edition.Pointer{}, err
	}
	if next.Snapshot = id; id != before.Snapshot {
		next.PublishedAt = r.Now().UTC()
		if next.History, err = r.record(ctx, before.History, next, changes, entries); err != nil {
			return edition.Pointer{}, err
		}
	}
	if err := edition.Write(ctx, r.Store, next, etag); err != nil {
		return edition.Pointer{}, err
	}
	return next, nil
}

// record writes a publication into the history. One that is damaged cannot be gone
// on with: the history begins anew, with all entries.
func (r *Refresher) record(ctx context.Context, index string, p edition.Pointer, changes []history.Change, entries []sanction.Entry) (string, error) {
	name, err := history.Append(ctx, r.Store, index, publication(p), changes)
	if errors.Is(err, archive.ErrDamaged) {
		r.Log.ErrorContext(ctx, "the history is damaged and begins anew", "index", index, "error", err)
		name, err = history.Append(ctx, r.Store, "", publication(p), history.Diff(nil, entries))
	}
	return name, err
}

// before returns the pointer of the last run and its ETag.
func (r *Refresher) before(ctx context.Context) (edition.Pointer, string, error) {
	before, etag, err := edition.Read(ctx, r.Store, "")
	if err != nil && !errors.Is(err, edition.ErrNone) {
		return edition.Pointer{}, "", err
	}
	if r.Anew {
		before = edition.Pointer{}
	}
	return before, etag, nil
}

// sources reads all sources at once: each waits for another publisher.
func (r *Refresher) sources(ctx context.Context, before edition.Pointer) ([]outcome, error) {
	table := Sources()
	outcomes := make([]outcome, len(table))
	group, ctx := errgroup.WithContext(ctx)
	for i, s := range table {
		group.Go(func() (err error) {
			outcomes[i], err = r.source(ctx, s, before)
			return err
		})
	}
	return outcomes, group.Wait()
}

// publication is the evidence of what a pointer serves.
func publication(p edition.Pointer) history.Publication {
	record := history.Publication{Snapshot: p.Snapshot, PublishedAt: p.PublishedAt, Rules: fold.Version}
	for _, s := range p.Sources {
		source := history.Source{Source: s.Source, ListDate: s.ListDate, Entries: s.Entries}
		for _, f := range s.Files {
			source.Files = append(source.Files, history.File{Path: f.Path, SHA256: f.SHA256})
		}
		record.Sources = append(record.Sources, source)
	}
	return record
}

// details names what was wrong with each source.
func details(states []edition.State) string {
	var all []error
	for _, s := range states {
		all = append(all, fmt.Errorf("%s: %s", s.Source, s.Detail))
	}
	return errors.Join(all...).Error()
}

// publish writes the snapshot of the entries and its bulk files, and returns its id. One that is
// there already is written again, which mends it if it was damaged.
func (r *Refresher) publish(ctx context.Context, entries []sanction.Entry) (string, error) {
	file, err := snapshot.Build(entries)
	if err != nil {
		return "", err
	}
	if len(file) > edition.MaxSnapshot {
		return "", fmt.Errorf("%w: the snapshot has %d bytes", ErrTooLarge, len(file))
	}
	id := edition.ID(file)
	if _, err := r.Store.Put(ctx, edition.SnapshotName(id), file, objects.Always); err != nil {
		return "", fmt.Errorf("write the snapshot: %w", err)
	}
	data, err := snapshot.Open(file)
	if err != nil {
		return "", err
	}
	return id, exports.Write(ctx, r.Store, id, data)
}
