package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/listward/listward/infra/browser"
	"github.com/listward/listward/pkg/billing"
	"github.com/listward/listward/pkg/billing/billingtest"
	"github.com/listward/listward/pkg/keys"
)

// look checks what a person with a screen reader meets, and saves a picture in the folder
// SCREENSHOTS, if that is set, for one with eyes.
func look(p *browser.Page, name string) {
	p.CheckAccessible()
	if folder := os.Getenv("SCREENSHOTS"); folder != "" {
		p.Screenshot(filepath.Join(folder, name+".png"))
	}
}

// useKey calls the API, from a site if there is one, and returns the status and the code
// of the error.
func (r running) useKey(t *testing.T, key, origin string) string {
	t.Helper()
	call, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url+"/api/v1/screen?name=Putin", nil)
	if err != nil {
		t.Fatal(err)
	}
	call.Header.Set("Authorization", "Bearer "+key)
	if origin != "" {
		call.Header.Set("Origin", origin)
	}
	answer, err := http.DefaultClient.Do(call)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var body struct{ Error struct{ Code string } }
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(strconv.Itoa(answer.StatusCode) + " " + body.Error.Code)
}

// wantUse says what a call with a key must come to.
func (r running) wantUse(t *testing.T, key, origin, want string) {
	t.Helper()
	if got := r.useKey(t, key, origin); got != want {
		t.Errorf("a call from %q: %s, want %s", origin, got, want)
	}
}

// TestAccountAreaInABrowser goes the way of a customer: pays, creates a key, uses it,
// locks it, is refused from elsewhere, revokes it, and deletes the account.
func TestAccountAreaInABrowser(t *testing.T) {
	chromium := browser.Open(t)
	stripe := billingtest.New(t, time.Now)
	c := testConfig(t, sampleLists)
	c.stripe = billing.Config{Key: billingtest.Key, Price: billingtest.Price, WebhookSecret: billingtest.WebhookSecret, URL: stripe.URL}
	s := runStack(t, c)
	stripe.DeliverTo(s.url + "/billing/stripe")

	p := chromium.Page(t)
	p.Size(1024, 900)
	p.Navigate(s.url + "/account")
	look(p, "welcome-en")
	p.Submit(`a.button`)
	wantText(t, p, "h1", "Overview")
	look(p, "overview-granted-en")

	s.buyInBrowser(t, p, c)
	key := s.createInBrowser(t, p)
	s.lockInBrowser(t, p, key)
	p.Submit(`a.danger`)
	look(p, "revoke-en")
	p.Submit(`button.danger`)
	wantText(t, p, ".notice", "The key is revoked. Calls with it fail from now on.")
	look(p, "keys-revoked-en")
	s.wantUse(t, key, "https://shop.example", "401 invalid_key")

	s.lookInChinese(t, p, stripe)
	s.deleteInBrowser(t, p, c, stripe)
	p.CheckQuiet(strings.TrimPrefix(stripe.URL, "http://"))
}

// buyInBrowser buys the plan when the operator's grant has ended.
func (r running) buyInBrowser(t *testing.T, p *browser.Page, c config) {
	t.Helper()
	runCommand(t, c, nil, "plan", "end", demoAccount())
	p.Navigate(r.url + "/account")
	wantText(t, p, ".facts .tag", "Ended")
	look(p, "overview-ended-en")
	r.wantUse(t, demoKey(t, c), "", "403 membership_required")
	p.Submit(`form[action$="/account/checkout"] button`)
	p.Submit(`#pay`)
	wantText(t, p, ".facts .tag", "Active")
	look(p, "overview-paid-en")
	r.wantUse(t, demoKey(t, c), "", "200")
}

// createInBrowser creates a key, after a slip of the pen, and returns it.
func (r running) createInBrowser(t *testing.T, p *browser.Page) (key string) {
	t.Helper()
	p.Navigate(r.url + "/account/keys")
	look(p, "keys-en")
	p.Fill("#label", "Web shop")
	p.Fill("#domains", "https://shop.example")
	p.Submit(`form[action$="/account/keys"] button`)
	wantText(t, p, ".problem h2", "There is a problem")
	look(p, "keys-problem-en")
	p.Fill("#domains", "")
	p.Submit(`form[action$="/account/keys"] button`)
	p.Eval(`document.getElementById("plain").value`, &key)
	if _, err := keys.Parse(key); err != nil {
		t.Fatalf("the page shows the key %q: %v", key, err)
	}
	look(p, "created-en")
	r.wantUse(t, key, "https://shop.example", "200")
	return key
}

// lockInBrowser locks the newest key to domains and uses it from within and without.
func (r running) lockInBrowser(t *testing.T, p *browser.Page, key string) {
	t.Helper()
	p.Navigate(r.url + "/account/keys")
	p.Submit(`.cards li:first-child h3 a`)
	look(p, "key-unlocked-en")
	p.Fill("#domains", "*.example.com\nshop.example")
	p.Submit(`section[aria-labelledby=change] button`)
	wantText(t, p, ".notice", "Saved. It holds from the next call on.")
	look(p, "key-en")
	for origin, want := range map[string]string{
		"https://shop.example": "200", "https://a.example.com": "200", "http://a.example.com:8080": "200",
		"https://evil.example": "403 domain_not_allowed", "https://example.com": "403 domain_not_allowed",
		"https://example.com.evil.net": "403 domain_not_allowed", "https://evilexample.com": "403 domain_not_allowed",
		"null": "403 domain_not_allowed", "": "403 domain_not_allowed",
	} {
		r.wantUse(t, key, origin, want)
	}
}

// lookInChinese looks at every page in Chinese, on a phone in the dark, with a payment
// that failed.
func (r running) lookInChinese(t *testing.T, p *browser.Page, stripe *billingtest.Stripe) {
	t.Helper()
	sub := stripe.Subscriptions(stripe.Customers()[0])[0]
	sub.Status = "past_due"
	stripe.Set(sub)
	payload, signature := stripe.Event("invoice.payment_failed", sub.Customer)
	r.postEvent(t, payload, signature, http.StatusOK)
	p.Size(390, 844)
	p.Prefer("prefers-color-scheme", "dark")
	p.Navigate(r.url + "/account?lang=zh")
	wantText(t, p, "h1", "概览")
	wantText(t, p, ".facts .tag", "付款逾期")
	look(p, "overview-overdue-zh")
	for name, path := range map[string]string{"keys-zh": "/account/keys", "data-zh": "/account/data", "sorry-zh": "/account/none"} {
		p.Navigate(r.url + path)
		look(p, name)
	}
	p.Navigate(r.url + "/account/keys")
	p.Submit(`.cards li:first-child h3 a`)
	look(p, "key-zh")
	p.Submit(`a.danger`)
	look(p, "revoke-zh")
	p.Navigate(r.url + "/account/keys")
	p.Submit(`form[action$="/account/keys"] button`)
	look(p, "created-zh")
}

// deleteInBrowser deletes the account: the subscription ends, and the keys.
func (r running) deleteInBrowser(t *testing.T, p *browser.Page, c config, stripe *billingtest.Stripe) {
	t.Helper()
	p.Prefer("prefers-color-scheme", "light")
	p.Size(1024, 900)
	p.Navigate(r.url + "/account/data?lang=en")
	look(p, "data-en")
	p.Submit(`button.danger`)
	wantText(t, p, ".problem h2", "There is a problem")
	look(p, "data-problem-en")
	p.Click(`#confirm`)
	p.Submit(`button.danger`)
	wantText(t, p, ".notice", "Your account and its keys are deleted.")
	look(p, "deleted-en")
	r.wantUse(t, demoKey(t, c), "", "401 invalid_key")
	if sub := stripe.Subscriptions(stripe.Customers()[0])[0]; sub.Status != "canceled" {
		t.Errorf("the subscription of the deleted account is %s", sub.Status)
	}
	p.Navigate(r.url + "/account?lang=zh")
	look(p, "welcome-zh")
}

func (r running) postEvent(t *testing.T, payload []byte, signature string, want int) {
	t.Helper()
	call, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url+"/billing/stripe", strings.NewReader(string(payload)))
	if err != nil {
		t.Fatal(err)
	}
	call.Header.Set("Stripe-Signature", signature)
	answer, err := http.DefaultClient.Do(call)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != want {
		t.Errorf("the event: %d, want %d", answer.StatusCode, want)
	}
}

func wantText(t *testing.T, p *browser.Page, selector, want string) {
	t.Helper()
	p.WaitVisible(selector)
	if got := strings.TrimSpace(p.Text(selector)); got != want {
		t.Errorf("%s reads %q, want %q", selector, got, want)
	}
}

// runCommand carries out an operator's command on the running stack.
func runCommand(t *testing.T, c config, into any, args ...string) {
	t.Helper()
	var out bytes.Buffer
	if err := sendCommand(t.Context(), c, args, &out); err != nil {
		t.Fatal(err)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(out.Bytes(), into); err != nil {
		t.Fatal(err)
	}
}
