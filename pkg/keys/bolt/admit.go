package bolt

import (
	"context"
	"maps"
	"strings"

	"go.etcd.io/bbolt"

	"github.com/listward/listward/pkg/keys"
)

// Admit implements keys.Admitter.
func (s *Store) Admit(ctx context.Context, h keys.Hash, c keys.Call) (keys.Outcome, error) {
	// A refusal changes nothing, so it need not wait for the disk.
	outcome, err := s.Peek(ctx, h, c)
	if err != nil || outcome.Code != keys.OK {
		return outcome, err
	}
	err = s.commit(func(tx *bbolt.Tx) (err error) {
		outcome, err = count(tx, h, c)
		return err
	})
	if err != nil {
		return keys.Outcome{}, failed("count a call of key", h.ID(), err)
	}
	return outcome, nil
}

// Peek implements keys.Admitter.
func (s *Store) Peek(ctx context.Context, h keys.Hash, c keys.Call) (outcome keys.Outcome, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) (err error) {
		_, outcome, err = judge(tx, h, c)
		return err
	})
	return outcome, failed("look up key", h.ID(), err)
}

// commit writes a call that is alone at once, and calls that arrive together in
// one batch, for the time goes into the disk's flush, of which a batch needs one.
func (s *Store) commit(fn func(*bbolt.Tx) error) error {
	defer s.writing.Add(-1)
	if s.writing.Add(1) == 1 {
		return s.db.Update(fn)
	}
	return s.db.Batch(fn)
}

// count judges again, since other calls may have come between, and counts.
func count(tx *bbolt.Tx, h keys.Hash, c keys.Call) (keys.Outcome, error) {
	r, outcome, err := judge(tx, h, c)
	if err != nil || outcome.Code != keys.OK {
		return outcome, err
	}
	outcome.Used++
	if outcome.Used == 1 {
		oldest := keys.OldestDay(c.Now)
		maps.DeleteFunc(r.Calls, func(day string, _ int) bool { return day < oldest })
	}
	if r.Calls == nil {
		r.Calls = make(map[string]int)
	}
	r.Calls[keys.Day(c.Now)] = outcome.Used
	return outcome, put(tx, keysBucket, h[:], r)
}

func judge(tx *bbolt.Tx, h keys.Hash, c keys.Call) (record, keys.Outcome, error) {
	r, _, err := get[record](tx, keysBucket, h[:])
	if err != nil {
		return record{}, keys.Outcome{}, err
	}
	account, _, err := get[keys.Account](tx, accountsBucket, []byte(r.Account))
	if err != nil {
		return record{}, keys.Outcome{}, err
	}
	used := r.Calls[keys.Day(c.Now)]
	code := keys.Judge(r.Key, account.ActiveUntil, used, c)
	return r, keys.Outcome{Code: code, Used: used, KeyID: r.ID, Account: r.Account, Domains: strings.Join(r.Domains, " ")}, nil
}
