package apitest

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// testEmbed is the search box as a program sees it: a browser sees more of it in
// infra/local.
func (s Service) testEmbed(t *testing.T) {
	account := s.account(t)
	key, _ := account.key(t)
	locked, _ := account.key(t, "--domain=shop.example", "--domain=*.shops.example")
	box := func(query, referer string) response {
		header := map[string]string{"Accept": "text/html"}
		if referer != "" {
			header["Referer"] = referer
		}
		return s.do(t, request{"GET", "/embed?" + query, header, ""})
	}
	t.Run("page", func(t *testing.T) {
		for query, ancestors := range map[string]string{"key=" + key: "frame-ancestors *", "lang=zh&key=" + locked: "frame-ancestors https://shop.example:* http://shop.example:* https://*.shops.example:* http://*.shops.example:*"} {
			got := box(query, "")
			policy := got.header.Get("Content-Security-Policy")
			if got.status != 200 || !strings.HasSuffix(policy, ancestors) || !strings.Contains(policy, "default-src 'none'; script-src 'nonce-") ||
				strings.Contains(policy, "unsafe") || got.header.Get("X-Content-Type-Options") != "nosniff" || got.header.Get("Referrer-Policy") != "no-referrer" ||
				got.header.Get("X-Frame-Options") != "" || got.remaining() != 1000 {
				t.Errorf("/embed: %d %v", got.status, got.header)
			}
			if len(got.body) > 30_000 || strings.Contains(string(got.body), key) || strings.Contains(string(got.body), locked) {
				t.Errorf("the page has %d bytes, and must not have the key", len(got.body))
			}
		}
	})
	t.Run("referer", func(t *testing.T) {
		for referer, want := range map[string]int{
			"": 200, "https://shop.example/page": 200, "http://a.shops.example:8080/": 200,
			"https://evil.example/": 403, "https://shop.example.evil.net/": 403, "https://shops.example/": 403, "about:blank": 403,
		} {
			if got := box("key="+locked, referer); got.status != want {
				t.Errorf("from %q: %d, want %d", referer, got.status, want)
			}
		}
	})
	t.Run("token", func(t *testing.T) { s.testToken(t, string(box("key="+locked, "").body)) })
	t.Run("errors", func(t *testing.T) { s.testEmbedErrors(t, account, locked) })
}

// testToken: the page's token searches, from no other site, and does nothing else.
func (s Service) testToken(t *testing.T, page string) {
	found := regexp.MustCompile(`data-token="(lwe_[\w-]+)"`).FindStringSubmatch(page)
	if found == nil {
		t.Fatal("the page has no token")
	}
	token, own := found[1], strings.TrimPrefix(s.URL, "http://")
	first := s.do(t, get(token, name("bank")))
	if first.status != 200 || first.remaining() != 999 {
		t.Errorf("a search: %d, %d calls left", first.status, first.remaining())
	}
	for origin, want := range map[string]int{"http://" + own: 200, "https://shop.example": 200, "https://evil.example": 403, "null": 403} {
		call := get(token, name("bank"))
		call.header["Origin"] = origin
		if got := s.do(t, call); got.status != want {
			t.Errorf("a search by a script of %s: %d, want %d", origin, got.status, want)
		}
	}
	call := get(token, name("bank"))
	call.header["Sec-Fetch-Site"] = "cross-site"
	if got := s.do(t, call); got.status != 403 || got.error(t).Code != "domain_not_allowed" {
		t.Errorf("a search by a script of another site: %d %s", got.status, got.body)
	}
	for _, call := range []request{post(token, "", `{"names": ["bank"]}`), at(token, "sanctions", ""), at(token, "sources", ""), at(token, "exports/UN.csv", "")} {
		if got := s.do(t, call); got.status != 401 || got.error(t).Code != "invalid_key" {
			t.Errorf("%s %s with the token: %d %s", call.method, call.path, got.status, got.body)
		}
	}
}

var errorCode = regexp.MustCompile(`<meta name="error-code" content="(\w+)">`)

// testEmbedErrors: a page for browsers and JSON for others, with one status and code.
func (s Service) testEmbedErrors(t *testing.T, account account, locked string) {
	check := func(query, referer string, status int, code, ancestors string) {
		t.Helper()
		for _, accept := range []string{"text/html,application/xhtml+xml;q=0.9", "application/json"} {
			got := s.do(t, request{"GET", "/embed?" + query, map[string]string{"Accept": accept, "Referer": referer}, ""})
			shown := ""
			if found := errorCode.FindSubmatch(got.body); found != nil {
				shown = string(found[1])
			} else {
				shown = got.error(t).Code
			}
			html := strings.HasPrefix(got.header.Get("Content-Type"), "text/html")
			if got.status != status || shown != code || html != strings.HasPrefix(accept, "text/html") || html && !strings.HasSuffix(got.header.Get("Content-Security-Policy"), ancestors) {
				t.Errorf("/embed?%.8s… as %.9s: %d %s %v, want %d %s", query, accept, got.status, shown, got.header, status, code)
			}
		}
	}
	check("", "", 401, "missing_key", "*")
	check("key=", "", 401, "missing_key", "*")
	check("key=lw_none", "", 401, "invalid_key", "*")
	check("key="+locked+"&key="+locked, "", 401, "invalid_key", "*")
	check("key="+locked, "https://evil.example/", 403, "domain_not_allowed", " http://*.shops.example:*")
	check("key="+locked+"&theme=dark", "", 400, "invalid_parameter", " http://*.shops.example:*")
	check("key="+locked+"&lang=en&lang=zh", "", 400, "invalid_parameter", " http://*.shops.example:*")
	if got := s.do(t, request{http.MethodPost, "/embed?key=" + url.QueryEscape(locked), nil, ""}); got.status != 405 || got.header.Get("Allow") != "GET" {
		t.Errorf("POST: %d, Allow %q", got.status, got.header.Get("Allow"))
	}
	s.Admin(t, "plan", "end", account.id)
	check("key="+locked, "", 403, "membership_required", " http://*.shops.example:*")
}
