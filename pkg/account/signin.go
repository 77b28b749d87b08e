package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/listward/listward/pkg/api"
	"github.com/listward/listward/pkg/keys"
)

// issuerTimeout bounds each request to the issuer.
const issuerTimeout = 5 * time.Second

// maxEmail is how much of an address is kept in the session, in bytes (RFC 5321).
const maxEmail = 254

var errSignIn = errors.New("sign in")

// issuer is the OpenID Connect provider, which is asked for its addresses at the first
// sign-in: no start waits for it.
type issuer struct {
	url, client string
	now         func() time.Time
	http        *http.Client

	mu       sync.Mutex
	provider *oidc.Provider
}

// discover returns the provider. A failure is not remembered.
func (i *issuer) discover(ctx context.Context) (*oidc.Provider, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.provider != nil {
		return i.provider, nil
	}
	// The provider outlives the call.
	provider, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), i.http), i.url)
	if err != nil {
		return nil, err
	}
	i.provider = provider
	return provider, nil
}

func (i *issuer) config(provider *oidc.Provider, callback string) *oauth2.Config {
	endpoint := provider.Endpoint()
	endpoint.AuthStyle = oauth2.AuthStyleInParams // that of a client without secret
	return &oauth2.Config{ClientID: i.client, Endpoint: endpoint, RedirectURL: callback, Scopes: []string{oidc.ScopeOpenID, "email"}}
}

// claims are what the area reads of an ID token.
type claims struct {
	Email string `json:"email"`
}

// redeem exchanges a code for the ID token that it stands for, and checks that.
func (i *issuer) redeem(ctx context.Context, callback, code string, began signIn) (*oidc.IDToken, claims, error) {
	provider, err := i.discover(ctx)
	if err != nil {
		return nil, claims{}, err
	}
	token, err := i.config(provider, callback).Exchange(oidc.ClientContext(ctx, i.http), code, oauth2.VerifierOption(began.Verifier))
	if err != nil {
		return nil, claims{}, err
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := provider.VerifierContext(oidc.ClientContext(ctx, i.http), &oidc.Config{ClientID: i.client, Now: i.now}).Verify(ctx, raw)
	if err != nil {
		return nil, claims{}, err
	}
	if id.Nonce != began.Nonce || id.Subject == "" {
		return nil, claims{}, errors.New("the ID token has another nonce, or names nobody")
	}
	var c claims
	return id, c, id.Claims(&c)
}

// ID returns the id of the account of an identity: a realm, which is the issuer's URL
// unless the area's configuration names another, and the issuer's sub (decisions section
// 5). It is of fixed length and tells nothing of them.
func ID(realm, subject string) string {
	sum := sha256.Sum256([]byte(realm + "\n" + subject))
	return "acct_" + hex.EncodeToString(sum[:12])
}

func (v *visit) callback() string { return v.address + "/account/callback" }

// login sends the person to the issuer.
func (v *visit) login() (api.Document, error) {
	provider, err := v.area.issuer.discover(v.Context())
	if err != nil {
		return v.unavailable(fmt.Errorf("%w: %w", errSignIn, err))
	}
	began := signIn{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Expires: v.now.Add(signInTime)}
	if err := v.setSealed(signInCookie, began, signInTime); err != nil {
		return api.Document{}, err
	}
	to := v.area.issuer.config(provider, v.callback()).AuthCodeURL(began.State, oidc.Nonce(began.Nonce), oauth2.S256ChallengeOption(began.Verifier))
	return v.redirect(to), nil
}

// returned takes the person back from the issuer. What did not begin in this browser
// does not end in it.
func (v *visit) returned() (api.Document, error) {
	var began signIn
	query := v.URL.Query()
	err := v.area.sealer.open(v.cookieName(signInCookie), v.cookie(signInCookie), &began)
	if err != nil || !began.Expires.After(v.now) || query.Get("state") != began.State {
		return api.Document{}, &api.Error{Code: api.FormExpired, Message: "This sign-in did not begin in this browser, or took too long. Begin again."}
	}
	if query.Get("code") == "" { // the person declined, or the issuer did
		v.setCookie(signInCookie, "", 0)
		return v.redirect(v.address + "/account"), nil
	}
	id, claims, err := v.area.issuer.redeem(v.Context(), v.callback(), query.Get("code"), began)
	if isDown(err) {
		return v.unavailable(fmt.Errorf("%w: %w", errSignIn, redacted(err)))
	}
	v.setCookie(signInCookie, "", 0)
	if err != nil {
		v.area.log.WarnContext(v.Context(), "sign-in refused", "error", redacted(err))
		return api.Document{}, &api.Error{Code: api.FormExpired, Message: "The sign-in could not be confirmed. Begin again."}
	}
	account, err := v.ownAccount(ID(v.area.realm, id.Subject))
	if err != nil {
		return v.unavailable(err)
	}
	email := claims.Email[:min(len(claims.Email), maxEmail)] // browsers drop cookies of 4 kB
	s := session{Account: account.ID, Created: account.Created, Email: email, Expires: v.now.Add(sessionTime), Token: rand.Text()}
	if err := v.setSealed(sessionCookie, s, sessionTime); err != nil {
		return api.Document{}, err
	}
	return v.redirect(v.address + "/account"), nil
}

// ownAccount returns the account of who has signed in, which the first sign-in creates.
func (v *visit) ownAccount(id string) (keys.Account, error) {
	account, err := v.area.store.CreateAccount(v.Context(), id, v.now)
	if errors.Is(err, keys.ErrAccountExists) {
		return v.area.store.Account(v.Context(), id)
	}
	return account, err
}

// isDown tells an issuer that does not answer from one that refuses.
func isDown(err error) bool {
	if refused := (*oauth2.RetrieveError)(nil); errors.As(err, &refused) {
		return refused.Response.StatusCode >= http.StatusInternalServerError
	}
	unreached := (*url.Error)(nil)
	return errors.As(err, &unreached) || err != nil && strings.Contains(err.Error(), "fetching keys")
}

// redacted is an error without the issuer's words, which may repeat a code or a token.
func redacted(err error) error {
	if refused := (*oauth2.RetrieveError)(nil); errors.As(err, &refused) {
		return fmt.Errorf("the issuer refused the code: %s", refused.ErrorCode)
	}
	return err
}

// logout ends the session here, and at the issuer where that has an address for it.
func (v *visit) logout() (api.Document, error) {
	v.setCookie(sessionCookie, "", 0)
	home := v.address + "/account"
	if v.area.signOut == "" {
		return v.redirect(home), nil
	}
	query := url.Values{"client_id": {v.area.issuer.client}, "logout_uri": {home}}
	return v.redirect(v.area.signOut + "?" + query.Encode()), nil
}
