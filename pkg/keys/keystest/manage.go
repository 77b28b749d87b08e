package keystest

import (
	"context"
	"crypto/rand"
	"slices"
	"time"

	"github.com/listward/listward/pkg/keys"
)

func (s suite) accounts() {
	id, err := keys.NewAccountID(rand.Reader)
	s.must(err)
	want := keys.Account{ID: id, Created: noon}
	got, err := s.store.CreateAccount(s.Context(), id, noon.Add(time.Millisecond))
	s.must(err)
	s.wantSame(got, want, "the created account")

	_, err = s.store.CreateAccount(s.Context(), id, noon.Add(time.Hour))
	s.wantErr(err, keys.ErrAccountExists, "create the account again")
	got, err = s.store.Account(s.Context(), id)
	s.must(err)
	s.wantSame(got, want, "the account after a second creation")

	earlier := s.secret().Hash().ID()
	_, err = s.store.CreateAccount(s.Context(), earlier, noon.Add(-time.Hour))
	s.must(err)
	all, err := s.store.Accounts(s.Context())
	s.must(err)
	at := func(id string) int {
		return slices.IndexFunc(all, func(a keys.Account) bool { return a.ID == id })
	}
	if at(earlier) < 0 || at(id) < at(earlier) {
		s.Errorf("Accounts has the earlier account at %d and the later at %d, want both in that order", at(earlier), at(id))
	}
	s.wantSame(s.keys(id), []keys.Key{}, "the keys of a new account")
}

func (s suite) unknownAccount() {
	ctx, id := s.Context(), "acct_unknown"
	_, err := s.store.Account(ctx, id)
	s.wantErr(err, keys.ErrUnknownAccount, "Account")
	s.wantErr(s.store.SetPlan(ctx, id, noon), keys.ErrUnknownAccount, "SetPlan")
	_, err = s.store.CreateKey(ctx, id, keys.NewKey{Secret: s.secret(), Now: noon})
	s.wantErr(err, keys.ErrUnknownAccount, "CreateKey")
	s.wantErr(s.store.RevokeKey(ctx, id, "key_0", noon), keys.ErrUnknownAccount, "RevokeKey")
	s.wantErr(s.store.LockKey(ctx, id, "key_0", nil), keys.ErrUnknownAccount, "LockKey")
	s.wantErr(s.store.LabelKey(ctx, id, "key_0", ""), keys.ErrUnknownAccount, "LabelKey")
	_, err = s.store.SetCustomer(ctx, id, "cus_0")
	s.wantErr(err, keys.ErrUnknownAccount, "SetCustomer")
	s.wantErr(s.store.SetSubscription(ctx, id, keys.Subscription{}), keys.ErrUnknownAccount, "SetSubscription")
	_, err = s.store.DeleteAccount(ctx, id)
	s.wantErr(err, keys.ErrUnknownAccount, "DeleteAccount")
	_, err = s.store.Keys(ctx, id)
	s.wantErr(err, keys.ErrUnknownAccount, "Keys")
	_, err = s.store.Usage(ctx, id, noon)
	s.wantErr(err, keys.ErrUnknownAccount, "Usage")
}

func (s suite) plan() {
	account := s.account()
	h, _ := s.key(account)
	before := s.keys(account)
	for _, step := range []struct {
		until time.Time
		want  keys.Code
		when  string
	}{
		{noon.Add(time.Second), keys.OK, "a second before the plan ends"},
		{noon, keys.MembershipRequired, "at the end of the plan"},
		{noon.AddDate(0, 1, 0), keys.OK, "after renewal"},
		{noon.Add(-time.Hour), keys.MembershipRequired, "after a plan ended by hand"},
		{time.Time{}, keys.MembershipRequired, "without any plan"},
	} {
		s.setPlan(account, step.until)
		got, err := s.store.Peek(s.Context(), h, keys.Call{Now: noon})
		s.must(err)
		s.wantCode(got, step.want, step.when)
		s.wantSame(s.keys(account), before, "the key "+step.when)
	}
}

func (s suite) planSeconds() {
	account := s.account()
	h, _ := s.key(account)
	s.setPlan(account, noon.Add(900*time.Millisecond))
	s.wantCode(s.admit(h, noon.Add(-time.Millisecond)), keys.OK, "before the second")
	s.wantCode(s.admit(h, noon.Add(time.Millisecond)), keys.MembershipRequired, "within the second")
	got, err := s.store.Account(s.Context(), account)
	s.must(err)
	s.wantSame(got.ActiveUntil, noon, "the end of the plan")
}

func (s suite) createKey() {
	account, secret := s.account(), s.secret()
	late := noon.Add(time.Hour).In(time.FixedZone("UTC+8", 8*3600))
	got, err := s.store.CreateKey(s.Context(), account, keys.NewKey{
		Secret: secret, Label: "web ☂", Domains: []string{"Shop.Example.com", "*.bücher.example"}, Now: late,
	})
	s.must(err)
	want := keys.Key{
		ID: secret.Hash().ID(), Account: account, Label: "web ☂", Hint: secret.Hint(),
		Created: noon.Add(time.Hour), Domains: []string{"shop.example.com", "*.xn--bcher-kva.example"},
	}
	s.wantSame(got, want, "the created key")
	if got.Created.Location() != time.UTC {
		s.Errorf("the key was created at %v, want UTC", got.Created)
	}
	_, earlier := s.key(account)
	s.wantSame(s.keys(account), []keys.Key{earlier, want}, "the account's keys")
}

func (s suite) createTwice() {
	account, secret := s.account(), s.secret()
	n := keys.NewKey{Secret: secret, Now: noon}
	key, err := s.store.CreateKey(s.Context(), account, n)
	s.must(err)
	s.revokeKey(key)
	for _, account := range []string{account, s.account()} {
		_, err = s.store.CreateKey(s.Context(), account, n)
		s.wantErr(err, keys.ErrKeyExists, "register a revoked secret again")
	}
	s.wantCode(s.admit(secret.Hash(), noon), keys.InvalidKey, "after trying to register it again")
}

func (s suite) createWithoutPlan() {
	account := s.accountWithoutPlan()
	for _, until := range []time.Time{{}, noon} {
		s.setPlan(account, until)
		_, err := s.store.CreateKey(s.Context(), account, keys.NewKey{Secret: s.secret(), Now: noon})
		s.wantErr(err, keys.ErrNoPlan, "create with a plan until "+until.String())
	}
	s.wantSame(s.keys(account), []keys.Key{}, "the account's keys")
}

func (s suite) createActive() {
	account := s.account()
	var last keys.Key
	for range keys.MaxActive {
		_, last = s.key(account)
	}
	n := keys.NewKey{Secret: s.secret(), Now: noon}
	_, err := s.store.CreateKey(s.Context(), account, n)
	s.wantErr(err, keys.ErrTooManyKeys, "create beyond the active keys")
	s.revokeKey(last)
	_, err = s.store.CreateKey(s.Context(), account, n)
	s.wantErr(err, nil, "create after a revocation")
}

func (s suite) createPerDay() {
	account := s.account()
	for range keys.MaxCreatedPerDay {
		_, key := s.key(account)
		s.revokeKey(key)
	}
	midnight := keys.NextReset(noon)
	n := keys.NewKey{Secret: s.secret(), Now: midnight.Add(-time.Nanosecond)}
	_, err := s.store.CreateKey(s.Context(), account, n)
	s.wantErr(err, keys.ErrTooManyCreated, "create at the end of the same day")
	n.Now = midnight
	_, err = s.store.CreateKey(s.Context(), account, n)
	s.wantErr(err, nil, "create on the next day")
}

func (s suite) createDomains() {
	account := s.account()
	_, err := s.store.CreateKey(s.Context(), account, keys.NewKey{
		Secret: s.secret(), Domains: []string{"example.com", "https://example.com"}, Now: noon,
	})
	s.wantErr(err, keys.ErrDomain, "create with a URL as domain")
	s.wantSame(s.keys(account), []keys.Key{}, "the account's keys")
}

func (s suite) revoke() {
	account := s.account()
	h, key := s.key(account)
	first := noon.Add(time.Minute)
	s.must(s.store.RevokeKey(s.Context(), account, key.ID, first.Add(time.Millisecond)))
	s.must(s.store.RevokeKey(s.Context(), account, key.ID, first.Add(time.Hour)))
	s.must(s.store.LockKey(s.Context(), account, key.ID, []string{"example.com"}))
	s.setPlan(account, noon.AddDate(2, 0, 0))

	want := key
	want.Revoked, want.Domains = first, []string{"example.com"}
	s.wantSame(s.keys(account), []keys.Key{want}, "the revoked key")
	got := s.admit(h, noon.Add(time.Hour), "example.com")
	s.wantSame(got, keys.Outcome{Code: keys.InvalidKey, KeyID: key.ID, Account: account, Domains: "example.com"}, "the outcome of a call")
}

func (s suite) foreignKey() {
	owner, other := s.account(), s.account()
	h, key := s.key(owner)
	for _, id := range []string{key.ID, "key_unknown", ""} {
		s.wantErr(s.store.RevokeKey(s.Context(), other, id, noon), keys.ErrUnknownKey, "revoke "+id)
		s.wantErr(s.store.LockKey(s.Context(), other, id, nil), keys.ErrUnknownKey, "lock "+id)
	}
	s.wantSame(s.keys(owner), []keys.Key{key}, "the owner's keys")
	s.wantCode(s.admit(h, noon), keys.OK, "after another account tried to revoke the key")
}

func (s suite) endedContext() {
	account := s.account()
	h, key := s.key(account)
	before := s.keys(account)
	ended, end := context.WithCancel(s.Context())
	end()
	_, err := s.store.Admit(ended, h, keys.Call{Now: noon})
	s.wantErr(err, context.Canceled, "Admit")
	_, err = s.store.Peek(ended, h, keys.Call{Now: noon})
	s.wantErr(err, context.Canceled, "Peek")
	_, err = s.store.CreateKey(ended, account, keys.NewKey{Secret: s.secret(), Now: noon})
	s.wantErr(err, context.Canceled, "CreateKey")
	s.wantErr(s.store.RevokeKey(ended, account, key.ID, noon), context.Canceled, "RevokeKey")
	s.wantErr(s.store.SetPlan(ended, account, noon), context.Canceled, "SetPlan")
	s.wantSame(s.keys(account), before, "the account's keys")
	s.wantSame(s.admit(h, noon), keys.Outcome{Code: keys.OK, Used: 1, KeyID: key.ID, Account: account}, "the next call")
}
