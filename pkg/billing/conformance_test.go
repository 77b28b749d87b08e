package billing_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/listward/listward/infra/engines"
	"github.com/listward/listward/pkg/billing/billingtest"
)

// TestFakeIsLikeStripe sends every request that a Biller makes to Stripe's own mock,
// as it was made. The mock must take it, and each field that the fake answered must be
// in the mock's answer with a value of the same kind.
func TestFakeIsLikeStripe(t *testing.T) {
	mock := engines.Stripe(t)
	b := newBench(t)
	made := b.everyRequest()
	seen := map[string]bool{}
	for _, r := range made {
		name := route(r)
		if seen[name] {
			continue
		}
		seen[name] = true
		fake := send(t, b.stripe.URL, billingtest.Key, r)
		real := send(t, mock.Address, mock.SecretKey, r)
		if fake.status != http.StatusOK || real.status != http.StatusOK {
			t.Errorf("%s: status %d of the fake, %d of the mock: %v", name, fake.status, real.status, real.body)
		}
		for _, flaw := range unlike("", fake.body, real.body) {
			t.Errorf("%s: %s", name, flaw)
		}
	}
	for _, want := range []string{
		"POST /v1/customers", "POST /v1/checkout/sessions", "GET /v1/checkout/sessions", "GET /v1/checkout/sessions/cs",
		"POST /v1/checkout/sessions/cs/expire", "POST /v1/billing_portal/sessions", "GET /v1/subscriptions", "DELETE /v1/subscriptions/sub",
	} {
		if !seen[want] {
			t.Errorf("%s was not made; %v were", want, seen)
		}
	}
}

// TestFakeRefusesAsStripe: what Stripe's mock refuses, the fake refuses with the same
// status and the same kind of error.
func TestFakeRefusesAsStripe(t *testing.T) {
	mock := engines.Stripe(t)
	b := newBench(t)
	for name, tt := range map[string]struct {
		r   billingtest.Request
		key string // in place of the right one
	}{
		"no key":                {billingtest.Request{Method: "GET", Path: "/v1/subscriptions"}, "none"},
		"an unknown parameter":  {billingtest.Request{Method: "POST", Path: "/v1/customers", Form: "metadatum[account]=x"}, ""},
		"a quantity in words":   {billingtest.Request{Method: "POST", Path: "/v1/checkout/sessions", Form: "mode=subscription&line_items[0][quantity]=one"}, ""},
		"an unknown mode":       {billingtest.Request{Method: "POST", Path: "/v1/checkout/sessions", Form: "mode=subscribe&line_items[0][quantity]=1"}, ""},
		"a limit in words":      {billingtest.Request{Method: "GET", Path: "/v1/subscriptions", Form: "customer=" + b.stripe.AddCustomer() + "&limit=all"}, ""},
		"an unknown path":       {billingtest.Request{Method: "GET", Path: "/v1/customer"}, ""},
		"an unknown way to ask": {billingtest.Request{Method: "DELETE", Path: "/v1/subscriptions"}, ""},
	} {
		fakeKey, realKey := billingtest.Key, mock.SecretKey
		if tt.key != "" {
			fakeKey, realKey = tt.key, tt.key
		}
		fake, real := send(t, b.stripe.URL, fakeKey, tt.r), send(t, mock.Address, realKey, tt.r)
		if fake.status != real.status || fake.status < 400 {
			t.Errorf("%s: status %d of the fake, %d of the mock: %v", name, fake.status, real.status, real.body)
		}
		for _, flaw := range unlike("", real.body, fake.body) { // the fake tells more
			t.Errorf("%s: %s", name, flaw)
		}
	}
}

// everyRequest has the Biller make all its requests, and returns them with ids that
// the fake still answers.
func (b *bench) everyRequest() []billingtest.Request {
	b.t.Helper()
	account := b.account("owner")
	first := path.Base(b.checkout(account))
	b.stripe.Fail(func(r *http.Request) *billingtest.Failure { // and the status is looked up
		if strings.HasSuffix(r.URL.Path, "/expire") {
			if _, err := b.stripe.Pay(first); err != nil && !errors.Is(err, billingtest.ErrNoPage) {
				b.t.Error(err)
			}
		}
		return nil
	})
	_, paid := b.biller.Checkout(b.t.Context(), account, done, back)
	_, portal := b.biller.Portal(b.t.Context(), account, back)
	cancelled := b.biller.Cancel(b.t.Context(), account)
	if err := errors.Join(portal, cancelled); paid == nil || err != nil {
		b.t.Fatal(paid, err)
	}
	b.stripe.Fail(nil)
	made := slices.Clone(b.stripe.Requests())
	customer := b.stored(account).Customer
	open, alive := path.Base(b.checkout(account)), b.stripe.Set(billingtest.Subscription{Customer: customer}).ID
	for i, r := range made {
		switch {
		case strings.HasSuffix(r.Path, "/expire"):
			made[i].Path = "/v1/checkout/sessions/" + open + "/expire"
		case strings.HasPrefix(r.Path, "/v1/subscriptions/"):
			made[i].Path = "/v1/subscriptions/" + alive
		case r.Path == "/v1/checkout/sessions" && r.Method == http.MethodGet:
			made[i].Form = strings.ReplaceAll(r.Form, "status=open", "status=complete") // that are some
		}
		made[i].Header.Del("Idempotency-Key")
	}
	return made
}

// route is a request without what was drawn.
func route(r billingtest.Request) string {
	var parts []string
	for part := range strings.SplitSeq(r.Path, "/") {
		drawn, _, _ := strings.Cut(part, "_test")
		parts = append(parts, drawn)
	}
	return r.Method + " " + strings.Join(parts, "/")
}

type received struct {
	status int
	body   any
}

func send(t *testing.T, address, key string, made billingtest.Request) received {
	t.Helper()
	address += made.Path
	var body io.Reader
	if made.Method == http.MethodPost {
		body = strings.NewReader(made.Form)
	} else if made.Form != "" {
		address += "?" + made.Form
	}
	r, err := http.NewRequestWithContext(t.Context(), made.Method, address, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	if made.Header != nil {
		r.Header = made.Header.Clone()
	}
	r.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	got := received{status: response.StatusCode}
	if err := errors.Join(json.NewDecoder(response.Body).Decode(&got.body), response.Body.Close()); err != nil {
		t.Fatalf("%s %s: %v", made.Method, made.Path, err)
	}
	return got
}

// unlike returns the fields of one answer that the other one lacks or has with a value
// of another kind. A null is of every kind; of a list the first element counts.
func unlike(at string, one, other any) []string {
	if one == nil || other == nil || strings.HasSuffix(at, ".metadata") { // its names are the caller's
		return nil
	}
	if fmt.Sprintf("%T", one) != fmt.Sprintf("%T", other) {
		return []string{fmt.Sprintf("%s is a %T, not a %T", at, other, one)}
	}
	var flaws []string
	switch one := one.(type) {
	case map[string]any:
		for name, value := range one {
			there, found := other.(map[string]any)[name]
			if !found {
				flaws = append(flaws, at+"."+name+" is missing")
			}
			flaws = append(flaws, unlike(at+"."+name, value, there)...)
		}
	case []any:
		if there := other.([]any); len(one) == 0 || len(there) == 0 {
			flaws = append(flaws, at+" is empty")
		} else {
			flaws = unlike(at+"[]", one[0], there[0])
		}
	}
	return flaws
}
