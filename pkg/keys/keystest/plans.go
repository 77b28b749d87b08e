package keystest

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/listward/listward/pkg/keys"
)

// subscribe stores a subscription behind the one that is stored.
func (s suite) subscribe(account string, sub keys.Subscription) keys.Subscription {
	s.Helper()
	sub.Revision = s.read(account).Subscription.Revision
	s.must(s.store.SetSubscription(s.Context(), account, sub))
	sub.Revision++
	return sub
}

func (s suite) read(account string) keys.Account {
	s.Helper()
	a, err := s.store.Account(s.Context(), account)
	s.must(err)
	return a
}

// subscription: the plan runs until the later of what was paid and what was granted.
func (s suite) subscription() {
	account := s.accountWithoutPlan()
	paid := keys.Subscription{Status: "active", PeriodEnd: noon.Add(24 * time.Hour), Ends: true, PaidUntil: noon.Add(48*time.Hour + time.Millisecond)}
	want := s.subscribe(account, paid)
	want.PaidUntil = noon.Add(48 * time.Hour)
	s.wantSame(s.read(account), keys.Account{ID: account, Created: noon, ActiveUntil: want.PaidUntil, Subscription: want}, "the paying account")
	h, _ := s.key(account)
	until := func(hours int, code keys.Code, when string) {
		s.Helper()
		s.wantCode(s.admit(h, noon.Add(time.Duration(hours)*time.Hour)), code, when)
	}
	until(47, keys.OK, "in what was paid")
	until(48, keys.MembershipRequired, "after what was paid")
	s.setPlan(account, noon.Add(96*time.Hour))
	until(48, keys.OK, "in what was granted")
	s.subscribe(account, keys.Subscription{Status: "canceled"})
	until(95, keys.OK, "in what was granted, after the subscription ended")
	s.setPlan(account, noon)
	until(1, keys.MembershipRequired, "after both ended")
	s.subscribe(account, paid)
	until(1, keys.OK, "after it was paid again")
}

// subscriptionsAtOnce: of those that were decided on the same, one is stored.
func (s suite) subscriptionsAtOnce() {
	account := s.account()
	var stored atomic.Int64
	together(8, func(int) {
		switch err := s.store.SetSubscription(s.Context(), account, keys.Subscription{Status: "active"}); {
		case err == nil:
			stored.Add(1)
		case !errors.Is(err, keys.ErrStale):
			s.Error(err)
		}
	})
	if stored.Load() != 1 || s.read(account).Subscription.Revision != 1 {
		s.Errorf("%d were stored, the revision is %d, want 1 and 1", stored.Load(), s.read(account).Subscription.Revision)
	}
	for _, revision := range []int{0, 2} {
		err := s.store.SetSubscription(s.Context(), account, keys.Subscription{Revision: revision})
		s.wantErr(err, keys.ErrStale, "store one of another revision")
	}
}

func (s suite) customer() {
	account, other, customer := s.account(), s.account(), "cus_"+s.secret().Hash().ID()
	_, err := s.store.AccountOf(s.Context(), customer)
	s.wantErr(err, keys.ErrUnknownCustomer, "look up a customer of nobody")
	for _, given := range []string{customer, "cus_other"} {
		got, err := s.store.SetCustomer(s.Context(), account, given)
		s.must(err)
		s.wantSame(got, customer, "the customer that is stored")
	}
	_, err = s.store.SetCustomer(s.Context(), other, customer)
	s.wantErr(err, keys.ErrCustomerTaken, "give it to another account")
	_, err = s.store.AccountOf(s.Context(), "cus_other")
	s.wantErr(err, keys.ErrUnknownCustomer, "look up the customer that was not stored")
	got, err := s.store.AccountOf(s.Context(), customer)
	s.must(err)
	want := s.read(account)
	s.wantSame(want.Customer, customer, "the account's customer")
	s.wantSame(got, want, "the customer's account")
	s.subscribe(account, keys.Subscription{Status: "active", PeriodEnd: noon, PaidUntil: noon})
	all, err := s.store.Accounts(s.Context())
	s.must(err)
	if want = s.read(account); !slices.Contains(all, want) {
		s.Errorf("the list of accounts lacks %+v", want)
	}
}

func (s suite) label() {
	account := s.account()
	_, key := s.key(account)
	s.must(s.store.LabelKey(s.Context(), account, key.ID, "  Büro 办公室 "))
	key.Label = "Büro 办公室"
	s.wantSame(s.keys(account), []keys.Key{key}, "the keys after a label")
	for _, label := range []string{strings.Repeat("x", 61), "two\nlines", "a\x00b", "\xff"} {
		s.wantErr(s.store.LabelKey(s.Context(), account, key.ID, label), keys.ErrLabel, "label "+label)
		_, err := s.store.CreateKey(s.Context(), account, keys.NewKey{Secret: s.secret(), Label: label, Now: noon})
		s.wantErr(err, keys.ErrLabel, "create with the label "+label)
	}
	s.wantErr(s.store.LabelKey(s.Context(), s.account(), key.ID, "mine"), keys.ErrUnknownKey, "label a key of another account")
	s.wantSame(s.keys(account), []keys.Key{key}, "the keys after refusals")
	s.must(s.store.LabelKey(s.Context(), account, key.ID, strings.Repeat("字", 60)))
}

// deletion leaves nothing of an account with more keys than fit into one transaction.
func (s suite) deletion() {
	account, customer := s.account(), "cus_"+s.secret().Hash().ID()
	_, err := s.store.SetCustomer(s.Context(), account, customer)
	s.must(err)
	for i := range 5 * keys.MaxCreatedPerDay {
		key, err := s.store.CreateKey(s.Context(), account, keys.NewKey{Secret: s.secret(), Now: noon.AddDate(0, 0, 1+i/keys.MaxCreatedPerDay)})
		s.must(err)
		s.revokeKey(key)
	}
	h, key := s.key(account)
	s.admit(h, noon)
	neighbour, kept := s.key(s.account())

	before := s.read(account)
	deleted, err := s.store.DeleteAccount(s.Context(), account)
	s.must(err)
	s.wantSame(deleted, before, "the deleted account")
	_, err = s.store.Account(s.Context(), account)
	s.wantErr(err, keys.ErrUnknownAccount, "read the account")
	_, err = s.store.DeleteAccount(s.Context(), account)
	s.wantErr(err, keys.ErrUnknownAccount, "delete it again")
	_, err = s.store.AccountOf(s.Context(), customer)
	s.wantErr(err, keys.ErrUnknownCustomer, "look up its customer")
	s.wantSame(s.admit(h, noon), keys.Outcome{Code: keys.InvalidKey}, "the outcome of a call with its key")
	s.wantCode(s.admit(neighbour, noon), keys.OK, "with the key "+kept.ID+" of another account")

	_, err = s.store.CreateAccount(s.Context(), account, noon)
	s.must(err)
	s.wantSame(s.read(account), keys.Account{ID: account, Created: noon}, "an account of the same id")
	s.wantSame(s.keys(account), []keys.Key{}, "its keys")
	s.wantErr(s.store.RevokeKey(s.Context(), account, key.ID, noon), keys.ErrUnknownKey, "revoke a key of before")
}

// customerAtOnce: a customer that is set while its account is deleted is refused, or told
// to who deletes it.
func (s suite) customerAtOnce() {
	account, customer := s.account(), "cus_"+s.secret().Hash().ID()
	var deleted keys.Account
	var set error
	together(2, func(i int) {
		if i == 0 {
			var err error
			deleted, err = s.store.DeleteAccount(s.Context(), account)
			s.must(err)
			return
		}
		_, set = s.store.SetCustomer(s.Context(), account, customer)
	})
	if set != nil {
		s.wantErr(set, keys.ErrUnknownAccount, "set a customer")
	}
	if told := deleted.Customer == customer; told != (set == nil) {
		s.Errorf("setting a customer: %v; the deleted account has %q", set, deleted.Customer)
	}
}

// deletionAtOnce: a key that is created while its account is deleted is deleted with it.
func (s suite) deletionAtOnce() {
	account := s.account()
	var mu sync.Mutex
	var created []keys.Hash
	together(6, func(i int) {
		if i == 0 {
			_, err := s.store.DeleteAccount(s.Context(), account)
			s.must(err)
			return
		}
		secret := s.secret()
		_, err := s.store.CreateKey(s.Context(), account, keys.NewKey{Secret: secret, Now: noon})
		if err != nil {
			s.wantErr(err, keys.ErrUnknownAccount, "create a key")
			return
		}
		mu.Lock()
		defer mu.Unlock()
		created = append(created, secret.Hash())
	})
	for _, h := range created {
		s.wantSame(s.admit(h, noon), keys.Outcome{Code: keys.InvalidKey}, "the outcome of a call after the deletion")
	}
}

// planAgainstCreation: a key that is created while the plan changes has the plan's end.
func (s suite) planAgainstCreation() {
	account := s.account()
	var mu sync.Mutex
	var created []keys.Hash
	together(8, func(i int) {
		if i%2 == 0 {
			s.setPlan(account, noon.AddDate(0, 0, 1+i))
			return
		}
		secret := s.secret()
		_, err := s.store.CreateKey(s.Context(), account, keys.NewKey{Secret: secret, Now: noon})
		s.must(err)
		mu.Lock()
		defer mu.Unlock()
		created = append(created, secret.Hash())
	})
	end := s.read(account).ActiveUntil
	for _, h := range created {
		s.wantCode(s.admit(h, end.Add(-time.Second)), keys.OK, "before the plan's end")
		s.wantCode(s.admit(h, end), keys.MembershipRequired, "at the plan's end")
	}
	if len(created) != 4 {
		s.Errorf("%d keys were created, want 4", len(created))
	}
}
