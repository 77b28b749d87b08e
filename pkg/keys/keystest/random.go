package keystest

import (
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/listward/listward/pkg/keys"
)

// randomOperations drives the store and a model side by side, with clocks that
// also stand still and run backwards, and compares all that can be seen.
func (s suite) randomOperations() {
	rapid.Check(s.T, func(rt *rapid.T) {
		o := operations{suite: s, now: noon}
		o.createAccount(rt)
		rt.Repeat(map[string]func(*rapid.T){
			"":               o.compare,
			"move clock":     o.moveClock,
			"create account": o.createAccount,
			"set plan":       o.setPlan,
			"subscribe":      o.subscribe,
			"create key":     o.createKey,
			"revoke key":     o.revokeKey,
			"lock key":       o.lockKey,
			"label key":      o.labelKey,
			"call":           o.call,
			"look":           o.look,
		})
	})
}

// operations is one run against one model. Each method is one operation.
type operations struct {
	suite suite
	model model
	now   time.Time
}

func (o *operations) compare(rt *rapid.T) {
	ctx, store := o.suite.Context(), o.suite.store
	for _, a := range o.model.accounts {
		account, err := store.Account(ctx, a.ID)
		same(rt, "the account", account, a.Account, err)
		list, err := store.Keys(ctx, a.ID)
		same(rt, "the account's keys", list, a.list(), err)
		usage, err := store.Usage(ctx, a.ID, o.now)
		same(rt, "the account's usage", usage, a.usage(o.now), err)
	}
}

func (o *operations) moveClock(rt *rapid.T) {
	const day = 24 * time.Hour
	o.now = o.now.Add(rapid.SampledFrom([]time.Duration{
		time.Millisecond, 999 * time.Millisecond, -time.Second, time.Hour, -12 * time.Hour, 12 * time.Hour, -day, day, 20 * day, 31 * day,
	}).Draw(rt, "move"))
}

// createAccount adds an account with a plan, since most operations need one.
func (o *operations) createAccount(rt *rapid.T) {
	id, err := keys.NewAccountID(rand.Reader)
	if err != nil {
		rt.Fatal(err)
	}
	account, err := o.suite.store.CreateAccount(o.suite.Context(), id, o.now)
	want := keys.Account{ID: id, Created: o.now.Truncate(time.Second)}
	same(rt, "the created account", account, want, err)
	o.model.accounts = append(o.model.accounts, &modelAccount{Account: want})
	until := o.now.AddDate(0, 2, 0)
	sameErr(rt, "SetPlan", o.suite.store.SetPlan(o.suite.Context(), id, until), o.model.setPlan(id, until))
}

func (o *operations) setPlan(rt *rapid.T) {
	id, until := o.drawAccount(rt), o.drawEnd(rt)
	sameErr(rt, "SetPlan", o.suite.store.SetPlan(o.suite.Context(), id, until), o.model.setPlan(id, until))
}

func (o *operations) subscribe(rt *rapid.T) {
	id := o.drawAccount(rt)
	sub := keys.Subscription{
		Status: rapid.SampledFrom([]string{"active", "past_due"}).Draw(rt, "status"), PaidUntil: o.drawEnd(rt), Revision: rapid.IntRange(0, 3).Draw(rt, "revision"),
	}
	sameErr(rt, "SetSubscription", o.suite.store.SetSubscription(o.suite.Context(), id, sub), o.model.subscribe(id, sub))
}

func (o *operations) drawEnd(rt *rapid.T) time.Time {
	return o.now.Add(rapid.SampledFrom([]time.Duration{
		-time.Hour, 0, 500 * time.Millisecond, time.Hour, 24 * time.Hour, 24 * 60 * time.Hour, 24 * 365 * time.Hour,
	}).Draw(rt, "end"))
}

func (o *operations) createKey(rt *rapid.T) {
	id := o.drawAccount(rt)
	n := keys.NewKey{Secret: o.drawSecret(rt), Label: drawLabel(rt), Domains: drawDomains(rt), Now: o.now}
	_, err := o.suite.store.CreateKey(o.suite.Context(), id, n)
	sameErr(rt, "CreateKey", err, o.model.createKey(id, n))
}

func (o *operations) revokeKey(rt *rapid.T) {
	id, key := o.drawAccount(rt), o.drawSecret(rt).Hash().ID()
	err := o.suite.store.RevokeKey(o.suite.Context(), id, key, o.now)
	sameErr(rt, "RevokeKey", err, o.model.change(id, key, func(k *modelKey) {
		if k.Revoked.IsZero() {
			k.Revoked = o.now.Truncate(time.Second)
		}
	}))
}

func (o *operations) lockKey(rt *rapid.T) {
	id, key, domains := o.drawAccount(rt), o.drawSecret(rt).Hash().ID(), drawDomains(rt)
	err := o.suite.store.LockKey(o.suite.Context(), id, key, domains)
	sameErr(rt, "LockKey", err, o.model.change(id, key, func(k *modelKey) { k.Domains = domains }))
}

func (o *operations) labelKey(rt *rapid.T) {
	id, key, label := o.drawAccount(rt), o.drawSecret(rt).Hash().ID(), drawLabel(rt)
	err := o.suite.store.LabelKey(o.suite.Context(), id, key, label)
	sameErr(rt, "LabelKey", err, o.model.change(id, key, func(k *modelKey) { k.Label = label }))
}

// call makes one call or many at once, now and then more than the allowance.
func (o *operations) call(rt *rapid.T) {
	secret, call := o.drawSecret(rt), o.drawCall(rt)
	n := rapid.SampledFrom([]int{1, 1, 1, 1, 1, 2, 3, 5, 8, 700}).Draw(rt, "calls")
	got, want := map[keys.Code]int{}, map[keys.Code]int{}
	for range n {
		want[o.model.admit(secret, call).Code]++
	}
	var mu sync.Mutex
	together(min(n, 50), func(i int) {
		for range (n + 49 - i) / 50 {
			outcome, err := o.suite.store.Admit(o.suite.Context(), secret.Hash(), call)
			if err != nil {
				o.suite.Error(err)
			}
			mu.Lock()
			got[outcome.Code]++
			mu.Unlock()
		}
	})
	same(rt, "the codes of the calls", got, want, nil)
	o.wantLook(rt, secret, call)
}

func (o *operations) look(rt *rapid.T) { o.wantLook(rt, o.drawSecret(rt), o.drawCall(rt)) }

func (o *operations) wantLook(rt *rapid.T, secret keys.Secret, call keys.Call) {
	got, err := o.suite.store.Peek(o.suite.Context(), secret.Hash(), call)
	same(rt, "the outcome", got, o.model.look(secret, call), err)
}

// drawAccount also draws an account that does not exist.
func (o *operations) drawAccount(rt *rapid.T) string {
	ids := []string{"acct_unknown"}
	for _, a := range o.model.accounts {
		ids = append(ids, a.ID, a.ID)
	}
	return ids[rapid.IntRange(0, len(ids)-1).Draw(rt, "account")]
}

// drawSecret draws the secret of a key, of whichever account, or a new one.
func (o *operations) drawSecret(rt *rapid.T) keys.Secret {
	fresh, err := keys.New(rand.Reader)
	if err != nil {
		rt.Fatal(err)
	}
	secrets := []keys.Secret{fresh}
	for _, a := range o.model.accounts {
		for _, k := range a.keys {
			secrets = append(secrets, k.secret)
		}
	}
	return secrets[rapid.IntRange(0, len(secrets)-1).Draw(rt, "key")]
}

func (o *operations) drawCall(rt *rapid.T) keys.Call {
	return keys.Call{Now: o.now, Vouched: rapid.IntRange(0, 5).Draw(rt, "vouched") == 0, Hosts: rapid.SampledFrom([][]string{
		nil, {"example.com", "*.com"}, {"a.example.com", "*.example.com", "*.com"}, {"example.net", "*.net"},
	}).Draw(rt, "hosts")}
}

func drawDomains(rt *rapid.T) []string {
	return rapid.SampledFrom([][]string{
		nil, nil, {"example.com"}, {"*.example.com", "example.net"},
	}).Draw(rt, "domains")
}

func drawLabel(rt *rapid.T) string {
	return rapid.StringMatching(`[\pL\pN]([\pL\pN\pP ]{0,40}[\pL\pN])?`).Draw(rt, "label")
}

func same(rt *rapid.T, what string, got, want any, err error) {
	rt.Helper()
	if err != nil {
		rt.Fatalf("%s: %v", what, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		rt.Fatalf("%s: (-want +got)\n%s", what, diff)
	}
}

func sameErr(rt *rapid.T, what string, got, want error) {
	rt.Helper()
	if !errors.Is(got, want) {
		rt.Fatalf("%s: error %v, want %v", what, got, want)
	}
}
