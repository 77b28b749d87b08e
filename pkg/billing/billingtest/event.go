package billingtest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// Event returns an event as Stripe sends it, signed now: of a type such as
// customer.subscription.updated, about an object of the customer. The object tells
// less of the truth than it pretends: it is canceled, and metadata and reference are
// empty. A customer of "" makes an object without one.
func (s *Stripe) Event(kind, customer string) (payload []byte, signature string) {
	return s.EventOf(kind, map[string]any{
		"id": "obj_test", "object": "subscription", "customer": text(customer),
		"status": "canceled", "metadata": map[string]string{}, "client_reference_id": nil,
	})
}

// EventOf returns an event about any object that can be written as JSON.
func (s *Stripe) EventOf(kind string, object any) (payload []byte, signature string) {
	s.mu.Lock()
	id, now := s.draw("evt"), s.now()
	s.mu.Unlock()
	payload, err := json.Marshal(map[string]any{
		"id": id, "object": "event", "type": kind, "api_version": "2020-08-27",
		"created": now.Unix(), "livemode": false, "data": map[string]any{"object": object},
	})
	if err != nil {
		payload = []byte(err.Error()) // whoever takes the event says that it is none
	}
	return payload, Sign(payload, WebhookSecret, now)
}

// Sign returns the header Stripe-Signature of a payload that is sent at a time.
func Sign(payload []byte, secret string, at time.Time) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.%s", at.Unix(), payload)
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
}
