package billingtest

import "time"

// The objects have the fields that matter here, under Stripe's names.

func (c customer) object() map[string]any {
	return map[string]any{
		"id": c.id, "object": "customer", "created": c.created.Unix(),
		"livemode": false, "metadata": c.metadata,
	}
}

func (x session) object() map[string]any {
	return map[string]any{
		"id": x.id, "object": "checkout.session", "mode": "subscription", "livemode": false,
		"customer": x.customer, "client_reference_id": x.reference,
		"status": x.status, "subscription": text(x.subscription),
		"created": x.created.Unix(), "expires_at": x.created.Add(24 * time.Hour).Unix(),
		"success_url": x.success, "cancel_url": x.cancel, "url": text(x.url),
	}
}

func (p portal) object() map[string]any {
	return map[string]any{
		"id": p.id, "object": "billing_portal.session", "livemode": false,
		"customer": p.customer, "created": p.created.Unix(), "return_url": p.back, "url": p.url,
	}
}

func (sub Subscription) object() map[string]any {
	var ended any
	if sub.Status == "canceled" || sub.Status == "incomplete_expired" {
		ended = sub.End.Unix()
	}
	item := map[string]any{
		"id": "si_" + sub.ID, "object": "subscription_item", "created": sub.Created.Unix(),
		"subscription": sub.ID, "quantity": 1, "metadata": map[string]string{},
		"price":                map[string]any{"id": sub.Price, "object": "price", "currency": "usd", "unit_amount": 1990},
		"current_period_start": sub.Start.Unix(), "current_period_end": sub.End.Unix(),
	}
	return map[string]any{
		"id": sub.ID, "object": "subscription", "customer": sub.Customer, "status": sub.Status,
		"created": sub.Created.Unix(), "livemode": false, "metadata": map[string]string{},
		"cancel_at_period_end": sub.CancelAtPeriodEnd, "cancel_at": moment(sub.CancelAt), "ended_at": ended,
		"items": map[string]any{
			"object": "list", "has_more": false, "url": "/v1/subscription_items?subscription=" + sub.ID,
			"data": []any{item},
		},
	}
}

// text is null for what is empty, and moment for what is zero.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func moment(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.Unix()
}
