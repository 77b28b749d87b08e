package exports_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/exports"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/objects/dir"
	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/snapshot"
)

// written opens a store with the exports of a snapshot of one entry.
func written(t *testing.T) (*dir.Store, *snapshot.Snapshot, exports.Index) {
	t.Helper()
	file, err := snapshot.Build([]sanction.Entry{{ID: "UN-1", Source: sanction.UN, Type: sanction.Entity, URL: "https://un.example",
		Names: []sanction.Name{{Text: "ALPHA", Kind: sanction.Primary}}}})
	if err != nil {
		t.Fatal(err)
	}
	data, err := snapshot.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	store, err := dir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return store, data, write(t, store, data)
}

func write(t *testing.T, store objects.Store, data *snapshot.Snapshot) exports.Index {
	t.Helper()
	if err := exports.Write(t.Context(), store, "one", data); err != nil {
		t.Fatal(err)
	}
	index, err := exports.Read(t.Context(), store, "one")
	if err != nil {
		t.Fatal(err)
	}
	return index
}

func body(t *testing.T, store objects.Store, file string) []byte {
	t.Helper()
	object, err := store.Get(t.Context(), exports.Name("one", file), "")
	if err != nil {
		t.Fatal(err)
	}
	defer object.Body.Close()
	text, err := io.ReadAll(object.Body)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestFiles: every source has its files, also one without an entry, and the index tells
// the truth of them.
func TestFiles(t *testing.T) {
	store, _, index := written(t)
	var want []string
	for _, source := range []string{"OFAC", "UN", "EU", "EUX", "CN", "all"} {
		want = append(want, source+".csv", source+".xlsx", source+".ndjson")
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(index.Files))); diff != "" {
		t.Fatalf("files (-want +got):\n%s", diff)
	}
	for name, file := range index.Files {
		text := body(t, store, name)
		sum := sha256.Sum256(text)
		if file.Bytes != int64(len(text)) || file.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: %+v of %d bytes", name, file, len(text))
		}
		listed := strings.HasPrefix(name, "UN.") || strings.HasPrefix(name, "all.")
		if strings.HasSuffix(name, ".ndjson") && strings.Contains(string(text), "ALPHA") != listed {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestWriteAnew: a damaged index is written anew, with equal files.
func TestWriteAnew(t *testing.T) {
	store, data, before := written(t)
	if _, err := store.Put(t.Context(), exports.Name("one", "index.json"), []byte("{"), objects.Always); err != nil {
		t.Fatal(err)
	}
	if _, err := exports.Read(t.Context(), store, "one"); err == nil {
		t.Error("a damaged index is read")
	}
	if diff := cmp.Diff(before, write(t, store, data)); diff != "" {
		t.Errorf("written anew (-before +after):\n%s", diff)
	}
	if _, err := exports.Read(t.Context(), store, "two"); !errors.Is(err, objects.ErrNotFound) {
		t.Errorf("exports of another snapshot: %v, want ErrNotFound", err)
	}
}
