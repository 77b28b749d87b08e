package keystest

import (
	"time"

	"github.com/listward/listward/pkg/keys"
)

func (s suite) lock() {
	account := s.account()
	h, key := s.key(account, "example.com", "*.example.org")
	for _, c := range []struct {
		origin string
		want   keys.Code
	}{
		{"https://example.com", keys.OK},
		{"http://EXAMPLE.com:8080", keys.OK},
		{"https://a.example.org", keys.OK},
		{"https://b.a.example.org", keys.OK},
		{"https://example.org", keys.DomainNotAllowed},
		{"https://www.example.com", keys.DomainNotAllowed},
		{"https://evilexample.com", keys.DomainNotAllowed},
		{"https://example.com.evil.net", keys.DomainNotAllowed},
		{"null", keys.DomainNotAllowed},
		{"", keys.DomainNotAllowed},
	} {
		got := s.admit(h, noon, keys.Hosts(c.origin, "")...)
		s.wantCode(got, c.want, "from "+c.origin)
	}
	vouched, err := s.store.Admit(s.Context(), h, keys.Call{Now: noon, Vouched: true})
	s.must(err)
	s.wantCode(vouched, keys.OK, "vouched for")
	s.must(s.store.LockKey(s.Context(), account, key.ID, []string{"example.net"}))
	s.wantCode(s.admit(h, noon, "example.net"), keys.OK, "from the new domain")
	s.wantCode(s.admit(h, noon, "example.com"), keys.DomainNotAllowed, "from the old domain")
	s.must(s.store.LockKey(s.Context(), account, key.ID, nil))
	s.wantCode(s.admit(h, noon), keys.OK, "without a site, after the lock was taken off")
	s.wantCode(s.admit(h, noon, "example.com"), keys.OK, "from a site, after the lock was taken off")
}

func (s suite) lockRefused() {
	account := s.account()
	_, key := s.key(account, "example.com")
	err := s.store.LockKey(s.Context(), account, key.ID, []string{"example.net", "example.org/path"})
	s.wantErr(err, keys.ErrDomain, "lock to a path")
	s.wantSame(s.keys(account), []keys.Key{key}, "the account's keys")
}

func (s suite) neverCreated() {
	h := s.secret().Hash()
	want := keys.Outcome{Code: keys.InvalidKey}
	s.wantSame(s.admit(h, noon), want, "the outcome of a counted call")
	got, err := s.store.Peek(s.Context(), h, keys.Call{Now: noon})
	s.must(err)
	s.wantSame(got, want, "the outcome of a free call")
}

// order makes one key run into all four refusals and takes them away one by one.
func (s suite) order() {
	account := s.account()
	open, openKey := s.key(account)
	locked, lockedKey := s.key(account, "example.com")
	s.exhaust(open, noon)
	s.must(s.store.LockKey(s.Context(), account, openKey.ID, []string{"example.com"}))
	s.setPlan(account, noon)
	want := func(h keys.Hash, code keys.Code, used int, when string, hosts ...string) {
		got := s.admit(h, noon, hosts...)
		s.wantCode(got, code, when)
		if got.Used != used {
			s.Errorf("%s: %d calls used, want %d", when, got.Used, used)
		}
	}
	want(open, keys.MembershipRequired, keys.Limit, "with the plan, the site and the allowance against it")
	s.setPlan(account, noon.AddDate(1, 0, 0))
	want(open, keys.DomainNotAllowed, keys.Limit, "with the site and the allowance against it")
	want(open, keys.QuotaExceeded, keys.Limit, "with the allowance against it", "example.com")
	want(locked, keys.DomainNotAllowed, 0, "with only the site against it")
	s.setPlan(account, noon)
	s.revokeKey(openKey)
	want(open, keys.InvalidKey, keys.Limit, "revoked, with all else against it")
	s.revokeKey(lockedKey)
	want(locked, keys.InvalidKey, 0, "revoked, with the plan and the site against it")
}

func (s suite) count() {
	account := s.account()
	h, key := s.key(account)
	midnight := keys.NextReset(noon)
	for _, c := range []struct {
		at   time.Time
		used int
	}{
		{noon, 1},
		{noon.In(time.FixedZone("UTC+14", 14*3600)), 2},
		{midnight.Add(-time.Nanosecond), 3},
		{midnight, 1},
		{noon, 4}, // a clock that lags behind counts on its own day
		{midnight, 2},
	} {
		want := keys.Outcome{Code: keys.OK, Used: c.used, KeyID: key.ID, Account: account}
		s.wantSame(s.admit(h, c.at), want, "the outcome at "+c.at.String())
	}
	other, otherKey := s.key(account)
	s.admit(other, noon)
	usage, err := s.store.Usage(s.Context(), account, midnight)
	s.must(err)
	want := []keys.Usage{{Day: "2026-11-20", Key: key.ID, Calls: 4}, {Day: "2026-11-20", Key: otherKey.ID, Calls: 1}}
	if otherKey.ID < key.ID {
		want[0], want[1] = want[1], want[0]
	}
	want = append(want, keys.Usage{Day: "2026-11-21", Key: key.ID, Calls: 2})
	s.wantSame(usage, want, "the usage")
	for _, k := range s.keys(account) {
		if want := map[string]string{key.ID: "2026-11-21", otherKey.ID: "2026-11-20"}[k.ID]; k.LastUsed != want {
			s.Errorf("key %s was last used on %q, want %q", k.ID, k.LastUsed, want)
		}
	}
}

func (s suite) peek() {
	account := s.account()
	h, key := s.key(account)
	s.admit(h, noon)
	for range 2 {
		got, err := s.store.Peek(s.Context(), h, keys.Call{Now: noon})
		s.must(err)
		s.wantSame(got, keys.Outcome{Code: keys.OK, Used: 1, KeyID: key.ID, Account: account}, "the outcome of a look")
	}
	s.exhaust(h, noon.AddDate(0, 0, 1))
	got, err := s.store.Peek(s.Context(), h, keys.Call{Now: noon.AddDate(0, 0, 1)})
	s.must(err)
	s.wantCode(got, keys.QuotaExceeded, "a look at an exhausted key")
	_, err = s.store.Peek(s.Context(), h, keys.Call{Now: noon.AddDate(0, 0, 2)})
	s.must(err)
	if got := s.keys(account)[0].LastUsed; got != "2026-11-21" {
		s.Errorf("last used on %q after a look on 2026-11-22, want 2026-11-21", got)
	}
}

// keptDays looks back from the day on which the first count is 30 days old, and
// from the next, once before a call is counted on it and once after.
func (s suite) keptDays() {
	account := s.account()
	h, key := s.key(account)
	days := func(now time.Time) (days []string) {
		usage, err := s.store.Usage(s.Context(), account, now)
		s.must(err)
		for _, u := range usage {
			days = append(days, u.Day)
		}
		return days
	}
	s.admit(h, noon)
	s.admit(h, noon.AddDate(0, 0, 30))
	s.wantSame(days(noon.AddDate(0, 0, 30)), []string{"2026-11-20", "2026-12-20"}, "the days after 30 days")
	s.wantSame(days(noon.AddDate(0, 0, 31)), []string{"2026-12-20"}, "the days after 31 days")
	s.wantSame(days(noon), []string{"2026-11-20", "2026-12-20"}, "the days before the clean-up")
	s.admit(h, noon.AddDate(0, 0, 31))
	s.wantSame(days(noon), []string{"2026-12-20", "2026-12-21"}, "the days after the clean-up")
	want := keys.Outcome{Code: keys.OK, Used: 2, KeyID: key.ID, Account: account}
	s.wantSame(s.admit(h, noon.AddDate(0, 0, 31)), want, "the second call after the clean-up")
}
