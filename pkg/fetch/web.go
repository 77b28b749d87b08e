package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	// userAgent looks like a browser's, for the UN answers 404 to what does not.
	userAgent = "Mozilla/5.0 (compatible; Listward; +https://github.com/listward/listward)"
	// betweenRequests is what the sites of China's Ministry of Commerce ask for.
	betweenRequests  = 250 * time.Millisecond
	maxRedirects     = 10
	defaultAttempts  = 4
	defaultFirstWait = 2 * time.Second
	// maxWait bounds what a publisher asks for with Retry-After. A run has minutes.
	maxWait = time.Minute
)

var (
	errRedirects = fmt.Errorf("more than %d redirects", maxRedirects)
	errSlow      = errors.New("not done in time")
	errElsewhere = errors.New("redirected to another site")
)

// Web is an Origin that downloads File.URL. Its fields are set before use; the zero
// Web asks as often as it likes and does not say who it is, see [Publishers].
//
// A file is asked for again after a network error, a status that promises a change
// (206, 408, 429 and 5xx), a body that is empty, damaged or cut off, and an error of
// read; not after another status, ErrTooLarge, or the end of the context.
type Web struct {
	// Client makes the requests; nil is http.DefaultClient. Redirects are followed
	// over TLS only, whatever its CheckRedirect says.
	Client *http.Client
	// Catalogue is the address at which the EU's Publications Office is asked, in
	// SPARQL, for the numbers of texts; empty is its own.
	Catalogue string
	// UserAgent names us and how to reach us.
	UserAgent string
	// Pace spaces the requests to each host, redirects included.
	Pace *Pace
	// Attempts is how often a file is asked for; zero is 4. Finding the number of a
	// text and getting it are one attempt, but a number once found is not asked again.
	Attempts uint
	// FirstWait is what passes between the first two attempts, give or take half of
	// it. Each wait is twice the one before. Zero is 2 seconds.
	FirstWait time.Duration
	Progress  Progress // may be nil
}

var _ Origin = Web{}

// Publishers returns the Web as the publishers want to be asked.
func Publishers() Web {
	return Web{Client: &http.Client{}, UserAgent: userAgent, Pace: NewPace(betweenRequests)}
}

// Folder implements [Origin]: there is none.
func (w Web) Folder() fs.FS { return nil }

// Fetch implements [Origin]. An ErrFetch says how many attempts were made and holds
// the fault of the last, besides the context's error if that was the end of them.
func (w Web) Fetch(ctx context.Context, f File, known Version, read func(Body) error) error {
	d := download{web: w, file: f, known: known, read: read}
	_, err := backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, d.try(ctx) },
		backoff.WithMaxTries(cmp.Or(w.Attempts, defaultAttempts)),
		backoff.WithMaxElapsedTime(0), // the context bounds it
		backoff.WithBackOff(&backoff.ExponentialBackOff{
			InitialInterval:     cmp.Or(w.FirstWait, defaultFirstWait),
			RandomizationFactor: 0.5,
			Multiplier:          2,
			MaxInterval:         maxWait,
		}))
	if err == nil {
		return nil
	}
	return d.failure(ctx)
}

// download is one call of Fetch.
type download struct {
	web   Web
	file  File
	known Version
	read  func(Body) error

	address  string // the file's own; empty as long as a text's number is not known
	attempts int
	last     error // of the last attempt
}

// failure is the error of the last attempt as Fetch returns it.
func (d *download) failure(ctx context.Context) error {
	var broken fault
	if !errors.As(d.last, &broken) {
		return d.last
	}
	if over := context.Cause(ctx); over != nil && !errors.Is(broken, over) {
		return fmt.Errorf("%w (attempts: %d): %w, after %w", ErrFetch, d.attempts, over, broken.error)
	}
	return fmt.Errorf("%w (attempts: %d): %w", ErrFetch, d.attempts, broken.error)
}

// try makes an attempt and tells backoff.Retry what to do next.
func (d *download) try(ctx context.Context) error {
	d.attempts++
	d.last = d.attempt(ctx)
	var broken fault
	switch {
	case errors.As(d.last, &broken) && broken.final,
		errors.Is(d.last, ErrUnchanged), errors.Is(d.last, ErrTooLarge):
		return backoff.Permanent(d.last)
	case broken.wait > 0:
		return &backoff.RetryAfterError{Duration: broken.wait}
	}
	return d.last
}

// attempt has the file's Patience.
func (d *download) attempt(ctx context.Context) error {
	patience := cmp.Or(d.file.Patience, defaultPatience)
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("%w: %s", errSlow, patience))
	defer cancel()
	err := d.transfer(ctx)
	var broken fault
	if over := context.Cause(ctx); over != nil && errors.As(err, &broken) && !broken.final && !errors.Is(err, over) {
		// Not %w: this deadline must not look like the caller's.
		return fault{error: fmt.Errorf("%w: %v", over, broken.error)}
	}
	return err
}

func (d *download) transfer(ctx context.Context) error {
	if err := d.find(ctx); err != nil {
		return err
	}
	r, err := d.request(ctx)
	if err != nil {
		return err
	}
	answer, err := d.web.ask(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close() // read-only: nothing is lost
	if end := answer.Request.URL.Hostname(); !within(end, d.file.Within) {
		return fault{error: fmt.Errorf("%w: %s", errElsewhere, end), final: true}
	}
	raw := d.web.Progress.watch(d.file.Path, answer.ContentLength, blaming{answer.Body, errBroken})
	err = consume(raw, versionOf(d.address, answer.Header), d.file.Limit, d.read)
	var broken fault
	if errors.As(err, &broken) {
		return at(r.URL, broken.error)
	}
	return err
}

func within(host, domain string) bool {
	return domain == "" || host == domain || strings.HasSuffix(host, "."+domain)
}

// find sets the file's address.
func (d *download) find(ctx context.Context) error {
	if d.address != "" {
		return nil
	}
	if d.file.Celex == "" {
		d.address = d.file.URL
		return nil
	}
	newest, err := d.web.newestText(ctx, d.file.Celex)
	if err != nil {
		return err
	}
	d.address = d.file.URL + newest
	return nil
}

func (d *download) request(ctx context.Context) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, d.address, nil)
	if err != nil {
		return nil, fault{error: err, final: true}
	}
	if d.file.Celex != "" {
		r.Header.Set("Accept", "application/xhtml+xml")
		r.Header.Set("Accept-Language", "eng") // the Publications Office's own codes
	}
	if d.known.URL == d.address && d.known.ETag != "" {
		r.Header.Set("If-None-Match", d.known.ETag)
	}
	if d.known.URL == d.address && d.known.LastModified != "" {
		r.Header.Set("If-Modified-Since", d.known.LastModified)
	}
	return r, nil
}

func versionOf(address string, h http.Header) Version {
	return Version{URL: address, ETag: h.Get("ETag"), LastModified: h.Get("Last-Modified")}
}

// ask makes a request, whose answer must be 200. The caller closes its body. Errors
// are faults or ErrUnchanged.
func (w Web) ask(r *http.Request) (*http.Response, error) {
	r.Header.Set("User-Agent", w.UserAgent)
	if err := w.Pace.wait(r.Context(), r.URL.Host); err != nil {
		return nil, at(r.URL, err)
	}
	client := *cmp.Or(w.Client, http.DefaultClient)
	client.CheckRedirect = w.follow
	answer, err := client.Do(r)
	if err != nil {
		return nil, unreached(r.URL, err)
	}
	if answer.StatusCode == http.StatusOK {
		return answer, nil
	}
	_ = answer.Body.Close() // read-only: nothing is lost
	if answer.StatusCode == http.StatusNotModified && conditional(r.Header) {
		return nil, ErrUnchanged
	}
	return nil, refusal(answer)
}

func conditional(h http.Header) bool {
	return h.Get("If-None-Match") != "" || h.Get("If-Modified-Since") != ""
}

// follow follows a redirect over TLS, whatever it says: the Publications Office sends
// callers of https to http.
func (w Web) follow(next *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return errRedirects
	}
	next.URL.Scheme = "https"
	return w.Pace.wait(next.Context(), next.URL.Host)
}

// refusal is the fault that an answer's status tells.
func refusal(answer *http.Response) fault {
	status := answer.StatusCode
	f := at(answer.Request.URL, fmt.Errorf("status %d %s", status, http.StatusText(status)))
	switch {
	case status >= 500, status == http.StatusTooManyRequests, status == http.StatusRequestTimeout,
		status == http.StatusPartialContent: // which nobody asked for
		f.wait = min(retryAfter(answer.Header), maxWait)
	default:
		f.final = true
	}
	return f
}

// retryAfter reads the header of that name, which is a number of seconds or a time
// (RFC 9110 section 10.2.3). The time is taken against the publisher's own clock.
// Zero means that there is none.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 16); err == nil {
		return time.Duration(seconds) * time.Second
	}
	then, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return 0
	}
	return then.Sub(now)
}

// unreached is the fault of a request without an answer. The address within the error
// is left out: that of a redirect may hold a signature.
func unreached(asked *url.URL, err error) fault {
	var failed *url.Error
	if errors.As(err, &failed) {
		err = failed.Err
	}
	f := at(asked, err)
	f.final = errors.Is(err, errRedirects)
	return f
}

// at is a fault that names an address, without what may be secret or personal in it.
func at(u *url.URL, err error) fault {
	return fault{error: fmt.Errorf("%s%s: %w", u.Host, u.EscapedPath(), err)}
}
