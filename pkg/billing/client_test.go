package billing_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/billing"
	"github.com/listward/listward/pkg/billing/billingtest"
)

// TestAttempts: a request is repeated as Stripe says, else by its status, three times
// at most and with the same idempotency key.
func TestAttempts(t *testing.T) {
	for name, tt := range map[string]struct {
		failure billingtest.Failure
		times   int // that it is given
		want    int // requests
	}{
		"in progress":         {billingtest.Failure{Status: 409}, 1, 2},
		"down for a moment":   {billingtest.Failure{Status: 503}, 2, 3},
		"down":                {billingtest.Failure{Status: 500}, 9, 3},
		"locked, to repeat":   {billingtest.Failure{Status: 429, Retry: "true"}, 1, 2},
		"too many":            {billingtest.Failure{Status: 429}, 9, 1},
		"wrong":               {billingtest.Failure{Status: 400}, 9, 1},
		"down, not to repeat": {billingtest.Failure{Status: 500, Retry: "false"}, 9, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			account, _ := b.member("owner")
			b.stripe.Fail(func(*http.Request) *billingtest.Failure {
				if len(b.stripe.Requests()) > tt.times {
					return nil
				}
				return &tt.failure
			})
			_, err := b.biller.Portal(t.Context(), account, back)
			if failed := errors.Is(err, billing.ErrStripe); failed != (tt.want <= tt.times) {
				t.Errorf("error %v after %d failures", err, tt.times)
			}
			requests := b.stripe.Requests()
			if len(requests) != tt.want {
				t.Errorf("%d requests, want %d", len(requests), tt.want)
			}
			for _, r := range requests {
				key := r.Header.Get("Idempotency-Key")
				if key == "" || key != requests[0].Header.Get("Idempotency-Key") || r.Form != requests[0].Form || r.Form == "" {
					t.Errorf("key %q, form %q, want those of the first: %+v", key, r.Form, requests[0])
				}
			}
		})
	}
}

// TestWhatTheLibraryTells: it sends no telemetry, says nothing of this machine and
// prints nothing, whatever happens.
func TestWhatTheLibraryTells(t *testing.T) {
	printed, err := os.Create(filepath.Join(t.TempDir(), "printed"))
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = printed, printed
	t.Cleanup(func() { os.Stdout, os.Stderr = stdout, stderr })

	b := newBench(t)
	account := b.account("owner")
	for _, f := range []*billingtest.Failure{nil, {Status: 500, Retry: "false", Body: `{"error": {}}`}, {Status: 500, Retry: "false", Body: "no"}, nil} {
		b.stripe.Fail(func(*http.Request) *billingtest.Failure { return f })
		_, err := b.biller.Checkout(t.Context(), account, done, back)
		if failed := errors.Is(err, billing.ErrStripe); failed != (f != nil) {
			t.Errorf("checkout with failure %+v: error %v", f, err)
		}
	}
	text, err := os.ReadFile(printed.Name())
	if err != nil || len(text) != 0 {
		t.Errorf("it printed %q, %v", text, err)
	}
	for _, r := range b.stripe.Requests() {
		if got := r.Header.Get("Authorization"); got != "Bearer "+billingtest.Key {
			t.Errorf("Authorization: %q", got)
		}
		agent := r.Header.Get("X-Stripe-Client-User-Agent")
		if r.Header.Get("X-Stripe-Client-Telemetry") != "" || strings.Contains(agent, "platform") {
			t.Errorf("%s %s tells more than it must: %v", r.Method, r.Path, r.Header)
		}
		if r.Header.Get("Stripe-Version") < "2025-03-31" { // basil
			t.Errorf("version %q has the period elsewhere", r.Header.Get("Stripe-Version"))
		}
	}
	if len(b.stripe.Requests()) < 8 {
		t.Errorf("only %d requests", len(b.stripe.Requests()))
	}
}
