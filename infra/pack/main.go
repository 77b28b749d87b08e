// Command pack puts each dist/<function>/bootstrap into dist/<function>.zip, as
// Lambda takes it. Equal bootstraps give equal archives: nothing in them depends
// on the machine or the time.
//
//	pack dist
package main

import (
	"archive/zip"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

const bootstrap = "bootstrap"

var errUsage = errors.New("usage: pack FOLDER, which holds <function>/bootstrap")

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errUsage
	}
	found, err := filepath.Glob(filepath.Join(args[0], "*", bootstrap))
	if err != nil || len(found) == 0 {
		return errors.Join(errUsage, err)
	}
	for _, path := range found {
		archive := filepath.Dir(path) + ".zip"
		if err := pack(path, archive); err != nil {
			return fmt.Errorf("pack %s: %w", archive, err)
		}
	}
	return nil
}

func pack(path, archive string) (err error) {
	binary, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	file, err := os.Create(archive)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	z := zip.NewWriter(file)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	header := &zip.FileHeader{Name: bootstrap, Method: zip.Deflate}
	header.SetMode(0o755) // Lambda executes it
	w, err := z.CreateHeader(header)
	if err != nil {
		return err
	}
	if _, err := w.Write(binary); err != nil {
		return err
	}
	return z.Close()
}
