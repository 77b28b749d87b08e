package keystest

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/listward/listward/pkg/keys"
)

// limitAtOnce also checks that every call that passed was told another count.
func (s suite) limitAtOnce() {
	h, _ := s.key(s.account())
	var passed, refused atomic.Int64
	var told sync.Map
	together(50, func(int) {
		for range 40 {
			switch got := s.admit(h, noon); got.Code {
			case keys.OK:
				passed.Add(1)
				if _, twice := told.LoadOrStore(got.Used, true); twice || got.Used < 1 || got.Used > keys.Limit {
					s.Errorf("a call was told the count %d, want each of 1 to %d once", got.Used, keys.Limit)
				}
			case keys.QuotaExceeded:
				refused.Add(1)
			}
		}
	})
	if passed.Load() != keys.Limit || refused.Load() != 50*40-keys.Limit {
		s.Errorf("of %d calls %d passed and %d exceeded the quota, want %d to pass",
			50*40, passed.Load(), refused.Load(), keys.Limit)
	}
}

// limitAtMidnight has half of the callers' clocks just before 00:00 UTC and half
// at it, and more calls on either side than may pass.
func (s suite) limitAtMidnight() {
	h, _ := s.key(s.account())
	midnight := keys.NextReset(noon)
	clocks := [2]time.Time{midnight.Add(-100 * time.Millisecond), midnight}
	var passed [2]atomic.Int64
	together(50, func(i int) {
		for range 2*keys.Limit/50 + 4 {
			if s.admit(h, clocks[i%2]).Code == keys.OK {
				passed[i%2].Add(1)
			}
		}
	})
	for i := range clocks {
		if got := passed[i].Load(); got != keys.Limit {
			s.Errorf("%d calls passed at %v, want %d", got, clocks[i], keys.Limit)
		}
	}
}

func (s suite) activeAtOnce() {
	account := s.account()
	var created, refused atomic.Int64
	together(20, func(int) {
		_, err := s.store.CreateKey(s.Context(), account, keys.NewKey{Secret: s.secret(), Now: noon})
		switch {
		case err == nil:
			created.Add(1)
		case errors.Is(err, keys.ErrTooManyKeys):
			refused.Add(1)
		default:
			s.Error(err)
		}
	})
	if created.Load() != keys.MaxActive || refused.Load() != 20-keys.MaxActive {
		s.Errorf("of 20 keys %d were created and %d refused, want %d created", created.Load(), refused.Load(), keys.MaxActive)
	}
	if got := len(s.keys(account)); got != keys.MaxActive {
		s.Errorf("the account has %d keys, want %d", got, keys.MaxActive)
	}
}

// createdAtOnce revokes each key as soon as it is there.
func (s suite) createdAtOnce() {
	account := s.account()
	var created atomic.Int64
	together(8, func(int) {
		for {
			key, err := s.store.CreateKey(s.Context(), account, keys.NewKey{Secret: s.secret(), Now: noon})
			switch {
			case err == nil:
				created.Add(1)
				s.revokeKey(key)
			case errors.Is(err, keys.ErrTooManyCreated):
				return
			case !errors.Is(err, keys.ErrTooManyKeys):
				s.Error(err)
				return
			}
		}
	})
	if got := created.Load(); got != keys.MaxCreatedPerDay {
		s.Errorf("%d keys were created in a day, want %d", got, keys.MaxCreatedPerDay)
	}
	if got := len(s.keys(account)); got != keys.MaxCreatedPerDay {
		s.Errorf("the account has %d keys, want %d", got, keys.MaxCreatedPerDay)
	}
}

func (s suite) revokeAtOnce() {
	h, key := s.key(s.account())
	s.endAtOnce(h, keys.InvalidKey, func() { s.revokeKey(key) })
}

func (s suite) planEndAtOnce() {
	account := s.account()
	h, _ := s.key(account)
	s.endAtOnce(h, keys.MembershipRequired, func() { s.setPlan(account, noon) })
}

// endAtOnce calls with a key from many sides while end takes its right away. Of
// the calls that began after end returned, none may pass.
func (s suite) endAtOnce(h keys.Hash, want keys.Code, end func()) {
	const callers, firstCalls, lastCalls = 16, 8, 4
	var ended atomic.Bool
	var underWay, done sync.WaitGroup
	underWay.Add(callers)
	for range callers {
		done.Go(func() {
			for range firstCalls {
				s.wantCode(s.admit(h, noon), keys.OK, "before the end")
			}
			underWay.Done()
			for !ended.Load() {
				s.admit(h, noon.AddDate(0, 0, 1))
			}
			for range lastCalls {
				s.wantCode(s.admit(h, noon), want, "after the end")
			}
		})
	}
	defer done.Wait()
	defer ended.Store(true)
	underWay.Wait()
	end()
}
