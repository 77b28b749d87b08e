package objectstest

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/listward/listward/pkg/objects"
)

const (
	leaseName = "leases/refresh"
	ttl       = 15 * time.Minute
)

// noon is the time at which the lease tests begin.
func noon() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// after returns a clock that stands at d past noon.
func after(d time.Duration) func() time.Time {
	return func() time.Time { return noon().Add(d) }
}

func acquire(t *testing.T, store objects.Store, holder string, now func() time.Time) *objects.Lease {
	t.Helper()
	lease, err := objects.Acquire(t.Context(), store, leaseName, holder, ttl, now)
	if err != nil {
		t.Fatalf("Acquire by %s: %v", holder, err)
	}
	return lease
}

func testLeaseExcludes(t *testing.T, store objects.Store) {
	acquire(t, store, "first", noon)
	for _, holder := range []string{"second", "first"} {
		_, err := objects.Acquire(t.Context(), store, leaseName, holder, ttl, after(ttl-time.Nanosecond))
		if !errors.Is(err, objects.ErrHeld) {
			t.Fatalf("Acquire by %s of a held lease = %v, want ErrHeld", holder, err)
		}
		for _, want := range []string{leaseName, "first", "2026-11-20T12:15:00Z"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("the error %q does not name %q", err, want)
			}
		}
	}
	if _, err := objects.Acquire(t.Context(), store, "leases/other", "second", ttl, noon); err != nil {
		t.Errorf("Acquire of another lease: %v", err)
	}
	if _, err := objects.Acquire(t.Context(), store, "../lease", "x", ttl, noon); !errors.Is(err, objects.ErrName) {
		t.Errorf("Acquire of a lease named ../lease = %v, want ErrName", err)
	}
}

func testLeaseExpires(t *testing.T, store objects.Store) {
	acquire(t, store, "crashed", noon)
	acquire(t, store, "second", after(ttl))
	_, err := objects.Acquire(t.Context(), store, leaseName, "third", ttl, after(ttl))
	if !errors.Is(err, objects.ErrHeld) || !strings.Contains(err.Error(), "second") {
		t.Errorf("Acquire after the take-over = %v, want ErrHeld by second", err)
	}
}

func testLeaseRelease(t *testing.T, store objects.Store) {
	lease := acquire(t, store, "first", noon)
	if err := lease.Release(t.Context()); err != nil {
		t.Fatalf("Release: %v", err)
	}
	second := acquire(t, store, "second", noon)
	if err := lease.Release(t.Context()); !errors.Is(err, objects.ErrLost) {
		t.Errorf("a further Release = %v, want ErrLost", err)
	}
	if err := second.Release(t.Context()); err != nil {
		t.Errorf("Release by the second holder: %v", err)
	}
}

func testLeaseLost(t *testing.T, store objects.Store) {
	slow := acquire(t, store, "slow", noon)
	late := acquire(t, store, "late", after(ttl))
	if err := slow.Release(t.Context()); !errors.Is(err, objects.ErrLost) {
		t.Errorf("Release after a take-over = %v, want ErrLost", err)
	}
	if err := late.Release(t.Context()); err != nil {
		t.Errorf("Release by the one that took over: %v", err)
	}
	expired := acquire(t, store, "expired", noon)
	if err := expired.Release(t.Context()); err != nil {
		t.Errorf("Release after the expiry, which nobody used: %v", err)
	}
}

func testNotLease(t *testing.T, store objects.Store) {
	for _, content := range []string{"", "text", "[]", `{"snapshot":"0a1b"}`, `{"until":"noon"}`} {
		put(t, store, leaseName, content, objects.Always)
		if _, err := objects.Acquire(t.Context(), store, leaseName, "x", ttl, noon); !errors.Is(err, objects.ErrNotLease) {
			t.Errorf("Acquire on an object with content %q = %v, want ErrNotLease", content, err)
		}
		if got := read(t, store, leaseName); got != content {
			t.Errorf("Acquire changed the object from %q to %q", content, got)
		}
	}
}

func testRaceLease(t *testing.T, store objects.Store) { raceLease(t, store, noon) }

func testRaceExpiredLease(t *testing.T, store objects.Store) {
	acquire(t, store, "crashed", noon)
	raceLease(t, store, after(ttl))
}

// raceLease lets all racers under one holder's name, which must not matter, want
// the lease at the same time.
func raceLease(t *testing.T, store objects.Store, now func() time.Time) {
	var holders atomic.Int64
	race(func(racer int) {
		_, err := objects.Acquire(t.Context(), store, leaseName, "racer", ttl, now)
		switch {
		case err == nil:
			holders.Add(1)
		case !errors.Is(err, objects.ErrHeld):
			t.Errorf("racer %d: Acquire = %v, want nil or ErrHeld", racer, err)
		}
	})
	if got := holders.Load(); got != 1 {
		t.Errorf("%d of %d racers hold the lease, want exactly one", got, racers)
	}
}

// testLeaseTurns has every racer try until it had the lease once, and counts how
// many are inside at the same time.
func testLeaseTurns(t *testing.T, store objects.Store) {
	var inside, turns atomic.Int64
	race(func(racer int) {
		lease, err := objects.Acquire(t.Context(), store, leaseName, "racer", ttl, noon)
		for errors.Is(err, objects.ErrHeld) && !t.Failed() {
			lease, err = objects.Acquire(t.Context(), store, leaseName, "racer", ttl, noon)
		}
		if err != nil {
			t.Errorf("racer %d: Acquire: %v", racer, err)
			return
		}
		if now := inside.Add(1); now != 1 {
			t.Errorf("racer %d is inside with %d others", racer, now-1)
		}
		turns.Add(1)
		inside.Add(-1)
		if err := lease.Release(t.Context()); err != nil {
			t.Errorf("racer %d: Release: %v", racer, err)
		}
	})
	if got := turns.Load(); got != racers {
		t.Errorf("%d of %d racers had their turn", got, racers)
	}
}
