package apitest

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/listward/listward/pkg/billing/billingtest"
)

// owner is a person signed in to the account area, with a browser without scripts.
type owner struct {
	service Service
	client  *http.Client
	token   string // of the forms
	account string
}

// signIn signs somebody in by a name, as the issuers of infra/issuer let everybody.
func (s Service) signIn(t *testing.T, name string) *owner {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	o := &owner{service: s, client: &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.HasSuffix(r.URL.Path, "/authorize") {
			query := r.URL.Query()
			query.Set("login_hint", name)
			r.URL.RawQuery = query.Encode()
		}
		return nil
	}}}
	if page := o.get(t, "/account/login"); !strings.Contains(page, name+"@") {
		t.Fatalf("sign-in shows %s", page)
	}
	o.token = o.find(t, o.get(t, "/account/data"), `name="token" value="([^"]+)"`)
	o.account = o.find(t, o.get(t, "/account/data.json"), `"id": "(acct_[^"]+)"`)
	return o
}

func (o *owner) find(t *testing.T, page, pattern string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("%s is not in %s", pattern, page)
	}
	return found[1]
}

func (o *owner) get(t *testing.T, path string) string {
	t.Helper()
	_, page := o.send(t, http.MethodGet, path, "")
	return page
}

func (o *owner) send(t *testing.T, method, path, form string) (status int, page string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, o.service.URL+path, strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := o.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// post sends a form, and expects the status of what it comes to.
func (o *owner) post(t *testing.T, path string, fields url.Values, want int) string {
	t.Helper()
	fields.Set("token", o.token)
	status, page := o.send(t, http.MethodPost, path, fields.Encode())
	if status != want {
		t.Errorf("POST %s: %d, want %d: %s", path, status, want, page)
	}
	return page
}

// createKey returns a key as it is shown, and its id.
func (o *owner) createKey(t *testing.T, label string) (key, id string) {
	t.Helper()
	page := o.post(t, "/account/keys", url.Values{"label": {label}}, http.StatusOK)
	key = o.find(t, page, `value="(lw_[0-9A-Za-z]{36})"`)
	return key, o.find(t, o.get(t, "/account/keys"), `/account/keys/(key_[0-9a-f]+)">`+regexp.QuoteMeta(label))
}

// testLifeOfAKey is the table of spec section 3, row by row, by the hand of the owner.
func (s Service) testLifeOfAKey(t *testing.T) {
	o := s.signIn(t, "owner")
	o.post(t, "/account/keys", url.Values{"label": {"too early"}}, http.StatusForbidden)
	s.Admin(t, "plan", "grant", o.account)
	key, id := o.createKey(t, "first")
	other, _ := o.createKey(t, "second")
	expect := func(key, origin string, status int, code, when string) {
		t.Helper()
		call := get(key, name("bank"))
		if origin != "" {
			call.header["Origin"] = origin
		}
		if got := s.do(t, call); got.status != status || status != 200 && got.error(t).Code != code {
			t.Errorf("%s: %d %s, want %d %s", when, got.status, got.body, status, code)
		}
	}
	t.Run("creation", func(t *testing.T) {
		expect(key, "", 200, "", "a new key")
		for _, path := range []string{"/account/keys", "/account/keys/" + id, "/account", "/account/data.json"} {
			if strings.Contains(o.get(t, path), key) {
				t.Errorf("%s shows the key again", path)
			}
		}
		for _, label := range []string{"third", "fourth", "fifth"} {
			o.createKey(t, label)
		}
		o.post(t, "/account/keys", url.Values{"label": {"sixth"}}, http.StatusConflict)
	})
	t.Run("lapse and renewal", func(t *testing.T) {
		s.Admin(t, "plan", "end", o.account)
		expect(key, "", 403, "membership_required", "after the lapse")
		if page := o.get(t, "/account/keys/"+id); !strings.Contains(page, "first") {
			t.Error("the lapse has deleted the key")
		}
		s.Admin(t, "plan", "grant", o.account, time.Now().AddDate(0, 1, 0).Format(time.RFC3339))
		expect(key, "", 200, "", "after the renewal")
	})
	t.Run("domain lock", func(t *testing.T) {
		o.post(t, "/account/keys/"+id, url.Values{"label": {"first"}, "domains": {"shop.example\n*.bücher.example"}}, http.StatusOK)
		expect(key, "https://shop.example", 200, "", "from an allowed site")
		expect(key, "https://a.xn--bcher-kva.example:8443", 200, "", "from below an allowed site")
		expect(key, "https://shop.example.evil.net", 403, "domain_not_allowed", "from a look-alike")
		expect(key, "", 403, "domain_not_allowed", "without a site")
		o.post(t, "/account/keys/"+id, url.Values{"label": {"first"}, "domains": {""}}, http.StatusOK)
		expect(key, "", 200, "", "unlocked: it was unchanged")
	})
	t.Run("revocation", func(t *testing.T) {
		o.post(t, "/account/keys/"+id+"/revoke", url.Values{}, http.StatusOK)
		expect(key, "", 401, "invalid_key", "a revoked key")
		expect(other, "", 200, "", "the account's other key")
	})
	t.Run("deletion", func(t *testing.T) {
		o.post(t, "/account/delete", url.Values{"confirm": {"yes"}}, http.StatusOK)
		expect(other, "", 401, "invalid_key", "a key of a deleted account")
	})
}

// testPayment buys the plan, and has Stripe's word arrive in every way. It leaves an
// account that pays, for those who look at all subscriptions.
func (s Service) testPayment(t *testing.T) {
	s.signIn(t, "subscriber").pay(t)
	o := s.signIn(t, "buyer")
	paid := o.pay(t)
	if !strings.Contains(paid, "Your plan is running.") {
		t.Fatalf("after paying: %s", paid)
	}
	key, _ := o.createKey(t, "bought")
	if got := s.do(t, get(key, name("bank"))); got.status != 200 {
		t.Errorf("a call with a bought key: %d", got.status)
	}
	event := []byte(`{"id": "evt_1", "type": "invoice.paid", "data": {"object": {"customer": "` + o.find(t, o.get(t, "/account/data.json"), `"customer": "(\w+)"`) + `"}}}`)
	now := time.Now()
	for signature, want := range map[string]int{
		billingtest.Sign(event, billingtest.WebhookSecret, now):                      200,
		billingtest.Sign(event, "whsec_of_somebody", now):                            400,
		billingtest.Sign(event, billingtest.WebhookSecret, now.Add(-10*time.Minute)): 400,
		"": 400,
	} {
		call := request{http.MethodPost, "/billing/stripe", map[string]string{"Stripe-Signature": signature}, string(event)}
		if got := s.do(t, call); got.status != want {
			t.Errorf("an event signed %.20q: %d %s, want %d", signature, got.status, got.body, want)
		}
	}
	o.post(t, "/account/delete", url.Values{"confirm": {"yes"}}, http.StatusOK)
	if got := s.do(t, get(key, name("bank"))); got.status != 401 {
		t.Errorf("a call with a key of a deleted account: %d", got.status)
	}
}

// pay goes through the pages of payment, and returns the page that it comes back to.
func (o *owner) pay(t *testing.T) string {
	t.Helper()
	follow := o.client.CheckRedirect
	var checkout string
	o.client.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		checkout = r.URL.String()
		return http.ErrUseLastResponse
	}
	o.post(t, "/account/checkout", url.Values{}, http.StatusSeeOther)
	o.client.CheckRedirect = follow
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, checkout, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := o.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}
