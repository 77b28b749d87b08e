package engines

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"testing"
)

// DynamoDB starts an engine for one test, which is stopped at its end. Where the
// engine cannot be had the test is skipped, with CI=true in the environment it
// fails.
func DynamoDB(t testing.TB) *Engine {
	t.Helper()
	return startFor(t, StartDynamoDB)
}

// S3 does for S3 what DynamoDB does for DynamoDB.
func S3(t testing.TB) *Engine {
	t.Helper()
	return startFor(t, StartS3)
}

// Stripe does for Stripe what DynamoDB does for DynamoDB.
func Stripe(t testing.TB) *Engine {
	t.Helper()
	return startFor(t, StartStripe)
}

// S3TLS is S3 behind TLS, over which alone the SDK sends the checksum of a body
// after the body. Clients must trust the pool.
func S3TLS(t testing.TB) (Endpoint, *x509.CertPool) {
	t.Helper()
	endpoint := S3(t).Endpoint
	behind, err := url.Parse(endpoint.Address)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewTLSServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(behind)
		r.Out.Host = r.In.Host // it is signed
	}})
	t.Cleanup(front.Close)
	endpoint.Address = front.URL
	trusted := x509.NewCertPool()
	trusted.AddCert(front.Certificate())
	return endpoint, trusted
}

func startFor(t testing.TB, start func(context.Context, string) (*Engine, error)) *Engine {
	t.Helper()
	engine, err := start(t.Context(), t.TempDir())
	Need(t, err)
	t.Cleanup(func() {
		if err := engine.Stop(); err != nil && !errors.Is(err, ErrOutside) {
			t.Error(err)
		}
	})
	return engine
}

// Need ends a test that something was made ready for with this error: skipped
// where the thing cannot be had (ErrUnavailable), with CI=true in the environment
// or on any other error failed. It does nothing without an error.
func Need(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, ErrUnavailable) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}
