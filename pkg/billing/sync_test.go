package billing_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/billing"
	"github.com/listward/listward/pkg/billing/billingtest"
	"github.com/listward/listward/pkg/keys"
)

// TestOlderAnswerIsNotStored: A has asked before a change, B asks after it, and A is
// the last to store.
func TestOlderAnswerIsNotStored(t *testing.T) {
	b := newBench(t)
	account, customer := b.member("owner")
	s := b.stripe.Set(billingtest.Subscription{Customer: customer})
	b.inBetween(account, func() {
		s.Status = "canceled"
		b.stripe.Set(s)
	})
	b.sync(account) // A
	b.want(account, keys.Subscription{Status: "canceled"})
	if got := b.stored(account).Subscription.Revision; got != 2 {
		t.Errorf("%d answers were stored, want that of B and A's second", got)
	}
}

// TestChangeThatIsTakenBack: B finds what is stored already, and yet A, which asked
// between the change and its end, must not store it.
func TestChangeThatIsTakenBack(t *testing.T) {
	b := newBench(t)
	account, customer := b.member("owner")
	s := b.stripe.Set(billingtest.Subscription{Customer: customer})
	b.sync(account)
	s.Status = "past_due"
	b.stripe.Set(s)
	b.inBetween(account, func() {
		s.Status = "active"
		b.stripe.Set(s)
	})
	b.sync(account) // A
	b.want(account, active())
}

// inBetween has something change at Stripe, and B sync, after the next one has asked
// and before it stores.
func (b *bench) inBetween(account string, change func()) {
	b.store.before = func(string) {
		b.store.before = nil
		change()
		b.sync(account)
	}
}

// TestAlwaysStale: one that is always overtaken gives up, and what the others stored
// stays.
func TestAlwaysStale(t *testing.T) {
	b := newBench(t)
	account, customer := b.member("owner")
	b.stripe.Set(billingtest.Subscription{Customer: customer})
	attempts := 0
	b.store.before = func(string) {
		attempts++
		s := b.stored(account).Subscription
		if err := b.store.Store.SetSubscription(t.Context(), account, s); err != nil {
			t.Error(err)
		}
	}
	if err := b.biller.Sync(t.Context(), account); !errors.Is(err, keys.ErrStale) || attempts != 5 {
		t.Errorf("error %v after %d attempts, want %v after 5", err, attempts, keys.ErrStale)
	}
	b.want(account, keys.Subscription{})
}

// TestCustomersAreApart: each account has what its own customer has paid for.
func TestCustomersAreApart(t *testing.T) {
	b := newBench(t)
	payer, customer := b.member("payer")
	debtor, other := b.member("debtor")
	b.account("guest")
	b.stripe.Set(billingtest.Subscription{Customer: customer})
	b.stripe.Set(billingtest.Subscription{Customer: other, Status: "unpaid"})
	for range 2 {
		b.sync(payer)
		b.sync(debtor)
		b.sync("guest")
		b.want(payer, active())
		b.want(debtor, keys.Subscription{Status: "unpaid"})
		b.want("guest", keys.Subscription{})
	}
	if n := b.stripe.Calls(http.MethodGet, "/v1/subscriptions"); n != 4 {
		t.Errorf("Stripe was asked %d times, want 4: the guest has no customer", n)
	}
}

// TestPages: the one that is paid for is behind two hundred newer ones.
func TestPages(t *testing.T) {
	b := newBench(t)
	account, customer := b.member("owner")
	b.stripe.Set(billingtest.Subscription{Customer: customer})
	for range 200 {
		b.stripe.Set(billingtest.Subscription{Customer: customer, Status: "canceled"})
	}
	b.sync(account)
	b.want(account, active())
	if n := b.stripe.Calls(http.MethodGet, "/v1/subscriptions"); n != 3 {
		t.Errorf("Stripe was asked for %d pages, want 3", n)
	}
}

// TestOtherPriceIsTold: somebody pays and has nothing of it.
func TestOtherPriceIsTold(t *testing.T) {
	b := newBench(t)
	account, customer := b.member("owner")
	s := b.stripe.Set(billingtest.Subscription{Customer: customer, Price: "price_of_before"})
	b.sync(account)
	if !strings.Contains(b.log.String(), s.ID) || !strings.Contains(b.log.String(), `"level":"WARN"`) {
		t.Errorf("%s is not in the log %s", s.ID, b.log.String())
	}
}

// TestReconcile: one account that fails does not stop the others.
func TestReconcile(t *testing.T) {
	b := newBench(t)
	fresh, one := b.member("fresh")
	known, two := b.member("known")
	broken, three := b.member("broken")
	b.account("guest")
	for _, customer := range []string{one, two, three} {
		b.stripe.Set(billingtest.Subscription{Customer: customer})
	}
	b.sync(known)
	b.stripe.Fail(func(r *http.Request) *billingtest.Failure {
		if r.URL.Query().Get("customer") == three {
			return &billingtest.Failure{Status: http.StatusInternalServerError, Body: "{}", Retry: "false"}
		}
		return nil
	})
	tally, err := b.biller.Reconcile(t.Context())
	if diff := cmp.Diff(billing.Tally{Synced: 2, Changed: 1, Failed: 1}, tally); diff != "" {
		t.Errorf("tally (-want +got):\n%s", diff)
	}
	if !errors.Is(err, billing.ErrStripe) || !strings.Contains(err.Error(), broken) || strings.Contains(err.Error(), known) {
		t.Errorf("error %v, want %v of %s alone", err, billing.ErrStripe, broken)
	}
	b.want(fresh, active())
	b.want(known, active())
	b.want(broken, keys.Subscription{})
	b.stripe.Fail(nil)
	tally, err = b.biller.Reconcile(t.Context())
	if diff := cmp.Diff(billing.Tally{Synced: 3, Changed: 1}, tally); diff != "" || err != nil {
		t.Errorf("the next time: error %v, tally (-want +got):\n%s", err, diff)
	}
}

func TestReconcileStopsWithItsContext(t *testing.T) {
	b := newBench(t)
	b.member("one")
	b.member("two")
	ctx, cancel := context.WithCancel(t.Context())
	b.store.before = func(string) { cancel() }
	tally, err := b.biller.Reconcile(ctx)
	if !errors.Is(err, context.Canceled) || tally.Synced+tally.Failed != 1 {
		t.Errorf("error %v, tally %+v, want %v with one account", err, tally, context.Canceled)
	}
}

func TestCancel(t *testing.T) {
	b := newBench(t)
	account, customer := b.member("owner")
	page := b.checkout(account)
	statuses := []string{"active", "trialing", "past_due", "unpaid", "paused", "incomplete", "canceled", "incomplete_expired"}
	for _, status := range statuses {
		b.stripe.Set(billingtest.Subscription{Customer: customer, Status: status})
	}
	other := b.stripe.Set(billingtest.Subscription{Customer: customer, Price: "price_other"})
	stranger := b.stripe.AddCustomer()
	b.stripe.Set(billingtest.Subscription{Customer: stranger})
	b.sync(account)
	for range 2 {
		if err := b.biller.Cancel(t.Context(), account); err != nil {
			t.Fatal(err)
		}
	}
	cancelled := 0
	for _, r := range b.stripe.Requests() {
		if r.Method == http.MethodDelete {
			cancelled++
		}
	}
	if cancelled != 7 {
		t.Errorf("%d were cancelled, want 7: what has ended is left alone", cancelled)
	}
	all := b.stripe.Subscriptions(customer)
	for _, s := range all {
		if s.Status != "canceled" && s.Status != "incomplete_expired" {
			t.Errorf("%s is %s", s.ID, s.Status)
		}
	}
	if len(all) != len(statuses)+1 || all[len(statuses)].ID != other.ID || b.stripe.Subscriptions(stranger)[0].Status != "active" {
		t.Errorf("of the customer: %+v, of another one: %+v", all, b.stripe.Subscriptions(stranger))
	}
	if got := b.stored(account); !got.ActiveUntil.IsZero() || got.Subscription.Status == "" {
		t.Errorf("stored is %+v, want an ended subscription", got)
	}
	if _, err := b.stripe.Pay(path.Base(page)); !errors.Is(err, billingtest.ErrNoPage) {
		t.Errorf("paying after it: error %v, want %v", err, billingtest.ErrNoPage)
	}
}

func TestCancelWhatIsGone(t *testing.T) {
	b := newBench(t)
	if err := b.biller.Cancel(t.Context(), b.account("guest")); err != nil || len(b.stripe.Requests()) != 0 {
		t.Errorf("without a customer: error %v, requests %+v", err, b.stripe.Requests())
	}
	account, customer := b.member("owner")
	s := b.stripe.Set(billingtest.Subscription{Customer: customer})
	b.stripe.Fail(func(r *http.Request) *billingtest.Failure {
		if r.Method == http.MethodDelete { // somebody was faster
			s.Status = "canceled"
			b.stripe.Set(s)
		}
		return nil
	})
	if err := b.biller.Cancel(t.Context(), account); err != nil {
		t.Error(err)
	}
	b.want(account, keys.Subscription{Status: "canceled"})
}

// TestCancelForAnUnknownCustomer: an account whose customer Stripe does not know, such as
// one of its test mode, can be deleted.
func TestCancelForAnUnknownCustomer(t *testing.T) {
	b := newBench(t)
	account := b.account("owner")
	if _, err := b.store.SetCustomer(t.Context(), account, "cus_gone"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(b.biller.Cancel(t.Context(), account), b.biller.CancelCustomer(t.Context(), "cus_gone")); err != nil {
		t.Error(err)
	}
}

// TestReconcileGivesUp after three failures in a row, each of which may take long.
func TestReconcileGivesUp(t *testing.T) {
	b := newBench(t)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		b.member(id)
	}
	b.stripe.Fail(func(*http.Request) *billingtest.Failure {
		return &billingtest.Failure{Status: http.StatusBadGateway, Body: "{}", Retry: "false"}
	})
	tally, err := b.biller.Reconcile(t.Context())
	if diff := cmp.Diff(billing.Tally{Failed: 3}, tally); diff != "" || !errors.Is(err, billing.ErrStripe) {
		t.Errorf("error %v, tally (-want +got):\n%s", err, diff)
	}
}

// TestCancelMayFail: nobody may believe then that it is done.
func TestCancelMayFail(t *testing.T) {
	b := newBench(t)
	account, customer := b.member("owner")
	b.checkout(account)
	b.stripe.Set(billingtest.Subscription{Customer: customer})
	for _, path := range []string{"/v1/checkout/sessions", "/expire", "/v1/subscriptions", "/v1/subscriptions/sub_"} {
		b.stripe.Fail(func(r *http.Request) *billingtest.Failure {
			if strings.HasSuffix(r.URL.Path, path) || strings.HasPrefix(r.URL.Path, path+"test") {
				return &billingtest.Failure{Status: http.StatusBadGateway, Body: "{}", Retry: "false"}
			}
			return nil
		})
		if err := b.biller.Cancel(t.Context(), account); !errors.Is(err, billing.ErrStripe) {
			t.Errorf("%s fails: error %v, want %v", path, err, billing.ErrStripe)
		}
	}
}

// TestStripeIsDown: nothing changes, and nothing of the answer is told.
func TestStripeIsDown(t *testing.T) {
	const text = "key " + billingtest.Key + " of mail@example.com"
	for name, f := range map[string]billingtest.Failure{
		"its error":       {Status: 500, Body: `{"error": {"type": "api_error", "message": "` + text + `"}}`},
		"a refused key":   {Status: 401, Body: `{"error": {"type": "invalid_request_error", "message": "` + text + `"}}`},
		"a missing thing": {Status: 404, Body: `{"error": {"type": "invalid_request_error", "code": "resource_missing", "message": "` + text + `"}}`},
		"a card error":    {Status: 402, Body: `{"error": {"type": "card_error", "message": "` + text + `", "payment_intent": {"client_secret": "` + text + `"}}}`},
		"no JSON":         {Status: 503, Body: text},
		"another JSON":    {Status: 500, Body: `{"message": "` + text + `"}`},
		"a good page":     {Status: 200, Body: "<p>" + text},
		"nothing":         {Status: 200},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			account, customer := b.member("owner")
			b.stripe.Set(billingtest.Subscription{Customer: customer})
			b.sync(account)
			before := b.stored(account)
			f.Retry = "false"
			b.stripe.Fail(func(*http.Request) *billingtest.Failure { return &f })
			b.wantFailures(account, customer)
			if b.stored(account) != before {
				t.Errorf("stored is %+v, was %+v", b.stored(account), before)
			}
		})
	}
}

func (b *bench) wantFailures(account, customer string) {
	b.t.Helper()
	_, checkout := b.biller.Checkout(b.t.Context(), account, done, back)
	_, first := b.biller.Checkout(b.t.Context(), b.account("new"), done, back)
	_, portal := b.biller.Portal(b.t.Context(), account, back)
	_, reconcile := b.biller.Reconcile(b.t.Context())
	payload, signature := b.stripe.Event("invoice.paid", customer)
	for what, err := range map[string]error{
		"Checkout": checkout, "the first Checkout": first, "Portal": portal, "Reconcile": reconcile,
		"Sync":    b.biller.Sync(b.t.Context(), account),
		"Webhook": b.biller.Webhook(b.t.Context(), payload, signature),
		"Cancel":  b.biller.Cancel(b.t.Context(), account),
	} {
		if !errors.Is(err, billing.ErrStripe) {
			b.t.Errorf("%s: error %v, want %v", what, err, billing.ErrStripe)
			continue
		}
		b.wantNoSecrets(err.Error())
		if strings.Contains(err.Error(), "mail@") {
			b.t.Errorf("%s tells the text of the answer: %v", what, err)
		}
	}
	if got := b.stored("new").Customer; got != "" {
		b.t.Errorf("the customer %q was stored", got)
	}
}

// TestRefusalIsNamed: an operator finds it by Stripe's id of the request.
func TestRefusalIsNamed(t *testing.T) {
	b := newBench(t)
	account := b.account("owner")
	if _, err := b.store.Store.SetCustomer(t.Context(), account, "cus_of_another_key"); err != nil {
		t.Fatal(err)
	}
	err := b.biller.Sync(t.Context(), account)
	const want = `status 404, type "invalid_request_error", code "resource_missing", parameter "customer", request "req_test"`
	if !errors.Is(err, billing.ErrStripe) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %v with %s", err, billing.ErrStripe, want)
	}
}

// TestNobodyAnswers: the error says why, and a context ends the attempts.
func TestNobodyAnswers(t *testing.T) {
	b := newBench(t)
	account, _ := b.member("owner")
	gone := httptest.NewServer(nil)
	gone.Close()
	c := b.config()
	c.URL = gone.URL
	if err := b.with(c).Sync(t.Context(), account); !errors.Is(err, billing.ErrStripe) || !strings.Contains(err.Error(), "refused") {
		t.Errorf("error %v, want %v: connection refused", err, billing.ErrStripe)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	b.stripe.Fail(func(*http.Request) *billingtest.Failure {
		cancel()
		return &billingtest.Failure{Status: http.StatusInternalServerError}
	})
	if err := b.biller.Sync(ctx, account); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if n := len(b.stripe.Requests()); n != 1 {
		t.Errorf("Stripe was asked %d times, want once", n)
	}
}
