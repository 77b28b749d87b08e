package keys_test

import (
	"encoding/json"
	"maps"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/listward/listward/pkg/keys"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

var codes = []keys.Code{
	keys.OK, keys.MissingKey, keys.InvalidKey, keys.MembershipRequired,
	keys.DomainNotAllowed, keys.QuotaExceeded, keys.Unavailable,
}

func okVerdict() keys.Verdict {
	return keys.Verdict{
		Code: keys.OK, Limit: 1000, Remaining: 17, Reset: keys.NextReset(noon),
		KeyID: "key_0123456789abcdef", Account: "acct_1", RequestID: "r1",
	}
}

func TestContext(t *testing.T) {
	want := map[string]any{
		"code": "ok", "limit": "1000", "remaining": "17", "reset": "1795219200",
		"key_id": "key_0123456789abcdef", "account": "acct_1", "request_id": "r1",
	}
	if diff := cmp.Diff(want, okVerdict().Context()); diff != "" {
		t.Errorf("Context of %v differs (-want +got):\n%s", okVerdict(), diff)
	}
}

func TestContextRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.StringN(1, 20, -1)
		v := keys.Verdict{
			Code:      rapid.SampledFrom(codes).Draw(rt, "code"),
			Limit:     rapid.IntRange(0, math.MaxInt32).Draw(rt, "limit"),
			Reset:     time.Unix(rapid.Int64Range(1, 1<<40).Draw(rt, "reset"), 0).UTC(),
			KeyID:     word.Draw(rt, "key"),
			Account:   word.Draw(rt, "account"),
			RequestID: word.Draw(rt, "request"),
		}
		v.Remaining = rapid.IntRange(0, v.Limit).Draw(rt, "remaining")
		if v.Code != keys.OK && rapid.Bool().Draw(rt, "unknown key") {
			v.KeyID, v.Account = "", ""
		}
		if diff := cmp.Diff(v, keys.FromContext(v.Context())); diff != "" {
			rt.Fatalf("FromContext of Context differs (-want +got):\n%s", diff)
		}
	})
}

func TestFromContextTypes(t *testing.T) {
	var fromJSON map[string]any
	text := `{"code": "ok", "limit": 1000, "remaining": 17, "reset": 1795219200, "key_id": "key_0123456789abcdef",
		"account": "acct_1", "request_id": "r1", "principalId": "user", "integrationLatency": 12}`
	if err := json.Unmarshal([]byte(text), &fromJSON); err != nil {
		t.Fatal(err)
	}
	ints := okVerdict().Context()
	ints["limit"], ints["remaining"], ints["reset"] = 1000, 17, 1795219200
	for name, c := range map[string]map[string]any{"float64": fromJSON, "int": ints} {
		if diff := cmp.Diff(okVerdict(), keys.FromContext(c)); diff != "" {
			t.Errorf("FromContext with numbers as %s differs (-want +got):\n%s", name, diff)
		}
	}
}

func TestFromContextRefuses(t *testing.T) {
	refuse := func(c map[string]any) {
		t.Helper()
		if got := keys.FromContext(c); got != (keys.Verdict{}) {
			t.Errorf("FromContext(%v) = %+v, want the zero Verdict", c, got)
		}
	}
	refuse(nil)
	refuse(keys.Verdict{}.Context())
	for name, values := range map[string][]any{
		"code":       {"", "OK", "allowed", 1, true},
		"limit":      {"", "x", "1e3", "-1", 16, 16.5, math.NaN(), math.Inf(1), true},
		"remaining":  {"", "-1", "1001", -1, 1001.0, []int{1}},
		"reset":      {"", "0", "-5", "2026-11-20", 0, 1e300},
		"key_id":     {"", 7, true},
		"account":    {"", 7.5},
		"request_id": {"", 7},
	} {
		for _, value := range append(values, nil) {
			c := okVerdict().Context()
			c[name] = value
			refuse(c)
		}
		c := okVerdict().Context()
		delete(c, name)
		refuse(c)
	}
}

// TestFromContextNeverInvents damages a refusal at random: no damage but that of
// the code itself may make it pass.
func TestFromContextNeverInvents(t *testing.T) {
	value := rapid.OneOf(
		rapid.String().AsAny(), rapid.Float64().AsAny(), rapid.Int().AsAny(), rapid.Bool().AsAny(),
		rapid.SampledFrom([]any{"ok", "0", "1000", nil}),
	)
	rapid.Check(t, func(rt *rapid.T) {
		v := okVerdict()
		v.Code = rapid.SampledFrom(codes[1:]).Draw(rt, "code")
		damaged := v.Context()
		maps.Copy(damaged, rapid.MapOf(rapid.SampledFrom([]string{
			"limit", "remaining", "reset", "key_id", "account", "request_id", "verdict",
		}), value).Draw(rt, "damage"))
		if got := keys.FromContext(damaged).Code; got != v.Code && got != "" {
			rt.Fatalf("FromContext(%v) has the code %q, want %q or none", damaged, got, v.Code)
		}
	})
}

func TestDays(t *testing.T) {
	east, west := time.FixedZone("UTC+14", 14*3600), time.FixedZone("UTC-12", -12*3600)
	for _, c := range []struct{ now, day, oldest, reset string }{
		{"2026-11-20T00:00:00Z", "2026-11-20", "2026-10-21", "2026-11-21T00:00:00Z"},
		{"2026-11-20T23:59:59.999Z", "2026-11-20", "2026-10-21", "2026-11-21T00:00:00Z"},
		{"2026-12-31T12:00:00Z", "2026-12-31", "2026-12-01", "2027-01-01T00:00:00Z"},
		{"2028-02-28T12:00:00Z", "2028-02-28", "2028-01-29", "2028-02-29T00:00:00Z"},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		for _, now := range []time.Time{now, now.In(east), now.In(west)} {
			if got := keys.Day(now); got != c.day {
				t.Errorf("Day(%v) = %s, want %s", now, got, c.day)
			}
			if got := keys.OldestDay(now); got != c.oldest {
				t.Errorf("OldestDay(%v) = %s, want %s", now, got, c.oldest)
			}
			if got := keys.NextReset(now).Format(time.RFC3339Nano); got != c.reset {
				t.Errorf("NextReset(%v) = %s, want %s", now, got, c.reset)
			}
		}
	}
}
