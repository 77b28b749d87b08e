package billing_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/billing"
	"github.com/listward/listward/pkg/billing/billingtest"
	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/keys/bolt"
)

const (
	done = "https://listward.example/account?paid"
	back = "https://listward.example/account"
)

// day is when the tests take place.
var day = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

// bench is a biller with a store and a Stripe of its own.
type bench struct {
	t      *testing.T
	stripe *billingtest.Stripe
	store  *hooked
	biller *billing.Biller
	log    bytes.Buffer
}

// hooked is a store in which something happens just before a call.
type hooked struct {
	*bolt.Store
	before func(call string)
}

func (h *hooked) SetSubscription(ctx context.Context, account string, s keys.Subscription) error {
	h.happen("SetSubscription")
	return h.Store.SetSubscription(ctx, account, s)
}

func (h *hooked) SetCustomer(ctx context.Context, account, customer string) (string, error) {
	h.happen("SetCustomer")
	return h.Store.SetCustomer(ctx, account, customer)
}

func (h *hooked) happen(call string) {
	if h.before != nil {
		h.before(call)
	}
}

func newBench(t *testing.T) *bench {
	t.Helper()
	store, err := bolt.Open(filepath.Join(t.TempDir(), "keys"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	b := &bench{t: t, stripe: billingtest.New(t, now), store: &hooked{Store: store}}
	b.biller = b.with(b.config())
	t.Cleanup(func() { b.wantNoSecrets(b.log.String()) })
	return b
}

func now() time.Time { return day }

func (b *bench) config() billing.Config {
	return billing.Config{
		Key: billingtest.Key, Price: billingtest.Price,
		WebhookSecret: billingtest.WebhookSecret, URL: b.stripe.URL,
	}
}

func (b *bench) with(c billing.Config) *billing.Biller {
	return billing.New(b.store, c, now, slog.New(slog.NewJSONHandler(&b.log, nil)))
}

func (b *bench) wantNoSecrets(text string) {
	b.t.Helper()
	for _, secret := range []string{billingtest.Key, billingtest.WebhookSecret} {
		if strings.Contains(text, secret) {
			b.t.Errorf("a secret is in %s", text)
		}
	}
}

// account makes an account without a customer, and member one with.
func (b *bench) account(id string) string {
	b.t.Helper()
	if _, err := b.store.CreateAccount(b.t.Context(), id, day); err != nil {
		b.t.Fatal(err)
	}
	return id
}

func (b *bench) member(id string) (account, customer string) {
	b.t.Helper()
	b.account(id)
	customer, err := b.store.SetCustomer(b.t.Context(), id, b.stripe.AddCustomer())
	if err != nil {
		b.t.Fatal(err)
	}
	return id, customer
}

func (b *bench) sync(account string) {
	b.t.Helper()
	if err := b.biller.Sync(b.t.Context(), account); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) stored(account string) keys.Account {
	b.t.Helper()
	a, err := b.store.Account(b.t.Context(), account)
	if err != nil {
		b.t.Fatal(err)
	}
	return a
}

// want compares what is stored, but for the revision.
func (b *bench) want(account string, want keys.Subscription) {
	b.t.Helper()
	got := b.stored(account).Subscription
	got.Revision = 0
	if diff := cmp.Diff(want, got); diff != "" {
		b.t.Errorf("subscription of %s (-want +got):\n%s", account, diff)
	}
}

func (b *bench) checkout(account string) (address string) {
	b.t.Helper()
	address, err := b.biller.Checkout(b.t.Context(), account, done, back)
	if err != nil {
		b.t.Fatal(err)
	}
	return address
}

// active is what a subscription of the fake's grants that was paid for now.
func active() keys.Subscription {
	end := day.Add(billingtest.Period)
	return keys.Subscription{Status: "active", PeriodEnd: end, PaidUntil: end.Add(24 * time.Hour)}
}

// browse opens a page, or presses its one button and follows nowhere.
func (b *bench) browse(method, address string) (status int, text, next string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, address, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		b.t.Fatal(err)
	}
	return response.StatusCode, string(body), response.Header.Get("Location")
}

// TestCheckout goes all the way: the page is the account's own, coming back from it
// grants nothing, the payment does.
func TestCheckout(t *testing.T) {
	b := newBench(t)
	account := b.account("iss|owner")
	page := b.checkout(account)
	customers := b.stripe.Customers()
	if got := b.stored(account).Customer; len(customers) != 1 || got != customers[0] {
		t.Fatalf("the stored customer is %q, Stripe has %q", got, customers)
	}
	wantForm(t, b, "/v1/customers", url.Values{"metadata[account]": {account}})
	wantForm(t, b, "/v1/checkout/sessions", url.Values{
		"mode": {"subscription"}, "customer": {customers[0]}, "client_reference_id": {account},
		"line_items[0][price]": {billingtest.Price}, "line_items[0][quantity]": {"1"},
		"success_url": {done}, "cancel_url": {back},
	})
	if status, text, _ := b.browse(http.MethodGet, page); status != http.StatusOK || !strings.Contains(text, back) {
		t.Errorf("the page: status %d, %s", status, text)
	}
	b.sync(account)
	b.want(account, keys.Subscription{})
	if status, _, next := b.browse(http.MethodPost, page); status != http.StatusSeeOther || next != done {
		t.Errorf("after paying: status %d to %q, want %s", status, next, done)
	}
	b.sync(account)
	b.want(account, active())
	if got := b.stored(account).ActiveUntil; !got.Equal(active().PaidUntil) {
		t.Errorf("the plan runs until %v, want %v", got, active().PaidUntil)
	}
}

// wantForm looks at the only POST to a path.
func wantForm(t *testing.T, b *bench, path string, want url.Values) {
	t.Helper()
	if n := b.stripe.Calls(http.MethodPost, path); n != 1 {
		t.Errorf("%d times POST %s, want one", n, path)
	}
	for _, r := range b.stripe.Requests() {
		if r.Method == http.MethodPost && r.Path == path {
			got, err := url.ParseQuery(r.Form)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("POST %s, %v (-want +got):\n%s", path, err, diff)
			}
		}
	}
}

// TestCheckoutsAtOnce: however many begin, there is one customer.
func TestCheckoutsAtOnce(t *testing.T) {
	b := newBench(t)
	account := b.account("owner")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := b.biller.Checkout(t.Context(), account, done, back); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := b.stripe.Customers(); len(got) != 1 || b.stored(account).Customer != got[0] {
		t.Errorf("Stripe has the customers %q, stored is %q", got, b.stored(account).Customer)
	}
}

// TestCustomerOfBefore: the one that was stored first is used, by every later call.
func TestCustomerOfBefore(t *testing.T) {
	b := newBench(t)
	account, first := b.account("owner"), b.stripe.AddCustomer()
	b.store.before = func(string) {
		if _, err := b.store.Store.SetCustomer(t.Context(), account, first); err != nil {
			t.Error(err)
		}
	}
	b.checkout(account)
	b.checkout(account)
	for _, r := range b.stripe.Requests() {
		if r.Path == "/v1/checkout/sessions" && !strings.Contains(r.Form, "customer="+first) {
			t.Errorf("%s %s?%s, want the customer %s", r.Method, r.Path, r.Form, first)
		}
	}
	if n := b.stripe.Calls(http.MethodPost, "/v1/customers"); n != 1 {
		t.Errorf("%d customers were made, want one", n)
	}
}

// TestCustomerOfANewAccount: an account that is deleted and made anew is nobody's heir.
func TestCustomerOfANewAccount(t *testing.T) {
	b := newBench(t)
	account := b.account("owner")
	b.checkout(account)
	old := b.stored(account).Customer
	if _, err := b.store.DeleteAccount(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	if _, err := b.store.CreateAccount(t.Context(), account, day.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	b.checkout(account)
	if got := b.stored(account).Customer; got == old {
		t.Errorf("the new account has the customer %s of the old one", got)
	}
}

func TestCheckoutOfASubscriber(t *testing.T) {
	refused := map[string]bool{
		"active": true, "trialing": true, "past_due": true, "unpaid": true, "paused": true, "from_the_future": true,
		"incomplete": false, "incomplete_expired": false, "canceled": false,
	}
	for status, want := range refused {
		t.Run(status, func(t *testing.T) {
			b := newBench(t)
			account, customer := b.member("owner")
			b.stripe.Set(billingtest.Subscription{Customer: customer, Status: status})
			b.stripe.Set(billingtest.Subscription{Customer: b.stripe.AddCustomer()})
			address, err := b.biller.Checkout(t.Context(), account, done, back)
			if got := errors.Is(err, billing.ErrSubscribed); got != want || got != (address == "") {
				t.Errorf("address %q, error %v, want ErrSubscribed: %v", address, err, want)
			}
			if got := b.stored(account).Subscription.Status; want && got != status {
				t.Errorf("the stored status is %q, want it read", got)
			}
		})
	}
}

// TestOnePageIsOpen: who opens a second page cannot pay on the first, and who has paid
// on the first gets no second.
func TestOnePageIsOpen(t *testing.T) {
	b := newBench(t)
	account := b.account("owner")
	first, second := b.checkout(account), b.checkout(account)
	if _, err := b.stripe.Pay(path.Base(first)); !errors.Is(err, billingtest.ErrNoPage) {
		t.Errorf("paying on the first page: error %v, want %v", err, billingtest.ErrNoPage)
	}
	// It is paid just before it would be closed.
	b.stripe.Fail(func(r *http.Request) *billingtest.Failure {
		if strings.HasSuffix(r.URL.Path, "/expire") {
			if _, err := b.stripe.Pay(path.Base(second)); err != nil {
				t.Error(err)
			}
		}
		return nil
	})
	if _, err := b.biller.Checkout(t.Context(), account, done, back); !errors.Is(err, billing.ErrSubscribed) {
		t.Errorf("a checkout after paying: error %v, want %v", err, billing.ErrSubscribed)
	}
	b.want(account, active())
}

// TestPagesAtOnce: of two checkouts that both find nothing open, one page can be paid at
// most.
func TestPagesAtOnce(t *testing.T) {
	b := newBench(t)
	account, _ := b.member("owner")
	var both sync.WaitGroup
	both.Add(2)
	b.stripe.Fail(func(r *http.Request) *billingtest.Failure {
		if r.Method == http.MethodPost && r.URL.Path == "/v1/checkout/sessions" {
			both.Done()
			both.Wait()
		}
		return nil
	})
	addresses := make([]string, 2)
	var all sync.WaitGroup
	for i := range addresses {
		all.Go(func() {
			var err error
			if addresses[i], err = b.biller.Checkout(t.Context(), account, done, back); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	paid := 0
	for _, address := range addresses {
		if _, err := b.stripe.Pay(path.Base(address)); err == nil {
			paid++
		}
	}
	if paid > 1 {
		t.Errorf("%d pages were paid", paid)
	}
}

// TestCheckoutOfADeletedAccount: whichever of the two is later closes the page.
func TestCheckoutOfADeletedAccount(t *testing.T) {
	b := newBench(t)
	account, customer := b.member("owner")
	b.stripe.Fail(func(r *http.Request) *billingtest.Failure {
		if r.Method == http.MethodPost && r.URL.Path == "/v1/checkout/sessions" {
			if _, err := b.store.DeleteAccount(t.Context(), account); err != nil {
				t.Error(err)
			}
		}
		return nil
	})
	if address, err := b.biller.Checkout(t.Context(), account, done, back); !errors.Is(err, keys.ErrUnknownAccount) || address != "" {
		t.Errorf("checkout at %q, error %v, want %v", address, err, keys.ErrUnknownAccount)
	}
	b.stripe.Fail(nil)
	other, customer2 := b.member("other")
	page := b.checkout(other)
	sub := b.stripe.Set(billingtest.Subscription{Customer: customer2})
	if _, err := b.store.DeleteAccount(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := b.biller.CancelCustomer(t.Context(), customer2); err != nil {
			t.Error(err)
		}
	}
	if _, err := b.stripe.Pay(path.Base(page)); !errors.Is(err, billingtest.ErrNoPage) {
		t.Errorf("paying for a deleted account: %v", err)
	}
	for _, s := range append(b.stripe.Subscriptions(customer), b.stripe.Subscriptions(customer2)...) {
		if s.Status != "canceled" {
			t.Errorf("subscription %s is %s, that of %s", s.ID, s.Status, sub.ID)
		}
	}
}

func TestPortal(t *testing.T) {
	b := newBench(t)
	if _, err := b.biller.Portal(t.Context(), b.account("new"), back); !errors.Is(err, billing.ErrNoCustomer) {
		t.Errorf("portal without a customer: error %v, want %v", err, billing.ErrNoCustomer)
	}
	account, customer := b.member("owner")
	b.stripe.Set(billingtest.Subscription{Customer: customer})
	page, err := b.biller.Portal(t.Context(), account, back)
	if err != nil {
		t.Fatal(err)
	}
	wantForm(t, b, "/v1/billing_portal/sessions", url.Values{"customer": {customer}, "return_url": {back}})
	if status, text, _ := b.browse(http.MethodGet, page); status != http.StatusOK || !strings.Contains(text, back) {
		t.Errorf("the page: status %d, %s", status, text)
	}
	if status, _, next := b.browse(http.MethodPost, page); status != http.StatusSeeOther || next != back {
		t.Errorf("after ending: status %d to %q, want %s", status, next, back)
	}
	b.sync(account)
	want := active()
	want.Ends = true
	b.want(account, want)
}

func TestUnknownAccount(t *testing.T) {
	b := newBench(t)
	_, checkout := b.biller.Checkout(t.Context(), "nobody", done, back)
	_, portal := b.biller.Portal(t.Context(), "nobody", back)
	for what, err := range map[string]error{
		"Checkout": checkout, "Portal": portal,
		"Sync": b.biller.Sync(t.Context(), "nobody"), "Cancel": b.biller.Cancel(t.Context(), "nobody"),
	} {
		if !errors.Is(err, keys.ErrUnknownAccount) {
			t.Errorf("%s: error %v, want %v", what, err, keys.ErrUnknownAccount)
		}
	}
	if got := b.stripe.Requests(); len(got) != 0 {
		t.Errorf("Stripe was asked: %+v", got)
	}
}

// TestConfigHidesSecrets prints one in every way.
func TestConfigHidesSecrets(t *testing.T) {
	b := newBench(t)
	c := b.config()
	slog.New(slog.NewTextHandler(&b.log, nil)).Info("configured", "config", c)
	text := fmt.Sprintf("%v %+v %#v %s %q", c, c, c, c, &c) + b.log.String()
	b.wantNoSecrets(text)
	if n := strings.Count(text, billingtest.Price); n != 6 {
		t.Errorf("the price is printed %d times, want 6, in %s", n, text)
	}
}
