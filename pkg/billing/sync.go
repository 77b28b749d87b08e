package billing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stripe/stripe-go/v85"

	"github.com/listward/listward/pkg/keys"
)

const (
	// syncAttempts is more than the events that Stripe sends of one change.
	syncAttempts = 5
	// pageSize is the largest that Stripe gives.
	pageSize = 100
)

// maxFailures is after how many failures in a row Reconcile gives up until another day.
const maxFailures = 3

var errStopped = errors.New("too many failures in a row")

// Tally counts the accounts with a customer that Reconcile has looked at.
type Tally struct {
	Synced  int // asked about and stored
	Changed int // of these, with another plan than was stored
	Failed  int
}

// Sync asks Stripe for the subscriptions of the account's customer and stores what
// they grant. After it the stored subscription is one that Stripe had during the call
// or later, however many run at once; after an error it is unchanged or that. It gives
// up with keys.ErrStale when five times in a row another one was faster. An account
// without a customer is left as it is.
func (b *Biller) Sync(ctx context.Context, account string) error {
	_, err := b.sync(ctx, account)
	return err
}

func (b *Biller) sync(ctx context.Context, account string) (changed bool, err error) {
	for range syncAttempts {
		if changed, err = b.try(ctx, account); !errors.Is(err, keys.ErrStale) {
			break
		}
	}
	if err != nil {
		return false, fmt.Errorf("sync account %s: %w", account, err)
	}
	return changed, nil
}

// try stores what Stripe tells even if it is what is stored. The new revision refuses
// those who asked before: their answer may be of a change that was taken back since.
func (b *Biller) try(ctx context.Context, account string) (changed bool, err error) {
	a, err := b.store.Account(ctx, account)
	if err != nil || a.Customer == "" {
		return false, err
	}
	all, err := b.subscriptions(ctx, a.Customer)
	if err != nil {
		return false, err
	}
	b.warn(ctx, account, all)
	was, is := a.Subscription, decide(a.Subscription, all, b.price)
	is.Revision = was.Revision
	if err := b.store.SetSubscription(ctx, account, is); err != nil {
		return false, err
	}
	if same(was, is) {
		return false, nil
	}
	b.log.InfoContext(ctx, "a subscription changed", "account", account,
		"was", was.Status, "is", is.Status, "paid_until", is.PaidUntil.Format(time.RFC3339))
	return true, nil
}

// warn tells of what somebody may pay for without having it.
func (b *Biller) warn(ctx context.Context, account string, all []*stripe.Subscription) {
	for _, s := range all {
		if alive(s) && itemOf(s, b.price) == nil {
			b.log.WarnContext(ctx, "a subscription to another price grants nothing",
				"account", account, "subscription", s.ID, "status", string(s.Status))
		}
	}
}

func same(a, b keys.Subscription) bool {
	return a.Status == b.Status && a.Ends == b.Ends && a.PeriodEnd.Equal(b.PeriodEnd) && a.PaidUntil.Equal(b.PaidUntil)
}

// subscriptions returns all the customer has and had, the newest first.
func (b *Biller) subscriptions(ctx context.Context, customer string) ([]*stripe.Subscription, error) {
	params := &stripe.SubscriptionListParams{Customer: &customer, Status: stripe.String("all")}
	params.Limit = stripe.Int64(pageSize)
	var all []*stripe.Subscription
	for s, err := range b.stripe.V1Subscriptions.List(ctx, params).All(ctx) {
		if err != nil {
			return nil, refused("list the subscriptions", err)
		}
		all = append(all, s)
	}
	return all, nil
}

// Reconcile syncs every account that has a customer, one after the other, for events
// that were lost. One that fails does not keep it from the rest; their errors are
// joined. It stops early with the context, and after three failures in a row, since each
// may have taken the time of all attempts.
func (b *Biller) Reconcile(ctx context.Context) (Tally, error) {
	var t Tally
	accounts, err := b.store.Accounts(ctx)
	if err != nil {
		return t, fmt.Errorf("reconcile: %w", err)
	}
	var failures []error
	inARow := 0
	for _, a := range accounts {
		if a.Customer == "" {
			continue
		}
		if ctx.Err() != nil || inARow == maxFailures {
			failures = append(failures, fmt.Errorf("reconcile: %w", cmp.Or(ctx.Err(), errStopped)))
			break
		}
		changed, err := b.sync(ctx, a.ID)
		switch {
		case errors.Is(err, keys.ErrUnknownAccount): // deleted meanwhile
			continue
		case err != nil:
			t.Failed++
			inARow++
			failures = append(failures, err)
			continue
		case changed:
			t.Changed++
		}
		inARow = 0
		t.Synced++
	}
	return t, errors.Join(failures...)
}

// Cancel ends every subscription of the account's customer at once, without a refund,
// and every checkout that is open, and syncs. It is for the deletion of an account,
// which must wait until it returns nil; it can be repeated. What is gone at Stripe
// already is no error, nor is an account without a customer.
func (b *Biller) Cancel(ctx context.Context, account string) error {
	a, err := b.store.Account(ctx, account)
	if err != nil {
		return fmt.Errorf("cancel for account %s: %w", account, err)
	}
	if a.Customer == "" {
		return nil
	}
	err = b.cancel(ctx, a.Customer)
	if errors.Is(err, errNoSuchCustomer) { // such as one of Stripe's test mode
		return nil
	}
	if err != nil {
		return fmt.Errorf("cancel for account %s: %w", account, err)
	}
	return b.Sync(ctx, account)
}

// CancelCustomer does as Cancel for the customer of an account that is deleted, whom a
// checkout could have reached until then.
func (b *Biller) CancelCustomer(ctx context.Context, customer string) error {
	if err := b.cancel(ctx, customer); err != nil && !errors.Is(err, errNoSuchCustomer) {
		return fmt.Errorf("cancel for customer %s: %w", customer, err)
	}
	return nil
}

func (b *Biller) cancel(ctx context.Context, customer string) error {
	// First, for what is paid before its page is closed is listed.
	if err := b.closePages(ctx, customer, ""); err != nil {
		return err
	}
	all, err := b.subscriptions(ctx, customer)
	if err != nil {
		return err
	}
	for _, s := range all {
		if !alive(s) {
			continue
		}
		_, err := b.stripe.V1Subscriptions.Cancel(ctx, s.ID, nil)
		if err != nil && !missing(err) {
			return refused("cancel "+s.ID, err)
		}
	}
	return nil
}
