// Package keystest holds the conformance suite of keys.Store. Every
// implementation calls [Run] from a test of its own, so that one machine and the
// cloud judge calls alike.
package keystest

import (
	"crypto/rand"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/keys"
)

// Run checks a store against every rule of keys.Store, one subtest each. It
// calls open once for each of them; open may return the same store again, or one
// that others have used, since the suite makes accounts of its own and looks at
// no others. open closes the store by t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) keys.Store) {
	rules := []struct {
		name string
		rule func(s suite)
	}{
		{"accounts are created once", suite.accounts},
		{"an unknown account is named so", suite.unknownAccount},
		{"a plan counts from the next call on", suite.plan},
		{"a plan is set to the second", suite.planSeconds},
		{"a key is kept as created", suite.createKey},
		{"a secret is registered once", suite.createTwice},
		{"creation needs a running plan", suite.createWithoutPlan},
		{"creation stops at the active keys", suite.createActive},
		{"creation stops at the keys of a day", suite.createPerDay},
		{"creation refuses other than domains", suite.createDomains},
		{"revocation is final", suite.revoke},
		{"a key of another account is unknown", suite.foreignKey},
		{"a lock holds sites out", suite.lock},
		{"a refused lock changes nothing", suite.lockRefused},
		{"a never created key is invalid", suite.neverCreated},
		{"refusals are told in order", suite.order},
		{"calls count on their UTC day", suite.count},
		{"a look does not count", suite.peek},
		{"counts are kept for 31 days", suite.keptDays},
		{"an ended context changes nothing", suite.endedContext},
		{"the allowance is exact at once", suite.limitAtOnce},
		{"the allowance is exact at midnight", suite.limitAtMidnight},
		{"the active keys are exact at once", suite.activeAtOnce},
		{"the keys of a day are exact at once", suite.createdAtOnce},
		{"revocation holds against calls under way", suite.revokeAtOnce},
		{"a plan's end holds against calls under way", suite.planEndAtOnce},
		{"a plan runs as granted or paid", suite.subscription},
		{"of subscriptions at once one is stored", suite.subscriptionsAtOnce},
		{"a customer is of one account", suite.customer},
		{"a label is one line", suite.label},
		{"a deletion leaves nothing", suite.deletion},
		{"a deletion takes keys under way along", suite.deletionAtOnce},
		{"a deletion tells of a customer under way", suite.customerAtOnce},
		{"a plan's change meets keys under way", suite.planAgainstCreation},
		{"random operations agree with a model", suite.randomOperations},
	}
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) { r.rule(suite{t, open(t)}) })
	}
}

// noon is the time of the suite where a rule does not need another.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// suite has the steps that rules are written in. Each fails the test by itself.
type suite struct {
	*testing.T
	store keys.Store
}

// account creates an account, with a plan that runs for a year.
func (s suite) account() string {
	s.Helper()
	id := s.accountWithoutPlan()
	s.setPlan(id, noon.AddDate(1, 0, 0))
	return id
}

func (s suite) accountWithoutPlan() string {
	s.Helper()
	id, err := keys.NewAccountID(rand.Reader)
	s.must(err)
	_, err = s.store.CreateAccount(s.Context(), id, noon)
	s.must(err)
	return id
}

func (s suite) setPlan(account string, until time.Time) {
	s.Helper()
	s.must(s.store.SetPlan(s.Context(), account, until))
}

func (s suite) secret() keys.Secret {
	s.Helper()
	secret, err := keys.New(rand.Reader)
	s.must(err)
	return secret
}

// key creates a key at noon.
func (s suite) key(account string, domains ...string) (keys.Hash, keys.Key) {
	s.Helper()
	secret := s.secret()
	key, err := s.store.CreateKey(s.Context(), account, keys.NewKey{Secret: secret, Domains: domains, Now: noon})
	s.must(err)
	return secret.Hash(), key
}

func (s suite) revokeKey(key keys.Key) {
	s.Helper()
	if err := s.store.RevokeKey(s.Context(), key.Account, key.ID, noon); err != nil {
		s.Error(err)
	}
}

func (s suite) admit(h keys.Hash, at time.Time, hosts ...string) keys.Outcome {
	s.Helper()
	outcome, err := s.store.Admit(s.Context(), h, keys.Call{Now: at, Hosts: hosts})
	if err != nil {
		s.Errorf("Admit at %v from %q: %v", at, hosts, err)
	}
	return outcome
}

// exhaust uses up the allowance of a day.
func (s suite) exhaust(h keys.Hash, at time.Time) {
	together(50, func(int) {
		for range keys.Limit / 50 {
			s.admit(h, at)
		}
	})
}

func (s suite) keys(account string) []keys.Key {
	s.Helper()
	list, err := s.store.Keys(s.Context(), account)
	s.must(err)
	return list
}

func (s suite) wantCode(got keys.Outcome, want keys.Code, when string) {
	s.Helper()
	if got.Code != want {
		s.Errorf("%s: a call is %q, want %q", when, got.Code, want)
	}
}

func (s suite) wantErr(err, want error, what string) {
	s.Helper()
	if !errors.Is(err, want) {
		s.Errorf("%s: error %v, want %v", what, err, want)
	}
}

func (s suite) wantSame(got, want any, what string) {
	s.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("%s differs (-want +got):\n%s", what, diff)
	}
}

func (s suite) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// together runs fn n times at once and waits for all.
func together(n int, fn func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { fn(i) })
	}
	all.Wait()
}
