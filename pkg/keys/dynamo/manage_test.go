package dynamo_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/keys/dynamo"
)

// between has meanwhile happen after the store has read the account and before
// its first transaction arrives.
func (t *table) between(meanwhile func(other *dynamo.Store)) {
	t.tap.answerBy(func(r request, send func() (*http.Response, error)) (*http.Response, error) {
		if r.operation == "TransactWriteItems" && r.nth == 1 {
			meanwhile(dynamo.New(t.client, t.name))
		}
		return send()
	})
}

// wantDecidedTwice looks that the operation met a change and began again.
func (t *table) wantDecidedTwice(then ...string) {
	t.Helper()
	want := append([]string{"GetItem", "TransactWriteItems", "GetItem"}, then...)
	t.wantSame(t.tap.sent, want, "what was sent")
	t.tap.fault = nil
}

func (t *table) wantPlanEnd(h keys.Hash, want time.Time) {
	t.Helper()
	for after, code := range map[time.Duration]keys.Code{-1: keys.OK, 0: keys.MembershipRequired} {
		got, err := t.store.Peek(t.Context(), h, keys.Call{Now: want.Add(after)})
		if err != nil || got.Code != code {
			t.Errorf("a call %v after the plan's end is %q, %v, want %q", after, got.Code, err, code)
		}
	}
}

func TestCreateKeyMeetsPlanChange(t *testing.T) {
	table := newTable(t)
	account, until := table.account(), noon.AddDate(2, 0, 0)
	table.between(func(other *dynamo.Store) { table.must(other.SetPlan(t.Context(), account, until)) })
	h, _ := table.key(account)
	table.wantDecidedTwice("TransactWriteItems")
	table.wantSame(table.pauses, []time.Duration{10 * time.Millisecond}, "the pauses")
	table.wantPlanEnd(h, until)
}

func TestCreateKeyMeetsPlanEnd(t *testing.T) {
	table := newTable(t)
	account, n := table.account(), table.newKey()
	table.between(func(other *dynamo.Store) { table.must(other.SetPlan(t.Context(), account, noon)) })
	_, err := table.store.CreateKey(t.Context(), account, n)
	table.wantErr(err, keys.ErrNoPlan, "CreateKey")
	table.wantDecidedTwice()
	table.wantSame(table.item(keyPK(n.Secret.Hash())), map[string]string{}, "the key")
}

func TestSetPlanMeetsCreation(t *testing.T) {
	table := newTable(t)
	account, n, until := table.account(), table.newKey(), noon.AddDate(2, 0, 0)
	table.between(func(other *dynamo.Store) {
		_, err := other.CreateKey(t.Context(), account, n)
		table.must(err)
	})
	table.must(table.store.SetPlan(t.Context(), account, until))
	table.wantDecidedTwice("TransactWriteItems")
	table.wantPlanEnd(n.Secret.Hash(), until)
}

func TestRevokeKeyMeetsRevocation(t *testing.T) {
	table := newTable(t)
	h, key := table.key(table.account())
	table.between(func(other *dynamo.Store) { table.must(other.RevokeKey(t.Context(), key.Account, key.ID, noon)) })
	table.must(table.store.RevokeKey(t.Context(), key.Account, key.ID, noon.Add(time.Hour)))
	table.wantDecidedTwice()
	if got, want := table.item(keyPK(h))["revoked_at"], "N 1795176000"; got != want {
		t.Errorf("revoked_at is %q, want %q, the first revocation's", got, want)
	}
}

// cancelled is DynamoDB's answer to a transaction of the account and one key.
func cancelled(account, key string) (*http.Response, error) {
	return refuse("TransactionCanceledException", `, "CancellationReasons": [{"Code": "`+account+`"}, {"Code": "`+key+`"}]`)
}

func TestTransactionFaults(t *testing.T) {
	busy := func(err error) bool { return errors.Is(err, dynamo.ErrBusy) }
	none := func(err error) bool { return err == nil }
	other := func(err error) bool { return isA[*types.TransactionCanceledException](err) && !busy(err) }
	for name, c := range map[string]struct {
		faults int
		answer func() (*http.Response, error)
		want   func(error) bool
		sent   int
	}{
		"a conflict on the account": {2, func() (*http.Response, error) { return cancelled("TransactionConflict", "None") }, none, 3},
		"a conflict on the key":     {9, func() (*http.Response, error) { return cancelled("None", "TransactionConflict") }, none, 10},
		"a conflict without end":    {10, func() (*http.Response, error) { return cancelled("None", "TransactionConflict") }, busy, 10},
		"throttling inside of it":   {1, func() (*http.Response, error) { return cancelled("None", "ThrottlingError") }, other, 1},
		"more reasons than writes": {1, func() (*http.Response, error) {
			return cancelled("None", `None"}, {"Code": "ConditionalCheckFailed`)
		}, other, 1},
		"throttling": {3, func() (*http.Response, error) { return refuse("ProvisionedThroughputExceededException", "") },
			isA[*types.ProvisionedThroughputExceededException], 3},
		"throttling that ends": {2, func() (*http.Response, error) { return refuse("ThrottlingException", "") }, none, 3},
	} {
		table := newTable(t)
		account, n := table.account(), table.newKey()
		table.tap.answerBy(func(r request, send func() (*http.Response, error)) (*http.Response, error) {
			if r.operation == "TransactWriteItems" && r.nth <= c.faults {
				return c.answer()
			}
			return send()
		})
		_, err := table.store.CreateKey(t.Context(), account, n)
		if !c.want(err) {
			t.Errorf("CreateKey with %s: unexpected error %v", name, err)
		}
		sent := slices.DeleteFunc(table.tap.sent, func(operation string) bool { return operation != "TransactWriteItems" })
		if len(sent) != c.sent {
			t.Errorf("CreateKey with %s sent %d transactions, want %d", name, len(sent), c.sent)
		}
		if created := len(table.item(keyPK(n.Secret.Hash()))) > 0; created != (err == nil) {
			t.Errorf("with %s the key was created: %t, the error is %v", name, created, err)
		}
	}
}

// TestTransactionLost loses the answer to a transaction that was made. The SDK
// repeats it with the same token, and DynamoDB does not make it twice.
func TestTransactionLost(t *testing.T) {
	table := newTable(t)
	account, n := table.account(), table.newKey()
	var bodies []string
	table.tap.answerBy(func(r request, send func() (*http.Response, error)) (*http.Response, error) {
		answer, err := send()
		if r.operation == "TransactWriteItems" {
			bodies = append(bodies, r.body)
			if r.nth == 1 {
				return nil, errors.Join(err, answer.Body.Close(), io.ErrUnexpectedEOF)
			}
		}
		return answer, err
	})
	key, err := table.store.CreateKey(t.Context(), account, n)
	table.must(err)
	if len(bodies) != 2 || bodies[0] != bodies[1] || !strings.Contains(bodies[0], "ClientRequestToken") {
		t.Errorf("the transaction was sent as %q, want it twice with one token", bodies)
	}
	list, err := table.store.Keys(t.Context(), account)
	table.must(err)
	table.wantSame(list, []keys.Key{key}, "the account's keys")
}

func TestReadsAreRepeated(t *testing.T) {
	table := newTable(t)
	h, key := table.key(table.account())
	table.tap.answerBy(func(r request, send func() (*http.Response, error)) (*http.Response, error) {
		if r.nth < 3 {
			return reply(http.StatusInternalServerError, "{}")
		}
		return send()
	})
	outcome, err := table.store.Peek(t.Context(), h, keys.Call{Now: noon})
	table.must(err)
	table.wantSame(outcome, keys.Outcome{Code: keys.OK, KeyID: key.ID, Account: key.Account}, "the outcome")
}

// TestReadsAreConsistent looks at the requests: the engine is never stale.
func TestReadsAreConsistent(t *testing.T) {
	table := newTable(t)
	read := map[string]bool{}
	table.tap.answerBy(func(r request, send func() (*http.Response, error)) (*http.Response, error) {
		if r.operation == "GetItem" || r.operation == "BatchGetItem" || r.operation == "Scan" {
			read[r.operation] = true
			if !strings.Contains(r.body, `"ConsistentRead":true`) {
				t.Errorf("%s does not ask for a consistent read: %s", r.operation, r.body)
			}
		}
		return send()
	})
	for name := range table.operations(table.key(table.account())) {
		table.must(table.operations(table.key(table.account()))[name]())
	}
	table.wantSame(read, map[string]bool{"GetItem": true, "BatchGetItem": true, "Scan": true}, "the reads")
}

func TestLockKeyMeetsTransaction(t *testing.T) {
	table := newTable(t)
	h, key := table.key(table.account())
	table.tap.answerBy(func(r request, send func() (*http.Response, error)) (*http.Response, error) {
		if r.operation == "UpdateItem" && r.nth == 1 {
			return refuse("TransactionConflictException", "")
		}
		return send()
	})
	table.must(table.store.LockKey(t.Context(), key.Account, key.ID, []string{"example.com"}))
	if got, want := table.item(keyPK(h))["domains"], "L example.com "; got != want {
		t.Errorf("domains is %q, want %q", got, want)
	}
}

// TestKeysInParts has DynamoDB leave keys for later, once or without end.
func TestKeysInParts(t *testing.T) {
	table := newTable(t)
	account := table.account()
	var want []keys.Key
	for range keys.MaxActive {
		_, key := table.key(account)
		want = append(want, key)
	}
	slices.SortFunc(want, func(a, b keys.Key) int { return strings.Compare(a.ID, b.ID) })
	endless := false
	table.tap.answerBy(func(r request, send func() (*http.Response, error)) (*http.Response, error) {
		if r.operation == "BatchGetItem" && (r.nth == 1 || endless) {
			var asked struct{ RequestItems json.RawMessage }
			table.must(json.Unmarshal([]byte(r.body), &asked))
			return reply(http.StatusOK, `{"Responses": {}, "UnprocessedKeys": `+string(asked.RequestItems)+`}`)
		}
		return send()
	})
	list, err := table.store.Keys(t.Context(), account)
	table.must(err)
	table.wantSame(list, want, "the account's keys")
	endless = true
	_, err = table.store.Usage(t.Context(), account, noon)
	table.wantErr(err, dynamo.ErrBusy, "Usage of keys that DynamoDB never returns")
}

// TestManyKeys has more keys than DynamoDB returns at once.
func TestManyKeys(t *testing.T) {
	table := newTable(t)
	account := table.account()
	const days = 6
	for day := range days {
		for range keys.MaxCreatedPerDay {
			n := table.newKey()
			n.Now = noon.AddDate(0, 0, day)
			key, err := table.store.CreateKey(t.Context(), account, n)
			table.must(err)
			table.must(table.store.RevokeKey(t.Context(), account, key.ID, n.Now))
		}
	}
	list, err := table.store.Keys(t.Context(), account)
	if want := days * keys.MaxCreatedPerDay; err != nil || len(list) != want {
		t.Errorf("the account has %d keys, %v, want %d", len(list), err, want)
	}
}

// TestAccountFull fills an account past the store. It must still be possible to
// take rights from it.
func TestAccountFull(t *testing.T) {
	table := newTable(t)
	h, key := table.key(table.account())
	old := &types.AttributeValueMemberBS{}
	for range dynamo.MaxKeys - 1 {
		hash := table.newKey().Secret.Hash()
		old.Value = append(old.Value, hash[:])
	}
	table.set("ACCT#"+key.Account, "revoked_keys", old)
	_, err := table.store.CreateKey(t.Context(), key.Account, table.newKey())
	table.wantErr(err, dynamo.ErrAccountFull, "CreateKey")
	table.must(table.store.SetPlan(t.Context(), key.Account, noon.Add(time.Hour)))
	table.wantPlanEnd(h, noon.Add(time.Hour))
	table.must(table.store.RevokeKey(t.Context(), key.Account, key.ID, noon))
	_, err = table.store.CreateKey(t.Context(), key.Account, table.newKey())
	table.wantErr(err, dynamo.ErrAccountFull, "CreateKey after the revocation")
}

func TestOldCreationsAreDropped(t *testing.T) {
	table := newTable(t)
	account := table.account()
	for _, day := range []int{0, 1, 31} {
		n := table.newKey()
		n.Now = noon.AddDate(0, 0, day)
		_, err := table.store.CreateKey(t.Context(), account, n)
		table.must(err)
	}
	item := table.item("ACCT#" + account)
	got := map[string]string{}
	for _, name := range []string{"k20261120", "k20261121", "k20261221"} {
		got[name] = item[name]
	}
	table.wantSame(got, map[string]string{"k20261120": "", "k20261121": "N 1", "k20261221": "N 1"}, "the counters")
}

// small is a client whose pages have one item.
type small struct{ dynamo.API }

func (s small) Scan(ctx context.Context, in *dynamodb.ScanInput, o ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	in.Limit = aws.Int32(1)
	return s.API.Scan(ctx, in, o...)
}

func TestAccountsInPages(t *testing.T) {
	table := newTable(t)
	want := map[string]bool{}
	for range 3 {
		account := table.account()
		table.key(account)
		want[account] = true
	}
	accounts, err := dynamo.New(small{table.client}, table.name).Accounts(t.Context())
	table.must(err)
	got := map[string]bool{}
	for _, a := range accounts {
		got[a.ID] = true
		table.wantSame(a, keys.Account{ID: a.ID, Created: noon, ActiveUntil: noon.AddDate(1, 0, 0), Granted: noon.AddDate(1, 0, 0)}, "an account")
	}
	table.wantSame(got, want, "the accounts")
}

func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := dynamo.New(nil, "keys")
		var took []time.Duration
		for range 20 {
			start := time.Now()
			if err := store.Pause(t.Context(), time.Second); err != nil {
				t.Fatal(err)
			}
			took = append(took, time.Since(start))
		}
		if slices.Max(took) >= time.Second || slices.Max(took) == slices.Min(took) {
			t.Errorf("pauses of up to a second took %v, want different ones below it", took)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if err := store.Pause(ended, time.Hour); !errors.Is(err, context.Canceled) {
			t.Errorf("a pause in an ended context: error %v, want %v", err, context.Canceled)
		}
	})
}
