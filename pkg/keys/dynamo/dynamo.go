// Package dynamo keeps accounts, keys and counts in one DynamoDB table, for the
// service in the cloud. Use it through keys.Store.
//
// The table (KeysTable in template.yaml) has the partition key pk, a string, and
// no index. It holds three kinds of items; all times are N, in Unix seconds.
//
//	pk            S        KEY#<SHA-256 of the key, 64 hexadecimal digits>
//	account       S        id of its account
//	label, hint   S        as in keys.Key
//	created       N
//	active_until  N        copy of the account's
//	revoked_at    N        absent for a key that is not revoked
//	domains       L of S   absent for a key that is not locked
//	u20261120     N        calls counted on that UTC day; 31 days are kept
//
//	pk            S        ACCT#<id of the account>
//	created       N
//	active_until  N        absent when there never was a plan; the later of the next two
//	granted_until N        absent when no plan was granted
//	sub_…         N, S     keys.Subscription; absent when there never was one
//	customer      S        absent when there is none
//	version       N        one more with each change of the plan or of the set of keys
//	live_keys     BS       hashes of the keys that are not revoked, 5 at most
//	revoked_keys  BS       hashes of the others
//	k20261120     N        keys created on that UTC day; 31 days are kept
//
//	pk            S        CUST#<customer>
//	account       S        id of its account
//
// A key item holds all that a verdict needs, so that one conditional update both
// judges and counts a call. Counting by day in the same item needs no reset, and
// stays exact when clocks disagree about midnight. The price is the copy of the
// plan's end on up to five items, which one transaction rewrites.
//
// Creations, revocations and plan changes are transactions on the condition that
// the account's version is the one they were decided on. Otherwise they are
// decided anew. DynamoDB takes 100 items in a transaction; these have six.
//
// An item may have 400 KB. A hash takes 33 bytes of the account's item, which
// [MaxKeys] keeps below 340 KB, so that a full account can still be revoked and
// ended. Ids of accounts have at most 2043 bytes, since pk has 2048.
//
// No attribute that stands in an expression by its name is one of DynamoDB's
// reserved words.
package dynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/listward/listward/pkg/keys"
)

// MaxKeys is the keys that an account may ever have had, revoked ones included:
// 500 days of creating as many as a day allows.
const MaxKeys = 10_000

const (
	// tries bounds how often an operation begins that meets others on its items.
	// Twenty creations at once on one account need five.
	tries = 10
	// firstPause is about the time that a transaction takes. It doubles up to
	// maxPause: the pauses of an operation last 1.31 s together at most, and half
	// of that on average, within the two seconds that keys.Authorizer waits.
	firstPause = 10 * time.Millisecond
	maxPause   = 250 * time.Millisecond
)

var (
	// ErrBusy is returned when others kept changing the same items, or when the
	// table was too busy to read them. The operation changed nothing.
	ErrBusy = errors.New("the table is busy with the same account or key: try again")
	// ErrDamaged is returned for an item that cannot be read, or is missing while
	// another names it. It is never taken for an absent one.
	ErrDamaged = errors.New("an item of the key table is damaged")
	// ErrAccountFull is returned by CreateKey after MaxKeys.
	ErrAccountFull = errors.New("the account has had as many keys as it can hold: use another account")
)

// API is what a [Store] asks of DynamoDB; *dynamodb.Client has it. Admit and Peek
// call only UpdateItem and GetItem.
type API interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error)
	Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error)
	UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
}

// Store is a keys.Store on a DynamoDB table. Several stores, in several
// processes, may use one table at once. Keys, Usage and Accounts read each item
// at a moment of its own between call and return.
//
// Besides the errors of package keys and of this one, methods return those of
// the SDK, wrapped once. After such an error of Admit the call may have been
// counted, at most once.
type Store struct {
	client API
	table  string

	// Pause waits for a random part of limit before an operation begins again,
	// and returns early with the context's error. New sets it; replace it only
	// before the first use of the store.
	Pause func(ctx context.Context, limit time.Duration) error
}

var _ keys.Store = (*Store)(nil)

// New returns a Store on a table that exists. The client's own retries may be as
// they are: the store turns them off where a repeated request could count a call
// twice.
func New(client API, table string) *Store {
	return &Store{client: client, table: table, Pause: pause}
}

// failed wraps an error with what was attempted, on which account or key.
func failed(attempt, on string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", attempt, on, err)
}
