package objects

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// The errors of Acquire.
var (
	// ErrHeld is returned while somebody else has the lease; the error's text
	// names the holder and the end.
	ErrHeld = errors.New("the lease is held")
	// ErrNotLease is returned when the object of the name is no lease. It is left
	// as it is, for it may be somebody's data.
	ErrNotLease = errors.New("the object is not a lease")
)

// ErrLost is returned by Release when the lease had expired and somebody else
// took it: what was done since then may have crossed the other's work.
var ErrLost = errors.New("the lease expired and was taken over")

// Lease is the sole right to do something until it expires or is released. It
// is not safe for concurrent use.
type Lease struct {
	store Store
	name  string
	etag  string
}

// leaseDocument is the content of a lease's object. A released lease has no
// holder and ends at the zero time.
type leaseDocument struct {
	Holder string    `json:"holder"`
	Until  time.Time `json:"until"`
}

// Acquire takes the lease of the name for ttl, or returns ErrHeld at once. Of
// several callers exactly one gets it, whichever processes they are in. The
// holder is named to the others and need not be unique.
//
// A holder that crashes loses the lease after ttl, by the clock of the next
// caller: ttl must be longer than the guarded work can last, by more than the
// clocks of the callers may differ. After an error other than ErrHeld and
// ErrNotLease the lease may have been taken; it then expires likewise.
func Acquire(ctx context.Context, store Store, name, holder string, ttl time.Duration, now func() time.Time) (*Lease, error) {
	l := &Lease{store: store, name: name}
	for {
		err := l.take(ctx, holder, ttl, now())
		if errors.Is(err, ErrPrecondition) {
			continue // another caller was quicker: see whether it holds the lease
		}
		if err != nil {
			return nil, fmt.Errorf("acquire lease: %w", err)
		}
		return l, nil
	}
}

func (l *Lease) take(ctx context.Context, holder string, ttl time.Duration, now time.Time) error {
	vacant, err := l.vacancy(ctx, now)
	if err != nil {
		return err
	}
	return l.put(ctx, leaseDocument{Holder: holder, Until: now.Add(ttl).UTC()}, vacant)
}

// vacancy returns the condition under which the lease may be taken.
func (l *Lease) vacancy(ctx context.Context, now time.Time) (Condition, error) {
	object, err := l.store.Get(ctx, l.name, "")
	if errors.Is(err, ErrNotFound) {
		return IfAbsent, nil
	}
	if err != nil {
		return "", err
	}
	defer object.Body.Close()
	var last leaseDocument
	d := json.NewDecoder(object.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&last); err != nil {
		return "", fmt.Errorf("%w: %q: %w", ErrNotLease, l.name, err)
	}
	if last.Until.After(now) {
		return "", fmt.Errorf("%w: %q by %s until %s", ErrHeld, l.name, last.Holder, last.Until.Format(time.RFC3339))
	}
	return IfMatch(object.ETag), nil
}

// Release ends the lease, so that the next caller need not wait for its expiry.
// It is called once, with a context that is alive even when the work's is not.
// ErrLost tells that the lease was no longer the caller's.
func (l *Lease) Release(ctx context.Context) error {
	err := l.put(ctx, leaseDocument{}, IfMatch(l.etag))
	if errors.Is(err, ErrPrecondition) {
		return fmt.Errorf("release lease %q: %w", l.name, ErrLost)
	}
	if err != nil {
		return fmt.Errorf("release lease: %w", err)
	}
	return nil
}

func (l *Lease) put(ctx context.Context, document leaseDocument, when Condition) error {
	body, err := json.Marshal(document)
	if err != nil {
		return err
	}
	etag, err := l.store.Put(ctx, l.name, body, when)
	if err != nil {
		return err
	}
	l.etag = etag
	return nil
}
