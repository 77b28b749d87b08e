package main

import (
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestMidnight: the allowance is whole again at 00:00:00 UTC and not before, once, and
// clocks that disagree do not give it twice.
func TestMidnight(t *testing.T) {
	midnight := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	var clock atomic.Pointer[time.Time]
	set := func(at time.Time) { clock.Store(&at) }
	set(midnight.Add(-100 * time.Millisecond))
	s := startStack(t, testConfig(t, sampleLists), func() time.Time { return *clock.Load() }, slog.New(slog.DiscardHandler))
	secret, err := s.createDemo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	key := secret.Reveal()
	atOnce := func(calls int) (passed int64) {
		var all sync.WaitGroup
		var ok atomic.Int64
		for range 25 {
			all.Go(func() {
				for range calls / 25 {
					if s.call(t, key, "/api/v1/sources").Code == http.StatusOK {
						ok.Add(1)
					}
				}
			})
		}
		all.Wait()
		return ok.Load()
	}
	refused := func(want string) {
		t.Helper()
		answer := s.call(t, key, "/api/v1/sources")
		if answer.Code != http.StatusTooManyRequests || answer.Header().Get("Retry-After") != want {
			t.Errorf("%v: %d, Retry-After %q, want 429 and %s", *clock.Load(), answer.Code, answer.Header().Get("Retry-After"), want)
		}
	}
	if passed := atOnce(1200); passed != 1000 {
		t.Errorf("at 23:59:59.9 %d of 1,200 calls passed", passed)
	}
	refused("1")
	set(midnight)
	if passed := atOnce(1200); passed != 1000 {
		t.Errorf("at 00:00:00 %d of 1,200 calls passed", passed)
	}
	refused("86400")
	set(midnight.Add(-100 * time.Millisecond)) // a clock that is behind
	refused("1")
}
