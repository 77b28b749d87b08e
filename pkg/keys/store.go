package keys

import (
	"context"
	"errors"
	"slices"
	"time"
)

// The refusals of a [Store]. A store wraps them with what was attempted.
var (
	// ErrUnknownAccount is returned by every method that takes an account.
	ErrUnknownAccount = errors.New("there is no such account: see the list of accounts")
	// ErrAccountExists is returned by CreateAccount for an id that is taken.
	ErrAccountExists = errors.New("the account exists already")
	// ErrUnknownKey is returned by RevokeKey, LockKey and LabelKey for an id that is
	// not of a key of that account.
	ErrUnknownKey = errors.New("the account has no such key: see the list of its keys")
	// ErrKeyExists is returned by CreateKey for a secret that is registered
	// already, to whichever account and even if revoked.
	ErrKeyExists = errors.New("the key exists already: draw another")
	// ErrNoPlan is returned by CreateKey for an account whose plan is not running.
	ErrNoPlan = errors.New("the account has no running plan: it must have one to create a key")
	// ErrTooManyKeys is returned by CreateKey at MaxActive active keys.
	ErrTooManyKeys = errors.New("the account has as many active keys as it may: revoke one first")
	// ErrTooManyCreated is returned by CreateKey after MaxCreatedPerDay.
	ErrTooManyCreated = errors.New("the account created as many keys as it may in a day: wait until 00:00 UTC")
	// ErrUnknownCustomer is returned by AccountOf for a customer of no account.
	ErrUnknownCustomer = errors.New("no account has this customer")
	// ErrCustomerTaken is returned by SetCustomer for a customer of another account.
	ErrCustomerTaken = errors.New("the customer is of another account")
	// ErrStale is returned by SetSubscription for one that was decided on what is no
	// longer stored.
	ErrStale = errors.New("the account's subscription has changed meanwhile: read it again")
)

// Account is who holds keys and a plan.
type Account struct {
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
	// ActiveUntil is the end of the plan: it runs before that moment, not at it. It is
	// the later of Granted and Subscription.PaidUntil, zero when there never was a plan.
	ActiveUntil time.Time `json:"active_until,omitzero"`
	// Granted is the end of the plan that an operator granted.
	Granted time.Time `json:"granted_until,omitzero"`
	// Customer is the account's id at the payment provider, empty before the first
	// payment.
	Customer     string       `json:"customer,omitempty"`
	Subscription Subscription `json:"subscription,omitzero"`
}

// Subscription is what the payment provider last told of an account's subscription.
// The zero Subscription stands for none.
type Subscription struct {
	// Status is the provider's word, such as active, past_due or canceled.
	Status string `json:"status,omitempty"`
	// PeriodEnd is when the subscription renews or, if it Ends, does not.
	PeriodEnd time.Time `json:"period_end,omitzero"`
	Ends      bool      `json:"ends,omitempty"`
	// PaidUntil is the end of the plan by this subscription, with the days of grace of
	// decisions section 5.
	PaidUntil time.Time `json:"paid_until,omitzero"`
	// Revision counts what was stored. See SetSubscription.
	Revision int `json:"revision,omitempty"`
}

// Key is what is stored and shown of a key. Whether it is active, suspended or
// revoked follows from Revoked and from the account's plan (decisions section 5).
type Key struct {
	ID      string `json:"id"` // see Hash.ID
	Account string `json:"account"`
	// Label is the owner's text, in the form of ParseLabel.
	Label   string    `json:"label"`
	Hint    string    `json:"hint"` // see Secret.Hint
	Created time.Time `json:"created"`
	// LastUsed is the latest UTC day with a counted call, YYYY-MM-DD; empty
	// before the first.
	LastUsed string `json:"last_used,omitempty"`
	// Revoked is zero for a key that is not revoked.
	Revoked time.Time `json:"revoked,omitzero"`
	// Domains is the domain lock in the form of ParseDomains; empty for a key
	// that is not locked.
	Domains []string `json:"domains,omitempty"`
}

// NewKey is what CreateKey registers. Only the secret's hash and hint are
// stored: the caller holds the one copy of the key and shows it once.
type NewKey struct {
	Secret  Secret
	Label   string   // as typed, see ParseLabel
	Domains []string // as typed, see ParseDomains; none for no lock
	Now     time.Time
}

// Usage is the calls that one key counted on one UTC day.
type Usage struct {
	Day   string `json:"day"` // YYYY-MM-DD
	Key   string `json:"key"` // its id
	Calls int    `json:"calls"`
}

// Call is what the store must know of a call to judge it.
type Call struct {
	// Now decides the UTC day on which the call counts and whether the plan runs.
	Now time.Time
	// Hosts are the candidates of the calling site, as Hosts gives them.
	Hosts []string
	// Vouched says that the domain lock is kept by other means: by a browser, for a
	// search box and its frame.
	Vouched bool
}

// Outcome is the store's answer about a call.
type Outcome struct {
	// Code is OK, InvalidKey, MembershipRequired, DomainNotAllowed or
	// QuotaExceeded.
	Code Code
	// Used is the calls counted on that UTC day, this one included if it was.
	Used int
	// KeyID and Account are empty when no such key was ever created.
	KeyID, Account string
	// Domains is the key's lock, with blanks between.
	Domains string
}

// Store keeps accounts and keys and counts calls. It is a boundary: the rules
// are in this package and in keystest.Run, the implementations only store.
//
// All methods may be called concurrently, from several processes too where the
// medium allows, and are exact then: each takes effect at one moment between its
// call and its return. Clocks are the callers'. Stored times are UTC and cut to
// the second. Results belong to the caller; lists are never nil. An error that
// is none of this package's sentinels means that it is not known whether the
// change was made; a context that has ended before the call changes nothing.
type Store interface {
	Admitter

	// CreateAccount adds an account without a plan, under an id that is not
	// empty and is the caller's choice (NewAccountID draws one).
	CreateAccount(ctx context.Context, id string, now time.Time) (Account, error)
	Account(ctx context.Context, id string) (Account, error)
	// Accounts returns all accounts in the order of creation, then of id.
	Accounts(ctx context.Context) ([]Account, error)
	// SetPlan grants the plan until a time, or ends such a grant with one that is not
	// in the future. It is in force for every call that begins after it returns.
	SetPlan(ctx context.Context, account string, until time.Time) error
	// SetCustomer stores the account's customer, unless one is stored already, and
	// returns the one that is. It returns ErrCustomerTaken rather than give two
	// accounts one customer.
	SetCustomer(ctx context.Context, account, customer string) (string, error)
	// AccountOf returns the account of a customer, or ErrUnknownCustomer.
	AccountOf(ctx context.Context, customer string) (Account, error)
	// SetSubscription stores what the payment provider tells, and makes the plan run by
	// it from when it returns. Its Revision is that of the subscription which was
	// stored when the provider was asked, else it returns ErrStale: of two who ask at
	// once, the one with the older answer could otherwise be the last to store it. What
	// is stored has the next revision.
	SetSubscription(ctx context.Context, account string, s Subscription) error
	// DeleteAccount deletes an account with its keys, counts and customer, and returns
	// it as it was last. Calls that begin after it returns find the keys unknown. One
	// that failed may have deleted a part of the keys, and can be repeated.
	DeleteAccount(ctx context.Context, account string) (Account, error)

	// CreateKey registers a key, or returns the first that holds of what
	// ParseLabel and ParseDomains return, ErrUnknownAccount, ErrNoPlan,
	// ErrTooManyKeys, ErrTooManyCreated and ErrKeyExists.
	CreateKey(ctx context.Context, account string, k NewKey) (Key, error)
	// RevokeKey ends a key for good, for every call that begins after it
	// returns. A second revocation is no error and leaves the time of the first.
	RevokeKey(ctx context.Context, account, key string, now time.Time) error
	// LockKey replaces the key's allowed domains, as typed (see ParseDomains);
	// none takes the lock off. It returns what ParseDomains returns.
	LockKey(ctx context.Context, account, key string, domains []string) error
	// LabelKey replaces the key's label, as typed. It returns what ParseLabel returns.
	LabelKey(ctx context.Context, account, key, label string) error
	// Keys returns the account's keys, revoked ones included, in the order of
	// creation, then of id.
	Keys(ctx context.Context, account string) ([]Key, error)
	// Usage returns the counts of the account's keys since OldestDay of now, in
	// the order of day, then of key. Days without calls have no row.
	Usage(ctx context.Context, account string, now time.Time) ([]Usage, error)
}

// Admitter is the part of a [Store] that decides about calls. A refusal is an
// Outcome; an error means that the store could not tell.
type Admitter interface {
	// Admit judges a call and, if it may pass, counts it, in one atomic step:
	// however many arrive at once, no more than Limit pass on a UTC day. When a
	// day's count becomes 1, the key's counts before OldestDay are deleted.
	Admit(ctx context.Context, key Hash, c Call) (Outcome, error)
	// Peek judges a call in the same way without counting it, for calls that
	// carry a key and are free.
	Peek(ctx context.Context, key Hash, c Call) (Outcome, error)
}

// Renewed returns the account with ActiveUntil as Granted and Subscription have it.
func (a Account) Renewed() Account {
	a.ActiveUntil = a.Granted
	if a.Subscription.PaidUntil.After(a.Granted) {
		a.ActiveUntil = a.Subscription.PaidUntil
	}
	return a
}

// Judge applies the rules to what a store holds of a key, in the order in which
// refusals are told (decisions section 4). The zero Key stands for one that was
// never created; activeUntil is of the key's account, used the calls counted on
// the call's UTC day so far. A store that checks by a condition of its database
// asks Judge only why the condition failed.
func Judge(k Key, activeUntil time.Time, used int, c Call) Code {
	allowed := func(host string) bool { return slices.Contains(k.Domains, host) }
	switch {
	case k.ID == "" || !k.Revoked.IsZero():
		return InvalidKey
	case !activeUntil.After(c.Now):
		return MembershipRequired
	case len(k.Domains) > 0 && !c.Vouched && !slices.ContainsFunc(c.Hosts, allowed):
		return DomainNotAllowed
	case used >= Limit:
		return QuotaExceeded
	}
	return OK
}
