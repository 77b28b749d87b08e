package billing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/stripe/stripe-go/v85"
)

const (
	// requestTimeout leaves room for an answer under the 29 s of API Gateway.
	requestTimeout = 20 * time.Second
	// answerTimeout is for one attempt to begin to be answered.
	answerTimeout = 8 * time.Second
	attempts      = 3
	// firstPause doubles with each attempt. Stripe makes a customer within half a
	// second, which is how long a second request with the same key is refused.
	firstPause = 200 * time.Millisecond
)

// connect returns a client that shares nothing with others and prints nothing. The
// library would retry as well, but not what Stripe refuses with 409 or 5xx, and it
// would sleep beyond the end of a context.
func connect(key, address string) *stripe.Client {
	transport := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   answerTimeout,
		ResponseHeaderTimeout: answerTimeout,
		IdleConnTimeout:       time.Minute,
	}
	config := &stripe.BackendConfig{
		EnableTelemetry:   stripe.Bool(false),
		HTTPClient:        &http.Client{Transport: patient{transport}, Timeout: requestTimeout},
		LeveledLogger:     &stripe.LeveledLogger{Level: stripe.LevelNull},
		MaxNetworkRetries: stripe.Int64(0),
	}
	if address != "" {
		config.URL = &address
	}
	return stripe.NewClient(key, stripe.WithBackends(stripe.NewBackendsWithConfig(config)))
}

// patient repeats requests whose answer may be another one soon. Every one that
// changes something carries an idempotency key, by which Stripe does it once.
type patient struct{ next http.RoundTripper }

func (p patient) RoundTrip(r *http.Request) (*http.Response, error) {
	for attempt := 1; ; attempt++ {
		response, err := p.next.RoundTrip(r)
		if attempt == attempts || !passing(response, err) {
			return response, err
		}
		if err == nil {
			_, _ = io.Copy(io.Discard, response.Body) // its connection is used again
			_ = response.Body.Close()
		}
		if r, err = again(r, firstPause<<(attempt-1)); err != nil {
			return nil, err
		}
	}
}

// passing reports whether to repeat a request: as Stripe says, else as it advises.
func passing(r *http.Response, err error) bool {
	if err != nil {
		return true
	}
	if advice := r.Header.Get("Stripe-Should-Retry"); advice != "" {
		return advice == "true"
	}
	return r.StatusCode == http.StatusConflict || r.StatusCode >= http.StatusInternalServerError
}

// again waits, and returns the request with its body from the beginning.
func again(r *http.Request, pause time.Duration) (*http.Request, error) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-timer.C:
	}
	next := r.Clone(r.Context())
	if r.GetBody == nil {
		return next, nil
	}
	var err error
	next.Body, err = r.GetBody()
	return next, err
}

// missing reports whether Stripe says that there is no such object any more.
func missing(err error) bool {
	var answer *stripe.Error
	return errors.As(err, &answer) && answer.Code == stripe.ErrorCodeResourceMissing
}

// errNoSuchCustomer is in an error about a customer that Stripe does not know.
var errNoSuchCustomer = errors.New("it knows no such customer")

// refused wraps an error of the library with what was attempted. Its text is left
// out: it is that of the answer.
func refused(attempt string, err error) error {
	var answer *stripe.Error
	var transport *url.Error
	switch {
	case errors.As(err, &answer):
		told := fmt.Errorf("%s: %w: status %d, type %q, code %q, parameter %q, request %q", attempt, ErrStripe,
			answer.HTTPStatusCode, answer.Type, answer.Code, answer.Param, answer.RequestID)
		if missing(err) && answer.Param == "customer" {
			return fmt.Errorf("%w: %w", told, errNoSuchCustomer)
		}
		return told
	case errors.As(err, &transport):
		return fmt.Errorf("%s: %w: %w", attempt, ErrStripe, transport.Err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: %w: %w", attempt, ErrStripe, err)
	}
	return fmt.Errorf("%s: %w: its answer cannot be read", attempt, ErrStripe)
}
