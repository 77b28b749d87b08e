package refresh

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/sanction"
)

// The entries of a source as last accepted are kept beside the snapshot, as JSON
// lines in gzip, sorted by id and named by their content. A refused source is
// served from them, and they outlive every change of the snapshot's format.

// saveAccepted writes the entries and returns the object's name, which changes
// exactly when the entries do.
func saveAccepted(ctx context.Context, store objects.Store, source sanction.Source, entries []sanction.Entry) (string, error) {
	var body bytes.Buffer
	sum := sha256.New()
	z := gzip.NewWriter(&body)
	encoder := json.NewEncoder(io.MultiWriter(sum, z))
	for i := range entries {
		if err := encoder.Encode(&entries[i]); err != nil {
			return "", fmt.Errorf("encode entry %s: %w", entries[i].ID, err)
		}
	}
	if err := z.Close(); err != nil {
		return "", fmt.Errorf("compress the accepted entries of %s: %w", source, err)
	}
	name := fmt.Sprintf("accepted/%s/%s.jsonl.gz", source, hex.EncodeToString(sum.Sum(nil)))
	if _, err := store.Put(ctx, name, body.Bytes(), objects.Always); err != nil {
		return "", fmt.Errorf("write the accepted entries of %s: %w", source, err)
	}
	return name, nil
}

// loadAccepted reads what saveAccepted wrote.
func loadAccepted(ctx context.Context, store objects.Store, name string) ([]sanction.Entry, error) {
	object, err := store.Get(ctx, name, "")
	if err != nil {
		return nil, fmt.Errorf("read accepted entries: get %s: %w", name, err)
	}
	defer object.Body.Close() // read-only: nothing is lost
	z, err := gzip.NewReader(object.Body)
	if err != nil {
		return nil, fmt.Errorf("read accepted entries: %s: %w", name, err)
	}
	sum := sha256.New()
	var entries []sanction.Entry
	for d := json.NewDecoder(io.TeeReader(z, sum)); ; {
		var e sanction.Entry
		switch err := d.Decode(&e); {
		case errors.Is(err, io.EOF) && strings.Contains(name, hex.EncodeToString(sum.Sum(nil))):
			return entries, nil
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("read accepted entries: %s: %w", name, errAltered)
		case err != nil:
			return nil, fmt.Errorf("read accepted entries: %s: %w", name, err)
		}
		entries = append(entries, e)
	}
}

var errAltered = errors.New("the object is not what its name says")
