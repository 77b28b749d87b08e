package account_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/listward/listward/infra/issuer"
)

func (p *person) base() *url.URL {
	u, err := url.Parse(p.url)
	if err != nil {
		p.Fatal(err)
	}
	return u
}

// cookie returns the value of one that the person has.
func (p *person) cookie(name string) string {
	for _, c := range p.client.Jar.Cookies(p.base()) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

func (p *person) setCookie(name, value string) {
	p.client.Jar.SetCookies(p.base(), []*http.Cookie{{Name: name, Value: value, Path: "/"}})
}

// stopAt has the person not follow the redirect to a path, and returns where it leads.
func (p *person) stopAt(path string) *url.URL {
	var to *url.URL
	p.client.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if r.URL.Path == path {
			to = r.URL
			return http.ErrUseLastResponse
		}
		return nil
	}
	p.get("/account/login")
	p.client.CheckRedirect = nil
	if to == nil {
		p.Fatalf("the sign-in does not lead to %s", path)
	}
	return to
}

func TestSignInUsesPKCE(t *testing.T) {
	query := newWorld(t).person().stopAt(issuer.Path + "authorize").Query()
	if query.Get("code_challenge_method") != "S256" || len(query.Get("code_challenge")) != 43 || query.Get("nonce") == "" || query.Get("state") == "" ||
		query.Get("response_type") != "code" || query.Get("scope") != "openid email" {
		t.Errorf("the issuer is asked for %v", query)
	}
}

// TestSignInOfAnotherBrowser: a callback that an attacker began does not sign a victim in
// as the attacker, nor can it be used twice.
func TestSignInOfAnotherBrowser(t *testing.T) {
	w := newWorld(t)
	attacker, victim := w.person(), w.person()
	callback := attacker.stopAt("/account/callback").RequestURI()
	victim.wantRefused(victim.get(callback), 403, "form_expired", "the callback in another browser")
	victim.stopAt("/account/callback") // has begun a sign-in of its own
	victim.wantRefused(victim.get(callback), 403, "form_expired", "the callback in a browser with another sign-in")
	if victim.cookie("listward-session") != "" {
		t.Error("the victim is signed in")
	}
	if got := attacker.get(callback); got.location != "/account" || !strings.Contains(got.body, "demo@listward.example") {
		t.Fatalf("the attacker's own sign-in: %d at %s", got.status, got.location)
	}
	attacker.wantRefused(attacker.get(callback), 403, "form_expired", "the same callback again")
}

func TestSignInTakesTooLong(t *testing.T) {
	w := newWorld(t)
	p := w.person()
	callback := p.stopAt("/account/callback").RequestURI()
	w.late = 11 * time.Minute
	p.wantRefused(p.get(callback), 403, "form_expired", "the callback after eleven minutes")
}

// TestIssuerIsDown: who comes back while the issuer does not answer can try again.
func TestIssuerIsDown(t *testing.T) {
	w := newWorld(t)
	p := w.person()
	callback := p.stopAt("/account/callback").RequestURI()
	w.down = true
	got := p.get(callback)
	p.wantRefused(got, 503, "unavailable", "the callback")
	if got.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	w.down = false
	if got := p.get(callback); got.status != 200 || !strings.Contains(got.body, "demo@listward.example") {
		t.Errorf("the callback again: %d", got.status)
	}
}

// TestSessionFixation: what was in the cookie before a sign-in is not what is after it.
func TestSessionFixation(t *testing.T) {
	w := newWorld(t)
	attacker := w.signedIn("mallory")
	planted := attacker.cookie("listward-session")
	victim := w.person()
	victim.setCookie("listward-session", planted)
	victim.get("/account/login")
	if got := victim.cookie("listward-session"); got == planted || got == "" {
		t.Error("the planted session is still there after the sign-in")
	}
	if page := victim.get("/account").body; !strings.Contains(page, "demo@listward.example") || strings.Contains(page, "mallory") {
		t.Error("the victim is not in an account of its own")
	}
}

func TestSessions(t *testing.T) {
	w := newWorld(t)
	p := w.signedIn("ada")
	sealed := p.cookie("listward-session")
	out := func(what string) {
		t.Helper()
		p.wantRefused(p.get("/account/keys"), 401, "sign_in_required", what)
		if got := p.get("/account"); got.status != 200 || strings.Contains(got.body, "ada@") {
			t.Errorf("%s: the first page knows the person", what)
		}
	}
	for what, value := range map[string]string{
		"a cookie with a changed byte": sealed[:len(sealed)/2] + flipped(sealed[len(sealed)/2]) + sealed[len(sealed)/2+1:],
		"a cut cookie":                 sealed[:len(sealed)-4], "no text": "%%%", "plain text": "eyJhY2NvdW50IjoiYWNjdCJ9",
	} {
		p.setCookie("listward-session", value)
		out(what)
	}
	p.stopAt("/account/callback")
	p.setCookie("listward-session", p.cookie("listward-sign-in"))
	out("the sign-in's cookie as a session")
	p.setCookie("listward-session", sealed)
	w.late = 8*time.Hour - time.Minute
	if got := p.get("/account/keys"); got.status != 200 {
		t.Errorf("a minute before the session ends: %d", got.status)
	}
	w.late = 8 * time.Hour
	out("after eight hours")
	w.late = 0
	if got := p.post("/account/logout"); got.location != "/account" || p.cookie("listward-session") != "" {
		t.Errorf("signing out leads to %s and leaves the cookie %q", got.location, p.cookie("listward-session"))
	}
	out("signed out")
}

func flipped(b byte) string {
	if b == 'A' {
		return "B"
	}
	return "A"
}

// TestNoOpenRedirect: no parameter and no header decides where a person is led.
func TestNoOpenRedirect(t *testing.T) {
	w := newWorld(t)
	host := w.person().base().Host
	for _, path := range []string{
		"/account/login?next=https://evil.example", "/account/login?redirect_uri=https://evil.example/", "/account/login?return_to=//evil.example",
		"/account/callback?redirect=https://evil.example", "/account?lang=https://evil.example",
	} {
		p := w.person()
		p.client.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
			if r.URL.Host != host || strings.Contains(r.URL.Query().Get("redirect_uri"), "evil") {
				t.Errorf("%s leads to %s", path, r.URL)
			}
			return nil
		}
		p.send(http.MethodGet, path, nil, map[string]string{"X-Forwarded-Host": "evil.example", "Referer": "https://evil.example/"})
	}
}

func TestHeaders(t *testing.T) {
	w := newWorld(t)
	p := w.signedIn("ada")
	for _, path := range []string{"/account", "/account/keys", "/account/none"} {
		got := p.get(path)
		policy := got.header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "script-src 'sha256-", "style-src 'sha256-"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: the policy %q lacks %s", path, policy, part)
			}
		}
		if strings.Contains(policy, "unsafe") || got.header.Get("Cache-Control") != "private, no-store" || got.header.Get("X-RateLimit-Limit") != "1000" ||
			got.header.Get("X-Content-Type-Options") != "nosniff" || got.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: headers %v", path, got.header)
		}
	}
	signIn := p.send(http.MethodHead, "/account", nil, nil)
	if signIn.status != 405 || signIn.header.Get("Allow") != "GET" {
		t.Errorf("HEAD: %d, Allow %q", signIn.status, signIn.header.Get("Allow"))
	}
	if got := p.send(http.MethodGet, "/account/keys", nil, map[string]string{"Accept": "application/json", "Cookie": "x=y"}); got.status != 200 {
		t.Errorf("with another cookie beside: %d", got.status)
	}
	bare := w.person()
	if got := bare.send(http.MethodGet, "/account/keys", nil, map[string]string{"Accept": "*/*"}); got.status != 401 || !strings.Contains(got.body, `"code":"sign_in_required"`) {
		t.Errorf("not signed in, as JSON: %d %s", got.status, got.body)
	}
	if got := p.submit("/account/keys", "label", strings.Repeat("x", 70_000), "token", p.token()); got.status != 413 {
		t.Errorf("a form of 70,000 bytes: %d", got.status)
	}
}

// TestCookies: HttpOnly, Lax and of the whole host; with TLS also Secure and by the name
// that only such a cookie may have.
func TestCookies(t *testing.T) {
	w := newWorld(t)
	for scheme, want := range map[string]string{
		"http": "listward-sign-in=", "https": "__Host-listward-sign-in=",
	} {
		p := w.person()
		p.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		got := p.send(http.MethodGet, "/account/login", nil, map[string]string{"X-Test-Proto": scheme})
		cookie := fmt.Sprint(got.header["Set-Cookie"])
		if !strings.Contains(cookie, want) || !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Lax") || !strings.Contains(cookie, "Path=/;") ||
			strings.Contains(cookie, "Domain") || strings.Contains(cookie, "Secure") != (scheme == "https") {
			t.Errorf("%s: %s", scheme, cookie)
		}
	}
}
