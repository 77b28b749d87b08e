package main

import (
	"context"
	"errors"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

var loginLink = regexp.MustCompile(`href="([^"]*/account/login[^"]*)"`)

// asBrowser asks for a page.
func asBrowser() map[string]string { return map[string]string{"Accept": "text/html"} }

// signIn goes as far as a visitor without an account: to the page, by its link to the
// issuer, and to what that shows.
func signIn(ctx context.Context, v *visit) (string, error) {
	page, err := v.call(ctx, request{path: "/account", header: asBrowser()})
	if err != nil {
		return "", err
	}
	link := loginLink.FindSubmatch(page.body)
	if err := page.html(http.StatusOK, "/account/login"); err != nil || link == nil {
		return "", errors.Join(err, page.wrong("want a link to sign in"))
	}
	here, err := url.Parse(v.address + "/account")
	if err != nil {
		return "", err
	}
	login, err := here.Parse(html.UnescapeString(string(link[1])))
	if err != nil {
		return "", err
	}
	leads, err := v.call(ctx, request{path: login.String()})
	if err != nil {
		return "", err
	}
	issuer, err := leads.location(login.String())
	if err != nil {
		return "", err
	}
	if err := checkSignIn(leads, issuer); err != nil {
		return "", err
	}
	return issuer.Host, v.checkIssuer(ctx, issuer)
}

// checkSignIn holds the address of the issuer against OpenID Connect with PKCE.
func checkSignIn(a answer, issuer *url.URL) error {
	asked := issuer.Query()
	for name, want := range map[string]string{"response_type": "code", "code_challenge_method": "S256"} {
		if asked.Get(name) != want {
			return a.wrong("%s is %q at the issuer, want %s", name, asked.Get(name), want)
		}
	}
	for _, name := range []string{"client_id", "code_challenge", "state", "nonce"} {
		if asked.Get(name) == "" {
			return a.wrong("the issuer is not given %s", name)
		}
	}
	if back := asked.Get("redirect_uri"); !strings.HasSuffix(back, "/account/callback") {
		return a.wrong("the issuer leads back to %q", back)
	}
	return nil
}

// checkIssuer: one that does not know the client or the way back says so at once.
func (v *visit) checkIssuer(ctx context.Context, issuer *url.URL) error {
	got, err := v.call(ctx, request{path: issuer.String(), header: asBrowser()})
	if err != nil {
		return err
	}
	next, err := url.Parse(got.header.Get("Location"))
	if err != nil {
		return got.wrong("%v", err)
	}
	if got.status >= http.StatusBadRequest || next.Query().Has("error") || strings.HasSuffix(next.Path, "/error") {
		return got.wrong("the issuer does not sign in, and leads to %s", next.Path)
	}
	return nil
}

// searchBox: a page with the contract's code, not the gateway's words.
func searchBox(ctx context.Context, v *visit) (string, error) {
	got, err := v.call(ctx, request{path: "/embed", header: asBrowser()})
	if err != nil {
		return "", err
	}
	return "", got.html(http.StatusUnauthorized, `<meta name="error-code" content="missing_key">`)
}
