package account_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/listward/listward/pkg/billing/billingtest"
	"github.com/listward/listward/pkg/keys"
)

// subscribe pays on Stripe's page and comes back.
func (p *person) subscribe() page {
	p.Helper()
	p.client.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(p.stripe.URL, "http://"+r.URL.Host) && r.Method == http.MethodGet {
			return http.ErrUseLastResponse
		}
		return nil
	}
	to := p.post("/account/checkout")
	p.client.CheckRedirect = nil
	address := to.header.Get("Location")
	if to.status != http.StatusSeeOther || !strings.HasPrefix(address, p.stripe.URL+"/") {
		p.Fatalf("checkout: %d to %s", to.status, address)
	}
	back, err := p.stripe.Pay(address[strings.LastIndex(address, "/")+1:])
	if err != nil || !strings.HasPrefix(back, p.url+"/account?") {
		p.Fatalf("paid, and back at %s: %v", back, err)
	}
	return p.get(strings.TrimPrefix(back, p.url))
}

func (p *person) account() keys.Account {
	p.Helper()
	a, err := p.store.Account(p.Context(), p.id())
	if err != nil {
		p.Fatal(err)
	}
	return a
}

// TestSubscription: coming back from paying shows the plan at once; only Stripe's word
// grants it.
func TestSubscription(t *testing.T) {
	p := newWorld(t).signedIn("ada")
	if got := p.get("/account?paid"); p.account().ActiveUntil.After(time.Now()) || !strings.Contains(got.body, "waiting for your payment") {
		t.Error("the address alone grants the plan")
	}
	if got := p.subscribe(); !strings.Contains(got.body, "Your plan is running.") || !strings.Contains(got.body, "Renews on") {
		t.Errorf("after paying: %s", got.body)
	}
	if end := p.account().ActiveUntil; end.Sub(time.Now().Add(billingtest.Period+24*time.Hour)).Abs() > time.Minute {
		t.Errorf("the plan runs until %v", end)
	}
	p.createKey()
	// A second subscription is not sold: the person is led to the portal.
	p.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	token := p.token()
	for _, path := range []string{"/account/checkout", "/account/portal"} {
		if to := p.submit(path, "token", token).header.Get("Location"); !strings.HasPrefix(to, p.stripe.URL+"/p/session/") {
			t.Errorf("%s of a subscriber leads to %s", path, to)
		}
	}
}

func TestStripeIsDown(t *testing.T) {
	p := newWorld(t).signedIn("ada")
	p.subscribe()
	p.createKey()
	p.stripe.Fail(func(*http.Request) *billingtest.Failure {
		return &billingtest.Failure{Status: 500, Body: `{"error": {"message": "secret text"}}`, Retry: "false"}
	})
	for _, path := range []string{"/account/portal", "/account/delete"} {
		got := p.post(path, "confirm", "yes")
		p.wantRefused(got, 503, "unavailable", path)
		if strings.Contains(got.body+p.log.String(), "secret text") {
			t.Errorf("%s shows or logs Stripe's words", path)
		}
	}
	if len(p.keys()) != 1 {
		t.Error("the account is deleted while its subscription goes on")
	}
	if got := p.get("/account?paid"); got.status != 200 {
		t.Errorf("the first page: %d", got.status)
	}
}

func TestDeletion(t *testing.T) {
	w := newWorld(t)
	p := w.signedIn("ada")
	p.subscribe()
	p.createKey()
	elsewhere := w.signedIn("ada")
	if got := p.post("/account/delete"); got.status != 400 || !strings.Contains(got.body, "Tick the box") {
		t.Errorf("without the box: %d", got.status)
	}
	got := p.post("/account/delete", "confirm", "yes")
	if got.location != "/account" || !strings.Contains(got.body, "Your account and its keys are deleted.") {
		t.Errorf("deleted: %d at %s", got.status, got.location)
	}
	if all, err := w.store.Accounts(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("accounts %v, %v, want none", all, err)
	}
	for _, sub := range w.stripe.Subscriptions(w.stripe.Customers()[0]) {
		if sub.Status != "canceled" {
			t.Errorf("a subscription is %s", sub.Status)
		}
	}
	old := elsewhere.cookie("listward-session")
	refused := elsewhere.get("/account/keys")
	elsewhere.wantRefused(refused, 401, "sign_in_required", "in another browser")
	if strings.Contains(refused.body, "ada@") {
		t.Error("the page of a deleted account knows the person")
	}
	w.late = time.Second // an account that is made anew in the same second is the same
	again := w.signedIn("ada")
	elsewhere.setCookie("listward-session", old)
	elsewhere.wantRefused(elsewhere.get("/account/keys"), 401, "sign_in_required", "with a session of before the deletion")
	if len(again.keys()) != 0 || !again.account().ActiveUntil.IsZero() {
		t.Error("who signs in again has something of before")
	}
}

// TestDeletionMeetsACheckout: the first checkout of an account, opened in another tab while
// the account is being deleted, cannot be paid afterwards.
func TestDeletionMeetsACheckout(t *testing.T) {
	w := newWorld(t)
	p := w.signedIn("ada")
	id, customer, page := p.id(), w.stripe.AddCustomer(), ""
	w.before = func() { // between the look at the account and its deletion
		if _, err := w.store.SetCustomer(t.Context(), id, customer); err != nil {
			t.Error(err)
		}
		var err error
		if page, err = w.payments.Checkout(t.Context(), id, w.url, w.url); err != nil {
			t.Error(err)
		}
	}
	p.post("/account/delete", "confirm", "yes")
	if page == "" {
		t.Fatal("the other tab was not opened")
	}
	if _, err := w.stripe.Pay(page[strings.LastIndex(page, "/")+1:]); !errors.Is(err, billingtest.ErrNoPage) {
		t.Errorf("paying for a deleted account: %v, want %v", err, billingtest.ErrNoPage)
	}
}

// TestDeletionWithoutPayments: who pays is not forgotten because payments are off.
func TestDeletionWithoutPayments(t *testing.T) {
	w := newWorldWith(t, false)
	p := w.signedIn("ada")
	if _, err := w.store.SetCustomer(t.Context(), p.id(), "cus_1"); err != nil {
		t.Fatal(err)
	}
	p.wantRefused(p.post("/account/delete", "confirm", "yes"), 503, "unavailable", "delete an account with a customer")
	p.wantRefused(p.post("/account/checkout"), 404, "not_found", "pay where nothing is sold")
	if p.id() == "" {
		t.Error("the account is gone")
	}
}

func TestExport(t *testing.T) {
	p := newWorld(t).signedIn("ada").grant()
	p.createKey("label", "shop")
	got := p.get("/account/data.json")
	var exported struct {
		Email   string
		Account keys.Account
		Keys    []keys.Key
		Usage   []keys.Usage
	}
	if err := json.Unmarshal([]byte(got.body), &exported); err != nil || exported.Email != "ada@listward.example" || exported.Account != p.account() ||
		len(exported.Keys) != 1 || exported.Keys[0].Label != "shop" || exported.Usage == nil {
		t.Errorf("export %+v, %v", exported, err)
	}
	if got.header.Get("Content-Disposition") != "attachment; filename=listward-account.json" {
		t.Errorf("Content-Disposition %q", got.header.Get("Content-Disposition"))
	}
}

// TestUsage shows the calls of today and of thirty days.
func TestUsage(t *testing.T) {
	p := newWorld(t).signedIn("ada").grant()
	secret, err := keys.Parse(p.createKey("label", "shop"))
	if err != nil {
		t.Fatal(err)
	}
	for _, back := range []int{0, 0, 29, 30} {
		outcome, err := p.store.Admit(t.Context(), secret.Hash(), keys.Call{Now: time.Now().AddDate(0, 0, -back)})
		if err != nil || outcome.Code != keys.OK {
			t.Fatal(outcome, err)
		}
	}
	body := p.get("/account").body
	for _, want := range []string{`<td class="number">2</td><td class="number">998</td>`, "3 calls, at most 2 on one day."} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if bars := strings.Count(body, "<rect"); bars != 2 {
		t.Errorf("the chart has %d bars, want those of two days", bars)
	}
}
