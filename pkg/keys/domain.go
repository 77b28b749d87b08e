package keys

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// MaxDomains is the domains that a key may be locked to. A store reads them with
// every call, and the header that /embed makes of them must stay short.
const MaxDomains = 20

const (
	// maxHosts bounds the candidates of a call, since a store's condition names
	// each of them (design, "One round trip per call").
	maxHosts = 8
	// maxTyped bounds a domain as typed, in bytes. No host is longer, since its
	// punycode has 253 characters at most, and idna needed 12 s to find that out
	// for 100,000 Chinese ones.
	maxTyped = 1024
	// wildcard begins a domain that stands for all hosts below another.
	wildcard = "*."
)

// The refusals of [ParseDomains], and of a [Store] that was given the same.
var (
	// ErrDomain comes with the value at fault.
	ErrDomain = errors.New("not an allowed domain: write a host such as shop.example.com or *.example.com, without scheme, port or path")
	// ErrTooManyDomains is returned for more than MaxDomains.
	ErrTooManyDomains = errors.New("too many allowed domains: *.example.com stands for all hosts below example.com")
)

// ParseDomains brings allowed domains into the form in which they are stored and
// compared: lower-case punycode (UTS 46), each once, in the order given. One is
// a host, or "*." before a host of two labels or more for all hosts below that one,
// itself not among them (decisions section 5): *.com would lock nobody out. An IPv4 address is a host that has none below it;
// IPv6 addresses are not accepted. Applied to its own result it changes nothing.
func ParseDomains(values []string) ([]string, error) {
	if len(values) > MaxDomains {
		return nil, fmt.Errorf("%w: %d, want at most %d", ErrTooManyDomains, len(values), MaxDomains)
	}
	var domains []string
	for _, value := range values {
		domain, err := parseDomain(value)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(domains, domain) {
			domains = append(domains, domain)
		}
	}
	return domains, nil
}

func parseDomain(value string) (string, error) {
	name, below := strings.CutPrefix(value, wildcard)
	if len(name) > maxTyped || !utf8.ValidString(name) {
		return "", fmt.Errorf("%w: %.100q", ErrDomain, value)
	}
	// Hyphens are not checked, as in browsers: hosts such as v1--shop exist.
	profile := idna.New(idna.MapForLookup(), idna.BidiRule(), idna.VerifyDNSLength(true), idna.CheckHyphens(false))
	host, err := profile.ToASCII(name)
	if err != nil || strings.HasSuffix(host, ".") || below && (isIPv4(host) || !strings.Contains(host, ".")) {
		return "", fmt.Errorf("%w: %q", ErrDomain, value)
	}
	if below {
		return wildcard + host, nil
	}
	return host, nil
}

// isIPv4 tells addresses, in whatever spelling, by what no name has: a last
// label of digits only (WHATWG URL, "ends in a number").
func isIPv4(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	return strings.Trim(last, "0123456789") == ""
}

// Hosts returns the domains that would let a call through, given its Origin and
// Referer headers: the calling site's host, then "*." before each parent of it,
// nearest first, at most 8 in all. Referer is read only where there is no
// Origin. What is not the http or https URL of a host, "null" among it, gives
// none, and then only a key without a lock passes.
func Hosts(origin, referer string) []string {
	site := origin
	if site == "" {
		site = referer
	}
	host := siteHost(site)
	if host == "" {
		return nil
	}
	hosts := []string{host}
	for len(hosts) < maxHosts {
		_, parent, found := strings.Cut(host, ".")
		if !found {
			break
		}
		hosts, host = append(hosts, wildcard+parent), parent
	}
	return hosts
}

// siteHost returns the lower-case host of a URL, or nothing. Browsers send hosts
// in punycode, so one with other characters does not come from a browser; a "*"
// or an empty label in it must not pass for a stored wildcard.
func siteHost(site string) string {
	u, err := url.Parse(site)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	host := u.Hostname()
	for _, b := range []byte(host) {
		if !strings.ContainsRune(alphabet+"-._", rune(b)) {
			return ""
		}
	}
	if slices.Contains(strings.Split(host, "."), "") {
		return ""
	}
	return strings.ToLower(host)
}
