package keys_test

import (
	"testing"
	"time"

	"github.com/listward/listward/pkg/keys"
)

// TestJudge takes the reasons against a call away one by one, in the order in
// which they are told.
func TestJudge(t *testing.T) {
	revoked := keys.Key{ID: "key_1", Domains: []string{"example.com"}, Revoked: noon}
	locked := keys.Key{ID: "key_1", Domains: []string{"example.com"}}
	site := []string{"example.com", "*.com"}
	for _, c := range []struct {
		key   keys.Key
		until time.Time
		used  int
		hosts []string
		want  keys.Code
	}{
		{keys.Key{}, time.Time{}, 0, nil, keys.InvalidKey},
		{keys.Key{}, noon.Add(1), 0, nil, keys.InvalidKey},
		{revoked, noon, keys.Limit, nil, keys.InvalidKey},
		{revoked, noon.Add(1), 0, site, keys.InvalidKey},
		{locked, noon, keys.Limit, nil, keys.MembershipRequired},
		{locked, time.Time{}, 0, site, keys.MembershipRequired},
		{locked, noon.Add(1), keys.Limit, nil, keys.DomainNotAllowed},
		{locked, noon.Add(1), 0, []string{"*.example.com"}, keys.DomainNotAllowed},
		{locked, noon.Add(1), keys.Limit, site, keys.QuotaExceeded},
		{locked, noon.Add(1), keys.Limit - 1, site, keys.OK},
		{keys.Key{ID: "key_1"}, noon.Add(1), 0, nil, keys.OK},
	} {
		got := keys.Judge(c.key, c.until, c.used, keys.Call{Now: noon, Hosts: c.hosts})
		if got != c.want {
			t.Errorf("Judge(%+v, %v, %d, %q) = %q, want %q", c.key, c.until, c.used, c.hosts, got, c.want)
		}
	}
}
