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
	// Frame says that a search box is asked for: the key is in Key, all values of that
	// parameter, and the browser keeps the lock by the frame's ancestors.
	Frame bool
	Key   []string
	// Searching says that it is a call that a search box may make, with a token in place
	// of a key, and Own that it comes from a page of the service itself or says nothing
	// of where it comes from.
	Searching, Own bool
}

// Authorizer gives the verdict on each call. It may be used concurrently.
type Authorizer struct {
	store   Admitter
	tokens  TokenKeys
	now     func() time.Time
	log     *slog.Logger
	unknown unknownKeys
}

// NewAuthorizer returns an Authorizer that asks the store, and tokens at the first token
// that it meets. It logs only why these could not tell, which no verdict shows, and never
// a key.
func NewAuthorizer(store Admitter, tokens TokenKeys, now func() time.Time, log *slog.Logger) *Authorizer {
	return &Authorizer{store: store, tokens: tokens, now: now, log: log}
}

// Authorize returns the verdict on a call, after at most one call to the store
// with a deadline of two seconds. It fails closed: a store that errs gives
// Unavailable. Limit, Reset and RequestID are always set; Remaining is 0 for
// a key that is missing, invalid, revoked or could not be looked up (decisions
// section 4).
func (a *Authorizer) Authorize(ctx context.Context, r Request) Verdict {
	now := a.now()
	v := Verdict{Limit: Limit, Reset: NextReset(now), RequestID: r.RequestID}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	hash, vouched, code, err := a.identify(ctx, r, now)
	if code == "" && err == nil && a.unknown.contains(hash, now) {
		code = InvalidKey
	}
	if code != "" {
		v.Code = code
		return v
	}
	var outcome Outcome
	if err == nil {
		outcome, err = a.ask(ctx, hash, r, Call{Now: now, Hosts: Hosts(r.Origin, r.Referer), Vouched: vouched})
	}
	if err != nil {
		a.log.ErrorContext(ctx, "the key store could not tell", "request_id", r.RequestID, "key_id", hash.ID(), "error", err)
		v.Code = Unavailable
		return v
	}
	v.Code, v.KeyID, v.Account = outcome.Code, outcome.KeyID, outcome.Account
	if r.Frame {
		v.Domains = outcome.Domains
	}
	switch {
	case outcome.Code != InvalidKey:
		v.Remaining = max(0, Limit-outcome.Used)
	case outcome.KeyID == "":
		a.unknown.add(hash, now)
	}
	return v
}

// identify returns the hash of the key that a call carries, and whether something else
// keeps its lock; or the code of the refusal of one that carries none.
func (a *Authorizer) identify(ctx context.Context, r Request, now time.Time) (hash Hash, vouched bool, code Code, err error) {
	if r.Frame {
		secret, code := framed(r.Key)
		// Without a Referer nobody but the browser can tell in which page the frame is.
		return secret.Hash(), r.Referer == "", code, nil
	}
	token, code := bearer(r.Authorization)
	if code != "" {
		return Hash{}, false, code, nil
	}
	if strings.HasPrefix(token, tokenPrefix) && r.Searching {
		key, err := a.tokens(ctx)
		if err != nil {
			return Hash{}, false, "", err
		}
		if hash, err = key.Open(token, now); err != nil {
			return Hash{}, false, InvalidKey, nil
		}
		return hash, r.Own, "", nil
	}
	secret, err := Parse(token)
	if err != nil {
		return Hash{}, false, InvalidKey, nil
	}
	return secret.Hash(), false, "", nil
}

func (a *Authorizer) ask(ctx context.Context, hash Hash, r Request, call Call) (Outcome, error) {
	if r.Counted {
		return a.store.Admit(ctx, hash, call)
	}
	return a.store.Peek(ctx, hash, call)
}

// bearer returns what is in the Authorization header, or why nothing is. Two values are
// refused because proxies differ in which of them they would heed.
func bearer(values []string) (string, Code) {
	if len(values) > 1 {
		return "", InvalidKey
	}
	scheme, token, _ := strings.Cut(strings.TrimSpace(strings.Join(values, "")), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", MissingKey
	}
	return token, ""
}

// framed returns the key in the address of a search box, or why there is none.
func framed(values []string) (Secret, Code) {
	if len(values) == 0 || len(values) == 1 && values[0] == "" {
		return Secret{}, MissingKey
	}
	secret, err := Parse(values[0])
	if err != nil || len(values) > 1 {
		return Secret{}, InvalidKey
	}
	return secret, ""
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
