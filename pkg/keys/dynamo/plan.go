package dynamo

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/listward/listward/pkg/keys"
)

// SetPlan implements keys.Store.
func (s *Store) SetPlan(ctx context.Context, id string, until time.Time) error {
	err := s.change(ctx, id, func(a account) ([]write, error) {
		a.Granted = until
		return s.renewal(a, ", granted_until = :granted", item{":granted": seconds(until)}), nil
	})
	return failed("set the plan of account", id, err)
}

// SetSubscription implements keys.Store.
func (s *Store) SetSubscription(ctx context.Context, id string, sub keys.Subscription) error {
	err := s.change(ctx, id, func(a account) ([]write, error) {
		if sub.Revision != a.Subscription.Revision {
			return nil, keys.ErrStale
		}
		a.Subscription = sub
		a.Subscription.Revision++
		return s.renewal(a, setSubscription, subscriptionValues(a.Subscription)), nil
	})
	return failed("set the subscription of account", id, err)
}

// renewal writes an account that has another plan, and the end of it to the keys that
// have a copy. Revoked ones keep the end that they had: it is never looked at again.
func (s *Store) renewal(a account, expression string, values item) []write {
	until := item{":until": seconds(a.Renewed().ActiveUntil)}
	maps.Copy(values, until)
	writes := []write{s.setAccount(a, ", active_until = :until"+expression, values)}
	for _, h := range a.live {
		writes = append(writes, s.set(keyPK(h), update{
			expression: "SET active_until = :until", condition: "attribute_exists(pk)", values: until,
		}, missing(h)))
	}
	return writes
}

// SetCustomer implements keys.Store.
func (s *Store) SetCustomer(ctx context.Context, id, customer string) (string, error) {
	err := s.change(ctx, id, func(a account) ([]write, error) {
		if a.Customer != "" {
			customer = a.Customer
			return nil, nil
		}
		return []write{
			s.setAccount(a, ", customer = :customer", item{":customer": text(customer)}),
			s.put(item{"pk": text(customerPK(customer)), "account": text(id)}, keys.ErrCustomerTaken),
		}, nil
	})
	if err != nil {
		return "", failed("set the customer of account", id, err)
	}
	return customer, nil
}

// AccountOf implements keys.Store.
func (s *Store) AccountOf(ctx context.Context, customer string) (keys.Account, error) {
	it, err := s.get(ctx, customerPK(customer))
	if err == nil && len(it) == 0 {
		err = keys.ErrUnknownCustomer
	}
	if err != nil {
		return keys.Account{}, failed("look up customer", customer, err)
	}
	link := attributes{of: it}
	id := link.text("account")
	if err := link.damage("customer " + customer); err != nil {
		return keys.Account{}, err
	}
	a, err := s.account(ctx, id)
	return a.Account, failed("look up customer", customer, err)
}

// keysAtOnce is how many keys one transaction deletes: DynamoDB takes 100 items.
const keysAtOnce = 90

// DeleteAccount implements keys.Store. It deletes the keys first, the active ones before
// the others, and the account when it has none, so that what fails in between can be
// repeated.
func (s *Store) DeleteAccount(ctx context.Context, id string) (last keys.Account, err error) {
	for done := false; !done; {
		err := s.change(ctx, id, func(a account) ([]write, error) {
			last = a.Account
			if done = len(a.live)+len(a.revoked) == 0; done {
				return s.deletion(a), nil
			}
			return s.deletionOfKeys(a), nil
		})
		if err != nil {
			return keys.Account{}, failed("delete account", id, err)
		}
	}
	return last, nil
}

func (s *Store) deletion(a account) []write {
	writes := []write{s.removeAccount(a)}
	if a.Customer != "" {
		writes = append(writes, s.remove(customerPK(a.Customer)))
	}
	return writes
}

func (s *Store) deletionOfKeys(a account) []write {
	set, hashes := "live_keys", a.live
	if len(hashes) == 0 {
		set, hashes = "revoked_keys", a.revoked
	}
	hashes = slices.Clone(hashes[:min(len(hashes), keysAtOnce)])
	writes := []write{s.setAccount(a, " DELETE "+set+" :deleted", item{":deleted": hashSet(hashes...)})}
	for _, h := range hashes {
		writes = append(writes, s.remove(keyPK(h)))
	}
	return writes
}
