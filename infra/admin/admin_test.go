package admin_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/infra/admin"
	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/keys/bolt"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// operator runs commands on a store at noon.
type operator struct {
	*testing.T
	store *bolt.Store
}

func newOperator(t *testing.T) operator {
	store, err := bolt.Open(filepath.Join(t.TempDir(), "keys"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return operator{t, store}
}

func (o operator) run(args ...string) (string, error) {
	var out bytes.Buffer
	err := admin.Run(o.Context(), o.store, func() time.Time { return noon }, rand.Reader, args, &out)
	return out.String(), err
}

// want runs a command and reads its JSON into result.
func (o operator) want(result any, args ...string) {
	o.Helper()
	out, err := o.run(args...)
	if err != nil {
		o.Fatalf("admin %q: %v", args, err)
	}
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(result); err != nil {
		o.Fatalf("admin %q prints %s: %v", args, out, err)
	}
}

func (o operator) wantSame(got, want any, what string) {
	o.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		o.Errorf("%s differs (-want +got):\n%s", what, diff)
	}
}

func TestAccounts(t *testing.T) {
	o := newOperator(t)
	if out, err := o.run("account", "list"); out != "[]\n" || err != nil {
		t.Errorf("account list prints %q, error %v, want no accounts", out, err)
	}
	var first, second keys.Account
	o.want(&first, "account", "create")
	o.wantSame(first, keys.Account{ID: first.ID, Created: noon}, "an account without a plan")
	o.want(&second, "account", "create", "--until", "2026-12-31")
	until := time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC)
	o.wantSame(second, keys.Account{ID: second.ID, Created: noon, ActiveUntil: until, Granted: until}, "an account with a plan")

	var all []keys.Account
	o.want(&all, "account", "list")
	if len(all) != 2 || all[0].ID != first.ID && all[1].ID != first.ID {
		t.Errorf("account list has %v, want %v and %v", all, first, second)
	}
}

func TestPlan(t *testing.T) {
	o := newOperator(t)
	var account keys.Account
	o.want(&account, "account", "create")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"grant"}, "2026-12-20T12:00:00Z"},
		{[]string{"grant", "2027-02-01"}, "2027-02-01T00:00:00Z"},
		{[]string{"grant", "2026-11-20T21:00:00+08:00"}, "2026-11-20T13:00:00Z"},
		{[]string{"end"}, "2026-11-20T12:00:00Z"},
	} {
		args := append([]string{"plan", c.args[0], account.ID}, c.args[1:]...)
		var got keys.Account
		o.want(&got, args...)
		if until := got.ActiveUntil.Format(time.RFC3339); until != c.want || got.ID != account.ID {
			t.Errorf("admin %q: the plan of %s runs until %s, want %s until %s", args, got.ID, until, account.ID, c.want)
		}
	}
}

// TestPlanEndsWhatIsPaid: the operator's word counts until the subscription is looked
// at again.
func TestPlanEndsWhatIsPaid(t *testing.T) {
	o := newOperator(t)
	var account keys.Account
	o.want(&account, "account", "create", "--until=2026-12-01")
	paid := keys.Subscription{Status: "active", PeriodEnd: noon.AddDate(0, 1, 0), PaidUntil: noon.AddDate(0, 1, 1)}
	if err := o.store.SetSubscription(t.Context(), account.ID, paid); err != nil {
		t.Fatal(err)
	}
	o.want(&account, "plan", "end", account.ID)
	paid.PaidUntil, paid.Revision = noon, 2
	o.wantSame(account, keys.Account{ID: account.ID, Created: noon, ActiveUntil: noon, Granted: noon, Subscription: paid}, "the ended account")
}

func TestKeys(t *testing.T) {
	o := newOperator(t)
	var account keys.Account
	o.want(&account, "account", "create", "--until=2027-01-01")
	var created struct {
		Plain string `json:"key"`
		keys.Key
	}
	o.want(&created, "key", "create", account.ID, "--label", "web shop", "--domain", "Shop.example", "--domain=*.shop.example")
	secret, err := keys.Parse(created.Plain)
	if err != nil {
		t.Fatalf("key create prints the key %q: %v", created.Plain, err)
	}
	want := keys.Key{
		ID: secret.Hash().ID(), Account: account.ID, Label: "web shop", Hint: secret.Hint(), Created: noon,
		Domains: []string{"shop.example", "*.shop.example"},
	}
	o.wantSame(created.Key, want, "the created key")
	wantList := func(what string, args ...string) {
		t.Helper()
		var list []keys.Key
		o.want(&list, args...)
		o.wantSame(list, []keys.Key{want}, what)
	}
	wantList("the list of keys", "key", "list", account.ID)
	want.Domains = []string{"a.example", "b.example"}
	wantList("the list after a lock", "key", "lock", account.ID, want.ID, "a.example", "b.example")
	want.Domains = nil
	wantList("the list after the lock was taken off", "key", "lock", account.ID, want.ID)

	outcome, err := o.store.Admit(t.Context(), secret.Hash(), keys.Call{Now: noon})
	if outcome.Code != keys.OK || err != nil {
		t.Errorf("a call with the key is %q, error %v, want %q", outcome.Code, err, keys.OK)
	}
	var usage []keys.Usage
	o.want(&usage, "usage", account.ID)
	o.wantSame(usage, []keys.Usage{{Day: "2026-11-20", Key: want.ID, Calls: 1}}, "the usage")

	want.Revoked, want.LastUsed = noon, "2026-11-20"
	wantList("the list after revocation", "key", "revoke", account.ID, want.ID)
	if out, err := o.run("key", "list", account.ID); err != nil || strings.Contains(out, created.Plain) {
		t.Errorf("key list prints %s, error %v, want no key in full", out, err)
	}
}

func TestRefusals(t *testing.T) {
	o := newOperator(t)
	var bare, paid keys.Account
	o.want(&bare, "account", "create")
	o.want(&paid, "account", "create", "--until=2027-01-01")
	for range keys.MaxActive {
		o.want(new(map[string]any), "key", "create", paid.ID)
	}
	for _, c := range []struct {
		args []string
		want error
	}{
		{nil, admin.ErrUsage},
		{[]string{"key"}, admin.ErrUsage},
		{[]string{"account", "delete"}, admin.ErrUsage},
		{[]string{"account", "list", "more"}, admin.ErrUsage},
		{[]string{"account", "create", "--until"}, admin.ErrUsage},
		{[]string{"account", "create", "--until", "tomorrow"}, admin.ErrUsage},
		{[]string{"account", "create", "--until", "2026-11-20"}, admin.ErrUsage},
		{[]string{"plan", "grant"}, admin.ErrUsage},
		{[]string{"plan", "grant", paid.ID, "2026-11-20T12:00:00Z"}, admin.ErrUsage},
		{[]string{"plan", "grant", paid.ID, "2026-13-01"}, admin.ErrUsage},
		{[]string{"key", "revoke", paid.ID}, admin.ErrUsage},
		{[]string{"plan", "grant", "acct_0"}, keys.ErrUnknownAccount},
		{[]string{"plan", "end", "acct_0"}, keys.ErrUnknownAccount},
		{[]string{"key", "list", "acct_0"}, keys.ErrUnknownAccount},
		{[]string{"usage", "acct_0"}, keys.ErrUnknownAccount},
		{[]string{"key", "create", bare.ID}, keys.ErrNoPlan},
		{[]string{"key", "create", paid.ID}, keys.ErrTooManyKeys},
		{[]string{"key", "create", bare.ID, "--domain=https://a.example"}, keys.ErrDomain},
		{[]string{"key", "create", bare.ID, "--domain=a.example,b.example"}, keys.ErrDomain},
		{[]string{"key", "lock", paid.ID, "key_0"}, keys.ErrUnknownKey},
		{[]string{"key", "revoke", paid.ID, "key_0"}, keys.ErrUnknownKey},
	} {
		if out, err := o.run(c.args...); !errors.Is(err, c.want) || out != "" {
			t.Errorf("admin %q prints %q, error %v, want %v", c.args, out, err, c.want)
		}
	}
	var all []keys.Account
	o.want(&all, "account", "list")
	if len(all) != 2 {
		t.Errorf("there are %d accounts after refusals, want the 2 from before: %v", len(all), all)
	}
}

// TestUsageText has help on stdout, and the same with an error in the error.
func TestUsageText(t *testing.T) {
	o := newOperator(t)
	for _, c := range []struct {
		command []string
		want    string
	}{
		{nil, "plan grant <account> [<until>]"},
		{[]string{"key"}, "key lock <account> <key> [<domain> ...]"},
		{[]string{"plan", "grant"}, "Usage: admin plan grant <account> [<until>]"},
	} {
		if _, err := o.run(c.command...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("admin %q: the error %v lacks the usage %q", c.command, err, c.want)
		}
		args := append(slices.Clip(c.command), "--help")
		if out, err := o.run(args...); err != nil || !strings.Contains(out, c.want) {
			t.Errorf("admin %q prints %q, error %v, want the usage %q", args, out, err, c.want)
		}
	}
}

func TestFailures(t *testing.T) {
	o := newOperator(t)
	var account keys.Account
	o.want(&account, "account", "create", "--until=2027-01-01")
	now := func() time.Time { return noon }
	empty := strings.NewReader("")
	for _, args := range [][]string{{"account", "create"}, {"key", "create", account.ID}} {
		if err := admin.Run(t.Context(), o.store, now, empty, args, io.Discard); !errors.Is(err, io.EOF) {
			t.Errorf("admin %q without randomness: error %v, want %v", args, err, io.EOF)
		}
	}
	reader, full := io.Pipe()
	reader.CloseWithError(io.ErrShortWrite)
	for _, args := range [][]string{{"account", "list"}, {"--help"}} {
		if err := admin.Run(t.Context(), o.store, now, rand.Reader, args, full); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("admin %q on a full disk: error %v, want %v", args, err, io.ErrShortWrite)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for _, args := range [][]string{{"account", "list"}, {"account", "create"}, {"key", "create", account.ID}} {
		if err := admin.Run(ended, o.store, now, rand.Reader, args, io.Discard); !errors.Is(err, context.Canceled) {
			t.Errorf("admin %q in an ended context: error %v, want %v", args, err, context.Canceled)
		}
	}
}
