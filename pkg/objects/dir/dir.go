// Package dir keeps objects as files in a folder: the store of the service on
// one machine and of tests. Use it wherever no S3 is at hand. [Downloads] hands
// them out at signed addresses, as S3 does.
//
// An object's file has the object's name. Files and folders that begin with a
// dot are the store's own: .lock, which serialises the writers of all processes,
// and .pending, where an object is written before it is renamed into place. A
// process that dies at any moment leaves the objects as they were; what it left
// in .pending is never read and goes with the next [Open].
//
// The folder must be on a local POSIX file system: renaming must be atomic and
// flock must work, which network file systems do not promise.
package dir

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"

	"github.com/listward/listward/pkg/objects"
)

const (
	lockFile      = ".lock"
	pendingFolder = ".pending"
	// lockRetry is the time between two tries for the lock: a small part of the
	// time that a writer holds it for its fsync calls.
	lockRetry = time.Millisecond
)

// Store is an [objects.Store] on a folder. ETags are hashes of the content.
type Store struct{ root string }

var _ objects.Store = (*Store)(nil)

// Open returns the store in the folder at path, which is made if need be. Any
// number of stores and processes may have the same folder open.
func Open(path string) (*Store, error) {
	s := &Store{root: filepath.Clean(path)}
	if err := os.MkdirAll(s.root, 0o755); err != nil {
		return nil, fmt.Errorf("open object folder: %w", err)
	}
	if err := s.locked(context.Background(), s.sweep); err != nil {
		return nil, fmt.Errorf("open object folder %q: %w", path, err)
	}
	return s, nil
}

// sweep removes what writers that died have left. Under the lock there is no
// living writer.
func (s *Store) sweep() error {
	if err := os.MkdirAll(s.pending(), 0o755); err != nil {
		return err
	}
	left, err := os.ReadDir(s.pending())
	if err != nil {
		return err
	}
	for _, file := range left {
		if err := os.Remove(filepath.Join(s.pending(), file.Name())); err != nil {
			return err
		}
	}
	return nil
}

// Get implements [objects.Store]. It reads the whole file to compute its ETag.
func (s *Store) Get(ctx context.Context, name, ifNoneMatch string) (objects.Object, error) {
	object, err := s.get(ctx, name, ifNoneMatch)
	if err != nil {
		return objects.Object{}, fmt.Errorf("get object %q: %w", name, err)
	}
	return object, nil
}

func (s *Store) get(ctx context.Context, name, ifNoneMatch string) (objects.Object, error) {
	if err := objects.CheckName(name); err != nil {
		return objects.Object{}, err
	}
	if err := ctx.Err(); err != nil {
		return objects.Object{}, err
	}
	object, err := s.open(name)
	if err != nil {
		return objects.Object{}, err
	}
	if object.ETag == ifNoneMatch {
		return objects.Object{}, errors.Join(objects.ErrNotModified, object.Body.Close())
	}
	return object, nil
}

// open opens the file of an object. A folder is no object, and neither is a path
// below a file.
func (s *Store) open(name string) (objects.Object, error) {
	f, err := os.Open(s.path(name))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return objects.Object{}, objects.ErrNotFound
	}
	if err != nil {
		return objects.Object{}, err
	}
	etag, size, err := digest(f)
	if err != nil {
		f.Close()
		if errors.Is(err, syscall.EISDIR) {
			return objects.Object{}, objects.ErrNotFound
		}
		return objects.Object{}, err
	}
	return objects.Object{Body: f, ETag: etag, Size: size}, nil
}

// digest reads r to its end and back to its beginning.
func digest(r io.ReadSeeker) (etag string, size int64, err error) {
	h := sha256.New()
	if size, err = io.Copy(h, r); err != nil {
		return "", 0, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}

// Put implements [objects.Store]. Writers wait for each other; a context that
// ends meanwhile ends the waiting, not a write that has begun.
func (s *Store) Put(ctx context.Context, name string, body []byte, when objects.Condition) (string, error) {
	if err := s.put(ctx, name, body, when); err != nil {
		return "", fmt.Errorf("put object %q: %w", name, err)
	}
	etag, _, err := digest(bytes.NewReader(body))
	return etag, err
}

func (s *Store) put(ctx context.Context, name string, body []byte, when objects.Condition) error {
	if err := objects.CheckName(name); err != nil {
		return err
	}
	return s.locked(ctx, func() error {
		current, err := s.etag(name)
		if err != nil {
			return err
		}
		if !allows(when, current) {
			return objects.ErrPrecondition
		}
		return s.replace(name, body)
	})
}

// locked does work while no other writer of any process is at work. Each call
// opens the lock file anew, for flock excludes open files, not processes.
func (s *Store) locked(ctx context.Context, work func() error) error {
	lock := flock.New(filepath.Join(s.root, lockFile))
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return err
	}
	return errors.Join(work(), lock.Unlock())
}

// etag returns the ETag of an object, empty where there is none.
func (s *Store) etag(name string) (string, error) {
	object, err := s.open(name)
	if errors.Is(err, objects.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return object.ETag, object.Body.Close()
}

func allows(when objects.Condition, current string) bool {
	switch when {
	case objects.Always:
		return true
	case objects.IfAbsent:
		return current == ""
	}
	etag, match := when.ETag()
	return match && current != "" && etag == current
}

// replace writes the object's file aside, and renames it into its place when it
// is on the disk.
func (s *Store) replace(name string, body []byte) error {
	path := s.path(name)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = renameio.WriteFile(path, body, 0o644, renameio.WithTempDir(s.pending()))
	}
	if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: %w", objects.ErrName, err)
	}
	if err != nil {
		return err
	}
	return s.sync(filepath.Dir(path))
}

// sync makes the entries of folder and of those above it durable: a rename is
// only when its folder is written, and the folder may be new itself.
func (s *Store) sync(folder string) error {
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return err
	}
	if folder == s.root {
		return nil
	}
	return s.sync(filepath.Dir(folder))
}

func (s *Store) pending() string { return filepath.Join(s.root, pendingFolder) }

func (s *Store) path(name string) string {
	return filepath.Join(s.root, filepath.FromSlash(name))
}
