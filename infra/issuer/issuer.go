// Package issuer is an OpenID Connect issuer that signs in whoever asks, for the service
// on one machine and for tests of signing in. It stands in nothing that is deployed, and
// must be served to this machine alone.
package issuer

import (
	"fmt"
	"net/http"
	"sync"

	"github.com/oauth2-proxy/mockoidc"
)

// What the account area is configured with.
const (
	// Path is where the issuer stands on its host.
	Path = mockoidc.IssuerBase + "/"
	// Client is the id of the only client, which needs no secret.
	Client = "listward"
	// Demo is the sub of who signs in without a name.
	Demo = "demo"
)

// Issuer is an http.Handler for the paths below Path. It is safe for concurrent use.
type Issuer struct {
	host string
	// provider draws its signing key, which takes time, when it is first asked.
	provider func() (*mockoidc.MockOIDC, error)

	mu sync.Mutex // from the queueing of a user to the sign-in that takes it
}

// New returns the issuer of a host, such as 127.0.0.1:8080, without TLS.
func New(host string) *Issuer {
	return &Issuer{host: host, provider: sync.OnceValues(func() (*mockoidc.MockOIDC, error) {
		m, err := mockoidc.NewServer(nil)
		if err != nil {
			return nil, fmt.Errorf("make the test issuer: %w", err)
		}
		m.ClientID = Client
		m.Server = &http.Server{Addr: host} // never started: it tells the address alone
		return m, nil
	})}
}

// URL is the issuer's, as its tokens have it.
func (i *Issuer) URL() string { return "http://" + i.host + mockoidc.IssuerBase }

// ServeHTTP answers what a provider is asked. The parameter login_hint says who signs in.
func (i *Issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m, err := i.provider()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	switch r.URL.Path {
	case mockoidc.DiscoveryEndpoint:
		m.Discovery(w, r)
	case mockoidc.JWKSEndpoint:
		m.JWKS(w, r)
	case mockoidc.AuthorizationEndpoint:
		i.authorize(m, w, r)
	case mockoidc.TokenEndpoint:
		if err := r.ParseForm(); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Form.Set("client_secret", m.ClientSecret) // the provider knows no public clients
		m.Token(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (i *Issuer) authorize(m *mockoidc.MockOIDC, w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("login_hint")
	if name == "" {
		name = Demo
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	m.QueueUser(&mockoidc.MockUser{Subject: name, Email: name + "@listward.example", EmailVerified: true})
	m.Authorize(w, r)
}
