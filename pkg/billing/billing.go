// Package billing sells the plan through Stripe (decisions section 5). A [Biller]
// sends the owner of an account to Stripe's own pages to pay ([Biller.Checkout]) and
// to change or end the subscription ([Biller.Portal]); no card data comes here.
//
// What an account has paid for is never taken from an event or from the browser that
// comes back. [Biller.Sync] asks Stripe for the subscriptions of the account's stored
// customer and stores what follows; [Biller.Webhook] and [Biller.Reconcile] only say
// when to ask. Events may therefore be lost, repeated, reordered or forged.
package billing

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85"

	"github.com/listward/listward/pkg/keys"
)

var (
	// ErrSubscribed is returned by Checkout for an account with a subscription, which
	// is to be changed in the portal.
	ErrSubscribed = errors.New("the account has a subscription already")
	// ErrNoCustomer is returned by Portal for an account that was never at the checkout.
	ErrNoCustomer = errors.New("the account has no customer at the payment provider")
	// ErrSignature is returned by Webhook for what Stripe has not signed, or not within
	// the last five minutes.
	ErrSignature = errors.New("the event is not signed by the payment provider")
	// ErrStripe is in every error that came of a request to Stripe. Such an error tells
	// the status, the code and Stripe's id of the request, and none of the answer's
	// text, which may hold a key or personal data.
	ErrStripe = errors.New("the payment provider did not do it")
)

// Accounts is the part of a [keys.Store] that a Biller needs.
type Accounts interface {
	Account(ctx context.Context, id string) (keys.Account, error)
	Accounts(ctx context.Context) ([]keys.Account, error)
	AccountOf(ctx context.Context, customer string) (keys.Account, error)
	SetCustomer(ctx context.Context, account, customer string) (string, error)
	SetSubscription(ctx context.Context, account string, s keys.Subscription) error
}

// Config is how to reach Stripe and what is sold there.
type Config struct {
	Key           string // the secret key, sk_...
	Price         string // the id of the one price that grants the plan, price_...
	WebhookSecret string // of the endpoint for events, whsec_...; empty refuses all
	URL           string // of the API; empty for Stripe itself
}

// Hosts are the origins of the pages that a Biller sends people to.
func (c Config) Hosts() []string {
	if c.URL != "" {
		return []string{strings.TrimSuffix(c.URL, "/")}
	}
	return []string{"https://checkout.stripe.com", "https://billing.stripe.com"}
}

// String leaves the secrets out, whatever a Config is printed with.
func (c Config) String() string { return fmt.Sprintf("{price %s, address %q}", c.Price, c.URL) }

// GoString is String.
func (c Config) GoString() string { return c.String() }

// LogValue is String.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Biller sells the plan. It may be used concurrently, in several processes too.
//
// Each request to Stripe takes at most 20 seconds with its attempts, of which there
// are three; a context ends it earlier.
type Biller struct {
	store         Accounts
	stripe        *stripe.Client
	price         string
	webhookSecret string
	now           func() time.Time
	log           *slog.Logger
}

// New returns a Biller for the accounts. Its log tells which plans have changed and
// which events were of no use, by the ids of accounts and events.
func New(store Accounts, c Config, now func() time.Time, log *slog.Logger) *Biller {
	return &Biller{
		store: store, stripe: connect(c.Key, c.URL),
		price: c.Price, webhookSecret: c.WebhookSecret, now: now, log: log,
	}
}

// Checkout returns the address of a page of Stripe on which the account's owner can
// subscribe, for a day. From there the browser comes to done or back, which prove
// nothing. Earlier pages of the account stop working, so that nobody pays on two.
//
// It returns ErrSubscribed if Stripe has a subscription that grants the plan or may
// do so again, after a Sync since the caller did not know.
func (b *Biller) Checkout(ctx context.Context, account, done, back string) (address string, err error) {
	customer, err := b.customer(ctx, account)
	if err != nil {
		return "", fmt.Errorf("checkout for account %s: %w", account, err)
	}
	// In this order: what is paid before its page is closed is listed.
	err = b.closePages(ctx, customer, "")
	if err == nil {
		err = b.unsubscribed(ctx, customer)
	}
	if errors.Is(err, ErrSubscribed) {
		err = errors.Join(err, b.Sync(ctx, account))
	}
	if err != nil {
		return "", fmt.Errorf("checkout for account %s: %w", account, err)
	}
	page, err := b.stripe.V1CheckoutSessions.Create(ctx, &stripe.CheckoutSessionCreateParams{
		Mode:              stripe.String(stripe.CheckoutSessionModeSubscription),
		Customer:          &customer,
		ClientReferenceID: &account,
		LineItems:         []*stripe.CheckoutSessionCreateLineItemParams{{Price: &b.price, Quantity: stripe.Int64(1)}},
		SuccessURL:        &done,
		CancelURL:         &back,
	})
	if err != nil {
		return "", refused("open a checkout for account "+account, err)
	}
	if err := b.alone(ctx, account, customer, page.ID); err != nil {
		return "", fmt.Errorf("checkout for account %s: %w", account, err)
	}
	return page.URL, nil
}

// alone makes sure, now that a page is open, that no other is, nor is the account gone:
// of two who come to the checkout at once, or of one who deletes the account meanwhile,
// the later sees what the other has done.
func (b *Biller) alone(ctx context.Context, account, customer, page string) error {
	if err := b.closePages(ctx, customer, page); err != nil {
		return err
	}
	if _, err := b.store.Account(ctx, account); err != nil {
		return errors.Join(err, b.closePage(ctx, page))
	}
	return nil
}

// customer returns the account's customer, which it makes at the first use. Of two who
// make one at once, Stripe makes one, and the store keeps one in any case.
func (b *Biller) customer(ctx context.Context, account string) (string, error) {
	a, err := b.store.Account(ctx, account)
	if err != nil || a.Customer != "" {
		return a.Customer, err
	}
	params := &stripe.CustomerCreateParams{Metadata: map[string]string{"account": account}}
	// An account that was deleted and made anew is another customer.
	params.SetIdempotencyKey(fmt.Sprintf("listward-customer-%x", sha256.Sum256(fmt.Appendf(nil, "%s %d", account, a.Created.Unix()))))
	made, err := b.stripe.V1Customers.Create(ctx, params)
	if err != nil {
		return "", refused("make a customer", err)
	}
	return b.store.SetCustomer(ctx, account, made.ID)
}

// closePages ends every checkout of the customer that can still be paid, but for one.
func (b *Biller) closePages(ctx context.Context, customer, but string) error {
	open := &stripe.CheckoutSessionListParams{Customer: &customer, Status: stripe.String(stripe.CheckoutSessionStatusOpen)}
	for page, err := range b.stripe.V1CheckoutSessions.List(ctx, open).All(ctx) {
		if err == nil && page.ID != but {
			err = b.closePage(ctx, page.ID)
		}
		if err != nil {
			return refused("close the open checkouts", err)
		}
	}
	return nil
}

// closePage ends a checkout. That one was paid meanwhile is no error.
func (b *Biller) closePage(ctx context.Context, id string) error {
	_, err := b.stripe.V1CheckoutSessions.Expire(ctx, id, nil)
	if err == nil {
		return nil
	}
	page, readErr := b.stripe.V1CheckoutSessions.Retrieve(ctx, id, nil)
	if readErr == nil && page.Status != stripe.CheckoutSessionStatusOpen {
		return nil
	}
	return err
}

// unsubscribed returns ErrSubscribed for a customer who would pay twice.
func (b *Biller) unsubscribed(ctx context.Context, customer string) error {
	all, err := b.subscriptions(ctx, customer)
	if err != nil {
		return err
	}
	for _, s := range all {
		// The first payment of an incomplete one was not made. It ends within a day.
		if alive(s) && s.Status != stripe.SubscriptionStatusIncomplete {
			return fmt.Errorf("%w: %s is %s", ErrSubscribed, s.ID, s.Status)
		}
	}
	return nil
}

// Portal returns the address of a page of Stripe on which the account's owner can
// change the card, see invoices and end the subscription, and from which the browser
// comes to back. It returns ErrNoCustomer before the first Checkout.
func (b *Biller) Portal(ctx context.Context, account, back string) (address string, err error) {
	a, err := b.store.Account(ctx, account)
	if err == nil && a.Customer == "" {
		err = ErrNoCustomer
	}
	if err != nil {
		return "", fmt.Errorf("portal for account %s: %w", account, err)
	}
	page, err := b.stripe.V1BillingPortalSessions.Create(ctx, &stripe.BillingPortalSessionCreateParams{
		Customer: &a.Customer, ReturnURL: &back,
	})
	if err != nil {
		return "", refused("open the portal for account "+account, err)
	}
	return page.URL, nil
}
