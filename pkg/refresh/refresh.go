// Package refresh brings the publishers' lists into service.
//
// [Refresher.Run] reads each source of the table ([Sources]) from an [Origin],
// accepts or refuses it as a whole, builds one snapshot of the entries accepted
// now and of those that refused sources had before, and rewrites the pointer
// last. So a reader always sees a whole edition, and one bad source never blocks
// another (decisions section 1, Refresh).
package refresh

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/snapshot"
)

// ErrNothing is returned when not a single source has entries to serve, neither
// new ones nor earlier ones. Nothing is published then.
var ErrNothing = errors.New("no source has entries")

// ErrTooLarge is returned when the lists have grown beyond what functions load.
var ErrTooLarge = errors.New("the lists are too large to be served")

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
	Origin Origin
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
	// Progress, if not nil, sees the bytes of a file go by: it returns a reader
	// that yields what body yields. The size is -1 when it is not known.
	Progress func(path string, size int64, body io.Reader) io.Reader
}

// Run refreshes all sources once and returns what is served from now on, or the
// Guard's error. A source that is refused is no error of the run; it is in the
// pointer, with the reason.
func (r *Refresher) Run(ctx context.Context) (edition.Pointer, error) {
	release, err := r.Guard(ctx)
	if err != nil {
		return edition.Pointer{}, fmt.Errorf("refresh: %w", err)
	}
	pointer, err := r.run(ctx)
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	err = errors.Join(err, release(ending))
	if err != nil {
		return edition.Pointer{}, fmt.Errorf("refresh: %w", err)
	}
	return pointer, nil
}

func (r *Refresher) run(ctx context.Context) (edition.Pointer, error) {
	before, etag, err := edition.Read(ctx, r.Store, "")
	if err != nil && !errors.Is(err, edition.ErrNone) {
		return edition.Pointer{}, err
	}
	if r.Anew {
		before = edition.Pointer{}
	}
	var next edition.Pointer
	var all []sanction.Entry
	for _, source := range Sources() {
		state, entries, err := r.source(ctx, source, before.State(source.Name))
		if err != nil {
			return edition.Pointer{}, err
		}
		next.Sources = append(next.Sources, state)
		all = append(all, entries...)
	}
	if len(all) == 0 {
		return edition.Pointer{}, fmt.Errorf("%w: %s", ErrNothing, details(next.Sources))
	}
	if next.Snapshot, err = r.publish(ctx, all); err != nil {
		return edition.Pointer{}, err
	}
	next.PublishedAt = r.Now().UTC()
	return next, edition.Write(ctx, r.Store, next, etag)
}

// details names what was wrong with each source.
func details(states []edition.State) string {
	var all []error
	for _, s := range states {
		all = append(all, fmt.Errorf("%s: %s", s.Source, s.Detail))
	}
	return errors.Join(all...).Error()
}

// source reads one source and returns its state and entries after this run. The
// error is one of our own store; the publisher's faults are in the state.
func (r *Refresher) source(ctx context.Context, s Source, before edition.State) (edition.State, []sanction.Entry, error) {
	after := before
	after.CheckedAt = r.Now().UTC()
	list, err := r.read(ctx, s)
	if err == nil && len(s.Files) > 0 && before.Accepted != "" && !slices.Contains(list.sums, r.AcceptLoss) {
		err = r.checkLoss(ctx, before.Accepted, list)
	}
	if ctx.Err() != nil {
		return after, nil, ctx.Err()
	}
	if err != nil {
		r.Log.WarnContext(ctx, "source refused", "source", s.Name, "reason", err)
		return r.refused(ctx, after, err)
	}
	after.Accepted, err = saveAccepted(ctx, r.Store, s.Name, list.Entries)
	if err != nil {
		return after, nil, err
	}
	if after.Accepted != before.Accepted {
		after.LastUpdated = after.CheckedAt
	}
	after.Status, after.Detail = list.judged()
	after.AcceptedAt, after.ListDate, after.Entries = after.CheckedAt, list.Date, len(list.Entries)
	r.Log.InfoContext(ctx, "source accepted", "source", s.Name, "list_date", list.Date,
		"entries", len(list.Entries), "rejected", list.Rejected)
	return after, list.Entries, nil
}

// checkLoss compares a list with the entries last accepted.
func (r *Refresher) checkLoss(ctx context.Context, accepted string, list reading) error {
	before, err := loadAccepted(ctx, r.Store, accepted)
	if err != nil {
		return err
	}
	if err := checkLoss(before, list.Entries); err != nil {
		return fmt.Errorf("%w (SHA-256 %s)", err, strings.Join(list.sums, " and "))
	}
	return nil
}

// judged is the status of an accepted list. Records that were left out may be
// parties that are missed now, so somebody must look at them.
func (r reading) judged() (edition.Status, string) {
	doubts := slices.Clone(r.doubts)
	for _, rejected := range r.Rejected {
		doubts = append(doubts, fmt.Sprintf("left out %s (%s)", rejected.ID, rejected.Reason))
	}
	if len(doubts) == 0 {
		return edition.OK, ""
	}
	return edition.Review, shortened(fmt.Sprintf("%d to be looked at: %s", len(doubts), strings.Join(doubts, "; ")))
}

// maxDetail is the length of a state's detail in bytes: what it is made of comes
// from publishers, and the pointer must stay small.
const maxDetail = 500

func shortened(s string) string {
	if len(s) <= maxDetail {
		return s
	}
	return strings.ToValidUTF8(s[:maxDetail], "") + "…"
}

// refused keeps the entries that the source had before.
func (r *Refresher) refused(ctx context.Context, state edition.State, reason error) (edition.State, []sanction.Entry, error) {
	state.Detail = shortened(reason.Error())
	if state.Accepted == "" {
		state.Status = edition.Missing
		return state, nil, nil
	}
	state.Status = edition.Stale
	entries, err := loadAccepted(ctx, r.Store, state.Accepted)
	return state, entries, err
}

// reading is a source's files, united.
type reading struct {
	sanction.List
	// sums are the SHA-256 of the files as they came, in hex.
	sums []string
	// doubts are what a person must look at, besides what was rejected.
	doubts []string
}

// read reads the files of a source and unites their entries. The date is that of
// the first file, which is the source's main one.
func (r *Refresher) read(ctx context.Context, s Source) (reading, error) {
	if len(s.Files) == 0 {
		return readNotices(r.Origin, r.Now().UTC().Format(time.DateOnly))
	}
	var whole reading
	united := map[string]*sanction.Entry{}
	for i, file := range s.Files {
		list, sum, err := r.file(ctx, file)
		if err != nil {
			return reading{}, fmt.Errorf("%s: %w", file.Path, err)
		}
		if i == 0 {
			whole.Date = list.Date
		}
		whole.sums = append(whole.sums, sum)
		whole.Rejected = append(whole.Rejected, list.Rejected...)
		for _, e := range list.Entries {
			if first := united[e.ID]; first != nil {
				first.Unite(e)
			} else {
				united[e.ID] = &e
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(united)) {
		whole.Entries = append(whole.Entries, *united[id])
	}
	return whole, nil
}

// file reads one file and returns its SHA-256 besides.
func (r *Refresher) file(ctx context.Context, f File) (sanction.List, string, error) {
	body, err := r.Origin.Open(ctx, f)
	if err != nil {
		return sanction.List{}, "", err
	}
	defer body.Close() // read-only: nothing is lost
	var raw io.Reader = body
	if r.Progress != nil {
		raw = r.Progress(f.Path, body.Size, raw)
	}
	sum := sha256.New()
	text, err := plain(io.TeeReader(raw, sum))
	if err != nil {
		return sanction.List{}, "", fmt.Errorf("decompress: %w", err)
	}
	list, err := f.Parse(text)
	return list, hex.EncodeToString(sum.Sum(nil)), err
}

// publish writes the snapshot of the entries and returns its id. One that is
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
	return id, nil
}
