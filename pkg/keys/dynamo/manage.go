package dynamo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/listward/listward/pkg/keys"
)

// CreateAccount implements keys.Store.
func (s *Store) CreateAccount(ctx context.Context, id string, now time.Time) (keys.Account, error) {
	account := keys.Account{ID: id, Created: stored(now)}
	create := s.put(item{
		"pk": text(accountPK(id)), "created": seconds(now), "version": number(1),
	}, keys.ErrAccountExists)
	err := s.retry(ctx, func() error { return s.transact(ctx, create) })
	if err != nil {
		return keys.Account{}, failed("create account", id, err)
	}
	return account, nil
}

// Account implements keys.Store.
func (s *Store) Account(ctx context.Context, id string) (keys.Account, error) {
	a, err := s.account(ctx, id)
	return a.Account, failed("look up account", id, err)
}

// Accounts implements keys.Store. It reads the whole table, for operators only:
// an index item could not get out of step, but would be written by every sign-up
// and be full after some ten thousand.
func (s *Store) Accounts(ctx context.Context) ([]keys.Account, error) {
	accounts := []keys.Account{}
	pages := dynamodb.NewScanPaginator(s.client, &dynamodb.ScanInput{
		TableName:        &s.table,
		ConsistentRead:   aws.Bool(true),
		FilterExpression: aws.String("begins_with(pk, :account)"),
		ProjectionExpression: aws.String("pk, created, active_until, granted_until, customer, version, " +
			"sub_status, sub_period_end, sub_ends, sub_paid_until, sub_revision"),
		ExpressionAttributeValues: item{":account": text(accountPrefix)},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, failed("list", "accounts", err)
		}
		for _, it := range page.Items {
			a, err := readAccount(it)
			if err != nil {
				return nil, failed("list", "accounts", err)
			}
			accounts = append(accounts, a.Account)
		}
	}
	slices.SortFunc(accounts, func(a, b keys.Account) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	return accounts, nil
}

// CreateKey implements keys.Store. It returns ErrAccountFull besides, as the last
// but one of the errors.
func (s *Store) CreateKey(ctx context.Context, id string, n keys.NewKey) (keys.Key, error) {
	hash := n.Secret.Hash()
	key := keys.Key{ID: hash.ID(), Account: id, Hint: n.Secret.Hint(), Created: stored(n.Now)}
	var err error
	if key.Label, err = keys.ParseLabel(n.Label); err == nil {
		key.Domains, err = keys.ParseDomains(n.Domains)
	}
	if err == nil {
		err = s.change(ctx, id, func(a account) ([]write, error) { return s.creation(a, hash, key, n.Now) })
	}
	if err != nil {
		return keys.Key{}, failed("create a key for account", id, err)
	}
	return key, nil
}

func (s *Store) creation(a account, hash keys.Hash, key keys.Key, now time.Time) ([]write, error) {
	if err := mayCreate(a, now); err != nil {
		return nil, err
	}
	created := item{
		"pk": text(keyPK(hash)), "account": text(a.ID), "label": text(key.Label), "hint": text(key.Hint),
		"created": seconds(now), "active_until": seconds(a.ActiveUntil),
	}
	if len(key.Domains) > 0 {
		created["domains"] = list(key.Domains)
	}
	today := keys.Day(now)
	expression := fmt.Sprintf(", %s = :today ADD live_keys :key", counter(createdPrefix, today))
	if remove := outdated(createdPrefix, a.createdOn, now); remove != "" {
		expression += " " + remove
	}
	values := item{":today": number(a.createdOn[today] + 1), ":key": hashSet(hash)}
	return []write{s.setAccount(a, expression, values), s.put(created, keys.ErrKeyExists)}, nil
}

// mayCreate applies the rules of spec section 3 and decisions section 5.
func mayCreate(a account, now time.Time) error {
	switch {
	case !a.ActiveUntil.After(now):
		return keys.ErrNoPlan
	case len(a.live) >= keys.MaxActive:
		return keys.ErrTooManyKeys
	case a.createdOn[keys.Day(now)] >= keys.MaxCreatedPerDay:
		return keys.ErrTooManyCreated
	case len(a.live)+len(a.revoked) >= MaxKeys:
		return ErrAccountFull
	}
	return nil
}

// RevokeKey implements keys.Store.
func (s *Store) RevokeKey(ctx context.Context, id, key string, now time.Time) error {
	err := s.change(ctx, id, func(a account) ([]write, error) {
		hash, err := a.find(key)
		if err != nil || slices.Contains(a.revoked, hash) {
			return nil, err
		}
		return []write{
			s.setAccount(a, " DELETE live_keys :key ADD revoked_keys :key", item{":key": hashSet(hash)}),
			s.set(keyPK(hash), update{
				expression: "SET revoked_at = :now", condition: "attribute_exists(pk)", values: item{":now": seconds(now)},
			}, missing(hash)),
		}, nil
	})
	return failed("revoke key", key, err)
}

// LockKey implements keys.Store. It changes the key's item alone, and repeating
// it does no harm, so the SDK may retry it.
func (s *Store) LockKey(ctx context.Context, id, key string, domains []string) error {
	return failed("lock key", key, s.changeKey(ctx, id, key, func() (update, error) {
		parsed, err := keys.ParseDomains(domains)
		if err != nil || len(parsed) == 0 {
			return update{expression: "REMOVE domains"}, err
		}
		return update{expression: "SET domains = :domains", values: item{":domains": list(parsed)}}, nil
	}))
}

// LabelKey implements keys.Store, as LockKey.
func (s *Store) LabelKey(ctx context.Context, id, key, label string) error {
	return failed("label key", key, s.changeKey(ctx, id, key, func() (update, error) {
		parsed, err := keys.ParseLabel(label)
		return update{expression: "SET label = :label", values: item{":label": text(parsed)}}, err
	}))
}

// changeKey updates the item of an account's key.
func (s *Store) changeKey(ctx context.Context, id, key string, decide func() (update, error)) error {
	a, err := s.account(ctx, id)
	if err != nil {
		return err
	}
	hash, err := a.find(key)
	if err != nil {
		return err
	}
	u, err := decide()
	if err != nil {
		return err
	}
	u.condition = "attribute_exists(pk)"
	_, err = s.update(ctx, keyPK(hash), u)
	var gone *types.ConditionalCheckFailedException
	if errors.As(err, &gone) {
		return missing(hash)
	}
	return err
}

// Keys implements keys.Store.
func (s *Store) Keys(ctx context.Context, id string) ([]keys.Key, error) {
	records, err := s.records(ctx, id)
	if err != nil {
		return nil, failed("list the keys of account", id, err)
	}
	all := make([]keys.Key, len(records))
	for i, r := range records {
		all[i] = r.Key
	}
	slices.SortFunc(all, func(a, b keys.Key) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	return all, nil
}

// Usage implements keys.Store.
func (s *Store) Usage(ctx context.Context, id string, now time.Time) ([]keys.Usage, error) {
	records, err := s.records(ctx, id)
	if err != nil {
		return nil, failed("read the usage of account", id, err)
	}
	usage := []keys.Usage{}
	for _, r := range records {
		for day, calls := range r.calls {
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
