package apitest

import (
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// testKeyStates follows spec section 3 for what these endpoints show.
func (s Service) testKeyStates(t *testing.T) {
	a := s.account(t)
	key, id := a.key(t)
	call := get(key, name("x"))
	expect := func(when string, status int, code string) {
		t.Helper()
		got := s.do(t, call)
		if got.status != status || status != 200 && got.error(t).Code != code {
			t.Errorf("%s: %d %s, want %d %s", when, got.status, got.body, status, code)
		}
	}
	expect("active", 200, "")
	s.admin(t, nil, "plan", "end", a.id)
	expect("plan ended", 403, "membership_required")
	if rest := s.do(t, call).remaining(); rest != 999 {
		t.Errorf("plan ended: remaining %d, want the true rest 999", rest)
	}
	s.admin(t, nil, "plan", "grant", a.id)
	expect("plan renewed, same key", 200, "")
	s.admin(t, nil, "key", "revoke", a.id, id)
	expect("revoked", 401, "invalid_key")
	if rest := s.do(t, call).remaining(); rest != 0 {
		t.Errorf("revoked: remaining %d, want 0", rest)
	}
	s.admin(t, nil, "plan", "grant", a.id)
	expect("revoked for good", 401, "invalid_key")
}

func (s Service) testDomainLock(t *testing.T) {
	a := s.account(t)
	key, id := a.key(t, "--domain", "example.com", "--domain", "*.shop.example")
	for _, tt := range []struct {
		origin, referer string
		status          int
	}{
		{"https://example.com", "", 200},
		{"https://EXAMPLE.com:8443", "", 200},
		{"https://a.b.shop.example", "", 200},
		{"", "https://example.com/page?x=1", 200},
		{"", "", 403},
		{"https://shop.example", "", 403},
		{"https://evilexample.com", "", 403},
		{"https://example.com.evil.net", "", 403},
		{"null", "https://example.com/", 403},
		{"https://evil.net", "https://example.com/", 403},
	} {
		r := get(key, name("x"))
		for header, value := range map[string]string{"Origin": tt.origin, "Referer": tt.referer} {
			if value != "" {
				r.header[header] = value
			}
		}
		got := s.do(t, r)
		if got.status != tt.status || tt.status == 403 && got.error(t).Code != "domain_not_allowed" {
			t.Errorf("Origin %q, Referer %q: %d, want %d", tt.origin, tt.referer, got.status, tt.status)
		}
	}
	s.admin(t, nil, "key", "lock", a.id, id)
	if got := s.do(t, get(key, name("x"))); got.status != 200 {
		t.Errorf("unlocked again: %d %s", got.status, got.body)
	}
}

func (s Service) testPreflight(t *testing.T) {
	for _, path := range []string{"/api/v1/screen", "/api/v1/whatever"} {
		got := s.do(t, request{"OPTIONS", path, map[string]string{
			"Origin": "https://example.com", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization",
		}, ""})
		if got.status != 204 || len(got.body) != 0 || got.header.Get("Access-Control-Allow-Headers") == "" ||
			got.header.Get("Access-Control-Allow-Methods") == "" || got.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: %d %v", path, got.status, got.header)
		}
	}
	if got := s.do(t, request{"OPTIONS", "/elsewhere", nil, ""}); got.status != 404 {
		t.Errorf("OPTIONS outside the API: %d, want 404", got.status)
	}
}

// testCountedCalls: every call that passed the key, plan and domain checks counts
// once, whatever its result; no other call counts.
func (s Service) testCountedCalls(t *testing.T) {
	a := s.account(t)
	key, _ := a.key(t)
	used := 0
	for _, tt := range []struct {
		request
		cost int
	}{
		{get(key, name("x")), 1},
		{get(key, ""), 1},
		{get(key, "nam=x"), 1},
		{get(key, "name=x&source=CN"), 1},
		{post(key, "", `{"names": ["a", "b", "c"]}`), 1},
		{post(key, "", `not json`), 1},
		{request{"GET", "/api/v1/nothing", bearer(key), ""}, 0},
		{request{"PUT", "/api/v1/screen", bearer(key), ""}, 0},
		{request{"HEAD", "/api/v1/screen?name=x", bearer(key), ""}, 0},
	} {
		used += tt.cost
		if got := s.do(t, tt.request); got.remaining() != 1000-used {
			t.Errorf("%s %s: remaining %d, want %d", tt.method, tt.path, got.remaining(), 1000-used)
		}
	}
	s.do(t, request{"OPTIONS", "/api/v1/screen", bearer(key), ""})
	s.admin(t, nil, "plan", "end", a.id)
	s.do(t, get(key, name("x")))
	s.admin(t, nil, "plan", "grant", a.id)
	used++
	if got := s.do(t, get(key, name("x"))); got.remaining() != 1000-used {
		t.Errorf("after refused calls: remaining %d, want %d", got.remaining(), 1000-used)
	}
}

// testAllowance sends more calls at once than the allowance has.
func (s Service) testAllowance(t *testing.T) {
	key := s.key(t)
	var passed, refused atomic.Int64
	var callers sync.WaitGroup
	for range 50 {
		callers.Go(func() {
			for range 40 {
				got := s.do(t, get(key, name("x")))
				switch got.status {
				case http.StatusOK:
					passed.Add(1)
				case http.StatusTooManyRequests:
					refused.Add(1)
					if wait, err := strconv.Atoi(got.header.Get("Retry-After")); err != nil || wait < 1 || wait > 86400 || got.remaining() != 0 {
						t.Errorf("Retry-After %q, remaining %d", got.header.Get("Retry-After"), got.remaining())
					}
				default:
					t.Errorf("status %d: %s", got.status, got.body)
				}
			}
		})
	}
	callers.Wait()
	if passed.Load() != 1000 || refused.Load() != 1000 {
		t.Errorf("%d calls passed and %d were refused, want 1000 and 1000", passed.Load(), refused.Load())
	}
	last := s.do(t, get(key, "nam=x"))
	if last.status != 429 || last.error(t).Code != "quota_exceeded" {
		t.Errorf("after the allowance a bad call: %d %s", last.status, last.body)
	}
}
