package fetch

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// maxZip bounds a ZIP file, which is held in memory because its directory stands at
// its end. The largest published has 10 MB.
const maxZip = 64 << 20

var (
	errEmpty = errors.New("the file is empty")
	// errBroken tells a connection that broke from a file that is cut off.
	errBroken  = errors.New("the transfer broke off")
	errDamaged = errors.New("the packed file is damaged or cut off")
	errHolds   = errors.New("the zip does not hold exactly one file")
)

// fault is what kept a file from its reader.
type fault struct {
	error
	final bool          // asking again would not help
	wait  time.Duration // how long the publisher asks to be left alone
}

func (f fault) Unwrap() error { return f.error }

// consume gives read the unpacked file and reads on to its end, so that checksums
// are compared and a file over the limit is noticed. Errors are a fault, ErrTooLarge
// or, unwrapped, read's own.
func consume(raw io.Reader, v Version, limit int64, read func(Body) error) error {
	unpacked, err := unpack(raw)
	switch {
	case errors.Is(err, ErrTooLarge):
		return err
	case err != nil:
		return fault{error: err}
	}
	limit = cmp.Or(limit, defaultLimit)
	c := &content{Reader: unpacked, limit: limit, left: limit}
	err = read(Body{Reader: c, Version: v})
	if err == nil {
		_, err = io.Copy(io.Discard, c)
	}
	if c.err != nil {
		return c.err
	}
	return err
}

// content is an unpacked file. It remembers what went wrong, for parsers may take
// any error for that of the text.
type content struct {
	io.Reader
	limit, left int64
	err         error
}

func (c *content) Read(b []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.Reader.Read(b[:min(int64(len(b)), c.left+1)])
	c.left -= int64(n)
	switch {
	case c.left < 0:
		c.err = fmt.Errorf("%w: it has more than %d bytes", ErrTooLarge, c.limit)
		return n - 1, c.err
	case err != nil && !errors.Is(err, io.EOF):
		c.err = fault{error: err}
		return n, c.err
	}
	return n, err
}

// unpack tells by the first bytes how a file is packed.
func unpack(raw io.Reader) (io.Reader, error) {
	b := bufio.NewReader(raw)
	head, err := b.Peek(4)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case len(head) == 0:
		return nil, errEmpty
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		z, err := gzip.NewReader(b)
		return blaming{z, errDamaged}, blame(err, errDamaged)
	case bytes.Equal(head, []byte("PK\x03\x04")):
		return unzip(b)
	}
	return b, nil
}

// unzip returns the one file that a ZIP file holds. It needs no closing, for it is
// in memory.
func unzip(raw io.Reader) (io.Reader, error) {
	packed, err := io.ReadAll(io.LimitReader(raw, maxZip+1))
	if err != nil {
		return nil, err
	}
	if len(packed) > maxZip {
		return nil, fmt.Errorf("%w: the zip has more than %d bytes", ErrTooLarge, maxZip)
	}
	z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return nil, blame(err, errDamaged)
	}
	if len(z.File) != 1 || z.File[0].FileInfo().IsDir() {
		return nil, fmt.Errorf("%w but %d: %.300q", errHolds, len(z.File), names(z.File))
	}
	file, err := z.File[0].Open()
	return blaming{file, errDamaged}, blame(err, errDamaged)
}

func names(files []*zip.File) string {
	var all []string
	for _, f := range files {
		all = append(all, f.Name)
	}
	return strings.Join(all, ", ")
}

// blaming is a reader whose errors say what they are.
type blaming struct {
	io.Reader
	as error
}

func (r blaming) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if errors.Is(err, io.EOF) {
		return n, err
	}
	return n, blame(err, r.as)
}

// blame says what an error is, if it is one. One of the transfer remains that on its
// way through the unpacking.
func blame(err, as error) error {
	if err == nil || errors.Is(err, errBroken) {
		return err
	}
	return fmt.Errorf("%w: %w", as, err)
}
