package dynamo_test

import (
	"encoding/hex"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/keys/dynamo"
)

// TestFormat holds the items to the package comment.
func TestFormat(t *testing.T) {
	table := newTable(t)
	account := table.account()
	n := table.newKey("example.com", "*.example.org")
	n.Label = "web ☂"
	_, err := table.store.CreateKey(t.Context(), account, n)
	table.must(err)
	for range 3 {
		_, err := table.store.Admit(t.Context(), n.Secret.Hash(), keys.Call{Now: noon, Hosts: []string{"example.com"}})
		table.must(err)
	}
	h, key := table.key(account)
	table.must(table.store.RevokeKey(t.Context(), account, key.ID, noon))
	_, err = table.store.SetCustomer(t.Context(), account, "cus_1")
	table.must(err)
	table.must(table.store.SetSubscription(t.Context(), account, keys.Subscription{
		Status: "past_due", PeriodEnd: noon, Ends: true, PaidUntil: noon.Add(time.Hour),
	}))

	used := n.Secret.Hash()
	table.wantSame(table.item(keyPK(used)), map[string]string{
		"pk":           "S KEY#" + hex.EncodeToString(used[:]),
		"account":      "S " + account,
		"label":        "S web ☂",
		"hint":         "S " + n.Secret.Hint(),
		"created":      "N 1795176000",
		"active_until": "N 1826712000",
		"domains":      "L example.com L *.example.org ",
		"u20261120":    "N 3",
	}, "a locked key that was used")
	table.wantSame(table.item(keyPK(h)), map[string]string{
		"pk":           "S KEY#" + hex.EncodeToString(h[:]),
		"account":      "S " + account,
		"label":        "S ",
		"hint":         "S " + key.Hint,
		"created":      "N 1795176000",
		"active_until": "N 1826712000",
		"revoked_at":   "N 1795176000",
	}, "a revoked key")
	table.wantSame(table.item("ACCT#"+account), map[string]string{
		"pk":             "S ACCT#" + account,
		"created":        "N 1795176000",
		"active_until":   "N 1826712000",
		"granted_until":  "N 1826712000",
		"customer":       "S cus_1",
		"sub_status":     "S past_due",
		"sub_period_end": "N 1795176000",
		"sub_ends":       "N 1",
		"sub_paid_until": "N 1795179600",
		"sub_revision":   "N 1",
		"version":        "N 7",
		"live_keys":      "BS [" + hex.EncodeToString(used[:]) + "]",
		"revoked_keys":   "BS [" + hex.EncodeToString(h[:]) + "]",
		"k20261120":      "N 2",
	}, "the account")
	table.wantSame(table.item("CUST#cus_1"), map[string]string{"pk": "S CUST#cus_1", "account": "S " + account}, "the customer")
}

// operations are all that read items, by what they are called on.
func (t *table) operations(h keys.Hash, key keys.Key) map[string]func() error {
	ctx, store, account, call := t.Context(), t.store, key.Account, keys.Call{Now: noon}
	second := func(_ any, err error) error { return err }
	return map[string]func() error{
		"Account":         func() error { return second(store.Account(ctx, account)) },
		"Accounts":        func() error { return second(store.Accounts(ctx)) },
		"SetPlan":         func() error { return store.SetPlan(ctx, account, noon.Add(time.Hour)) },
		"CreateKey":       func() error { return second(store.CreateKey(ctx, account, t.newKey())) },
		"RevokeKey":       func() error { return store.RevokeKey(ctx, account, key.ID, noon) },
		"LockKey":         func() error { return store.LockKey(ctx, account, key.ID, nil) },
		"LabelKey":        func() error { return store.LabelKey(ctx, account, key.ID, "") },
		"SetCustomer":     func() error { return second(store.SetCustomer(ctx, account, "cus_1")) },
		"SetSubscription": func() error { return store.SetSubscription(ctx, account, keys.Subscription{}) },
		"DeleteAccount":   func() error { return second(store.DeleteAccount(ctx, account)) },
		"Keys":            func() error { return second(store.Keys(ctx, account)) },
		"Usage":           func() error { return second(store.Usage(ctx, account, noon)) },
		"Admit":           func() error { return second(store.Admit(ctx, h, call)) },
		"Peek":            func() error { return second(store.Peek(ctx, h, call)) },
	}
}

// TestDamaged damages one attribute after the other. Whatever reads it says so.
func TestDamaged(t *testing.T) {
	table := newTable(t)
	h, key := table.key(table.account(), "example.com")
	operations := table.operations(h, key)
	ofKey, keyPK, accountPK := []string{"Keys", "Usage", "Admit", "Peek"}, keyPK(h), "ACCT#"+key.Account
	ofAccount := []string{"Account", "SetPlan", "SetCustomer", "SetSubscription", "DeleteAccount", "CreateKey", "RevokeKey", "LockKey", "LabelKey", "Keys", "Usage"}
	listed := append([]string{"Accounts"}, ofAccount...)
	for _, c := range []struct {
		pk, attribute string
		value         types.AttributeValue
		want          []string
	}{
		{keyPK, "account", nil, ofKey},
		{keyPK, "label", number("1"), ofKey},
		{keyPK, "active_until", text("2027"), ofKey},
		{keyPK, "revoked_at", text("2026"), ofKey},
		{keyPK, "domains", text("example.com"), ofKey},
		{keyPK, "domains", &types.AttributeValueMemberL{Value: []types.AttributeValue{number("1")}}, ofKey},
		{keyPK, today, number("0.5"), ofKey},
		{accountPK, "version", nil, listed},
		{accountPK, "created", text("2026"), listed},
		{accountPK, "granted_until", text("2026"), listed},
		{accountPK, "customer", number("1"), listed},
		{accountPK, "sub_revision", text("1"), listed},
		{accountPK, "live_keys", text("none"), ofAccount},
		{accountPK, "live_keys", &types.AttributeValueMemberBS{Value: [][]byte{h[1:]}}, ofAccount},
		{accountPK, "revoked_keys", &types.AttributeValueMemberBS{Value: [][]byte{append(h[:], 0)}}, ofAccount},
		{accountPK, "k20261120", text("2"), ofAccount},
	} {
		before := table.read(c.pk)
		table.set(c.pk, c.attribute, c.value)
		for _, name := range c.want {
			table.wantErr(operations[name](), dynamo.ErrDamaged, name+" with "+c.attribute+" damaged")
		}
		table.put(before)
	}
}

// TestMissingKey deletes a key that its account still names.
func TestMissingKey(t *testing.T) {
	table := newTable(t)
	h, key := table.key(table.account())
	_, err := table.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: &table.name, Key: map[string]types.AttributeValue{"pk": text(keyPK(h))},
	})
	table.must(err)
	operations := table.operations(h, key)
	for _, name := range []string{"SetPlan", "RevokeKey", "LockKey", "Keys", "Usage"} {
		table.wantErr(operations[name](), dynamo.ErrDamaged, name+" with the key missing")
	}
	if item := table.item(keyPK(h)); len(item) > 0 {
		t.Errorf("the missing key came back as %v", item)
	}
}
