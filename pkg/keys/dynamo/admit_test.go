package dynamo_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/keys/dynamo"
)

// today is the attribute that counts the calls at noon.
const today = "u20261120"

func TestOneRequestPerCall(t *testing.T) {
	table := newTable(t)
	running, ended := table.account(), table.account()
	open, _ := table.key(running)
	locked, _ := table.key(running, "example.com")
	exhausted, _ := table.key(running)
	table.set(keyPK(exhausted), today, number("1000"))
	revoked, revokedKey := table.key(running)
	table.must(table.store.RevokeKey(t.Context(), running, revokedKey.ID, noon))
	lapsed, _ := table.key(ended)
	table.must(table.store.SetPlan(t.Context(), ended, noon))

	for _, c := range []struct {
		key  keys.Hash
		want keys.Code
	}{
		{open, keys.OK}, {open, keys.OK}, {locked, keys.DomainNotAllowed}, {exhausted, keys.QuotaExceeded},
		{revoked, keys.InvalidKey}, {lapsed, keys.MembershipRequired}, {keys.Hash{}, keys.InvalidKey},
	} {
		for operation, ask := range map[string]func(context.Context, keys.Hash, keys.Call) (keys.Outcome, error){
			"UpdateItem": table.store.Admit, "GetItem": table.store.Peek,
		} {
			table.tap.sent = nil
			outcome, err := ask(t.Context(), c.key, keys.Call{Now: noon})
			if err != nil || outcome.Code != c.want {
				t.Errorf("the call is %q, %v, want %q", outcome.Code, err, c.want)
			}
			table.wantSame(table.tap.sent, []string{operation}, "what was sent for a call that is "+string(c.want))
		}
	}
}

// TestAdmitFaults has the answer to the first request fail in ways after which it
// is not known whether the call was counted, or after which it was not. Neither
// may be repeated, by the SDK nor by the store.
func TestAdmitFaults(t *testing.T) {
	lost := func(send func() (*http.Response, error)) (*http.Response, error) {
		answer, err := send()
		return nil, errors.Join(err, answer.Body.Close(), io.ErrUnexpectedEOF)
	}
	throttled := func(func() (*http.Response, error)) (*http.Response, error) {
		return refuse("ProvisionedThroughputExceededException", "")
	}
	failing := func(func() (*http.Response, error)) (*http.Response, error) {
		return reply(http.StatusInternalServerError, `{"__type": "com.amazonaws.dynamodb.v20120810#InternalServerError"}`)
	}
	is := func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }
	for name, c := range map[string]struct {
		answer  func(send func() (*http.Response, error)) (*http.Response, error)
		want    func(error) bool
		counted string
	}{
		"a lost answer":   {lost, is, "N 1"},
		"throttling":      {throttled, isA[*types.ProvisionedThroughputExceededException], ""},
		"a failing table": {failing, isA[*types.InternalServerError], ""},
	} {
		table := newTable(t)
		h, _ := table.key(table.account())
		table.tap.answerBy(func(_ request, send func() (*http.Response, error)) (*http.Response, error) { return c.answer(send) })
		outcome, err := table.store.Admit(t.Context(), h, keys.Call{Now: noon})
		if outcome != (keys.Outcome{}) || !c.want(err) || !strings.Contains(err.Error(), "count a call of key "+h.ID()) {
			t.Errorf("Admit with %s = %+v, %v, want that error and no outcome", name, outcome, err)
		}
		table.wantSame(table.tap.sent, []string{"UpdateItem"}, "what was sent with "+name)
		table.wantSame(table.item(keyPK(h))[today], c.counted, "the count with "+name)
	}
}

func isA[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}

// TestAdmitMeetsTransaction may begin again, since DynamoDB refuses an update
// that meets a transaction before it changes anything.
func TestAdmitMeetsTransaction(t *testing.T) {
	for _, c := range []struct {
		conflicts int
		want      error
		pauses    []time.Duration
	}{
		{0, nil, nil},
		{2, nil, []time.Duration{10, 20}},
		{9, nil, []time.Duration{10, 20, 40, 80, 160, 250, 250, 250, 250}},
		{10, dynamo.ErrBusy, []time.Duration{10, 20, 40, 80, 160, 250, 250, 250, 250}},
	} {
		table := newTable(t)
		h, key := table.key(table.account())
		table.tap.answerBy(func(r request, send func() (*http.Response, error)) (*http.Response, error) {
			if r.nth <= c.conflicts {
				return refuse("TransactionConflictException", "")
			}
			return send()
		})
		outcome, err := table.store.Admit(t.Context(), h, keys.Call{Now: noon})
		table.wantErr(err, c.want, "Admit")
		if want := (keys.Outcome{Code: keys.OK, Used: 1, KeyID: key.ID, Account: key.Account}); c.want == nil {
			table.wantSame(outcome, want, "the outcome")
		}
		for i := range c.pauses {
			c.pauses[i] *= time.Millisecond
		}
		table.wantSame(table.pauses, c.pauses, "the pauses")
	}
}

func TestAdmitGivesUpWithContext(t *testing.T) {
	table := newTable(t)
	h, _ := table.key(table.account())
	ctx, end := context.WithCancel(t.Context())
	table.tap.answerBy(func(request, func() (*http.Response, error)) (*http.Response, error) {
		end()
		return refuse("TransactionConflictException", "")
	})
	_, err := table.store.Admit(ctx, h, keys.Call{Now: noon})
	table.wantErr(err, context.Canceled, "Admit whose context ends")
	table.wantSame(table.tap.sent, []string{"UpdateItem"}, "what was sent")
}

// TestRefusalWithoutReason has the condition fail on items that explain it badly.
func TestRefusalWithoutReason(t *testing.T) {
	table := newTable(t)
	h, key := table.key(table.account())
	var members string
	table.tap.answerBy(func(request, func() (*http.Response, error)) (*http.Response, error) {
		return refuse("ConditionalCheckFailedException", members)
	})
	outcome, err := table.store.Admit(t.Context(), h, keys.Call{Now: noon})
	table.must(err)
	table.wantSame(outcome, keys.Outcome{Code: keys.InvalidKey}, "the outcome without an item")

	for _, members = range []string{
		`, "Item": {"pk": {"S": "KEY"}}`,
		`, "Item": {"account": {"S": "` + key.Account + `"}, "label": {"S": ""}, "hint": {"S": ""}, "active_until": {"N": "9999999999"}}`,
	} {
		outcome, err := table.store.Admit(t.Context(), h, keys.Call{Now: noon})
		table.wantErr(err, dynamo.ErrDamaged, "Admit with "+members)
		table.wantSame(outcome, keys.Outcome{}, "the outcome with "+members)
	}
}

func TestCleanUp(t *testing.T) {
	table := newTable(t)
	h, _ := table.key(table.account())
	days := []string{"u20251120", "u20261020", "u20261021", "u20261119"}
	for _, day := range days {
		table.set(keyPK(h), day, number("7"))
	}
	admit := func(now time.Time, wantUsed, wantSent int) {
		t.Helper()
		table.tap.sent = nil
		outcome, err := table.store.Admit(t.Context(), h, keys.Call{Now: now})
		if err != nil || outcome.Code != keys.OK || outcome.Used != wantUsed || len(table.tap.sent) != wantSent {
			t.Errorf("Admit at %v = %+v, %v with the requests %q, want %d used with %d requests",
				now, outcome, err, table.tap.sent, wantUsed, wantSent)
		}
	}
	table.tap.fault = func(r request, send func() (*http.Response, error)) (*http.Response, error) {
		if strings.Contains(r.body, "REMOVE") {
			return refuse("ProvisionedThroughputExceededException", "")
		}
		return send()
	}
	admit(noon, 1, 2)
	table.wantCounters(h, append(days, "u20261120")...)
	table.tap.fault = nil
	admit(noon, 2, 1)
	table.wantCounters(h, append(days, "u20261120")...)
	admit(noon.AddDate(0, 0, 1), 1, 2)
	table.wantCounters(h, "u20261119", "u20261120", "u20261121")
	admit(noon.AddDate(0, 0, 2), 1, 1)
}

func (t *table) wantCounters(h keys.Hash, want ...string) {
	t.Helper()
	got := map[string]bool{}
	for name := range t.item(keyPK(h)) {
		if strings.HasPrefix(name, "u2") {
			got[name] = true
		}
	}
	all := map[string]bool{}
	for _, name := range want {
		all[name] = true
	}
	t.wantSame(got, all, "the counters")
}

// hanging answers the counting of a day's first call and hangs in the clean-up.
type hanging struct{ dynamo.API }

func (hanging) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	if strings.HasPrefix(*in.UpdateExpression, "REMOVE") {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return &dynamodb.UpdateItemOutput{Attributes: map[string]types.AttributeValue{
		"account": text("acct_1"), "label": text(""), "hint": text(""), today: number("1"), "u20251120": number("1"),
	}}, nil
}

func TestCleanUpDelaysLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		outcome, err := dynamo.New(hanging{}, "keys").Admit(t.Context(), keys.Hash{}, keys.Call{Now: noon})
		if took := time.Since(start); err != nil || outcome.Code != keys.OK || took != 250*time.Millisecond {
			t.Errorf("Admit with a clean-up that hangs = %+v, %v after %v, want %q after 250ms", outcome, err, took, keys.OK)
		}
	})
}

// TestEngineAway kills the table under the store. What was counted stays counted.
func TestEngineAway(t *testing.T) {
	table := newTable(t)
	h, _ := table.key(table.account())
	call := keys.Call{Now: noon}
	_, err := table.store.Admit(t.Context(), h, call)
	table.must(err)
	if err := table.engine.Stop(); err != nil {
		t.Skip(err)
	}
	if outcome, err := table.store.Admit(t.Context(), h, call); err == nil || outcome != (keys.Outcome{}) {
		t.Errorf("Admit without a table = %+v, %v, want an error", outcome, err)
	}
	table.must(table.engine.Restart(t.Context()))
	outcome, err := table.store.Admit(t.Context(), h, call)
	if err != nil || outcome.Used != 2 {
		t.Errorf("Admit after the restart = %+v, %v, want 2 calls used", outcome, err)
	}
}
