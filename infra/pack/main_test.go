package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestPack(t *testing.T) {
	folder := t.TempDir()
	var archives [][]byte
	for i, name := range []string{"one", "two"} {
		path := filepath.Join(folder, name, bootstrap)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		day := time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(path, day, day); err != nil {
			t.Fatal(err)
		}
	}
	if err := run([]string{folder}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one.zip", "two.zip"} {
		archive, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		archives = append(archives, archive)
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("equal bootstraps of other days and folders gave other archives")
	}
	z, err := zip.NewReader(bytes.NewReader(archives[0]), int64(len(archives[0])))
	if err != nil {
		t.Fatal(err)
	}
	if len(z.File) != 1 || z.File[0].Name != "bootstrap" || z.File[0].Mode() != 0o755 {
		t.Fatalf("the archive holds %v", z.File)
	}
	file, err := z.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(file); err != nil || string(text) != "#!/bin/sh\n" {
		t.Errorf("bootstrap holds %q, error %v", text, err)
	}
}

func TestPackFindsNothing(t *testing.T) {
	for _, args := range [][]string{nil, {t.TempDir()}, {"a", "b"}} {
		if err := run(args); !errors.Is(err, errUsage) {
			t.Errorf("pack %q: error %v, want the usage", args, err)
		}
	}
}
