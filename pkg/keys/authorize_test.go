package keys_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/keys"
)

// fakeStore answers every call with the same, and keeps what it was asked.
type fakeStore struct {
	outcome keys.Outcome
	err     error

	mu     sync.Mutex
	asked  []keys.Hash
	calls  []keys.Call
	peeked int
}

func (f *fakeStore) Admit(_ context.Context, h keys.Hash, c keys.Call) (keys.Outcome, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked, f.calls = append(f.asked, h), append(f.calls, c)
	return f.outcome, f.err
}

func (f *fakeStore) Peek(ctx context.Context, h keys.Hash, c keys.Call) (keys.Outcome, error) {
	f.mu.Lock()
	f.peeked++
	f.mu.Unlock()
	return f.Admit(ctx, h, c)
}

// hangingStore answers only when the caller gives up.
type hangingStore struct{}

func (hangingStore) Admit(ctx context.Context, _ keys.Hash, _ keys.Call) (keys.Outcome, error) {
	<-ctx.Done()
	return keys.Outcome{}, ctx.Err()
}

func (h hangingStore) Peek(ctx context.Context, k keys.Hash, c keys.Call) (keys.Outcome, error) {
	return h.Admit(ctx, k, c)
}

func newAuthorizer(store keys.Admitter) *keys.Authorizer {
	return keys.NewAuthorizer(store, tokens, func() time.Time { return noon }, slog.New(slog.DiscardHandler))
}

func TestAuthorizeHeader(t *testing.T) {
	key := newSecret(t).Reveal()
	for _, c := range []struct {
		values []string
		want   keys.Code
	}{
		{nil, keys.MissingKey},
		{[]string{""}, keys.MissingKey},
		{[]string{"Bearer"}, keys.MissingKey},
		{[]string{"Bearer  "}, keys.MissingKey},
		{[]string{"Basic " + key}, keys.MissingKey},
		{[]string{key}, keys.MissingKey},
		{[]string{"Bearer " + key, "Bearer " + key}, keys.InvalidKey},
		{[]string{"", "Bearer " + key}, keys.InvalidKey},
		{[]string{"Bearer " + key + ", Bearer " + key}, keys.InvalidKey},
		{[]string{"Bearer " + key + " " + key}, keys.InvalidKey},
		{[]string{"Bearer " + strings.ToUpper(key)}, keys.InvalidKey},
		{[]string{"Bearer secret"}, keys.InvalidKey},
		{[]string{"Bearer " + key}, keys.OK},
		{[]string{"bearer " + key}, keys.OK},
		{[]string{" BEARER   " + key + " "}, keys.OK},
	} {
		store := &fakeStore{outcome: keys.Outcome{Code: keys.OK, Used: 1, KeyID: "key_1", Account: "acct_1"}}
		got := newAuthorizer(store).Authorize(t.Context(), keys.Request{Authorization: c.values, RequestID: "r1", Counted: true})
		want := keys.Verdict{Code: c.want, Limit: keys.Limit, Reset: keys.NextReset(noon), RequestID: "r1"}
		if c.want == keys.OK {
			want.Remaining, want.KeyID, want.Account = 999, "key_1", "acct_1"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Authorize with %q differs (-want +got):\n%s", c.values, diff)
		}
		if asked := len(store.asked) > 0; asked != (c.want == keys.OK) {
			t.Errorf("Authorize with %q asked the store: %t", c.values, asked)
		}
	}
}

func TestAuthorizeOutcome(t *testing.T) {
	for _, c := range []struct {
		outcome   keys.Outcome
		remaining int
	}{
		{keys.Outcome{Code: keys.OK, Used: 1000, KeyID: "key_1", Account: "acct_1"}, 0},
		{keys.Outcome{Code: keys.QuotaExceeded, Used: 1000, KeyID: "key_1", Account: "acct_1"}, 0},
		{keys.Outcome{Code: keys.MembershipRequired, Used: 400, KeyID: "key_1", Account: "acct_1"}, 600},
		{keys.Outcome{Code: keys.DomainNotAllowed, Used: 0, KeyID: "key_1", Account: "acct_1"}, 1000},
		{keys.Outcome{Code: keys.InvalidKey, Used: 400, KeyID: "key_1", Account: "acct_1"}, 0},
		{keys.Outcome{Code: keys.InvalidKey}, 0},
		{keys.Outcome{Code: keys.QuotaExceeded, Used: 1001, KeyID: "key_1", Account: "acct_1"}, 0},
	} {
		got := newAuthorizer(&fakeStore{outcome: c.outcome}).Authorize(t.Context(), request(newSecret(t)))
		want := keys.Verdict{
			Code: c.outcome.Code, Limit: keys.Limit, Remaining: c.remaining, Reset: keys.NextReset(noon),
			KeyID: c.outcome.KeyID, Account: c.outcome.Account, RequestID: "r1",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Authorize after %+v differs (-want +got):\n%s", c.outcome, diff)
		}
	}
}

func request(s keys.Secret) keys.Request {
	return keys.Request{Authorization: []string{"Bearer " + s.Reveal()}, RequestID: "r1", Counted: true}
}

func TestAuthorizeAsks(t *testing.T) {
	secret := newSecret(t)
	for _, counted := range []bool{true, false} {
		store := &fakeStore{outcome: keys.Outcome{Code: keys.OK, Used: 3, KeyID: "key_1", Account: "acct_1"}}
		r := request(secret)
		r.Origin, r.Referer, r.Counted = "https://a.example", "https://b.example/", counted
		if got := newAuthorizer(store).Authorize(t.Context(), r); got.Remaining != 997 {
			t.Errorf("Authorize with counted %t leaves %d calls, want 997", counted, got.Remaining)
		}
		want := []keys.Call{{Now: noon, Hosts: []string{"a.example", "*.example"}}}
		if diff := cmp.Diff(want, store.calls); diff != "" || !slices.Equal(store.asked, []keys.Hash{secret.Hash()}) {
			t.Errorf("the store was asked about %x; calls differ (-want +got):\n%s", store.asked, diff)
		}
		if peeked := store.peeked == 1; peeked == counted {
			t.Errorf("Authorize with counted %t looked without counting: %t", counted, peeked)
		}
	}
}

// TestAuthorizeFails looks for the cause in the log and for the key nowhere.
func TestAuthorizeFails(t *testing.T) {
	secret := newSecret(t)
	store := &fakeStore{outcome: keys.Outcome{Code: keys.OK, KeyID: "key_1"}, err: errors.New("the disk is full")}
	var log bytes.Buffer
	a := keys.NewAuthorizer(store, tokens, func() time.Time { return noon }, slog.New(slog.NewJSONHandler(&log, nil)))
	want := keys.Verdict{Code: keys.Unavailable, Limit: keys.Limit, Reset: keys.NextReset(noon), RequestID: "r1"}
	for range 2 { // and it does not take the key for an unknown one
		if diff := cmp.Diff(want, a.Authorize(t.Context(), request(secret))); diff != "" {
			t.Errorf("Authorize with a failing store differs (-want +got):\n%s", diff)
		}
	}
	for _, part := range []string{"the disk is full", `"request_id":"r1"`, secret.Hash().ID()} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the log lacks %q: %s", part, &log)
		}
	}
	if strings.Contains(log.String(), secret.Reveal()) {
		t.Errorf("the log shows the key %s: %s", secret.Reveal(), &log)
	}
}

func TestAuthorizeDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		a := keys.NewAuthorizer(hangingStore{}, tokens, time.Now, slog.New(slog.DiscardHandler))
		got := a.Authorize(t.Context(), request(newSecret(t)))
		if took := time.Since(start); got.Code != keys.Unavailable || took != 2*time.Second {
			t.Errorf("a store that hangs gives %q after %v, want %q after 2s", got.Code, took, keys.Unavailable)
		}
	})
}

func TestAuthorizeRemembersUnknown(t *testing.T) {
	now := noon
	store := &fakeStore{outcome: keys.Outcome{Code: keys.InvalidKey}}
	a := keys.NewAuthorizer(store, tokens, func() time.Time { return now }, slog.New(slog.DiscardHandler))
	secret := newSecret(t)
	for _, c := range []struct {
		after time.Duration
		asked int
	}{
		{0, 1}, {time.Second, 1}, {59 * time.Second, 1}, {60 * time.Second, 2}, {119 * time.Second, 2},
	} {
		now = noon.Add(c.after)
		got := a.Authorize(t.Context(), request(secret))
		want := keys.Verdict{Code: keys.InvalidKey, Limit: keys.Limit, Reset: keys.NextReset(now), RequestID: "r1"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Authorize with an unknown key after %v differs (-want +got):\n%s", c.after, diff)
		}
		if len(store.asked) != c.asked {
			t.Errorf("after %v the store was asked %d times, want %d", c.after, len(store.asked), c.asked)
		}
	}
	a.Authorize(t.Context(), request(newSecret(t)))
	if len(store.asked) != 3 {
		t.Errorf("another key was not asked about: the store was asked %d times, want 3", len(store.asked))
	}
}

// TestAuthorizeForgetsNoRefusal asks the store each time about keys that exist.
func TestAuthorizeForgetsNoRefusal(t *testing.T) {
	for _, code := range []keys.Code{keys.InvalidKey, keys.MembershipRequired, keys.DomainNotAllowed, keys.QuotaExceeded} {
		store := &fakeStore{outcome: keys.Outcome{Code: code, KeyID: "key_1", Account: "acct_1"}}
		a, secret := newAuthorizer(store), newSecret(t)
		a.Authorize(t.Context(), request(secret))
		store.outcome.Code = keys.OK
		if got := a.Authorize(t.Context(), request(secret)); got.Code != keys.OK {
			t.Errorf("after %q the next call is %q, want %q", code, got.Code, keys.OK)
		}
	}
}

// TestAuthorizeUnknownIsBounded has more unknown keys than are remembered, from
// several callers.
func TestAuthorizeUnknownIsBounded(t *testing.T) {
	store := &fakeStore{outcome: keys.Outcome{Code: keys.InvalidKey}}
	a, first := newAuthorizer(store), newSecret(t)
	a.Authorize(t.Context(), request(first))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 10_000 / 8 {
				a.Authorize(t.Context(), request(newSecret(t)))
			}
		})
	}
	all.Wait()
	asked := len(store.asked)
	if a.Authorize(t.Context(), request(first)); len(store.asked) != asked+1 {
		t.Errorf("of 10,001 unknown keys the first is still remembered")
	}
	if a.Authorize(t.Context(), request(first)); len(store.asked) != asked+1 {
		t.Errorf("the key that was asked about last is not remembered")
	}
}

// tokens are of a fixed key.
func tokens(context.Context) (keys.TokenKey, error) {
	return keys.NewTokenKey([]byte("secret of the tests"))
}

// TestAuthorizeTokens: a token counts on its key, for a search alone, and passes the lock
// only from the service's own page.
func TestAuthorizeTokens(t *testing.T) {
	secret := newSecret(t)
	key, err := tokens(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fresh, old := key.Mint(secret.Hash(), noon.Add(time.Minute)), key.Mint(secret.Hash(), noon)
	for _, tt := range []struct {
		token          string
		searching, own bool
		want           keys.Code
		vouched        bool
	}{
		{fresh, true, true, keys.OK, true},
		{fresh, true, false, keys.OK, false},
		{fresh, false, true, keys.InvalidKey, false},
		{old, true, true, keys.InvalidKey, false},
		{fresh[:len(fresh)-1], true, true, keys.InvalidKey, false},
	} {
		store := &fakeStore{outcome: keys.Outcome{Code: keys.OK, Used: 1, KeyID: "key_1", Account: "acct_1"}}
		got := newAuthorizer(store).Authorize(t.Context(), keys.Request{
			Authorization: []string{"Bearer " + tt.token}, RequestID: "r1", Counted: true, Searching: tt.searching, Own: tt.own,
		})
		asked := len(store.asked) == 1 && store.asked[0] == secret.Hash() && store.calls[0].Vouched == tt.vouched
		if got.Code != tt.want || asked != (tt.want == keys.OK) {
			t.Errorf("%+v: %s; the store was asked %v %+v", tt, got.Code, len(store.asked), store.calls)
		}
	}
}

// TestAuthorizeFrames: the key of a search box stands in its address; a Referer must be
// of its domains, and without one the browser keeps the lock.
func TestAuthorizeFrames(t *testing.T) {
	secret := newSecret(t)
	plain := secret.Reveal()
	for _, tt := range []struct {
		keys    []string
		referer string
		want    keys.Code
		vouched bool
	}{
		{[]string{plain}, "", keys.OK, true},
		{[]string{plain}, "https://a.example/", keys.OK, false},
		{nil, "", keys.MissingKey, false},
		{[]string{""}, "", keys.MissingKey, false},
		{[]string{plain, plain}, "", keys.InvalidKey, false},
		{[]string{plain + "x"}, "", keys.InvalidKey, false},
	} {
		store := &fakeStore{outcome: keys.Outcome{Code: keys.OK, KeyID: "key_1", Account: "acct_1", Domains: "a.example"}}
		got := newAuthorizer(store).Authorize(t.Context(), keys.Request{
			Authorization: []string{"Bearer " + newSecret(t).Reveal()}, RequestID: "r1", Frame: true, Key: tt.keys, Referer: tt.referer,
		})
		if got.Code != tt.want || tt.want == keys.OK && (store.asked[0] != secret.Hash() || store.peeked != 1 || store.calls[0].Vouched != tt.vouched || got.Domains != "a.example") {
			t.Errorf("%+v: %+v; the store was asked %+v", tt, got, store.calls)
		}
	}
}

// TestAuthorizeWithoutTokens: a key of tokens that cannot be had makes tokens
// unavailable, and nothing else.
func TestAuthorizeWithoutTokens(t *testing.T) {
	store := &fakeStore{outcome: keys.Outcome{Code: keys.OK, KeyID: "key_1", Account: "acct_1"}}
	none := func(context.Context) (keys.TokenKey, error) { return keys.TokenKey{}, errors.New("nobody answers") }
	a := keys.NewAuthorizer(store, none, func() time.Time { return noon }, slog.New(slog.DiscardHandler))
	for bearer, want := range map[string]keys.Code{"lwe_x": keys.Unavailable, newSecret(t).Reveal(): keys.OK} {
		got := a.Authorize(t.Context(), keys.Request{Authorization: []string{"Bearer " + bearer}, RequestID: "r1", Counted: true, Searching: true})
		if got.Code != want {
			t.Errorf("%.4s: %s, want %s", bearer, got.Code, want)
		}
	}
}
