package fetch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/fetch"
)

const place = "www.example.com/list"

var list = fetch.File{Path: "x/list", URL: "https://" + place}

func TestMaintenancePage(t *testing.T) {
	maintenance := page("<html>back soon</html>", "Content-Type", "text/html")
	play(t, script{place: {maintenance, page("[list]")}}, func(t *testing.T, p *publishers) {
		var r reader
		want(t, p.web.Fetch(t.Context(), list, fetch.Version{}, r.read), nil)
		if r.list != "[list]" || r.calls != 2 {
			t.Errorf("read %q in %d calls", r.list, r.calls)
		}
	})
	play(t, script{place: {maintenance, maintenance, maintenance, maintenance}}, func(t *testing.T, p *publishers) {
		var r reader
		if err := p.web.Fetch(t.Context(), list, fetch.Version{}, r.read); err != errPage || r.calls != 4 {
			t.Errorf("error %v after %d calls, want the reader's own after 4", err, r.calls)
		}
	})
}

// TestTransferBreaks: a connection that ends early does not look like a list that is
// cut off, however the body is sent and whatever the reader makes of it.
func TestTransferBreaks(t *testing.T) {
	long := "[" + strings.Repeat("a long list, ", 10000) + "]"
	for name, step := range map[string]http.HandlerFunc{
		"no answer":                hangUp,
		"of known length":          cut("[a list", 100),
		"of known length, at once": cut("", 100),
		"in chunks":                cut("[a list", -1),
		"in chunks, at once":       cut("", -1),
		"gzip file":                cut(gzipped(t, long)[:100], 5000),
		"gzip file, in its header": cut(gzipped(t, long)[:5], 5000),
		"gzip encoding":            cut(gzipped(t, long)[:100], -1, "Content-Encoding", "gzip"),
		"zip file":                 cut(zipped(t, "list", long)[:100], 5000),
		"behind a whole list":      cut("[list]", 100),
	} {
		t.Run(name, func(t *testing.T) {
			play(t, script{place: {step, step, step, step}}, func(t *testing.T, p *publishers) {
				var r reader
				err := p.web.Fetch(t.Context(), list, fetch.Version{}, r.read)
				want(t, err, fetch.ErrFetch, attempts(4), place)
				if name != "no answer" {
					want(t, err, io.ErrUnexpectedEOF, "the transfer broke off")
				}
				if errors.Is(err, errTruncated) || strings.Contains(err.Error(), "cut off") {
					t.Errorf("error %q blames the file", err)
				}
			})
			play(t, script{place: {step, page(long)}}, func(t *testing.T, p *publishers) {
				var r reader
				want(t, p.web.Fetch(t.Context(), list, fetch.Version{}, r.read), nil)
				if r.list != long {
					t.Errorf("read %d bytes after a broken transfer, want %d", len(r.list), len(long))
				}
			})
		})
	}
}

// TestRest: what read leaves unread is looked at all the same.
func TestRest(t *testing.T) {
	long := "[" + strings.Repeat("x", 1<<20) + "]"
	damaged := []byte(gzipped(t, long))
	damaged[len(damaged)-8]++ // of the checksum
	for name, tt := range map[string]struct {
		step     http.HandlerFunc
		limit    int64
		kind     error
		attempts int
	}{
		"whole":        {page(long), 0, nil, 1},
		"breaks off":   {cut(long[:9000], len(long)), 0, fetch.ErrFetch, 4},
		"bad checksum": {page(string(damaged)), 0, fetch.ErrFetch, 4},
		"over limit":   {page(long), 1 << 20, fetch.ErrTooLarge, 1},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, script{place: slices.Repeat([]http.HandlerFunc{tt.step}, tt.attempts)}, func(t *testing.T, p *publishers) {
				file := list
				file.Limit = tt.limit
				want(t, p.web.Fetch(t.Context(), file, fetch.Version{}, func(b fetch.Body) error {
					_, err := io.CopyN(io.Discard, b, 10)
					return err
				}), tt.kind)
			})
		})
	}
}

func TestWaits(t *testing.T) {
	down := func(headers ...string) http.HandlerFunc { return answer(http.StatusServiceUnavailable, "", headers...) }
	const now = "Sat, 01 Jan 2000 00:00:00 GMT"
	for name, tt := range map[string]struct {
		step        http.HandlerFunc
		least, most time.Duration
	}{
		"none asked for":        {down(), time.Second, 3 * time.Second},
		"seconds":               {down("Retry-After", "17"), 17 * time.Second, 17 * time.Second},
		"seconds, too many":     {answer(http.StatusTooManyRequests, "", "Retry-After", "17"), 17 * time.Second, 17 * time.Second},
		"a time":                {down("Retry-After", "Sat, 01 Jan 2000 00:00:42 GMT", "Date", now), 42 * time.Second, 42 * time.Second},
		"a time that is past":   {down("Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT", "Date", now), time.Second, 3 * time.Second},
		"a time without a date": {down("Retry-After", "Sat, 01 Jan 2000 00:00:42 GMT", "Date", "?"), time.Second, 3 * time.Second},
		"an hour":               {down("Retry-After", "3600"), time.Minute, time.Minute},
		"more than there are":   {down("Retry-After", "99999999999999999999"), time.Second, 3 * time.Second},
		"nothing":               {down("Retry-After", "0"), time.Second, 3 * time.Second},
		"less than nothing":     {down("Retry-After", "-5"), time.Second, 3 * time.Second},
		"no time at all":        {down("Retry-After", "soon"), time.Second, 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, script{place: {tt.step, page("[list]")}}, func(t *testing.T, p *publishers) {
				var r reader
				want(t, p.web.Fetch(t.Context(), list, fetch.Version{}, r.read), nil)
				between(t, p.asked(""), []time.Duration{tt.least}, []time.Duration{tt.most})
			})
		})
	}
}

// TestJitter: those who failed together do not come again together.
func TestJitter(t *testing.T) {
	const n = 20
	steps := script{}
	for i := range n {
		steps[fmt.Sprint(place, i)] = []http.HandlerFunc{answer(http.StatusServiceUnavailable, ""), page("[list]")}
	}
	play(t, steps, func(t *testing.T, p *publishers) {
		p.web.Pace = nil
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() {
				var r reader
				if err := p.web.Fetch(t.Context(), fetch.File{URL: fmt.Sprint("https://", place, i)}, fetch.Version{}, r.read); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		times := map[time.Duration]bool{}
		for _, c := range p.asked("") {
			times[c.at] = true
		}
		if len(times) < n { // once together, and then each at a time of its own
			t.Errorf("%d requests came at %d times", 2*n, len(times))
		}
	})
}

// silence is a transport that tells the end of the context as such, as HTTP/2 does.
type silence struct{}

func (silence) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestSilence: the end of the patience does not look like that of the caller's time.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := fetch.Web{Client: &http.Client{Transport: silence{}}, Attempts: 2}
		var r reader
		err := web.Fetch(t.Context(), list, fetch.Version{}, r.read)
		want(t, err, fetch.ErrFetch, attempts(2), "not done in time: 1m0s", place)
		if errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v is the context's", err)
		}
	})
}

// TestStatus: only what may change by itself is asked for again.
func TestStatus(t *testing.T) {
	for status, n := range map[int]int{
		http.StatusInternalServerError: 4, http.StatusBadGateway: 4, http.StatusServiceUnavailable: 4, http.StatusGatewayTimeout: 4,
		http.StatusTooManyRequests: 4, http.StatusRequestTimeout: 4, http.StatusPartialContent: 4,
		http.StatusAccepted: 1, http.StatusNoContent: 1, http.StatusNotModified: 1, http.StatusBadRequest: 1,
		http.StatusUnauthorized: 1, http.StatusForbidden: 1, http.StatusNotFound: 1, http.StatusGone: 1,
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			play(t, script{place: slices.Repeat([]http.HandlerFunc{answer(status, "")}, n)}, func(t *testing.T, p *publishers) {
				var r reader
				err := p.web.Fetch(t.Context(), list, fetch.Version{}, r.read)
				want(t, err, fetch.ErrFetch, attempts(n), place, fmt.Sprintf("status %d %s", status, http.StatusText(status)))
				if r.calls != 0 {
					t.Error("it was read")
				}
			})
		})
	}
}

func TestLimit(t *testing.T) {
	bomb := gzipped(t, strings.Repeat("0", 1<<20))
	for name, tt := range map[string]struct {
		body string
		kind error
	}{
		"just right": {"[2345678]", nil},
		"one more":   {"[23456789]", fetch.ErrTooLarge},
		"gzip":       {gzipped(t, "[2345678]"), nil},
		"gzip, more": {gzipped(t, "[23456789]"), fetch.ErrTooLarge},
		"zip":        {zipped(t, "list", "[2345678]"), nil},
		"zip, more":  {zipped(t, "list", "[23456789]"), fetch.ErrTooLarge},
		"gzip bomb":  {bomb, fetch.ErrTooLarge},
		"zip bomb":   {zipped(t, "list", strings.Repeat("0", 1<<20)), fetch.ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, script{place: {page(tt.body)}}, func(t *testing.T, p *publishers) {
				file := list
				file.Limit = 9
				var r reader
				want(t, p.web.Fetch(t.Context(), file, fetch.Version{}, r.read), tt.kind)
				if r.bytes != 9 || tt.kind == nil && r.list != "[2345678]" {
					t.Errorf("read %d bytes, %q", r.bytes, r.list)
				}
			})
		})
	}
}

func TestRedirects(t *testing.T) {
	again := redirect(http.StatusFound, "http://"+place)
	ten := slices.Repeat([]http.HandlerFunc{again}, 10)
	play(t, script{place: append(ten, page("[list]"))}, func(t *testing.T, p *publishers) {
		var r reader
		want(t, p.web.Fetch(t.Context(), list, fetch.Version{}, r.read), nil)
	})
	play(t, script{place: append(ten, again)}, func(t *testing.T, p *publishers) {
		var r reader
		err := p.web.Fetch(t.Context(), list, fetch.Version{}, r.read)
		want(t, err, fetch.ErrFetch, attempts(1), place, "more than 10 redirects")
	})
	// A client of the caller's has no other policy than ours.
	play(t, script{place: {again, page("[list]")}}, func(t *testing.T, p *publishers) {
		p.web.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		var r reader
		want(t, p.web.Fetch(t.Context(), list, fetch.Version{}, r.read), nil)
	})
}

// TestContextEnds: nothing goes on after it.
func TestContextEnds(t *testing.T) {
	never := errors.New("never mind")
	down := answer(http.StatusServiceUnavailable, "")
	for name, tt := range map[string]struct {
		steps []http.HandlerFunc
		after time.Duration
		n     int
		words string
	}{
		"before":                {nil, 0, 1, place},
		"waiting for an answer": {[]http.HandlerFunc{stall("")}, time.Second, 1, place},
		"within the body":       {[]http.HandlerFunc{stall("[a list")}, time.Second, 1, place},
		"between attempts":      {[]http.HandlerFunc{down}, time.Millisecond, 1, "never mind, after " + place + ": status 503"},
		"in the second":         {[]http.HandlerFunc{down, stall("")}, 10 * time.Second, 2, place},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, script{place: tt.steps}, func(t *testing.T, p *publishers) {
				ctx, cancel := context.WithTimeoutCause(t.Context(), tt.after, never)
				defer cancel()
				var r reader
				err := p.web.Fetch(ctx, list, fetch.Version{}, r.read)
				want(t, err, fetch.ErrFetch, attempts(tt.n), tt.words)
				want(t, err, never)
				if took := time.Since(p.start); took != tt.after {
					t.Errorf("it ended after %s, want %s", took, tt.after)
				}
			})
		})
	}
}

// TestReadersError: an error of read is Fetch's also when there was no time to ask
// again.
func TestReadersError(t *testing.T) {
	play(t, script{place: {page("<html>")}}, func(t *testing.T, p *publishers) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		var r reader
		if err := p.web.Fetch(ctx, list, fetch.Version{}, r.read); err != errPage || r.calls != 1 {
			t.Errorf("error %v after %d calls", err, r.calls)
		}
	})
}

func TestWebProgress(t *testing.T) {
	type seen struct {
		Path  string
		Size  int64
		Bytes string
	}
	packed := gzipped(t, "[list]")
	play(t, script{place: {cut("[li", -1), page(packed)}}, func(t *testing.T, p *publishers) {
		var all []seen
		var bytes [2]bytes.Buffer
		p.web.Progress = func(path string, size int64, raw io.Reader) io.Reader {
			all = append(all, seen{path, size, ""})
			return io.TeeReader(raw, &bytes[len(all)-1])
		}
		var r reader
		want(t, p.web.Fetch(t.Context(), list, fetch.Version{}, r.read), nil)
		for i := range all {
			all[i].Bytes = bytes[i].String()
		}
		want := []seen{{"x/list", -1, "[li"}, {"x/list", int64(len(packed)), packed}}
		if diff := cmp.Diff(want, all); diff != "" {
			t.Errorf("progress (-want +got):\n%s", diff)
		}
	})
}

// TestRealServer: TLS on a real socket, without a pace and with waits of a
// millisecond, as other tests have it.
func TestRealServer(t *testing.T) {
	asked := 0
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked < 3 {
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		page("[list]")(w, r)
	}))
	web := fetch.Web{Client: server.Client(), FirstWait: time.Millisecond, Attempts: 3}
	var r reader
	want(t, web.Fetch(t.Context(), fetch.File{URL: server.URL}, fetch.Version{}, r.read), nil)
	if r.list != "[list]" || asked != 3 {
		t.Errorf("read %q after %d requests", r.list, asked)
	}
	server.Close()
	want(t, web.Fetch(t.Context(), fetch.File{URL: server.URL}, fetch.Version{}, r.read), fetch.ErrFetch, attempts(3), "connection refused")
	want(t, web.Fetch(t.Context(), fetch.File{URL: "https://[::1"}, fetch.Version{}, r.read), fetch.ErrFetch, attempts(1))
	if web.Folder() != nil {
		t.Error("the web is no folder")
	}
}
