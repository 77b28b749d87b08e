// Package archive keeps what must be found again unchanged: publishers' files as
// evidence, the entries that were made of them, the record of every publication.
//
// Each is one object in gzip, named by the SHA-256 of what was written, so that
// equal contents are one object and a name proves what it names. A [Draft] is
// written like a file and saved when it is known to be worth keeping; [Open] reads
// it again. Documents of lines of JSON use [SaveLines] and [Lines].
package archive

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"strings"

	"github.com/listward/listward/pkg/objects"
)

// ErrDamaged is returned for an object that is missing or is not what its name
// says. It cannot be mended, only written anew.
var ErrDamaged = errors.New("damaged archive")

// Draft is content that has not been saved. It is held in memory, compressed. It
// is an io.Writer that never fails, and not safe for concurrent use.
type Draft struct {
	compressed bytes.Buffer
	z          *gzip.Writer
	sum        hash.Hash
}

// NewDraft returns an empty draft.
func NewDraft() *Draft {
	d := &Draft{sum: sha256.New()}
	// The fastest level: a list of 120 MB is written while it is downloaded.
	d.z, _ = gzip.NewWriterLevel(&d.compressed, gzip.BestSpeed) // fails for an unknown level only
	return d
}

// Write implements [io.Writer].
func (d *Draft) Write(b []byte) (int, error) {
	d.sum.Write(b)
	return d.z.Write(b)
}

// Sum is the SHA-256, in hex, of what was written so far.
func (d *Draft) Sum() string { return hex.EncodeToString(d.sum.Sum(nil)) }

// Save stores the draft in a folder of the store and returns its name. An object
// that is there already is written again, which mends it if it was damaged. The
// draft must not be written to any more.
func (d *Draft) Save(ctx context.Context, store objects.Store, folder string) (string, error) {
	if err := d.z.Close(); err != nil {
		return "", fmt.Errorf("compress for the archive: %w", err)
	}
	name := Name(folder, d.Sum())
	if _, err := store.Put(ctx, name, d.compressed.Bytes(), objects.Always); err != nil {
		return "", fmt.Errorf("archive %s: %w", name, err)
	}
	return name, nil
}

// Name is the name of the object in a folder whose content has the SHA-256.
func Name(folder, sum string) string { return folder + "/" + sum + ".gz" }

// Open opens what Save stored, decompressed. Whoever reads to the end gets
// ErrDamaged in place of io.EOF when the content is not what the name says. The
// caller closes it.
func Open(ctx context.Context, store objects.Store, name string) (io.ReadCloser, error) {
	object, err := store.Get(ctx, name, "")
	switch {
	case errors.Is(err, objects.ErrNotFound), errors.Is(err, objects.ErrName):
		return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, name, err)
	case err != nil:
		return nil, fmt.Errorf("open %s in the archive: %w", name, err)
	}
	z, err := gzip.NewReader(object.Body)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, name, errors.Join(err, object.Body.Close()))
	}
	return &reader{name: name, z: z, body: object.Body, sum: sha256.New()}, nil
}

// reader verifies what it yields.
type reader struct {
	name string
	z    *gzip.Reader
	body io.Closer
	sum  hash.Hash
}

func (r *reader) Read(b []byte) (int, error) {
	n, err := r.z.Read(b)
	r.sum.Write(b[:n])
	switch {
	case errors.Is(err, io.EOF) && !strings.Contains(r.name, hex.EncodeToString(r.sum.Sum(nil))):
		err = fmt.Errorf("%w: %s holds other bytes", ErrDamaged, r.name)
	case err != nil && !errors.Is(err, io.EOF):
		err = fmt.Errorf("%w: %s: %w", ErrDamaged, r.name, err)
	}
	return n, err
}

func (r *reader) Close() error { return r.body.Close() }

// SaveLines stores values as lines of JSON and returns the object's name.
func SaveLines[T any](ctx context.Context, store objects.Store, folder string, values iter.Seq[T]) (string, error) {
	d := NewDraft()
	encoder := json.NewEncoder(d)
	for v := range values {
		if err := encoder.Encode(v); err != nil {
			return "", fmt.Errorf("encode for the archive: %w", err)
		}
	}
	return d.Save(ctx, store, folder)
}

// Lines reads what SaveLines stored. After an error, which is the last element, the
// sequence ends; what came before it must not be used.
func Lines[T any](ctx context.Context, store objects.Store, name string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		r, err := Open(ctx, store, name)
		if err != nil {
			yield(none, err)
			return
		}
		defer r.Close() // read-only: nothing is lost
		for d := json.NewDecoder(r); ; {
			var v T
			switch err := d.Decode(&v); {
			case errors.Is(err, io.EOF):
				return
			case err != nil && !errors.Is(err, ErrDamaged):
				yield(none, fmt.Errorf("%w: %s: %w", ErrDamaged, name, err))
				return
			case err != nil:
				yield(none, err)
				return
			}
			if !yield(v, nil) {
				return
			}
		}
	}
}
