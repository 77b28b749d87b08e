package bolt_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/keys/bolt"
)

func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	store, err := bolt.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	secret, key := newKey(t, store)
	call := keys.Call{Now: noon}
	want, err := store.Admit(t.Context(), secret.Hash(), call)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bolt.Open(path); !errors.Is(err, bolt.ErrLocked) {
		t.Errorf("Open of an open file: error %v, want %v", err, bolt.ErrLocked)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Admit(t.Context(), secret.Hash(), call); !errors.Is(err, bbolterrors.ErrDatabaseNotOpen) {
		t.Errorf("Admit after Close: error %v, want %v", err, bbolterrors.ErrDatabaseNotOpen)
	}

	store = open(t, path)
	got, err := store.Peek(t.Context(), secret.Hash(), call)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Peek after a restart: error %v, outcome differs (-want +got):\n%s", err, diff)
	}
	list, err := store.Keys(t.Context(), key.Account)
	key.LastUsed = keys.Day(noon)
	if diff := cmp.Diff([]keys.Key{key}, list); diff != "" || err != nil {
		t.Errorf("Keys after a restart: error %v, keys differ (-want +got):\n%s", err, diff)
	}
}

func TestOpenRefuses(t *testing.T) {
	folder := t.TempDir()
	text := filepath.Join(folder, "text")
	if err := os.WriteFile(text, make([]byte, 1<<16), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{
		text:                                     bbolterrors.ErrInvalid,
		filepath.Join(folder, "missing", "keys"): fs.ErrNotExist,
	} {
		if _, err := bolt.Open(path); !errors.Is(err, want) {
			t.Errorf("Open(%s): error %v, want %v", path, err, want)
		}
	}
}

// TestDamaged writes into the buckets that the package comment describes.
func TestDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	store, err := bolt.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	cut, cutKey := newKey(t, store)
	gone, goneKey := newKey(t, store)
	orphan, orphanKey := newKey(t, store)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	damage(t, path, func(tx *bbolt.Tx) error {
		cutHash, goneHash := cut.Hash(), gone.Hash()
		return errors.Join(
			tx.Bucket([]byte("keys")).Put(cutHash[:], []byte("{")),
			tx.Bucket([]byte("keys")).Delete(goneHash[:]),
			tx.Bucket([]byte("accounts")).Put([]byte(orphanKey.Account), []byte("{")),
		)
	})

	ctx, store := t.Context(), open(t, path)
	_, cutErr := store.Admit(ctx, cut.Hash(), keys.Call{Now: noon})
	_, orphanErr := store.Admit(ctx, orphan.Hash(), keys.Call{Now: noon})
	_, listErr := store.Keys(ctx, cutKey.Account)
	_, goneErr := store.Usage(ctx, goneKey.Account, noon)
	_, accountsErr := store.Accounts(ctx)
	_, createErr := store.CreateAccount(ctx, orphanKey.Account, noon)
	for what, err := range map[string]error{
		"Admit of a cut record":                cutErr,
		"Admit on a cut account":               orphanErr,
		"Keys with a cut record":               listErr,
		"Usage with a missing record":          goneErr,
		"Accounts with a cut account":          accountsErr,
		"CreateAccount over a cut account":     createErr,
		"RevokeKey of a cut record":            store.RevokeKey(ctx, cutKey.Account, cutKey.ID, noon),
		"LockKey of a key whose record is cut": store.LockKey(ctx, cutKey.Account, cutKey.ID, nil),
	} {
		if !errors.Is(err, bolt.ErrDamaged) {
			t.Errorf("%s: error %v, want %v", what, err, bolt.ErrDamaged)
		}
	}
}

func damage(t *testing.T, path string, fn func(*bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(fn), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// The child of TestKill counts from eight callers.
const killCallers = 8

// TestKill ends a process that is counting calls and looks for every call that
// it had reported as counted. A call may be counted that was not yet reported.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	store, err := bolt.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	secret, key := newKey(t, store)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	reported := runAndKill(t, path, secret)

	usage, err := open(t, path).Usage(t.Context(), key.Account, noon)
	if err != nil {
		t.Fatal(err)
	}
	counted := 0
	for _, u := range usage {
		counted += u.Calls
	}
	if counted < reported || counted > reported+killCallers {
		t.Errorf("%d calls are counted after the kill, want %d to %d", counted, reported, reported+killCallers)
	}
}

// runAndKill returns how many calls the child reported until it was killed.
func runAndKill(t *testing.T, path string, secret keys.Secret) (reported int) {
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childFile+"="+path, childKey+"="+secret.Reveal())
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() != "counted" {
			continue
		}
		if reported++; reported == 200 {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := child.Wait(); child.ProcessState.Exited() || reported < 200 {
		t.Fatalf("the child reported %d calls and ended by itself: %v", reported, err)
	}
	return reported
}

// childFile and childKey make this test binary the process that TestKill kills.
const (
	childFile = "BOLT_TEST_FILE"
	childKey  = "BOLT_TEST_KEY"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		if err := countUntilKilled(path, os.Getenv(childKey)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// countUntilKilled has calls counted and tells of each. It returns only when one
// was not counted.
func countUntilKilled(path, key string) error {
	store, err := bolt.Open(path)
	if err != nil {
		return err
	}
	secret, err := keys.Parse(key)
	if err != nil {
		return err
	}
	var calls atomic.Int64
	failed := make(chan error)
	for range killCallers {
		go func() {
			for {
				day := int(calls.Add(1)) / keys.Limit
				outcome, err := store.Admit(context.Background(), secret.Hash(), keys.Call{Now: noon.AddDate(0, 0, day)})
				if err != nil || outcome.Code != keys.OK {
					failed <- fmt.Errorf("a call was not counted: %v, %w", outcome, err)
				}
				if _, err := io.WriteString(os.Stdout, fmt.Sprintln("counted")); err != nil {
					failed <- err
				}
			}
		}()
	}
	return <-failed
}
