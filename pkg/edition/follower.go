package edition

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/listward/listward/pkg/objects"
)

// Follower keeps the edition that is being served and looks for a newer one on
// the path of the calls, since a Lambda function stands still between them. It
// is safe for concurrent use.
type Follower struct {
	store  objects.Store
	maxAge time.Duration
	now    func() time.Time
	log    *slog.Logger

	current atomic.Pointer[held]
	// checking is held by the one caller that looks for a newer edition; the
	// others are served from the one at hand.
	checking sync.Mutex
}

// patience bounds each look at the store, well below Lambda's 10 s for a start and
// the functions' time-out. A store that hangs costs one caller a while and, where
// an edition is at hand, none the answer.
const patience = 4 * time.Second

type held struct {
	edition *Edition
	etag    string
	checked time.Time
}

// NewFollower returns a Follower that looks at the pointer at most once in
// maxAge. It reads nothing yet: call [Follower.Current] before serving, so that
// the first caller does not wait.
func NewFollower(store objects.Store, maxAge time.Duration, now func() time.Time, log *slog.Logger) *Follower {
	return &Follower{store: store, maxAge: maxAge, now: now, log: log}
}

// Current returns the edition to answer from. When the check for a newer one
// fails, the one at hand is served on, and the failure logged; an error is
// returned only when there is none at hand.
func (f *Follower) Current(ctx context.Context) (*Edition, error) {
	h := f.current.Load()
	if h == nil {
		f.checking.Lock()
		defer f.checking.Unlock()
		if h = f.current.Load(); h == nil {
			return f.first(ctx)
		}
		return h.edition, nil
	}
	if f.now().Sub(h.checked) >= f.maxAge && f.checking.TryLock() {
		defer f.checking.Unlock()
		return f.check(ctx, f.current.Load()), nil
	}
	return h.edition, nil
}

func (f *Follower) first(ctx context.Context) (*Edition, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	pointer, etag, err := Read(ctx, f.store, "")
	if err != nil {
		return nil, err
	}
	edition, err := load(ctx, f.store, pointer)
	if err != nil {
		return nil, err
	}
	f.current.Store(&held{edition: edition, etag: etag, checked: f.now()})
	return edition, nil
}

// check returns the edition to serve from now on. A failed check counts as one,
// so that a store in trouble is not asked by every call.
func (f *Follower) check(ctx context.Context, h *held) *Edition {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	next := &held{edition: h.edition, etag: h.etag, checked: f.now()}
	pointer, etag, err := Read(ctx, f.store, h.etag)
	if err == nil {
		edition := &Edition{Pointer: pointer, Data: h.edition.Data}
		if pointer.Snapshot != h.edition.Snapshot {
			edition, err = load(ctx, f.store, pointer)
		}
		if err == nil {
			next.edition, next.etag = edition, etag
		}
	}
	if err != nil && !errors.Is(err, objects.ErrNotModified) {
		f.log.ErrorContext(ctx, "newer edition not loaded, serving on", "snapshot", h.edition.Snapshot, "error", err)
	}
	f.current.Store(next)
	return next.edition
}
