package billing

import (
	"context"
	"crypto/hmac"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/webhook"

	"github.com/listward/listward/pkg/keys"
)

// signatureAge is for how long Stripe advises to take a signature.
const signatureAge = 5 * time.Minute

// event is all that is read of one. Of its version nothing depends on that.
type event struct {
	ID, Type string
	Data     struct {
		Object struct {
			// Customer is an id, an object or null.
			Customer *stripe.Customer
		}
	}
}

// Webhook takes an event: the body as it was sent, and the header Stripe-Signature. It
// syncs the account of the customer that the event is about and trusts nothing else
// of it. One without a customer, or with a customer of no account, is logged and no
// error. After an error that is not ErrSignature, Stripe is to send the event again.
func (b *Biller) Webhook(ctx context.Context, payload []byte, signature string) error {
	if !b.signed(payload, signature) {
		return ErrSignature
	}
	var e event
	if err := json.Unmarshal(payload, &e); err != nil {
		return fmt.Errorf("read a signed event: %w", err)
	}
	if e.Data.Object.Customer == nil || e.Data.Object.Customer.ID == "" {
		b.ignore(ctx, e, "it has no customer")
		return nil
	}
	account, err := b.store.AccountOf(ctx, e.Data.Object.Customer.ID)
	if err == nil {
		err = b.Sync(ctx, account.ID)
	}
	if errors.Is(err, keys.ErrUnknownCustomer) || errors.Is(err, keys.ErrUnknownAccount) {
		b.ignore(ctx, e, "its customer is of no account")
		return nil
	}
	if err != nil {
		return fmt.Errorf("event %s: %w", e.ID, err)
	}
	return nil
}

func (b *Biller) ignore(ctx context.Context, e event, reason string) {
	b.log.InfoContext(ctx, "a payment event was ignored", "event", e.ID, "type", e.Type, "reason", reason)
}

// signed checks a header such as t=1495999758,v1=2b51...,v1=90c2... It has two
// signatures while the secret is being changed.
func (b *Biller) signed(payload []byte, header string) bool {
	if b.webhookSecret == "" {
		return false // anyone can sign with that
	}
	var at time.Time
	var signatures [][]byte
	for field := range strings.SplitSeq(header, ",") {
		name, value, _ := strings.Cut(field, "=")
		switch name {
		case "t":
			unix, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return false
			}
			at = time.Unix(unix, 0)
		case "v1":
			if signature, err := hex.DecodeString(value); err == nil {
				signatures = append(signatures, signature)
			}
		}
	}
	if b.now().Sub(at) > signatureAge {
		return false
	}
	want := webhook.ComputeSignature(at, payload, b.webhookSecret)
	for _, signature := range signatures {
		if hmac.Equal(signature, want) {
			return true
		}
	}
	return false
}
