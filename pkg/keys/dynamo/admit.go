package dynamo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/listward/listward/pkg/keys"
)

// cleanUpTimeout bounds by how much a clean-up may delay a verdict.
const cleanUpTimeout = 250 * time.Millisecond

// Admit implements keys.Admitter. It sends one request; another each time that it
// met a transaction, and a second one for the first call of a day that finds
// counters to delete.
func (s *Store) Admit(ctx context.Context, h keys.Hash, c keys.Call) (keys.Outcome, error) {
	outcome, err := s.count(ctx, h, c)
	return outcome, failed("count a call of key", h.ID(), err)
}

// Peek implements keys.Admitter.
func (s *Store) Peek(ctx context.Context, h keys.Hash, c keys.Call) (keys.Outcome, error) {
	outcome, err := s.look(ctx, h, c)
	return outcome, failed("look up key", h.ID(), err)
}

func (s *Store) look(ctx context.Context, h keys.Hash, c keys.Call) (keys.Outcome, error) {
	it, err := s.get(ctx, keyPK(h))
	if err != nil {
		return keys.Outcome{}, err
	}
	return judge(h, it, c)
}

func (s *Store) count(ctx context.Context, h keys.Hash, c keys.Call) (keys.Outcome, error) {
	after, err := s.update(ctx, keyPK(h), counting(c), once)
	var refused *types.ConditionalCheckFailedException
	if errors.As(err, &refused) {
		return refusal(h, refused.Item, c)
	}
	if err != nil {
		return keys.Outcome{}, err
	}
	r, err := readRecord(h, after)
	if err != nil {
		return keys.Outcome{}, err
	}
	used := r.calls[keys.Day(c.Now)]
	if used == 1 {
		s.cleanUp(ctx, h, r.calls, c.Now)
	}
	return keys.Outcome{Code: keys.OK, Used: used, KeyID: r.ID, Account: r.Account, Domains: strings.Join(r.Domains, " ")}, nil
}

// counting adds one to the day's count on the condition that keys.Judge would
// let the call pass. Times in the table are full seconds, so cutting the clock to
// one changes no comparison.
func counting(c keys.Call) update {
	day := counter(callsPrefix, keys.Day(c.Now))
	values := item{":zero": number(0), ":one": number(1), ":limit": number(keys.Limit), ":now": seconds(c.Now)}
	domains := []string{"attribute_not_exists(domains)"}
	if c.Vouched {
		domains = append(domains, "attribute_exists(domains)")
	}
	for i, host := range c.Hosts {
		name := fmt.Sprintf(":h%d", i)
		values[name] = text(host)
		domains = append(domains, fmt.Sprintf("contains(domains, %s)", name))
	}
	return update{
		expression: fmt.Sprintf("SET %[1]s = if_not_exists(%[1]s, :zero) + :one", day),
		condition: fmt.Sprintf(
			"attribute_exists(pk) AND attribute_not_exists(revoked_at) AND active_until > :now"+
				" AND (%s) AND (attribute_not_exists(%[2]s) OR %[2]s < :limit)",
			strings.Join(domains, " OR "), day),
		values: values,
	}
}

// refusal tells from the item as it was why the condition did not hold. An item
// with nothing against the call has attributes of the wrong type, and no such
// item may let a call pass.
func refusal(h keys.Hash, before item, c keys.Call) (keys.Outcome, error) {
	outcome, err := judge(h, before, c)
	if err == nil && outcome.Code == keys.OK {
		return keys.Outcome{}, fmt.Errorf("%w: its condition failed without a reason", ErrDamaged)
	}
	return outcome, err
}

func judge(h keys.Hash, it item, c keys.Call) (keys.Outcome, error) {
	if len(it) == 0 {
		return keys.Outcome{Code: keys.InvalidKey}, nil
	}
	r, err := readRecord(h, it)
	if err != nil {
		return keys.Outcome{}, err
	}
	used := r.calls[keys.Day(c.Now)]
	code := keys.Judge(r.Key, r.activeUntil, used, c)
	return keys.Outcome{Code: code, Used: used, KeyID: r.ID, Account: r.Account, Domains: strings.Join(r.Domains, " ")}, nil
}

// cleanUp deletes the counters that are no longer kept. The verdict stands, so an
// error is of no use to the caller: the counters stay, are in no Usage, and go
// with the first call of the key's next day.
func (s *Store) cleanUp(ctx context.Context, h keys.Hash, calls map[string]int, now time.Time) {
	remove := outdated(callsPrefix, calls, now)
	if remove == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, cleanUpTimeout)
	defer cancel()
	_, _ = s.update(ctx, keyPK(h), update{expression: remove, condition: "attribute_exists(pk)"}, once)
}
