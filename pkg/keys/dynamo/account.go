package dynamo

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/listward/listward/pkg/keys"
)

// setAccount updates the account unless it has changed since it was read. The
// expression goes on after "SET version = …".
func (s *Store) setAccount(a account, expression string, values item) write {
	all := item{":version": number(a.version), ":next": number(a.version + 1)}
	maps.Copy(all, values)
	return s.set(accountPK(a.ID), update{
		expression: "SET version = :next" + expression, condition: "version = :version", values: all,
	}, ErrBusy)
}

// missing is the refusal of a write to a key that an account names.
func missing(h keys.Hash) error {
	return fmt.Errorf("%w: that of key %s is missing", ErrDamaged, h.ID())
}

// change reads an account and makes the writes that decide returns for it, the
// account's among them, in one transaction. When the account or a key changes
// meanwhile it begins anew.
func (s *Store) change(ctx context.Context, id string, decide func(account) ([]write, error)) error {
	return s.retry(ctx, func() error {
		a, err := s.account(ctx, id)
		if err != nil {
			return err
		}
		writes, err := decide(a)
		if err != nil || len(writes) == 0 {
			return err
		}
		return s.transact(ctx, writes...)
	})
}

// account reads an account, or returns keys.ErrUnknownAccount.
func (s *Store) account(ctx context.Context, id string) (account, error) {
	it, err := s.get(ctx, accountPK(id))
	if err != nil {
		return account{}, err
	}
	if len(it) == 0 {
		return account{}, keys.ErrUnknownAccount
	}
	return readAccount(it)
}

// find returns the hash of a key of the account, or keys.ErrUnknownKey.
func (a account) find(key string) (keys.Hash, error) {
	for _, h := range slices.Concat(a.live, a.revoked) {
		if h.ID() == key {
			return h, nil
		}
	}
	return keys.Hash{}, keys.ErrUnknownKey
}

// records reads all keys of an account.
func (s *Store) records(ctx context.Context, id string) ([]record, error) {
	a, err := s.account(ctx, id)
	if err != nil {
		return nil, err
	}
	var all []record
	for hashes := range slices.Chunk(slices.Concat(a.live, a.revoked), batchSize) {
		items, err := s.batch(ctx, hashes)
		if err != nil {
			return nil, err
		}
		for _, h := range hashes {
			it, found := items[keyPK(h)]
			if !found {
				return nil, missing(h)
			}
			r, err := readRecord(h, it)
			if err != nil {
				return nil, err
			}
			all = append(all, r)
		}
	}
	return all, nil
}
