package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	patience = 30 * time.Second // for one answer; API Gateway gives up after 29
	maxBody  = 100 << 20        // bytes of an answer, which bulk files do not reach
	callsDay = "1000"
)

var errUnexpected = errors.New("unexpected answer")

// caller calls one service.
type caller struct {
	address string // without a slash at its end
	key     string
	client  *http.Client
}

func newCaller(address, key string) caller {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true // checksums are of what is stored
	return caller{strings.TrimSuffix(address, "/"), key, &http.Client{
		Transport: transport, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// request is one call: its path with the query, or a whole address. Without a method it
// is a GET.
type request struct {
	method, path, body string
	header             map[string]string
}

// answer is what came back, its body read.
type answer struct {
	asked  string // method and path, without the query
	status int
	header http.Header
	body   []byte
	begins string // the body's beginning, without the key
}

// shown is how many bytes of an answer are printed at most.
const shown = 150

// keyed calls the API with the key.
func (c caller) keyed(ctx context.Context, r request) (answer, error) {
	if strings.HasPrefix(r.path, "/") {
		r.header = map[string]string{"Authorization": "Bearer " + c.key}
	}
	return c.call(ctx, r)
}

// call sends what is in the request and nothing else; it follows no redirect.
func (c caller) call(ctx context.Context, r request) (answer, error) {
	address := r.path
	if strings.HasPrefix(address, "/") {
		address = c.address + address
	}
	sent, err := http.NewRequestWithContext(ctx, cmp.Or(r.method, http.MethodGet), address, strings.NewReader(r.body))
	if err != nil {
		return answer{}, err
	}
	for name, value := range r.header {
		sent.Header.Set(name, value)
	}
	got, err := c.client.Do(sent)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return answer{}, fmt.Errorf("%s %s: %w", sent.Method, sent.URL.Path, failed.Err) // without the query
	}
	if err != nil {
		return answer{}, err
	}
	defer got.Body.Close() // read-only: nothing is lost
	body, err := io.ReadAll(io.LimitReader(got.Body, maxBody))
	if err != nil {
		return answer{}, err
	}
	return answer{sent.Method + " " + sent.URL.Path, got.StatusCode, got.Header, body, c.beginning(body)}, nil
}

// beginning is what may be printed of an answer, in one line. The key goes before the
// end does, which would leave a part of it.
func (c caller) beginning(body []byte) string {
	text := c.redact(string(body))
	return strings.Join(strings.Fields(text[:min(len(text), shown)]), " ")
}

// redact takes the key out of a text.
func (c caller) redact(text string) string { return strings.ReplaceAll(text, c.key, "<key>") }

// wrong is an answer that is not what it should be, with its beginning.
func (a answer) wrong(format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s; it is %d %q", errUnexpected, a.asked, fmt.Sprintf(format, args...), a.status, a.begins)
}

// decode reads a 200 answer of JSON with rate headers.
func (a answer) decode(into any) error {
	if a.status != http.StatusOK {
		return a.wrong("want status 200")
	}
	if err := json.Unmarshal(a.body, into); err != nil {
		return a.wrong("%v", err)
	}
	_, err := a.remaining()
	return err
}

// refused checks that the answer is an error of the contract.
func (a answer) refused(status int, code string) error {
	var body struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal(a.body, &body); err != nil || a.status != status || body.Error.Code != code || body.Error.Message == "" {
		return a.wrong("want %d %s", status, code)
	}
	return nil
}

// remaining checks the headers of the allowance, and returns what is left.
func (a answer) remaining() (int, error) {
	reset, err := strconv.ParseInt(a.header.Get("X-RateLimit-Reset"), 10, 64)
	if err != nil || reset%86400 != 0 || reset <= time.Now().Unix() {
		return 0, a.wrong("X-RateLimit-Reset %q is not the next midnight in UTC", a.header.Get("X-RateLimit-Reset"))
	}
	return a.remainingAlone()
}

// remainingAlone is remaining for what API Gateway answers by itself, without Reset.
func (a answer) remainingAlone() (int, error) {
	if limit := a.header.Get("X-RateLimit-Limit"); limit != callsDay {
		return 0, a.wrong("X-RateLimit-Limit %q, want %s", limit, callsDay)
	}
	rest, err := strconv.Atoi(a.header.Get("X-RateLimit-Remaining"))
	if err != nil {
		return 0, a.wrong("X-RateLimit-Remaining %q", a.header.Get("X-RateLimit-Remaining"))
	}
	return rest, nil
}

// nothingLeft checks the headers of a call that has no allowance.
func (a answer) nothingLeft() error {
	rest, err := a.remaining()
	if err == nil && rest != 0 {
		err = a.wrong("X-RateLimit-Remaining %d, want 0", rest)
	}
	return err
}

// html checks that the answer is a page with a text.
func (a answer) html(status int, text string) error {
	if a.status != status || !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") || !bytes.Contains(a.body, []byte(text)) {
		return a.wrong("want %d, a page with %s", status, text)
	}
	return nil
}

// location is where a redirect leads, as a whole address.
func (a answer) location(from string) (*url.URL, error) {
	base, err := url.Parse(from)
	if err != nil {
		return nil, err
	}
	if to := a.header.Get("Location"); a.status >= 300 && a.status < 400 && to != "" {
		return base.Parse(to)
	}
	return nil, a.wrong("want a redirect")
}
