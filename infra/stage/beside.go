package stage

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/listward/listward/infra/issuer"
	"github.com/listward/listward/pkg/billing/billingtest"
)

// parameterPath is the path of the stack's parameters.
const parameterPath = "/stage"

// beside is what stands beside the functions in the cloud, and has no engine: the issuer
// that people sign in at, its address for signing out, the parameters, and Stripe.
type beside struct {
	server *http.Server
	people *issuer.Issuer
	url    string
}

// startBeside serves on a port of its own until it is closed.
func startBeside() (*beside, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("serve issuer and parameters: %w", err)
	}
	host := listener.Addr().String()
	b := &beside{people: issuer.New(host), url: "http://" + host}
	mux := http.NewServeMux()
	mux.Handle(issuer.Path, b.people)
	mux.HandleFunc("GET /logout", signOut)
	mux.HandleFunc("POST /{$}", b.parameters)
	stripe := billingtest.NewHandler(time.Now)
	for _, path := range []string{"/v1/", "/c/", "/p/"} {
		mux.Handle(path, stripe)
	}
	b.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = b.server.Serve(listener) }() // ends with Close
	return b, nil
}

// signOut leads on as Amazon Cognito does.
func signOut(w http.ResponseWriter, r *http.Request) {
	if to, err := url.Parse(r.URL.Query().Get("logout_uri")); err == nil && r.URL.Query().Get("client_id") == issuer.Client {
		http.Redirect(w, r, to.String(), http.StatusFound)
		return
	}
	http.Error(w, "unknown client or address", http.StatusBadRequest)
}

// parameters answers GetParametersByPath of AWS Systems Manager.
func (b *beside) parameters(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Path           string
		WithDecryption bool
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".GetParametersByPath") ||
		!strings.HasPrefix(asked.Path, parameterPath+"/") || !asked.WithDecryption {
		http.Error(w, "not what is asked of the stage", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	_ = json.NewEncoder(w).Encode(map[string][]parameter{"Parameters": b.below(asked.Path)}) // a client that left gets nothing
}

type parameter struct{ Name, Value, Type string }

// below are the parameters below a path.
func (b *beside) below(path string) []parameter {
	secret := base64.StdEncoding.EncodeToString([]byte("thirty-two bytes for the stage!!"))
	switch path {
	case parameterPath + "/account":
		return []parameter{{path + "/oidc-client", issuer.Client, "String"}, {path + "/seal-key", secret, "SecureString"}}
	case parameterPath + "/embed":
		return []parameter{{path + "/token-key", secret, "SecureString"}}
	case parameterPath + "/stripe":
		return []parameter{
			{path + "/key", billingtest.Key, "SecureString"}, {path + "/price", billingtest.Price, "String"}, {path + "/webhook-secret", billingtest.WebhookSecret, "SecureString"}, {path + "/url", b.url, "String"},
		}
	}
	return []parameter{}
}
