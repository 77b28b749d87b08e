package billing

import (
	"errors"
	"io"
	"net/http"

	"github.com/listward/listward/pkg/api"
	"github.com/listward/listward/pkg/apigw"
)

// maxEvent is the size of an event in bytes; Stripe's have some kilobytes.
const maxEvent = 1 << 20

// Handler makes the handler of POST /billing/stripe, to which Stripe sends events. It
// answers 503 where Stripe is to send the event again. Without a Biller, as where no
// payments are set up, it answers 404.
func Handler(e *api.Edge, b *Biller) http.Handler {
	return e.Beside("billing", func(_ http.Header, r *http.Request) (api.Document, error) {
		if b == nil {
			return api.Document{}, &api.Error{Code: api.NotFound, Message: "No payments are set up here."}
		}
		payload, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxEvent))
		if err != nil {
			return api.Document{}, &api.Error{Code: api.BodyTooLarge, Message: "An event has at most 1 MiB."}
		}
		err = b.Webhook(r.Context(), payload, r.Header.Get("Stripe-Signature"))
		if errors.Is(err, ErrSignature) {
			return api.Document{}, &api.Error{Code: api.InvalidBody, Message: "The event is not signed for this address, or its signature is older than five minutes."}
		}
		if err != nil {
			b.log.ErrorContext(r.Context(), "event not taken", "request_id", apigw.RequestID(r.Context()), "error", err)
			return api.Document{}, &api.Error{Code: api.Unavailable}
		}
		return api.Document{Type: "text/plain; charset=utf-8", Body: []byte("taken\n")}, nil
	}, nil)
}
