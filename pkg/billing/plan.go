package billing

import (
	"time"

	"github.com/stripe/stripe-go/v85"

	"github.com/listward/listward/pkg/keys"
)

// The days of grace of decisions section 5.
const (
	// lateRenewal is for a renewal whose event comes late: Stripe itself waits an hour
	// before it charges.
	lateRenewal = 24 * time.Hour
	// unpaidRenewal is for a renewal whose payment failed.
	unpaidRenewal = 3 * 24 * time.Hour
)

// decide returns what an account has by all its customer's subscriptions: the one that
// runs longest, else the newest, which Stripe lists first. was is what is stored.
func decide(was keys.Subscription, all []*stripe.Subscription, price string) keys.Subscription {
	var best keys.Subscription
	for _, s := range all {
		if p := plan(s, price); best.Status == "" || p.PaidUntil.After(best.PaidUntil) {
			best = p
		}
	}
	// Where Stripe is set to renew what is not paid, the start of the current period
	// moves on and is no longer the end of the last paid one.
	pastDue := string(stripe.SubscriptionStatusPastDue)
	if was.Status == pastDue && best.Status == pastDue && was.PaidUntil.Before(best.PaidUntil) {
		best.PaidUntil = was.PaidUntil
	}
	return best
}

// plan returns what a subscription grants by decisions section 5. One to another price
// is as none, whatever its state.
func plan(s *stripe.Subscription, price string) keys.Subscription {
	item := itemOf(s, price)
	if item == nil {
		return keys.Subscription{}
	}
	p := keys.Subscription{Status: string(s.Status)}
	switch s.Status {
	case stripe.SubscriptionStatusActive, stripe.SubscriptionStatusTrialing:
		p.PeriodEnd, p.Ends = periodEnd(s, item)
		p.PaidUntil = p.PeriodEnd.Add(lateRenewal)
	case stripe.SubscriptionStatusPastDue:
		p.PeriodEnd, p.Ends = periodEnd(s, item)
		p.PaidUntil = moment(item.CurrentPeriodStart).Add(unpaidRenewal)
	}
	return p
}

// itemOf returns the item with the price that runs longest, or nil.
func itemOf(s *stripe.Subscription, price string) (best *stripe.SubscriptionItem) {
	if s.Items == nil {
		return nil
	}
	for _, item := range s.Items.Data {
		ours := item.Price != nil && item.Price.ID == price
		if ours && (best == nil || item.CurrentPeriodEnd > best.CurrentPeriodEnd) {
			best = item
		}
	}
	return best
}

// periodEnd returns the end of the current period, and whether it is the last one. The
// portal says so in either of two ways, by the age of the subscription.
func periodEnd(s *stripe.Subscription, item *stripe.SubscriptionItem) (end time.Time, last bool) {
	if s.CancelAt != 0 && s.CancelAt <= item.CurrentPeriodEnd {
		return moment(s.CancelAt), true
	}
	return moment(item.CurrentPeriodEnd), s.CancelAtPeriodEnd
}

// alive reports whether a subscription can ever grant the plan again. A state that is
// not known here counts as alive: it may cost money.
func alive(s *stripe.Subscription) bool {
	return s.Status != stripe.SubscriptionStatusCanceled && s.Status != stripe.SubscriptionStatusIncompleteExpired
}

func moment(unix int64) time.Time { return time.Unix(unix, 0).UTC() }
