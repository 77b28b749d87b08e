// Package liststest finds the full-size lists for tests: the folder shared/lists
// beside the repository. They are read in place and are no part of it; without
// the folder a test skips and says so. The names of such tests begin with TestFull:
// `make test` runs them without the race detector.
package liststest

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Folder returns the folder of the full-size lists, or skips the test.
func Folder(t testing.TB) string {
	t.Helper()
	if !strings.HasPrefix(t.Name(), "TestFull") {
		t.Fatal("a test of the full-size lists has a name that begins with TestFull")
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for !exists(t, filepath.Join(dir, "go.mod")) {
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod in any folder above this package")
		}
		dir = filepath.Dir(dir)
	}
	folder := filepath.Join(filepath.Dir(dir), "shared", "lists")
	if !exists(t, folder) {
		t.Skip("the full-size lists are not there: ../shared/lists")
	}
	return folder
}

func exists(t testing.TB, path string) bool {
	t.Helper()
	_, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}

// Open opens a compressed list, such as "newer/un/consolidated.xml.gz". It is
// closed with the test.
func Open(t testing.TB, path string) io.Reader {
	t.Helper()
	file, err := os.Open(filepath.Join(Folder(t), path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// Expected reads the independent counts of one source and generation into a
// struct: Expected(t, "newer", "ofac_sdn", &want).
func Expected(t testing.TB, generation, source string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(Folder(t), "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	var sources map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(all[generation], &sources); err != nil {
		t.Fatalf("expected.json: %s: %v", generation, err)
	}
	if err := json.Unmarshal(sources[source], into); err != nil {
		t.Fatalf("expected.json: %s: %s: %v", generation, source, err)
	}
}
