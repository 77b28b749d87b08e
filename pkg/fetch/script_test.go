package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/listward/listward/pkg/fetch"
)

// script is what publishers do: for each host and path, one step a request.
type script map[string][]http.HandlerFunc

// call is a request that the script's server got.
type call struct {
	place  string // host and path
	query  string
	at     time.Duration // since the server's start
	header http.Header
	body   string
}

// publishers is a server that plays a script, for any host. It fails the test for a
// request that is not in the script or not over TLS and, at the end, for a step that
// was not asked for. Of TLS there is only the dialling: alerts at the end of
// connections would block a pipe. TestRealServer has all of it.
type publishers struct {
	t     *testing.T
	web   fetch.Web // Publishers, connected to the server
	start time.Time

	mu    sync.Mutex
	steps script
	calls []call
}

// play runs act against a script in a synctest bubble, where connections are pipes
// and the clock goes on when everybody waits: time-outs and waits have their real
// lengths and take no time.
func play(t *testing.T, steps script, act func(t *testing.T, p *publishers)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := &publishers{t: t, steps: steps, start: time.Now()}
		conns := newPipes()
		server := httptest.NewUnstartedServer(p)
		server.Listener = conns
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.Start()
		defer server.Close()
		transport := &http.Transport{DialTLSContext: conns.dial, DialContext: p.noTLS}
		defer transport.CloseIdleConnections()
		p.web = fetch.Publishers()
		p.web.Client = &http.Client{Transport: transport}
		act(t, p)
		p.mu.Lock()
		defer p.mu.Unlock()
		for place, left := range p.steps {
			if len(left) > 0 {
				t.Errorf("%s: %d steps of the script were not asked for", place, len(left))
			}
		}
	})
}

func (p *publishers) noTLS(_ context.Context, _, address string) (net.Conn, error) {
	p.t.Errorf("%s was asked without TLS", address)
	return nil, errors.New("the script is for TLS")
}

func (p *publishers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		p.t.Errorf("read the request: %v", err)
	}
	p.mu.Lock()
	place := r.Host + r.URL.Path
	p.calls = append(p.calls, call{place, r.URL.RawQuery, time.Since(p.start), r.Header.Clone(), string(body)})
	steps := p.steps[place]
	if len(steps) == 0 {
		p.mu.Unlock()
		p.t.Errorf("request %d, %s %s, is not in the script", len(p.calls), r.Method, place)
		http.Error(w, "not in the script", http.StatusGone)
		return
	}
	p.steps[place] = steps[1:]
	p.mu.Unlock()
	steps[0](w, r)
}

// asked returns the requests so far, those of a place or, without one, all.
func (p *publishers) asked(place string) []call {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []call
	for _, c := range p.calls {
		if place == "" || c.place == place {
			all = append(all, c)
		}
	}
	return all
}

// between checks how long the client waited before each request but the first.
func between(t *testing.T, calls []call, least, most []time.Duration) {
	t.Helper()
	if len(calls) != len(least)+1 {
		t.Fatalf("%d requests, want %d", len(calls), len(least)+1)
	}
	for i := range least {
		if waited := calls[i+1].at - calls[i].at; waited < least[i] || waited > most[i] {
			t.Errorf("wait %d took %s, want %s to %s", i+1, waited, least[i], most[i])
		}
	}
}

// The steps.

// page answers 200 with a text; headers are pairs of name and value.
func page(text string, headers ...string) http.HandlerFunc {
	return answer(http.StatusOK, text, headers...)
}

func answer(status int, text string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text) // the client may have left
	}
}

func redirect(status int, to string) http.HandlerFunc { return answer(status, "", "Location", to) }

// stall sends a text and then nothing, until the client leaves; "" not even headers.
func stall(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if text != "" {
			_, _ = io.WriteString(w, text)
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
		hangUp(w, r) // else the body would be ended properly, to somebody who just leaves
	}
}

// cut sends a part of a body and closes the connection; promised is the length that
// was announced, -1 for a chunked body.
func cut(part string, promised int, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if promised >= 0 {
			headers = append(headers, "Content-Length", strconv.Itoa(promised))
		}
		answer(http.StatusOK, part, headers...)(w, r)
		_ = http.NewResponseController(w).Flush()
		hangUp(w, r)
	}
}

// hangUp closes the connection.
func hangUp(w http.ResponseWriter, _ *http.Request) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}

// pipes is a listener whose connections stay in memory.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.IPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// The reader of the lists' format in these tests: a list is a text between brackets.

var (
	errPage      = errors.New("a web page")
	errTruncated = errors.New("the list is cut off")
)

// reader keeps what Fetch gave it.
type reader struct {
	calls   int
	bytes   int // of the last call
	list    string
	version fetch.Version
}

// read does what parsers do: a body that ends early is cut off, whatever ended it.
func (r *reader) read(b fetch.Body) error {
	r.calls++
	r.version = b.Version
	text, err := io.ReadAll(b)
	r.bytes = len(text)
	switch n := len(text); {
	case n > 0 && text[0] == '<':
		return errPage
	case err != nil, n < 2 || text[n-1] != ']':
		return errTruncated
	}
	r.list = string(text)
	return nil
}

// want checks that Fetch ended with an error of a kind that has all the words; a nil
// kind is none.
func want(t *testing.T, err, kind error, words ...string) {
	t.Helper()
	if !errors.Is(err, kind) || (kind == nil) != (err == nil) {
		t.Fatalf("error %v, want %v", err, kind)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q, want %q in it", err, w)
		}
	}
}

func attempts(n int) string { return fmt.Sprintf("(attempts: %d)", n) }
