package billing_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/listward/listward/pkg/billing"
	"github.com/listward/listward/pkg/billing/billingtest"
	"github.com/listward/listward/pkg/keys"
)

// deliver sends an event as Stripe would.
func (b *bench) deliver(payload []byte, signature string) {
	b.t.Helper()
	if err := b.biller.Webhook(b.t.Context(), payload, signature); err != nil {
		b.t.Fatal(err)
	}
}

func TestSignature(t *testing.T) {
	b := newBench(t)
	account, customer := b.member("owner")
	payload, good := b.stripe.Event("customer.subscription.deleted", customer)
	_, mac, _ := strings.Cut(good, "v1=")
	sign := func(secret string, at time.Time) string { return billingtest.Sign(payload, secret, at) }
	const secret = billingtest.WebhookSecret
	for name, tt := range map[string]struct {
		payload []byte
		header  string
		taken   bool
	}{
		"as sent":           {payload, good, true},
		"five minutes old":  {payload, sign(secret, day.Add(-5*time.Minute)), true},
		"a clock ahead":     {payload, sign(secret, day.Add(time.Minute)), true},
		"two secrets":       {payload, strings.Replace(good, "v1=", "v1=00ff,v1=", 1), true},
		"unknown schemes":   {payload, good + ",v0=00ff,v2=zz,rest", true},
		"none":              {payload, "", false},
		"stale":             {payload, sign(secret, day.Add(-5*time.Minute-time.Second)), false},
		"stale, made new":   {payload, strings.Replace(sign(secret, day.Add(-time.Hour)), "t=", "t=1795253400,t=", 1), false},
		"another time":      {payload, "t=1795253401,v1=" + mac, false},
		"no time":           {payload, "v1=" + mac, false},
		"time is no number": {payload, "t=now,v1=" + mac, false},
		"another secret":    {payload, sign("whsec_other", day), false},
		"no secret":         {payload, sign("", day), false},
		"another scheme":    {payload, strings.Replace(good, "v1=", "v0=", 1), false},
		"cut":               {payload, good[:len(good)-2], false},
		"another payload":   {append([]byte(" "), payload...), good, false},
		"an empty payload":  {nil, good, false},
	} {
		t.Run(name, func(t *testing.T) {
			b.stripe.Set(billingtest.Subscription{Customer: customer})
			before, asked := b.stored(account), len(b.stripe.Requests())
			err := b.biller.Webhook(t.Context(), tt.payload, tt.header)
			if tt.taken {
				if err != nil || b.stored(account) == before {
					t.Errorf("error %v, want it taken", err)
				}
				return
			}
			if !errors.Is(err, billing.ErrSignature) {
				t.Errorf("error %v, want %v", err, billing.ErrSignature)
			}
			if b.stored(account) != before || len(b.stripe.Requests()) != asked {
				t.Error("something was done for it")
			}
		})
	}
}

// TestNoWebhookSecret: who has configured none takes no event, for anyone could sign.
func TestNoWebhookSecret(t *testing.T) {
	b := newBench(t)
	_, customer := b.member("owner")
	c := b.config()
	c.WebhookSecret = ""
	payload, _ := b.stripe.Event("invoice.paid", customer)
	err := b.with(c).Webhook(t.Context(), payload, billingtest.Sign(payload, "", day))
	if !errors.Is(err, billing.ErrSignature) {
		t.Errorf("error %v, want %v", err, billing.ErrSignature)
	}
}

// TestEventsRepeatedAndReordered: whichever event comes when, what is stored is what
// Stripe has.
func TestEventsRepeatedAndReordered(t *testing.T) {
	b := newBench(t)
	account, customer := b.member("owner")
	var events [][2]string
	record := func(kind string) {
		payload, signature := b.stripe.Event(kind, customer)
		events = append(events, [2]string{string(payload), signature})
	}
	s := b.stripe.Set(billingtest.Subscription{Customer: customer, Status: "incomplete"})
	record("customer.subscription.created")
	s.Status = "active"
	b.stripe.Set(s)
	record("invoice.paid")
	record("checkout.session.completed")
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 1, 1, 0, 0}} {
		for _, i := range order {
			b.deliver([]byte(events[i][0]), events[i][1])
			b.want(account, active())
		}
	}
	s.Status = "canceled"
	b.stripe.Set(s)
	record("customer.subscription.deleted")
	for _, i := range []int{3, 2, 1, 0, 3} {
		b.deliver([]byte(events[i][0]), events[i][1])
		b.want(account, keys.Subscription{Status: "canceled"})
	}
}

// TestEventsAtOnce changes a subscription from several sides, each followed by its
// event. The last word is Stripe's, whoever was last to write.
func TestEventsAtOnce(t *testing.T) {
	b := newBench(t)
	account, customer := b.member("owner")
	s := b.stripe.Set(billingtest.Subscription{Customer: customer})
	var all sync.WaitGroup
	for i, status := range []string{"active", "past_due", "canceled", "unpaid", "trialing", "paused", "incomplete", "active"} {
		all.Go(func() {
			mine := s
			mine.Status, mine.End = status, s.End.Add(time.Duration(i)*time.Hour)
			b.stripe.Set(mine)
			payload, signature := b.stripe.Event("customer.subscription.updated", customer)
			err := b.biller.Webhook(t.Context(), payload, signature)
			for errors.Is(err, keys.ErrStale) { // Stripe sends it again
				err = b.biller.Webhook(t.Context(), payload, signature)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	last := b.stripe.Subscriptions(customer)[0]
	got := b.stored(account).Subscription
	if got.Status != last.Status || got.Revision < 8 || !got.PeriodEnd.IsZero() && !got.PeriodEnd.Equal(last.End) {
		t.Errorf("stored is %+v, Stripe has %+v", got, last)
	}
}

// TestEventsProveNothing: an event about a customer syncs that customer's account,
// whatever else it says.
func TestEventsProveNothing(t *testing.T) {
	b := newBench(t)
	payer, customer := b.member("payer")
	victim, other := b.member("victim")
	b.stripe.Set(billingtest.Subscription{Customer: customer})
	for _, as := range []any{customer, map[string]any{"id": customer, "object": "customer", "metadata": map[string]string{"account": victim}}} {
		b.deliver(b.stripe.EventOf("checkout.session.completed", map[string]any{
			"object": "checkout.session", "customer": as, "client_reference_id": victim,
			"metadata": map[string]string{"account": victim, "customer": other}, "status": "complete",
			"subscription": "sub_of_another",
		}))
		b.want(payer, active())
		b.want(victim, keys.Subscription{})
	}
}

func TestIgnoredEvents(t *testing.T) {
	b := newBench(t)
	account, _ := b.member("owner")
	before := b.stored(account)
	const none, nobody = "it has no customer", "its customer is of no account"
	for name, tt := range map[string]struct {
		object any
		reason string
	}{
		"null":      {map[string]any{"customer": nil}, none},
		"none":      {map[string]any{"object": "customer", "id": "cus_1"}, none},
		"empty":     {map[string]any{"customer": ""}, none},
		"no object": {nil, none},
		"of nobody": {map[string]any{"customer": b.stripe.AddCustomer()}, nobody},
	} {
		b.log.Reset()
		payload, signature := b.stripe.EventOf("customer.created", tt.object)
		b.deliver(payload, signature)
		var event struct{ ID string }
		if err := json.Unmarshal(payload, &event); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{event.ID, `"type":"customer.created"`, tt.reason} {
			if !strings.Contains(b.log.String(), part) {
				t.Errorf("%s: %s is not in the log %s", name, part, b.log.String())
			}
		}
	}
	if got := b.stripe.Requests(); len(got) != 0 || b.stored(account) != before {
		t.Errorf("Stripe was asked %+v, stored is %+v", got, b.stored(account))
	}
}

// TestThePagesTell: what is done on the hosted pages arrives as events, before the
// browser goes on, and they notice when nobody takes those.
func TestThePagesTell(t *testing.T) {
	b := newBench(t)
	account := b.account("owner")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		payload, err := io.ReadAll(r.Body)
		if err == nil {
			err = b.biller.Webhook(r.Context(), payload, r.Header.Get("Stripe-Signature"))
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
	defer server.Close()
	b.stripe.DeliverTo(server.URL)
	b.browse(http.MethodPost, b.checkout(account))
	b.want(account, active())
	page, err := b.biller.Portal(t.Context(), account, back)
	if err != nil {
		t.Fatal(err)
	}
	b.browse(http.MethodPost, page)
	want := active()
	want.Ends = true
	b.want(account, want)
	b.stripe.Fail(func(*http.Request) *billingtest.Failure {
		return &billingtest.Failure{Status: http.StatusInternalServerError, Retry: "false"}
	})
	if _, err := b.stripe.End(path.Base(page)); !errors.Is(err, billingtest.ErrRefused) {
		t.Errorf("an event that is not taken: error %v, want %v", err, billingtest.ErrRefused)
	}
}

// TestDeletedMeanwhile: an account that goes while it is looked after is no error.
func TestDeletedMeanwhile(t *testing.T) {
	b := newBench(t)
	for what, look := range map[string]func(customer string) error{
		"Webhook": func(customer string) error {
			payload, signature := b.stripe.Event("invoice.paid", customer)
			return b.biller.Webhook(t.Context(), payload, signature)
		},
		"Reconcile": func(string) error {
			tally, err := b.biller.Reconcile(t.Context())
			if tally != (billing.Tally{}) {
				t.Errorf("tally %+v, want nothing counted", tally)
			}
			return err
		},
	} {
		account, customer := b.member(what)
		b.store.before = func(string) {
			b.store.before = nil
			if _, err := b.store.DeleteAccount(t.Context(), account); err != nil {
				t.Error(err)
			}
		}
		if err := look(customer); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := b.store.Account(t.Context(), account); !errors.Is(err, keys.ErrUnknownAccount) {
			t.Errorf("%s: the account: error %v, want %v", what, err, keys.ErrUnknownAccount)
		}
	}
}

func TestSignedRubbish(t *testing.T) {
	b := newBench(t)
	var syntax *json.SyntaxError
	payload := []byte("<event>")
	err := b.biller.Webhook(t.Context(), payload, billingtest.Sign(payload, billingtest.WebhookSecret, day))
	if !errors.As(err, &syntax) {
		t.Errorf("error %v, want a %T", err, syntax)
	}
}
