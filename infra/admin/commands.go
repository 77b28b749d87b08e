package admin

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/listward/listward/pkg/keys"
)

type accountCreate struct {
	Until moment `help:"Let a plan run until then (RFC 3339 or YYYY-MM-DD). Without it there is none." placeholder:"DATE"`
}

// Run creates an account and prints it.
func (c *accountCreate) Run(ctx context.Context, o *operator) error {
	now := o.now()
	var until time.Time
	if !c.Until.IsZero() {
		var err error
		if until, err = c.Until.until(now); err != nil {
			return err
		}
	}
	id, err := keys.NewAccountID(o.random)
	if err != nil {
		return err
	}
	account, err := o.store.CreateAccount(ctx, id, now)
	if err != nil {
		return err
	}
	if until.IsZero() {
		return o.print(account)
	}
	return o.setPlan(ctx, id, until)
}

type accountList struct{}

// Run prints all accounts.
func (c *accountList) Run(ctx context.Context, o *operator) error {
	accounts, err := o.store.Accounts(ctx)
	if err != nil {
		return err
	}
	return o.print(accounts)
}

type planGrant struct {
	Account string `arg:"" help:"Id of the account."`
	Until   moment `arg:"" optional:"" help:"RFC 3339 or YYYY-MM-DD (from 00:00 UTC of that day on it has ended). Without it a month from now, and no less than the plan has."`
}

// Run grants a plan and prints the account.
func (c *planGrant) Run(ctx context.Context, o *operator) error {
	if c.Until.IsZero() {
		return o.grantMonth(ctx, c.Account)
	}
	until, err := c.Until.until(o.now())
	if err != nil {
		return err
	}
	return o.setPlan(ctx, c.Account, until)
}

// grantMonth never shortens a plan that was granted for longer.
func (o *operator) grantMonth(ctx context.Context, id string) error {
	account, err := o.store.Account(ctx, id)
	if err != nil {
		return err
	}
	until := o.now().AddDate(0, 1, 0)
	if account.Granted.After(until) {
		until = account.Granted
	}
	return o.setPlan(ctx, id, until)
}

type planEnd struct {
	Account string `arg:"" help:"Id of the account."`
}

// Run ends a plan, granted or paid, and prints the account. A subscription that goes on
// at Stripe makes it run again as soon as it is looked at.
func (c *planEnd) Run(ctx context.Context, o *operator) error {
	account, err := o.store.Account(ctx, c.Account)
	if err != nil {
		return err
	}
	if paid := account.Subscription; paid.PaidUntil.After(o.now()) {
		paid.PaidUntil = o.now()
		if err := o.store.SetSubscription(ctx, c.Account, paid); err != nil {
			return err
		}
	}
	return o.setPlan(ctx, c.Account, o.now())
}

func (o *operator) setPlan(ctx context.Context, id string, until time.Time) error {
	if err := o.store.SetPlan(ctx, id, until); err != nil {
		return err
	}
	account, err := o.store.Account(ctx, id)
	if err != nil {
		return err
	}
	return o.print(account)
}

type keyCreate struct {
	Account string   `arg:"" help:"Id of the account."`
	Label   string   `help:"What the key is for." placeholder:"TEXT"`
	Domain  []string `help:"Allow this domain only; may be repeated." placeholder:"DOMAIN" sep:"none"`
}

// Run creates a key and prints it, with the key itself as "key".
func (c *keyCreate) Run(ctx context.Context, o *operator) error {
	secret, err := keys.New(o.random)
	if err != nil {
		return err
	}
	key, err := o.store.CreateKey(ctx, c.Account, keys.NewKey{
		Secret: secret, Label: c.Label, Domains: c.Domain, Now: o.now(),
	})
	if err != nil {
		return err
	}
	return o.print(struct {
		Plain string `json:"key"`
		keys.Key
	}{secret.Reveal(), key})
}

// keyID is the id of a key. A key in its place is a slip that must not be shown
// back, nor land in a log of commands.
type keyID string

var errKeyForID = errors.New("give the key's id, which begins with key_ (see key list), not the key itself")

// UnmarshalText reads an id from the command line.
func (k *keyID) UnmarshalText(text []byte) error {
	if strings.HasPrefix(string(text), "lw_") {
		return errKeyForID
	}
	*k = keyID(text)
	return nil
}

type keyRevoke struct {
	Account string `arg:"" help:"Id of the account."`
	Key     keyID  `arg:"" help:"Id of the key, not the key itself."`
}

// Run revokes a key and prints the account's keys.
func (c *keyRevoke) Run(ctx context.Context, o *operator) error {
	if err := o.store.RevokeKey(ctx, c.Account, string(c.Key), o.now()); err != nil {
		return err
	}
	return o.printKeys(ctx, c.Account)
}

type keyLock struct {
	Account string   `arg:"" help:"Id of the account."`
	Key     keyID    `arg:"" help:"Id of the key, not the key itself."`
	Domains []string `arg:"" optional:"" name:"domain" help:"The domains allowed from now on; none takes the lock off."`
}

// Run locks a key and prints the account's keys.
func (c *keyLock) Run(ctx context.Context, o *operator) error {
	if err := o.store.LockKey(ctx, c.Account, string(c.Key), c.Domains); err != nil {
		return err
	}
	return o.printKeys(ctx, c.Account)
}

type keyList struct {
	Account string `arg:"" help:"Id of the account."`
}

// Run prints the account's keys.
func (c *keyList) Run(ctx context.Context, o *operator) error { return o.printKeys(ctx, c.Account) }

func (o *operator) printKeys(ctx context.Context, account string) error {
	list, err := o.store.Keys(ctx, account)
	if err != nil {
		return err
	}
	return o.print(list)
}

type usage struct {
	Account string `arg:"" help:"Id of the account."`
}

// Run prints the account's usage.
func (c *usage) Run(ctx context.Context, o *operator) error {
	rows, err := o.store.Usage(ctx, c.Account, o.now())
	if err != nil {
		return err
	}
	return o.print(rows)
}
