package refresh

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"time"
)

// ErrFetch is returned when a publisher's file cannot be had.
var ErrFetch = errors.New("fetch")

// Origin is where the publishers' files come from: a [Folder] or the [Web].
type Origin interface {
	// Open returns the file, compressed or not. The caller closes Body. An error
	// is an ErrFetch that names the file.
	Open(ctx context.Context, f File) (Body, error)
	// Folder returns the files of an origin that is a folder, else nil.
	Folder() fs.FS
}

// Body is a file while it is read.
type Body struct {
	io.ReadCloser
	// Size is the length in bytes, or -1 when it is not known.
	Size int64
}

// Folder is an Origin that reads File.Path, or that with ".gz" behind it.
type Folder struct{ fs.FS }

// Open implements [Origin].
func (d Folder) Open(_ context.Context, f File) (Body, error) {
	file, err := d.FS.Open(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		file, err = d.FS.Open(f.Path + ".gz")
	}
	if err != nil {
		return Body{}, fmt.Errorf("%w: %w", ErrFetch, err)
	}
	info, err := file.Stat()
	if err != nil {
		return Body{}, fmt.Errorf("%w %s: %w", ErrFetch, f.Path, errors.Join(err, file.Close()))
	}
	return Body{ReadCloser: file, Size: info.Size()}, nil
}

// Folder implements [Origin].
func (d Folder) Folder() fs.FS { return d.FS }

// Web is an Origin that downloads File.URL.
type Web struct {
	Client *http.Client
	// Catalogue is the address at which the EU's Publications Office is asked, in
	// SPARQL, for the numbers of texts; empty is its own.
	Catalogue string
	// UserAgent names us and how to reach us. Some publishers answer 404 without.
	UserAgent string
}

const (
	// userAgent looks like a browser's, for the UN answers 404 to what does not.
	userAgent = "Mozilla/5.0 (compatible; Listward; +https://github.com/listward/listward)"
	// downloadTime bounds one file, so that a publisher that hangs leaves the others
	// time: Lambda ends a run after 15 minutes. The slowest takes one to begin.
	downloadTime = 4 * time.Minute
)

// Publishers returns the Web as the publishers want to be asked.
func Publishers() Web {
	return Web{Client: &http.Client{Timeout: downloadTime, CheckRedirect: stayEncrypted}, UserAgent: userAgent}
}

// stayEncrypted follows a redirect over TLS, whatever it says: the Publications
// Office sends callers of https to http.
func stayEncrypted(next *http.Request, via []*http.Request) error {
	if len(via) >= maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	next.URL.Scheme = "https"
	return nil
}

const maxRedirects = 10

// Open implements [Origin]. Redirects are followed by the client.
func (w Web) Open(ctx context.Context, f File) (Body, error) {
	body, err := w.open(ctx, f)
	if err != nil {
		return Body{}, fmt.Errorf("%w: %w", ErrFetch, err)
	}
	return body, nil
}

func (w Web) open(ctx context.Context, f File) (Body, error) {
	address, header := f.URL, http.Header{}
	if f.Celex != "" {
		newest, err := w.newestText(ctx, f.Celex)
		if err != nil {
			return Body{}, fmt.Errorf("find the newest text of %s: %w", f.Celex, err)
		}
		address += newest
		header.Set("Accept", "application/xhtml+xml")
		header.Set("Accept-Language", "eng") // the Publications Office's own codes
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return Body{}, err
	}
	r.Header = header
	return w.do(r)
}

// Folder implements [Origin]: there is none.
func (w Web) Folder() fs.FS { return nil }

// do makes a request, whose answer must be 200.
func (w Web) do(r *http.Request) (Body, error) {
	r.Header.Set("User-Agent", w.UserAgent)
	answer, err := w.Client.Do(r)
	if err != nil {
		return Body{}, err
	}
	if answer.StatusCode != http.StatusOK {
		err := fmt.Errorf("%s: status %s", r.URL, answer.Status)
		return Body{}, errors.Join(err, answer.Body.Close())
	}
	return Body{ReadCloser: answer.Body, Size: answer.ContentLength}, nil
}

// plain decompresses a file that is compressed with gzip.
func plain(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	if head, err := b.Peek(2); err == nil && head[0] == 0x1f && head[1] == 0x8b {
		return gzip.NewReader(b)
	}
	return b, nil
}
