// Package edition is what is being served: a snapshot together with the state of
// its sources on the day.
//
// A snapshot holds nothing that depends on the clock or the run; what does stands
// in the [Pointer], one small document that every refresh rewrites last. Refresh
// reads and writes it with [Read] and [Write]; every function follows it with a
// [Follower].
package edition

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/snapshot"
)

// pointerName is the object that holds the Pointer.
const pointerName = "current.json"

// What a reader takes into memory, in bytes; writers keep to it.
const (
	maxPointer  = 1 << 20
	MaxSnapshot = 64 << 20
)

// The errors of Read, Write and Load.
var (
	// ErrNone is returned when nothing has been published yet.
	ErrNone = errors.New("no edition has been published")
	// ErrDamaged is returned for a pointer that cannot be read, and for a
	// snapshot that is missing or is not what its name says.
	ErrDamaged = errors.New("damaged edition")
	// ErrConflict is returned when another run has written the pointer meanwhile.
	ErrConflict = errors.New("the pointer was written by another run")
)

// Status says how far the entries of a source can be relied on (decisions
// section 2).
type Status string

// The states of a source.
const (
	OK      Status = "ok"
	Stale   Status = "stale"  // refused, or not accepted for 48 hours
	Review  Status = "review" // an operator must look at it
	Missing Status = "missing"
)

// staleAfter is the age at which entries that nobody refused are stale all the
// same: the daily run did not take place twice.
const staleAfter = 48 * time.Hour

// State is a source as the last run left it. Times are UTC; those that did not
// happen are zero.
type State struct {
	Source sanction.Source `json:"source"`
	Status Status          `json:"status"`
	// Detail says why the status is not OK.
	Detail string `json:"detail,omitempty"`
	// Entries is the number of entries served.
	Entries int `json:"entries"`
	// ListDate is the publisher's date of the accepted files, YYYY-MM-DD.
	ListDate string `json:"list_date,omitempty"`
	// AcceptedAt is when the publisher's files were last accepted, CheckedAt when
	// they were last looked at, and LastUpdated when their content last changed.
	AcceptedAt  time.Time `json:"accepted_at,omitzero"`
	CheckedAt   time.Time `json:"checked_at,omitzero"`
	LastUpdated time.Time `json:"last_updated,omitzero"`
	// Files are those that were accepted, in the order in which they are read.
	Files []File `json:"files,omitempty"`
	// Refused is the file that last lost too much. The archive holds it, so that it
	// can be looked at and accepted.
	Refused File `json:"refused,omitzero"`
}

// File is a publisher's file as the refresh last accepted it.
type File struct {
	// Path is where it stands in a folder of lists, or the address of a notice
	// that was found on the web.
	Path string `json:"path"`
	// SHA256, in hex, is that of the file without compression, which the archive
	// holds; the set of notices as a whole has none.
	SHA256 string `json:"sha256,omitempty"`
	// URL is the address that was asked, ETag and LastModified what it answered
	// with; all are empty for a file of a folder.
	URL          string `json:"url,omitempty"`
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last_modified,omitempty"`
	// Entries is the object that holds what was read from it. Notices have none:
	// their net effect is the first file's.
	Entries string `json:"entries,omitempty"`
}

// StatusAt is the status at a time, which turns stale by itself.
func (s State) StatusAt(now time.Time) Status {
	if s.Status == OK && now.Sub(s.AcceptedAt) > staleAfter {
		return Stale
	}
	return s.Status
}

// Pointer says which snapshot is served and in which state its sources are.
type Pointer struct {
	// Snapshot is the snapshot's id: the SHA-256 of its file, in hex.
	Snapshot    string    `json:"snapshot"`
	PublishedAt time.Time `json:"published_at"`
	// Sources holds every source, in table order.
	Sources []State `json:"sources"`
	// History is the object that names what every publication changed.
	History string `json:"history,omitempty"`
}

// State returns the state of a source; one that the pointer does not have is
// missing.
func (p Pointer) State(source sanction.Source) State {
	i := slices.IndexFunc(p.Sources, func(s State) bool { return s.Source == source })
	if i < 0 {
		return State{Source: source, Status: Missing}
	}
	return p.Sources[i]
}

// CheckedAt is when a source was last looked at.
func (p Pointer) CheckedAt() time.Time {
	var last time.Time
	for _, s := range p.Sources {
		if s.CheckedAt.After(last) {
			last = s.CheckedAt
		}
	}
	return last
}

// ID returns the id of a snapshot file.
func ID(file []byte) string {
	sum := sha256.Sum256(file)
	return hex.EncodeToString(sum[:])
}

// SnapshotName is the object that holds the snapshot with an id.
func SnapshotName(id string) string { return "snapshots/" + id }

// Read returns the pointer and its ETag. The errors are ErrNone, ErrDamaged and,
// when ifNoneMatch is still its ETag, objects.ErrNotModified.
func Read(ctx context.Context, store objects.Store, ifNoneMatch string) (Pointer, string, error) {
	body, etag, err := get(ctx, store, pointerName, ifNoneMatch, maxPointer)
	switch {
	case errors.Is(err, objects.ErrNotFound):
		return Pointer{}, "", ErrNone
	case err != nil:
		return Pointer{}, "", err
	}
	var p Pointer
	if err = json.Unmarshal(body, &p); err == nil && (len(p.Snapshot) != hex.EncodedLen(sha256.Size) || len(p.Sources) == 0) {
		err = errors.New("it names no snapshot or no source")
	}
	if err != nil {
		return Pointer{}, "", fmt.Errorf("%w: object %s: %w (restore it, or remove it to publish anew)", ErrDamaged, pointerName, err)
	}
	return p, etag, nil
}

// Write replaces the pointer that had the ETag, or creates it for an empty one.
// The error is ErrConflict when it is not that one any more.
func Write(ctx context.Context, store objects.Store, p Pointer, etag string) error {
	body, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the pointer: %w", err)
	}
	if len(body) > maxPointer {
		return fmt.Errorf("%w: %d bytes are more than readers take", ErrDamaged, len(body))
	}
	condition := objects.IfAbsent
	if etag != "" {
		condition = objects.IfMatch(etag)
	}
	switch _, err := store.Put(ctx, pointerName, body, condition); {
	case errors.Is(err, objects.ErrPrecondition):
		return ErrConflict
	case err != nil:
		return fmt.Errorf("write the pointer: %w", err)
	}
	return nil
}

// Edition is a pointer and the snapshot that it names. It is immutable.
type Edition struct {
	Pointer
	Data *snapshot.Snapshot
}

// load reads the snapshot that the pointer names and verifies that it is the one.
func load(ctx context.Context, store objects.Store, p Pointer) (*Edition, error) {
	file, _, err := get(ctx, store, SnapshotName(p.Snapshot), "", MaxSnapshot)
	switch {
	case errors.Is(err, objects.ErrNotFound), errors.Is(err, objects.ErrName):
		return nil, fmt.Errorf("%w: snapshot %s: %w", ErrDamaged, p.Snapshot, err)
	case err != nil:
		return nil, err
	case ID(file) != p.Snapshot:
		return nil, fmt.Errorf("%w: snapshot %s holds other bytes", ErrDamaged, p.Snapshot)
	}
	data, err := snapshot.Open(file)
	if err != nil {
		return nil, fmt.Errorf("%w: snapshot %s: %w", ErrDamaged, p.Snapshot, err)
	}
	return &Edition{Pointer: p, Data: data}, nil
}

// get reads a whole object of at most limit bytes.
func get(ctx context.Context, store objects.Store, name, ifNoneMatch string, limit int64) ([]byte, string, error) {
	object, err := store.Get(ctx, name, ifNoneMatch)
	if err != nil {
		return nil, "", fmt.Errorf("get %s: %w", name, err)
	}
	defer object.Body.Close() // read-only: nothing is lost
	if object.Size > limit {
		return nil, "", fmt.Errorf("%w: %s has %d bytes, more than %d", ErrDamaged, name, object.Size, limit)
	}
	// Reading on to the end is what makes a store verify its check sum.
	body := bytes.NewBuffer(make([]byte, 0, object.Size+bytes.MinRead))
	if _, err := body.ReadFrom(io.LimitReader(object.Body, limit+1)); err != nil {
		return nil, "", fmt.Errorf("read %s: %w", name, err)
	}
	if int64(body.Len()) != object.Size {
		return nil, "", fmt.Errorf("%w: %s has %d bytes, %d came", ErrDamaged, name, object.Size, body.Len())
	}
	return body.Bytes(), object.ETag, nil
}
