package keystest

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/listward/listward/pkg/keys"
)

// model says what a store must answer, in the plainest way and on purpose
// without the rules of package keys, of which it is the second opinion.
type model struct {
	accounts []*modelAccount
}

type modelAccount struct {
	keys.Account
	keys []*modelKey
}

type modelKey struct {
	keys.Key
	secret keys.Secret
	calls  map[string]int
}

func (m *model) account(id string) *modelAccount {
	for _, a := range m.accounts {
		if a.ID == id {
			return a
		}
	}
	return nil
}

func (m *model) find(secret keys.Secret) (*modelAccount, *modelKey) {
	for _, a := range m.accounts {
		for _, k := range a.keys {
			if k.ID == secret.Hash().ID() {
				return a, k
			}
		}
	}
	return nil, nil
}

func (m *model) setPlan(id string, until time.Time) error {
	a := m.account(id)
	if a == nil {
		return keys.ErrUnknownAccount
	}
	a.Granted = until.Truncate(time.Second)
	a.setEnd()
	return nil
}

func (m *model) subscribe(id string, sub keys.Subscription) error {
	a := m.account(id)
	if a == nil {
		return keys.ErrUnknownAccount
	}
	if sub.Revision != a.Subscription.Revision {
		return keys.ErrStale
	}
	sub.Revision++
	sub.PaidUntil = sub.PaidUntil.Truncate(time.Second)
	a.Subscription = sub
	a.setEnd()
	return nil
}

func (a *modelAccount) setEnd() {
	if a.ActiveUntil = a.Granted; a.Subscription.PaidUntil.Unix() > a.Granted.Unix() {
		a.ActiveUntil = a.Subscription.PaidUntil
	}
}

func (m *model) createKey(id string, n keys.NewKey) error {
	a := m.account(id)
	if a == nil {
		return keys.ErrUnknownAccount
	}
	active, today := 0, 0
	for _, k := range a.keys {
		if k.Revoked.IsZero() {
			active++
		}
		if sameDay(k.Created, n.Now) {
			today++
		}
	}
	_, known := m.find(n.Secret)
	switch {
	case a.ActiveUntil.Before(n.Now) || a.ActiveUntil.Equal(n.Now):
		return keys.ErrNoPlan
	case active == 5:
		return keys.ErrTooManyKeys
	case today == 20:
		return keys.ErrTooManyCreated
	case known != nil:
		return keys.ErrKeyExists
	}
	a.keys = append(a.keys, &modelKey{
		Key: keys.Key{
			ID: n.Secret.Hash().ID(), Account: id, Label: n.Label, Hint: n.Secret.Hint(),
			Created: n.Now.Truncate(time.Second), Domains: n.Domains,
		},
		secret: n.Secret,
		calls:  make(map[string]int),
	})
	return nil
}

// change applies fn to a key of an account.
func (m *model) change(id, key string, fn func(*modelKey)) error {
	a := m.account(id)
	if a == nil {
		return keys.ErrUnknownAccount
	}
	for _, k := range a.keys {
		if k.ID == key {
			fn(k)
			return nil
		}
	}
	return keys.ErrUnknownKey
}

func (m *model) look(secret keys.Secret, c keys.Call) keys.Outcome {
	a, k := m.find(secret)
	if k == nil {
		return keys.Outcome{Code: keys.InvalidKey}
	}
	used := k.calls[dayOf(c.Now)]
	outcome := keys.Outcome{Code: keys.OK, Used: used, KeyID: k.ID, Account: a.ID, Domains: strings.Join(k.Domains, " ")}
	allowed := len(k.Domains) == 0 || c.Vouched
	for _, host := range c.Hosts {
		allowed = allowed || slices.Contains(k.Domains, host)
	}
	if used == 1000 {
		outcome.Code = keys.QuotaExceeded
	}
	if !allowed {
		outcome.Code = keys.DomainNotAllowed
	}
	if a.ActiveUntil.Before(c.Now) || a.ActiveUntil.Equal(c.Now) {
		outcome.Code = keys.MembershipRequired
	}
	if !k.Revoked.IsZero() {
		outcome.Code = keys.InvalidKey
	}
	return outcome
}

func (m *model) admit(secret keys.Secret, c keys.Call) keys.Outcome {
	outcome := m.look(secret, c)
	if outcome.Code != keys.OK {
		return outcome
	}
	_, k := m.find(secret)
	outcome.Used++
	k.calls[dayOf(c.Now)] = outcome.Used
	k.LastUsed = max(k.LastUsed, dayOf(c.Now))
	if outcome.Used == 1 {
		for day := range k.calls {
			if tooOld(day, c.Now) {
				delete(k.calls, day)
			}
		}
	}
	return outcome
}

func (a *modelAccount) list() []keys.Key {
	list := []keys.Key{}
	for _, k := range a.keys {
		list = append(list, k.Key)
	}
	slices.SortFunc(list, func(a, b keys.Key) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	return list
}

func (a *modelAccount) usage(now time.Time) []keys.Usage {
	usage := []keys.Usage{}
	for _, k := range a.keys {
		for day, calls := range k.calls {
			if !tooOld(day, now) {
				usage = append(usage, keys.Usage{Day: day, Key: k.ID, Calls: calls})
			}
		}
	}
	slices.SortFunc(usage, func(a, b keys.Usage) int { return strings.Compare(a.Day+a.Key, b.Day+b.Key) })
	return usage
}

func dayOf(t time.Time) string { return t.UTC().Format("2006-01-02") }

func sameDay(a, b time.Time) bool { return dayOf(a) == dayOf(b) }

// tooOld says whether a day began 31 days before today or earlier.
func tooOld(day string, now time.Time) bool {
	for back := range 31 {
		if dayOf(now.Add(-time.Duration(back)*24*time.Hour)) == day {
			return false
		}
	}
	return day < dayOf(now)
}
