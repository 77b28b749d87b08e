// Package bolt keeps accounts, keys and counts in one file, for a service that
// runs in one process on one machine (design, "One machine"). Use it through
// keys.Store.
//
// The file has four buckets, two with JSON values: "accounts" (id → keys.Account) and
// "keys" (hash of the key → [record]); "owned" (id of an account → bucket of key id →
// hash) and "customers" (customer → id of its account). What a method has changed when
// it returns is on the disk.
package bolt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"github.com/listward/listward/pkg/keys"
)

const (
	accountsBucket  = "accounts"
	keysBucket      = "keys"
	ownedBucket     = "owned"
	customersBucket = "customers"
)

const (
	// lockWait bridges the end of one process and the start of the next.
	lockWait = 500 * time.Millisecond
	// batchDelay gathers concurrent calls into one commit. A commit cost 0.2 ms
	// on the disk of the trial, a batch's timer 1.2 ms however short it was set.
	batchDelay = 500 * time.Microsecond
)

var (
	// ErrLocked is returned by Open for a file that another process has open.
	ErrLocked = errors.New("another process has it open: stop that one first")
	// ErrDamaged is returned for a record that cannot be read. It is never taken
	// for an absent one.
	ErrDamaged = errors.New("a record of the key file is damaged")
)

// Store is a keys.Store on a bbolt file. A context cannot interrupt a commit
// that has begun: the disk decides how long that takes.
type Store struct {
	db *bbolt.DB
	// writing is the number of calls that are being counted.
	writing atomic.Int32
}

var _ keys.Store = (*Store)(nil)

// record is the value of the "keys" bucket.
type record struct {
	keys.Key
	// Calls has the counted calls per UTC day; Key.LastUsed follows from it and
	// is empty in the file.
	Calls map[string]int `json:"calls,omitempty"`
}

// Open opens the file at path and makes it if there is none, in a folder that
// must exist. It returns ErrLocked, after half a second, while another process
// has the file open. The caller closes the store.
func Open(path string) (*Store, error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockWait})
	if errors.Is(err, bbolterrors.ErrTimeout) {
		err = ErrLocked
	}
	if err != nil {
		return nil, fmt.Errorf("open key file %s: %w", path, err)
	}
	db.MaxBatchDelay = batchDelay
	if err := db.Update(createBuckets); err != nil {
		return nil, errors.Join(fmt.Errorf("prepare key file %s: %w", path, err), db.Close())
	}
	return &Store{db: db}, nil
}

func createBuckets(tx *bbolt.Tx) error {
	for _, name := range []string{accountsBucket, keysBucket, ownedBucket, customersBucket} {
		if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
	}
	return nil
}

// Close waits for the calls under way and closes the file. Calls after it err.
func (s *Store) Close() error {
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("close key file: %w", err)
	}
	return nil
}

func (s *Store) view(ctx context.Context, fn func(*bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.db.View(fn)
}

func (s *Store) update(ctx context.Context, fn func(*bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.db.Update(fn)
}

// failed wraps an error with what was attempted, on which account or key.
func failed(attempt, on string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", attempt, on, err)
}

// get reads the value of a key, and reports whether there is one.
func get[T any](tx *bbolt.Tx, bucket string, key []byte) (value T, found bool, err error) {
	data := tx.Bucket([]byte(bucket)).Get(key)
	if data == nil {
		return value, false, nil
	}
	if err := json.Unmarshal(data, &value); err != nil {
		return value, false, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return value, true, nil
}

func put(tx *bbolt.Tx, bucket string, key []byte, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return tx.Bucket([]byte(bucket)).Put(key, data)
}
