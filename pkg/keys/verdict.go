package keys

import (
	"strconv"
	"time"
)

// The allowances of spec sections 3 and 8, and of decisions section 5.
const (
	Limit            = 1000 // calls per key and UTC day
	MaxActive        = 5    // active keys per account
	MaxCreatedPerDay = 20   // keys created per account and UTC day, revoked ones included
)

// Code is a verdict in one word. All but OK and the zero value are error codes
// of the API (spec section 7, decisions section 4); the zero value refuses.
type Code string

// The codes that an [Authorizer] gives.
const (
	OK                 Code = "ok"
	MissingKey         Code = "missing_key"
	InvalidKey         Code = "invalid_key" // malformed, unknown or revoked
	MembershipRequired Code = "membership_required"
	DomainNotAllowed   Code = "domain_not_allowed"
	QuotaExceeded      Code = "quota_exceeded"
	Unavailable        Code = "unavailable" // the store gave no clear answer
)

func (c Code) known() bool {
	switch c {
	case OK, MissingKey, InvalidKey, MembershipRequired, DomainNotAllowed, QuotaExceeded, Unavailable:
		return true
	}
	return false
}

// Verdict says whether a call may pass, and what its answer tells about the
// allowance. Only one whose Code is OK passes: the zero Verdict refuses.
type Verdict struct {
	Code Code
	// Limit is the calls per UTC day, Remaining those left of them.
	Limit, Remaining int
	// Reset is when the allowance is whole again, a full second in UTC.
	Reset time.Time
	// KeyID and Account are empty where the key is not known.
	KeyID, Account string
	// Domains is the key's lock, with blanks between, if a search box was asked for:
	// its frame is locked by it.
	Domains string
	// RequestID is the call's own id, by which its handler tells this verdict
	// from one that a gateway kept of another call.
	RequestID string
}

// Context returns the verdict as the flat map of strings that a REST API Gateway
// passes from authorizer to handler. What is empty of KeyID, Account and Domains is
// left out. The caller owns the map.
func (v Verdict) Context() map[string]any {
	c := map[string]any{
		"code":       string(v.Code),
		"limit":      strconv.Itoa(v.Limit),
		"remaining":  strconv.Itoa(v.Remaining),
		"reset":      strconv.FormatInt(v.Reset.Unix(), 10),
		"request_id": v.RequestID,
	}
	if v.KeyID != "" {
		c["key_id"] = v.KeyID
	}
	if v.Account != "" {
		c["account"] = v.Account
	}
	if v.Domains != "" {
		c["domains"] = v.Domains
	}
	return c
}

// FromContext reads what [Verdict.Context] wrote. It takes numbers as string,
// float64 or int and passes over names that it does not know, since a gateway
// adds its own. Anything else that is not a whole and sensible verdict gives the
// zero Verdict, and so does an OK that names no key, account or request.
func FromContext(c map[string]any) Verdict {
	r := contextReader{from: c}
	v := Verdict{
		Code:      Code(r.text("code")),
		Limit:     int(r.number("limit")),
		Remaining: int(r.number("remaining")),
		Reset:     time.Unix(r.number("reset"), 0).UTC(),
		KeyID:     r.text("key_id"),
		Account:   r.text("account"),
		Domains:   r.text("domains"),
		RequestID: r.text("request_id"),
	}
	if r.malformed || !v.sensible() {
		return Verdict{}
	}
	return v
}

func (v Verdict) sensible() bool {
	if v.Code == OK && (v.KeyID == "" || v.Account == "") {
		return false
	}
	return v.Code.known() && v.RequestID != "" && v.Reset.Unix() > 0 &&
		0 <= v.Remaining && v.Remaining <= v.Limit
}

// contextReader remembers whether anything that it was asked for was malformed.
type contextReader struct {
	from      map[string]any
	malformed bool
}

// text returns a string, empty when it is absent.
func (r *contextReader) text(name string) string {
	switch v := r.from[name].(type) {
	case nil:
		return ""
	case string:
		return v
	}
	r.malformed = true
	return ""
}

func (r *contextReader) number(name string) int64 {
	switch v := r.from[name].(type) {
	case int:
		return int64(v)
	case float64:
		if n := int64(v); float64(n) == v {
			return n
		}
	case string:
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			return n
		}
	}
	r.malformed = true
	return 0
}

// Day returns the UTC day of a time as YYYY-MM-DD, under which stores count.
func Day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// OldestDay returns the first of the 31 UTC days, today the last of them, whose
// counts are kept.
func OldestDay(now time.Time) string { return Day(now.UTC().AddDate(0, 0, -30)) }

// NextReset returns the next 00:00 UTC after now.
func NextReset(now time.Time) time.Time {
	return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)
}
