package keys

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
)

const (
	// storeTimeout leaves room under the 10 s that API Gateway gives an
	// authorizer, so that a store that hangs is a 503 of ours.
	storeTimeout = 2 * time.Second
	// unknownFor is how long a key that the store did not know is refused
	// without asking again, so that trying random keys costs the store little.
	unknownFor = 60 * time.Second
	// maxUnknown bounds the memory for that to about 1 MB.
	maxUnknown = 10_000
)

// Request is what an [Authorizer] must know of a call.
type Request struct {
	// Authorization holds all values of the header, in order.
	Authorization []string
	// Origin and Referer are those headers, empty when absent.
	Origin, Referer string
	RequestID       string
	// Counted is false for calls that carry a key and are free.
	Counted bool
}

// Authorizer gives the verdict on each call. It may be used concurrently.
type Authorizer struct {
	store   Admitter
	now     func() time.Time
	log     *slog.Logger
	unknown unknownKeys
}

// NewAuthorizer returns an Authorizer that asks the store. It logs only why the
// store could not tell, which no verdict shows, and never a key.
func NewAuthorizer(store Admitter, now func() time.Time, log *slog.Logger) *Authorizer {
	return &Authorizer{store: store, now: now, log: log}
}

// Authorize returns the verdict on a call, after at most one call to the store
// with a deadline of two seconds. It fails closed: a store that errs gives
// Unavailable. Limit, Reset and RequestID are always set; Remaining is 0 for
// a key that is missing, invalid, revoked or could not be looked up (decisions
// section 4).
func (a *Authorizer) Authorize(ctx context.Context, r Request) Verdict {
	now := a.now()
	v := Verdict{Limit: Limit, Reset: NextReset(now), RequestID: r.RequestID}
	var secret Secret
	if secret, v.Code = bearer(r.Authorization); v.Code != OK {
		return v
	}
	hash := secret.Hash()
	if a.unknown.contains(hash, now) {
		v.Code = InvalidKey
		return v
	}
	outcome, err := a.ask(ctx, hash, r, now)
	if err != nil {
		a.log.ErrorContext(ctx, "the key store could not tell", "request_id", r.RequestID, "key_id", hash.ID(), "error", err)
		v.Code = Unavailable
		return v
	}
	v.Code, v.KeyID, v.Account = outcome.Code, outcome.KeyID, outcome.Account
	switch {
	case outcome.Code != InvalidKey:
		v.Remaining = max(0, Limit-outcome.Used)
	case outcome.KeyID == "":
		a.unknown.add(hash, now)
	}
	return v
}

func (a *Authorizer) ask(ctx context.Context, hash Hash, r Request, now time.Time) (Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	call := Call{Now: now, Hosts: Hosts(r.Origin, r.Referer)}
	if r.Counted {
		return a.store.Admit(ctx, hash, call)
	}
	return a.store.Peek(ctx, hash, call)
}

// bearer returns the key in the Authorization header, or why there is none. Two
// values are refused because proxies differ in which of them they would heed.
func bearer(values []string) (Secret, Code) {
	if len(values) > 1 {
		return Secret{}, InvalidKey
	}
	scheme, token, _ := strings.Cut(strings.TrimSpace(strings.Join(values, "")), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return Secret{}, MissingKey
	}
	secret, err := Parse(token)
	if err != nil {
		return Secret{}, InvalidKey
	}
	return secret, OK
}

// unknownKeys remembers hashes that the store did not know. Revoked keys are not
// among them: the store knows those, and their verdict names them.
type unknownKeys struct {
	mu    sync.Mutex
	since map[Hash]time.Time
}

func (u *unknownKeys) contains(h Hash, now time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	since, found := u.since[h]
	return found && now.Sub(since) < unknownFor
}

func (u *unknownKeys) add(h Hash, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.since == nil || len(u.since) >= maxUnknown {
		u.since = make(map[Hash]time.Time)
	}
	u.since[h] = now
}
