package bolt

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"github.com/listward/listward/pkg/keys"
)

// stored is the form in which times are kept: UTC, cut to the second.
func stored(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// CreateAccount implements keys.Store.
func (s *Store) CreateAccount(ctx context.Context, id string, now time.Time) (keys.Account, error) {
	account := keys.Account{ID: id, Created: stored(now)}
	err := s.update(ctx, func(tx *bbolt.Tx) error {
		_, found, err := get[keys.Account](tx, accountsBucket, []byte(id))
		if err != nil {
			return err
		}
		if found {
			return keys.ErrAccountExists
		}
		if _, err := tx.Bucket([]byte(ownedBucket)).CreateBucket([]byte(id)); err != nil {
			return err
		}
		return put(tx, accountsBucket, []byte(id), account)
	})
	if err != nil {
		return keys.Account{}, failed("create account", id, err)
	}
	return account, nil
}

// Account implements keys.Store.
func (s *Store) Account(ctx context.Context, id string) (account keys.Account, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) (err error) {
		account, err = findAccount(tx, id)
		return err
	})
	return account, failed("look up account", id, err)
}

// Accounts implements keys.Store.
func (s *Store) Accounts(ctx context.Context) ([]keys.Account, error) {
	accounts := []keys.Account{}
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(accountsBucket)).ForEach(func(id, _ []byte) error {
			account, err := findAccount(tx, string(id))
			accounts = append(accounts, account)
			return err
		})
	})
	if err != nil {
		return nil, failed("list", "accounts", err)
	}
	slices.SortFunc(accounts, func(a, b keys.Account) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	return accounts, nil
}

// SetPlan implements keys.Store.
func (s *Store) SetPlan(ctx context.Context, id string, until time.Time) error {
	err := s.changeAccount(ctx, id, func(_ *bbolt.Tx, a *keys.Account) error {
		a.Granted = stored(until)
		return nil
	})
	return failed("set the plan of account", id, err)
}

// SetCustomer implements keys.Store.
func (s *Store) SetCustomer(ctx context.Context, id, customer string) (string, error) {
	err := s.changeAccount(ctx, id, func(tx *bbolt.Tx, a *keys.Account) error {
		if a.Customer != "" {
			customer = a.Customer
			return nil
		}
		if tx.Bucket([]byte(customersBucket)).Get([]byte(customer)) != nil {
			return keys.ErrCustomerTaken
		}
		a.Customer = customer
		return tx.Bucket([]byte(customersBucket)).Put([]byte(customer), []byte(id))
	})
	if err != nil {
		return "", failed("set the customer of account", id, err)
	}
	return customer, nil
}

// AccountOf implements keys.Store.
func (s *Store) AccountOf(ctx context.Context, customer string) (account keys.Account, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) (err error) {
		id := tx.Bucket([]byte(customersBucket)).Get([]byte(customer))
		if id == nil {
			return keys.ErrUnknownCustomer
		}
		account, err = findAccount(tx, string(id))
		return err
	})
	return account, failed("look up customer", customer, err)
}

// SetSubscription implements keys.Store.
func (s *Store) SetSubscription(ctx context.Context, id string, sub keys.Subscription) error {
	err := s.changeAccount(ctx, id, func(_ *bbolt.Tx, a *keys.Account) error {
		if sub.Revision != a.Subscription.Revision {
			return keys.ErrStale
		}
		sub.Revision++
		sub.PeriodEnd, sub.PaidUntil = stored(sub.PeriodEnd), stored(sub.PaidUntil)
		a.Subscription = sub
		return nil
	})
	return failed("set the subscription of account", id, err)
}

// DeleteAccount implements keys.Store, in one step.
func (s *Store) DeleteAccount(ctx context.Context, id string) (account keys.Account, err error) {
	err = s.update(ctx, func(tx *bbolt.Tx) error {
		if account, err = findAccount(tx, id); err != nil {
			return err
		}
		err = owned(tx, id).ForEach(func(_, hash []byte) error { return tx.Bucket([]byte(keysBucket)).Delete(hash) })
		return cmp.Or(err,
			tx.Bucket([]byte(ownedBucket)).DeleteBucket([]byte(id)),
			tx.Bucket([]byte(customersBucket)).Delete([]byte(account.Customer)),
			tx.Bucket([]byte(accountsBucket)).Delete([]byte(id)))
	})
	if err != nil {
		return keys.Account{}, failed("delete account", id, err)
	}
	return account, nil
}

// CreateKey implements keys.Store.
func (s *Store) CreateKey(ctx context.Context, account string, n keys.NewKey) (keys.Key, error) {
	hash := n.Secret.Hash()
	key := keys.Key{ID: hash.ID(), Account: account, Hint: n.Secret.Hint(), Created: stored(n.Now)}
	err := s.update(ctx, func(tx *bbolt.Tx) (err error) {
		if key.Label, err = keys.ParseLabel(n.Label); err != nil {
			return err
		}
		if key.Domains, err = keys.ParseDomains(n.Domains); err != nil {
			return err
		}
		if err := mayCreate(tx, hash, account, n.Now); err != nil {
			return err
		}
		if err := owned(tx, account).Put([]byte(key.ID), hash[:]); err != nil {
			return err
		}
		return put(tx, keysBucket, hash[:], record{Key: key})
	})
	if err != nil {
		return keys.Key{}, failed("create a key for account", account, err)
	}
	return key, nil
}

// mayCreate applies the rules of spec section 3 and decisions section 5.
func mayCreate(tx *bbolt.Tx, hash keys.Hash, id string, now time.Time) error {
	account, err := findAccount(tx, id)
	if err != nil {
		return err
	}
	records, err := recordsOf(tx, id)
	if err != nil {
		return err
	}
	active, today := 0, 0
	for _, r := range records {
		if r.Revoked.IsZero() {
			active++
		}
		if keys.Day(r.Created) == keys.Day(now) {
			today++
		}
	}
	switch {
	case !account.ActiveUntil.After(now):
		return keys.ErrNoPlan
	case active >= keys.MaxActive:
		return keys.ErrTooManyKeys
	case today >= keys.MaxCreatedPerDay:
		return keys.ErrTooManyCreated
	case tx.Bucket([]byte(keysBucket)).Get(hash[:]) != nil:
		return keys.ErrKeyExists
	}
	return nil
}

// RevokeKey implements keys.Store.
func (s *Store) RevokeKey(ctx context.Context, account, key string, now time.Time) error {
	err := s.change(ctx, account, key, func(r *record) error {
		if r.Revoked.IsZero() {
			r.Revoked = stored(now)
		}
		return nil
	})
	return failed("revoke key", key, err)
}

// LockKey implements keys.Store.
func (s *Store) LockKey(ctx context.Context, account, key string, domains []string) error {
	err := s.change(ctx, account, key, func(r *record) (err error) {
		r.Domains, err = keys.ParseDomains(domains)
		return err
	})
	return failed("lock key", key, err)
}

// LabelKey implements keys.Store.
func (s *Store) LabelKey(ctx context.Context, account, key, label string) error {
	err := s.change(ctx, account, key, func(r *record) (err error) {
		r.Label, err = keys.ParseLabel(label)
		return err
	})
	return failed("label key", key, err)
}

// Keys implements keys.Store.
func (s *Store) Keys(ctx context.Context, account string) ([]keys.Key, error) {
	records, err := s.records(ctx, account)
	if err != nil {
		return nil, failed("list the keys of account", account, err)
	}
	list := make([]keys.Key, len(records))
	for i, r := range records {
		list[i] = r.Key
		for day := range r.Calls {
			list[i].LastUsed = max(list[i].LastUsed, day)
		}
	}
	slices.SortFunc(list, func(a, b keys.Key) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	return list, nil
}

// Usage implements keys.Store.
func (s *Store) Usage(ctx context.Context, account string, now time.Time) ([]keys.Usage, error) {
	records, err := s.records(ctx, account)
	if err != nil {
		return nil, failed("read the usage of account", account, err)
	}
	usage := []keys.Usage{}
	for _, r := range records {
		for day, calls := range r.Calls {
			if day >= keys.OldestDay(now) {
				usage = append(usage, keys.Usage{Day: day, Key: r.ID, Calls: calls})
			}
		}
	}
	slices.SortFunc(usage, func(a, b keys.Usage) int {
		return cmp.Or(strings.Compare(a.Day, b.Day), strings.Compare(a.Key, b.Key))
	})
	return usage, nil
}

// changeAccount rewrites an account.
func (s *Store) changeAccount(ctx context.Context, id string, fn func(*bbolt.Tx, *keys.Account) error) error {
	return s.update(ctx, func(tx *bbolt.Tx) error {
		account, err := findAccount(tx, id)
		if err != nil {
			return err
		}
		if err := fn(tx, &account); err != nil {
			return err
		}
		return put(tx, accountsBucket, []byte(id), account.Renewed())
	})
}

// change rewrites the record of an account's key.
func (s *Store) change(ctx context.Context, account, key string, fn func(*record) error) error {
	return s.update(ctx, func(tx *bbolt.Tx) error {
		if _, err := findAccount(tx, account); err != nil {
			return err
		}
		hash := owned(tx, account).Get([]byte(key))
		r, found, err := get[record](tx, keysBucket, hash)
		if err != nil {
			return err
		}
		if !found {
			return keys.ErrUnknownKey
		}
		if err := fn(&r); err != nil {
			return err
		}
		return put(tx, keysBucket, hash, r)
	})
}

func (s *Store) records(ctx context.Context, account string) (records []record, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) (err error) {
		if _, err := findAccount(tx, account); err != nil {
			return err
		}
		records, err = recordsOf(tx, account)
		return err
	})
	return records, err
}

func findAccount(tx *bbolt.Tx, id string) (keys.Account, error) {
	account, found, err := get[keys.Account](tx, accountsBucket, []byte(id))
	if err == nil && !found {
		err = keys.ErrUnknownAccount
	}
	return account, err
}

// owned returns the bucket of an account that exists.
func owned(tx *bbolt.Tx, account string) *bbolt.Bucket {
	return tx.Bucket([]byte(ownedBucket)).Bucket([]byte(account))
}

func recordsOf(tx *bbolt.Tx, account string) (records []record, err error) {
	err = owned(tx, account).ForEach(func(id, hash []byte) error {
		r, found, err := get[record](tx, keysBucket, hash)
		if err == nil && !found {
			err = fmt.Errorf("%w: that of key %s is missing", ErrDamaged, id)
		}
		records = append(records, r)
		return err
	})
	return records, err
}
