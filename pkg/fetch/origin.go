// Package fetch gets the publishers' files, from a folder or from the web.
//
// Use a [Folder] for lists that are at hand: samples, tests, files that somebody
// saved. Use [Publishers] for the lists of today. It is the [Web] as the publishers
// want to be asked: named, seldom, over TLS, for what is newer only, and again after
// a while when they are in trouble.
//
// Both give a file to a function that reads it while it arrives, unpacked. That
// function is part of the attempt: publishers send maintenance pages and files that
// are cut off with status 200, which only the reader of the format notices, and
// which may be gone when they are asked again. What it makes of the file counts only
// when Fetch returns nil: then the file came to its end and its checksums are right.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

var (
	// ErrFetch is returned when a publisher's file cannot be had whole.
	ErrFetch = errors.New("fetch")
	// ErrUnchanged is returned when the publisher says that the version known to the
	// caller is still the newest. Nothing was read then.
	ErrUnchanged = errors.New("the file is unchanged")
	// ErrTooLarge is returned for more bytes than File.Limit, or than we unpack.
	ErrTooLarge = errors.New("the file is too large")
)

// File is one file of a publisher, and how it is had.
type File struct {
	// Path is where the file stands in a folder of lists; ".gz" or ".zip" may follow.
	Path string
	// URL is the publisher's address. With Celex it is that of the consolidated texts,
	// which end with the number of each.
	URL string
	// Celex is the number of an EU act whose newest consolidated text is read, as
	// consolidated texts begin with it: "02014R0833".
	Celex string
	// Within is the domain that redirects must not leave; empty is any. It is for
	// files that nothing but their address proves to be the publisher's.
	Within string
	// Patience is how long one attempt may take, from asking to the last byte read.
	// Zero is a minute.
	Patience time.Duration
	// Limit is the most bytes that the file may have, unpacked. Zero is 64 MiB.
	Limit int64
}

const (
	defaultPatience = time.Minute
	defaultLimit    = 64 << 20
)

// Version identifies what a publisher sent, to ask later whether there is anything
// newer (RFC 9110 section 13). Files of a folder have none.
type Version struct {
	// URL is the address that was asked, not the one that it redirected to, which may
	// be made for one caller and end within minutes.
	URL          string `json:"url,omitempty"`
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last_modified,omitempty"`
}

// Body is a file while it is read, unpacked. It is valid until read returns.
type Body struct {
	io.Reader
	Version Version
}

// Origin is where the publishers' files come from: a [Folder] or the [Web]. It is
// safe for concurrent use if its Progress is.
type Origin interface {
	// Fetch calls read with the file. It returns what read returned, unwrapped, or
	// ErrFetch, ErrUnchanged or ErrTooLarge; these come first, since read may take a
	// connection that broke for a file that is cut off. A web origin asks again after
	// ErrFetch and after an error of read, and calls read again from the start.
	Fetch(ctx context.Context, f File, known Version, read func(Body) error) error
	// Folder returns the files of an origin that is a folder, else nil.
	Folder() fs.FS
}

// Progress sees the bytes of a file go by, packed as they come: it returns a reader
// that yields what raw yields. The size in bytes is -1 when it is not known. It is
// called anew for each attempt.
type Progress func(path string, size int64, raw io.Reader) io.Reader

func (p Progress) watch(path string, size int64, raw io.Reader) io.Reader {
	if p == nil {
		return raw
	}
	return p(path, size, raw)
}

// Folder is an Origin that reads File.Path, or that with ".gz" or ".zip" behind it.
type Folder struct {
	fs.FS
	Progress Progress // may be nil
}

var _ Origin = Folder{}

// Fetch implements [Origin]. There is one attempt, and the file is always read:
// known, Patience and the context's end do not matter.
func (d Folder) Fetch(_ context.Context, f File, _ Version, read func(Body) error) error {
	file, err := d.open(f.Path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFetch, err)
	}
	defer file.Close() // read-only: nothing is lost
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFetch, err)
	}
	err = consume(d.Progress.watch(f.Path, info.Size(), file), Version{}, f.Limit, read)
	var broken fault
	if errors.As(err, &broken) {
		return fmt.Errorf("%w %s: %w", ErrFetch, f.Path, broken.error)
	}
	return err
}

// open returns the file in whatever packing it is. When there is none, the error
// names the path without.
func (d Folder) open(path string) (fs.File, error) {
	file, missing := d.FS.Open(path)
	if !errors.Is(missing, fs.ErrNotExist) {
		return file, missing
	}
	for _, packing := range []string{".gz", ".zip"} {
		if file, err := d.FS.Open(path + packing); !errors.Is(err, fs.ErrNotExist) {
			return file, err
		}
	}
	return nil, missing
}

// Folder implements [Origin].
func (d Folder) Folder() fs.FS { return d.FS }
