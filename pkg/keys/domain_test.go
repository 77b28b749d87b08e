package keys_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/listward/listward/pkg/keys"
)

func TestParseDomains(t *testing.T) {
	for _, c := range []struct{ value, want string }{
		{"example.com", "example.com"},
		{"Shop.EXAMPLE.com", "shop.example.com"},
		{"*.example.com", "*.example.com"},
		{"bücher.example", "xn--bcher-kva.example"},
		{"*.Bücher.example", "*.xn--bcher-kva.example"},
		{"xn--bcher-kva.example", "xn--bcher-kva.example"},
		{"制裁.中国", "xn--xcrr34k.xn--fiqs8s"},
		{"ｅｘａｍｐｌｅ。com", "example.com"},
		{"v1--shop.example.com", "v1--shop.example.com"},
		{"localhost", "localhost"},
		{"127.0.0.1", "127.0.0.1"},
	} {
		got, err := keys.ParseDomains([]string{c.value})
		if err != nil || !slices.Equal(got, []string{c.want}) {
			t.Errorf("ParseDomains(%q) = %q, error %v, want %q", c.value, got, err, c.want)
		}
	}
	got, err := keys.ParseDomains([]string{"b.example", "a.example", "B.example"})
	if diff := cmp.Diff([]string{"b.example", "a.example"}, got); diff != "" || err != nil {
		t.Errorf("ParseDomains with a double: error %v, domains differ (-want +got):\n%s", err, diff)
	}
	if got, err := keys.ParseDomains(nil); got != nil || err != nil {
		t.Errorf("ParseDomains of none = %q, error %v, want none", got, err)
	}
}

func TestParseDomainsRefuses(t *testing.T) {
	for _, value := range []string{
		"", " ", ".", "*", "*.", "**.example.com", "*.*.example.com", "a.*.example.com", "*example.com",
		"https://example.com", "//example.com", "example.com:443", "example.com/", "example.com?q", "example.com#f",
		"user@example.com", "example.com.", ".example.com", "a..example.com", " example.com", "example.com ",
		"example.com;", "a,b.example.com", "'self'", "my_host.example.com", "example.com\r\nX: y", "example.com\x00",
		"*.com", "*.localhost", "*.127.0.0.1", "*.0.1", "*.1", "[::1]", "::1", "xn--a.example", "xn--example.com", "a\xff.example",
		strings.Repeat("a", 64) + ".example", strings.Repeat("a.", 130) + "example",
		strings.Repeat("制", 1000), strings.Repeat("\u00ad", 1000) + "example.com",
	} {
		got, err := keys.ParseDomains([]string{"example.com", value})
		if !errors.Is(err, keys.ErrDomain) || got != nil {
			t.Errorf("ParseDomains(%q) = %q, error %v, want %v", value, got, err, keys.ErrDomain)
		}
	}
	many := slices.Repeat([]string{"example.com"}, keys.MaxDomains+1)
	if _, err := keys.ParseDomains(many[1:]); err != nil {
		t.Errorf("ParseDomains of %d: %v", len(many)-1, err)
	}
	if got, err := keys.ParseDomains(many); !errors.Is(err, keys.ErrTooManyDomains) || got != nil {
		t.Errorf("ParseDomains of %d = %q, error %v, want %v", len(many), got, err, keys.ErrTooManyDomains)
	}
	_, err := keys.ParseDomains([]string{"example.com", "example.com/path"})
	if err == nil || !strings.Contains(err.Error(), `"example.com/path"`) {
		t.Errorf("the error %v does not name the value at fault", err)
	}
}

func FuzzParseDomains(f *testing.F) {
	for _, seed := range []string{
		"example.com", "*.Bücher.example", "xn--bcher-kva.example", "ｅｘａｍｐｌｅ。com", "faß.de", "127.0.0.1",
		"example.com;script-src *", "אב.example", "a\u200db.example", "*.xn--", "ẞ.de", "\xb5",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		domains, err := keys.ParseDomains([]string{value})
		if err != nil {
			if !errors.Is(err, keys.ErrDomain) || domains != nil {
				t.Errorf("ParseDomains(%q) = %q, error %v, want nothing and %v", value, domains, err, keys.ErrDomain)
			}
			return
		}
		if again, err := keys.ParseDomains(domains); err != nil || !slices.Equal(again, domains) {
			t.Errorf("ParseDomains(%q) = %q, but that gives %q, error %v", value, domains, again, err)
		}
		host, below := strings.CutPrefix(domains[0], "*.")
		if strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" || len(host) > 253 {
			t.Errorf("ParseDomains(%q) = %q, which is no host", value, domains)
		}
		if got := keys.Hosts("https://"+host, ""); !below && !slices.Contains(got, domains[0]) {
			t.Errorf("ParseDomains(%q) = %q, which its own site %q does not match", value, domains, got)
		}
	})
}

func TestHosts(t *testing.T) {
	for _, c := range []struct {
		origin, referer string
		want            []string
	}{
		{"https://example.com", "", []string{"example.com", "*.com"}},
		{"http://A.B.Example.com:8080", "", []string{"a.b.example.com", "*.b.example.com", "*.example.com", "*.com"}},
		{"", "https://a.example.com/path?q=1#f", []string{"a.example.com", "*.example.com", "*.com"}},
		{"https://a.example", "https://b.example/", []string{"a.example", "*.example"}},
		{"https://my_host.example", "", []string{"my_host.example", "*.example"}},
		{"http://localhost:3000", "", []string{"localhost"}},
		{"http://127.0.0.1:3000", "", []string{"127.0.0.1", "*.0.0.1", "*.0.1", "*.1"}},
		{"https://1.2.3.4.5.6.7.example.com", "", []string{
			"1.2.3.4.5.6.7.example.com", "*.2.3.4.5.6.7.example.com", "*.3.4.5.6.7.example.com", "*.4.5.6.7.example.com",
			"*.5.6.7.example.com", "*.6.7.example.com", "*.7.example.com", "*.example.com",
		}},
		{"https://example.com@evil.net", "", []string{"evil.net", "*.net"}},
	} {
		if diff := cmp.Diff(c.want, keys.Hosts(c.origin, c.referer)); diff != "" {
			t.Errorf("Hosts(%q, %q) differs (-want +got):\n%s", c.origin, c.referer, diff)
		}
	}
}

func TestHostsOfGarbage(t *testing.T) {
	const referer = "https://example.com/"
	for _, origin := range []string{
		"null", " ", "example.com", "//example.com", "https://", "https:///example.com", "file:///example.com",
		"ftp://example.com", "chrome-extension://example.com", "https://*.example.com", "https://.example.com",
		"https://a..example.com", "https://example.com.", "https://example.com https://evil.net", "https://[::1]",
		"https://exam ple.com", "https://example.com:port", "https://ex%61mple.com", "https://\u212aelvin.com", "https://bücher.example",
	} {
		if got := keys.Hosts(origin, referer); got != nil {
			t.Errorf("Hosts(%q, %q) = %q, want none", origin, referer, got)
		}
		if got := keys.Hosts("", origin); got != nil {
			t.Errorf("Hosts(%q, %q) = %q, want none", "", origin, got)
		}
	}
	if got := keys.Hosts("", ""); got != nil {
		t.Errorf("Hosts without headers = %q, want none", got)
	}
}

// TestLockOnExample builds sites around example.com and knows of each whether a
// key locked to a domain is meant to be used there.
func TestLockOnExample(t *testing.T) {
	label := rapid.StringMatching(`[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?`)
	rapid.Check(t, func(rt *rapid.T) {
		word, port := label.Draw(rt, "label"), rapid.SampledFrom([]string{"", ":443", ":8080"}).Draw(rt, "port")
		for _, c := range []struct {
			host        string
			apex, below bool
		}{
			{"example.com", true, false},
			{word + ".example.com", false, true},
			{word + "." + word + ".EXAMPLE.com", false, true},
			{word + "example.com", false, false},
			{word + "-example.com", false, false},
			{"example.com." + word + ".net", false, false},
			{"example.com" + word, false, false},
			{"example." + word + ".com", false, false},
			{word + ".com", word == "example", false},
		} {
			hosts := keys.Hosts("https://"+c.host+port, "")
			wantLock(rt, "example.com", c.host, hosts, c.apex)
			wantLock(rt, "*.example.com", c.host, hosts, c.below)
		}
	})
}

func wantLock(rt *rapid.T, domain, site string, hosts []string, allowed bool) {
	rt.Helper()
	want := keys.DomainNotAllowed
	if allowed {
		want = keys.OK
	}
	key := keys.Key{ID: "key_1", Domains: []string{domain}}
	if got := keys.Judge(key, noon.AddDate(0, 1, 0), 0, keys.Call{Now: noon, Hosts: hosts}); got != want {
		rt.Errorf("a call from %s with a key locked to %s is %q, want %q", site, domain, got, want)
	}
}
