package billing_test

import (
	"testing"
	"time"

	"github.com/listward/listward/pkg/billing/billingtest"
	"github.com/listward/listward/pkg/keys"
)

// What the subscriptions of TestPlan have in common: the period they are in.
var (
	start = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	end   = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
)

// The ends of the plan by decisions section 5.
var (
	paid  = end.Add(24 * time.Hour)
	grace = start.Add(72 * time.Hour)
)

func TestPlan(t *testing.T) {
	type sub = billingtest.Subscription
	type plan = keys.Subscription
	middle := start.AddDate(0, 0, 9)
	for name, tt := range map[string]struct {
		at   []sub // the newest last
		want plan
	}{
		"none":               {nil, plan{}},
		"active":             {[]sub{{Status: "active"}}, plan{Status: "active", PeriodEnd: end, PaidUntil: paid}},
		"trialing":           {[]sub{{Status: "trialing"}}, plan{Status: "trialing", PeriodEnd: end, PaidUntil: paid}},
		"past_due":           {[]sub{{Status: "past_due"}}, plan{Status: "past_due", PeriodEnd: end, PaidUntil: grace}},
		"unpaid":             {[]sub{{Status: "unpaid"}}, plan{Status: "unpaid"}},
		"canceled":           {[]sub{{Status: "canceled"}}, plan{Status: "canceled"}},
		"incomplete":         {[]sub{{Status: "incomplete"}}, plan{Status: "incomplete"}},
		"incomplete_expired": {[]sub{{Status: "incomplete_expired"}}, plan{Status: "incomplete_expired"}},
		"paused":             {[]sub{{Status: "paused"}}, plan{Status: "paused"}},
		"a future state":     {[]sub{{Status: "delighted"}}, plan{Status: "delighted"}},

		"ends with the period": {[]sub{{Status: "active", CancelAtPeriodEnd: true}}, plan{Status: "active", PeriodEnd: end, PaidUntil: paid, Ends: true}},
		"ends at its end":      {[]sub{{Status: "active", CancelAt: end}}, plan{Status: "active", PeriodEnd: end, PaidUntil: paid, Ends: true}},
		"ends before its end":  {[]sub{{Status: "active", CancelAt: middle}}, plan{Status: "active", PeriodEnd: middle, PaidUntil: middle.Add(24 * time.Hour), Ends: true}},
		"ends in a later one":  {[]sub{{Status: "active", CancelAt: end.AddDate(0, 2, 0)}}, plan{Status: "active", PeriodEnd: end, PaidUntil: paid}},
		"past_due and ends":    {[]sub{{Status: "past_due", CancelAtPeriodEnd: true}}, plan{Status: "past_due", PeriodEnd: end, PaidUntil: grace, Ends: true}},

		"another price":               {[]sub{{Status: "active", Price: "price_other"}}, plan{}},
		"another price beside":        {[]sub{{Status: "past_due"}, {Status: "active", Price: "price_other"}}, plan{Status: "past_due", PeriodEnd: end, PaidUntil: grace}},
		"the one that runs longest":   {[]sub{{Status: "active", End: end.AddDate(0, 1, 0)}, {Status: "active"}}, plan{Status: "active", PeriodEnd: end.AddDate(0, 1, 0), PaidUntil: paid.AddDate(0, 1, 0)}},
		"a newer one runs longest":    {[]sub{{Status: "past_due"}, {Status: "active"}}, plan{Status: "active", PeriodEnd: end, PaidUntil: paid}},
		"an older one of two ends":    {[]sub{{Status: "active"}, {Status: "canceled"}}, plan{Status: "active", PeriodEnd: end, PaidUntil: paid}},
		"the newest of those that do": {[]sub{{Status: "canceled"}, {Status: "unpaid"}, {Status: "incomplete_expired"}}, plan{Status: "incomplete_expired"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			account, customer := b.member("owner")
			for _, s := range tt.at {
				s.Customer, s.Start = customer, start
				if s.End.IsZero() {
					s.End = end
				}
				b.stripe.Set(s)
			}
			b.sync(account)
			b.want(account, tt.want)
		})
	}
}

// TestGraceIsGivenOnce: a subscription that Stripe renews although it is not paid has no
// new days with every period, and has them when it was paid in between.
func TestGraceIsGivenOnce(t *testing.T) {
	b := newBench(t)
	account, customer := b.member("owner")
	s := billingtest.Subscription{Customer: customer, Status: "past_due", Start: start, End: end}
	s = b.stripe.Set(s)
	b.sync(account)
	next := end.AddDate(0, 1, 0)
	for _, tt := range []struct {
		status     string
		start, end time.Time
		want       time.Time
	}{
		{"past_due", end, next, grace},
		{"active", end, next, next.Add(24 * time.Hour)},
		{"past_due", next, next.AddDate(0, 1, 0), next.Add(72 * time.Hour)},
	} {
		s.Status, s.Start, s.End = tt.status, tt.start, tt.end
		b.stripe.Set(s)
		b.sync(account)
		b.want(account, keys.Subscription{Status: tt.status, PeriodEnd: tt.end, PaidUntil: tt.want})
	}
}
