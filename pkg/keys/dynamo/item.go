package dynamo

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/listward/listward/pkg/keys"
)

// The prefixes of pk, and of the attributes that count on a UTC day.
const (
	keyPrefix      = "KEY#"
	accountPrefix  = "ACCT#"
	customerPrefix = "CUST#"
	callsPrefix    = "u"
	createdPrefix  = "k"
)

// compactDay is the form of a day in an attribute's name, which in an expression
// may have letters and digits only.
const compactDay = "20060102"

type item = map[string]types.AttributeValue

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number[T int | int64](n T) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(int64(n), 10)}
}

func seconds(t time.Time) types.AttributeValue { return number(t.Unix()) }

func list(values []string) types.AttributeValue {
	l := &types.AttributeValueMemberL{}
	for _, v := range values {
		l.Value = append(l.Value, text(v))
	}
	return l
}

func hashSet(hashes ...keys.Hash) types.AttributeValue {
	set := &types.AttributeValueMemberBS{}
	for _, h := range hashes {
		set.Value = append(set.Value, h[:])
	}
	return set
}

// stored is the form in which times are kept: UTC, cut to the second.
func stored(t time.Time) time.Time { return time.Unix(t.Unix(), 0).UTC() }

func keyPK(h keys.Hash) string { return keyPrefix + hex.EncodeToString(h[:]) }

func accountPK(id string) string { return accountPrefix + id }

func customerPK(customer string) string { return customerPrefix + customer }

// pkOf returns the pk of an item in the table, which always is a string.
func pkOf(it item) string {
	a := attributes{of: it}
	return a.text("pk")
}

// counter names the attribute for a day as keys.Day writes it.
func counter(prefix, day string) string { return prefix + strings.ReplaceAll(day, "-", "") }

// outdated returns the REMOVE clause for the counters of days that are no longer
// kept, empty when there are none.
func outdated(prefix string, counts map[string]int, now time.Time) string {
	var names []string
	for _, day := range slices.Sorted(maps.Keys(counts)) {
		if day < keys.OldestDay(now) {
			names = append(names, counter(prefix, day))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "REMOVE " + strings.Join(names, ", ")
}

// record is a key item.
type record struct {
	keys.Key
	activeUntil time.Time
	calls       map[string]int // per UTC day, as keys.Day writes it
}

func readRecord(h keys.Hash, it item) (record, error) {
	a := attributes{of: it}
	r := record{
		Key: keys.Key{
			ID: h.ID(), Account: a.text("account"), Label: a.text("label"), Hint: a.text("hint"),
			Created: a.time("created"), Revoked: a.time("revoked_at"), Domains: a.list("domains"),
		},
		activeUntil: a.time("active_until"),
		calls:       a.counts(callsPrefix),
	}
	for day := range r.calls {
		r.LastUsed = max(r.LastUsed, day)
	}
	if err := a.damage("key " + h.ID()); err != nil {
		return record{}, err
	}
	return r, nil
}

// account is an account item.
type account struct {
	keys.Account
	version       int
	live, revoked []keys.Hash
	createdOn     map[string]int // keys per UTC day
}

func readAccount(it item) (account, error) {
	a, id := attributes{of: it}, strings.TrimPrefix(pkOf(it), accountPrefix)
	read := account{
		Account: keys.Account{
			ID: id, Created: a.time("created"), ActiveUntil: a.time("active_until"), Granted: a.time("granted_until"),
			Subscription: a.subscription(),
		},
		version:   a.number("version"),
		live:      a.hashes("live_keys"),
		revoked:   a.hashes("revoked_keys"),
		createdOn: a.counts(createdPrefix),
	}
	if _, found := it["customer"]; found {
		read.Customer = a.text("customer")
	}
	if err := a.damage("account " + id); err != nil {
		return account{}, err
	}
	return read, nil
}

// subscription returns the zero one when there is none.
func (a *attributes) subscription() keys.Subscription {
	if _, found := a.of["sub_revision"]; !found {
		return keys.Subscription{}
	}
	return keys.Subscription{
		Status: a.text("sub_status"), PeriodEnd: a.time("sub_period_end"), Ends: a.number("sub_ends") != 0,
		PaidUntil: a.time("sub_paid_until"), Revision: a.number("sub_revision"),
	}
}

// subscriptionValues are the values of setSubscription.
func subscriptionValues(s keys.Subscription) item {
	ends := 0
	if s.Ends {
		ends = 1
	}
	return item{
		":status": text(s.Status), ":period_end": seconds(s.PeriodEnd), ":ends": number(ends),
		":paid_until": seconds(s.PaidUntil), ":revision": number(s.Revision),
	}
}

const setSubscription = ", sub_status = :status, sub_period_end = :period_end, sub_ends = :ends, sub_paid_until = :paid_until, sub_revision = :revision"

// attributes reads the attributes of an item, and remembers those that are not
// what they must be.
type attributes struct {
	of        item
	malformed []string
}

// damage returns ErrDamaged if any attribute was malformed.
func (a *attributes) damage(on string) error {
	if len(a.malformed) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s of %s", ErrDamaged, strings.Join(a.malformed, ", "), on)
}

// text returns a string that must be there.
func (a *attributes) text(name string) string {
	if s, ok := a.of[name].(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	a.malformed = append(a.malformed, name)
	return ""
}

// number returns an integer that must be there.
func (a *attributes) number(name string) int {
	if n, ok := a.of[name].(*types.AttributeValueMemberN); ok {
		if value, err := strconv.Atoi(n.Value); err == nil {
			return value
		}
	}
	a.malformed = append(a.malformed, name)
	return 0
}

// time returns the zero time when the attribute is absent.
func (a *attributes) time(name string) time.Time {
	if _, found := a.of[name]; !found {
		return time.Time{}
	}
	return time.Unix(int64(a.number(name)), 0).UTC()
}

// list returns nil when the attribute is absent.
func (a *attributes) list(name string) []string {
	value, found := a.of[name]
	l, ok := value.(*types.AttributeValueMemberL)
	if !found || !ok {
		a.expect(name, !found)
		return nil
	}
	values := make([]string, len(l.Value))
	for i, v := range l.Value {
		s, ok := v.(*types.AttributeValueMemberS)
		if !ok {
			a.expect(name, false)
			return nil
		}
		values[i] = s.Value
	}
	return values
}

// hashes returns nil when the attribute is absent, as an empty set always is.
func (a *attributes) hashes(name string) []keys.Hash {
	value, found := a.of[name]
	set, ok := value.(*types.AttributeValueMemberBS)
	if !found || !ok {
		a.expect(name, !found)
		return nil
	}
	hashes := make([]keys.Hash, len(set.Value))
	for i, v := range set.Value {
		a.expect(name, copy(hashes[i][:], v) == len(v) && len(v) == len(hashes[i]))
	}
	return hashes
}

// counts returns the counters of a prefix by day.
func (a *attributes) counts(prefix string) map[string]int {
	counts := make(map[string]int)
	for name := range a.of {
		digits, found := strings.CutPrefix(name, prefix)
		if !found {
			continue
		}
		if day, err := time.Parse(compactDay, digits); err == nil {
			counts[keys.Day(day)] = a.number(name)
		}
	}
	return counts
}

func (a *attributes) expect(name string, holds bool) {
	if !holds {
		a.malformed = append(a.malformed, name)
	}
}
