// Package api speaks HTTP: it checks the verdict on a call, decodes parameters,
// asks pkg/screen, and answers in JSON or in the one error shape, with the rate
// headers on every response.
//
// An [Edge] makes the handler of each endpoint, and by [Edge.Beside] those of pages that
// stand beside the API. All of them pass through one function (hosted), so that what
// every response must have is written once.
package api

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/listward/listward/pkg/apigw"
	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/table"
)

// retryAfter is how long a caller waits after Unavailable, in seconds.
const retryAfter = 5

// Edge is what the endpoints share. Its fields are set before use and not
// changed; the handlers it makes are safe for concurrent use.
type Edge struct {
	// Editions gives the lists to answer from. Docs needs none.
	Editions *edition.Follower
	// Store holds the history and the bulk files, and Downloads gives their addresses.
	Store     objects.Store
	Downloads objects.Downloader
	Now       func() time.Time
	// Log receives one line a call, without the names that were screened.
	Log *slog.Logger
}

// endpoint answers a call with what goes into the body, or with an error: an
// *Error is told to the caller, any other is logged and told as internal_error.
type endpoint func(c *call) (any, error)

// call is one call of an endpoint.
type call struct {
	*http.Request
	now     time.Time
	header  http.Header // of the response
	verdict keys.Verdict
	format  table.Format
	states  []sourceState // of the sources that the call is about
	sorry   Sorry         // nil where errors are JSON for everybody
	noted   []slog.Attr   // what the log line tells beyond the usual
}

func (c *call) note(attrs ...slog.Attr) { c.noted = append(c.noted, attrs...) }

// guarded makes a handler that only calls with an OK verdict reach.
func (e *Edge) guarded(name string, answer endpoint) http.Handler {
	return e.public(name, func(c *call) (any, error) {
		if err := refusal(c.verdict); err != nil {
			return nil, err
		}
		return answer(c)
	})
}

var errNoVerdict = errors.New("the call came without a verdict of its own")

// refusal is what a verdict that does not let a call pass is told as.
func refusal(v keys.Verdict) error {
	switch v.Code {
	case keys.OK:
		return nil
	case "":
		return errNoVerdict
	}
	return &Error{Code: string(v.Code)}
}

// public makes a handler that every call reaches.
func (e *Edge) public(name string, answer endpoint) http.Handler {
	return e.hosted(name, answer, nil)
}

// hosted makes the handler of an endpoint or page.
func (e *Edge) hosted(name string, answer endpoint, sorry Sorry) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{Request: r, now: e.Now(), header: w.Header(), verdict: apigw.VerdictOf(r.Context()), sorry: sorry}
		c.commonHeaders()
		status, body, err := recovered(answer, c)
		if err != nil {
			status, body = e.refuse(c, err)
		}
		w.WriteHeader(status)
		_, _ = w.Write(body) // into memory (pkg/apigw): it does not fail
		e.record(c, name, status)
	})
}

// recovered turns a panic into an error, since Lambda would end the process and
// API Gateway word the answer.
func recovered(answer endpoint, c *call) (status int, body []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	value, err := answer(c)
	if err != nil {
		return 0, nil, err
	}
	return c.render(value)
}

// commonHeaders sets what every response carries (decisions section 4).
func (c *call) commonHeaders() {
	limit, remaining, reset := keys.Limit, 0, keys.NextReset(c.now)
	if c.verdict.Code != "" {
		limit, remaining, reset = c.verdict.Limit, c.verdict.Remaining, c.verdict.Reset
	}
	c.header.Set("X-RateLimit-Limit", strconv.Itoa(limit))
	c.header.Set("X-RateLimit-Remaining", strconv.Itoa(remaining))
	c.header.Set("X-RateLimit-Reset", strconv.FormatInt(reset.Unix(), 10))
	c.header.Set("Cache-Control", "private, no-cache")
	c.header.Set("X-Content-Type-Options", "nosniff")
	if underAPI(c.URL.Path) {
		c.header.Set("Access-Control-Allow-Origin", "*")
		c.header.Set("Access-Control-Expose-Headers", exposed)
	}
}

// exposed are the response headers that scripts in browsers may read.
const exposed = "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Snapshot, X-Incomplete, " +
	"X-Matched, X-Count, ETag, Link, Retry-After, Content-Disposition, X-Amzn-RequestId"

func underAPI(path string) bool { return strings.HasPrefix(path, "/api/v1/") || path == "/api/v1" }

// refuse makes the body of an error, and takes back what was said of an answer.
func (e *Edge) refuse(c *call, err error) (status int, body []byte) {
	fault := e.fault(c, err)
	for _, name := range []string{"ETag", "Link", "X-Matched", "X-Count", "Content-Disposition"} {
		c.header.Del(name)
	}
	status = fault.Status()
	if c.sorry != nil && AsksForHTML(c.Header) {
		c.header.Set("Content-Type", typeHTML)
		return status, c.sorry(c.header, c.Request, status, fault)
	}
	c.header.Set("Content-Type", typeJSON)
	var b bytes.Buffer
	_ = encode(&b, map[string]*Error{"error": fault}) // text and a number: it does not fail
	return status, b.Bytes()
}

// render makes the body of an answer, and sets the headers that depend on it.
func (c *call) render(value any) (status int, body []byte, err error) {
	switch value := value.(type) {
	case nil:
		return http.StatusNoContent, nil, nil
	case notModified:
		return http.StatusNotModified, nil, nil
	case redirect:
		c.header.Set("Location", value.to)
		return http.StatusFound, nil, nil
	case Document:
		c.header.Set("Content-Type", value.Type)
		return cmp.Or(value.Status, http.StatusOK), value.Body, nil
	case sheet:
		c.header.Set("Content-Type", typeJSON)
		if c.format != formatJSON {
			c.header.Set("Content-Type", c.format.MediaType())
			c.header.Set("Content-Disposition", attachment(fmt.Sprintf("listward-%s-%s.%s", value.name, c.now.UTC().Format(time.DateOnly), c.format)))
		}
		body, err = value.render(c.format)
		return http.StatusOK, body, err
	}
	c.header.Set("Content-Type", typeJSON)
	var b bytes.Buffer
	err = encode(&b, value)
	return http.StatusOK, b.Bytes(), err
}

// maxParam is how much of a parameter's name an error shows, in characters.
const maxParam = 100

// fault is what the caller is told of an error.
func (e *Edge) fault(c *call, err error) *Error {
	fault := &Error{Code: internalError}
	if told := (*Error)(nil); errors.As(err, &told) {
		*fault = *told
	} else {
		e.Log.ErrorContext(c.Context(), "call failed", "request_id", apigw.RequestID(c.Context()), "error", err)
	}
	if fault.Message == "" {
		fault.Message = errorTable[fault.Code].advice
	}
	if name := []rune(fault.Param); len(name) > maxParam {
		fault.Param = string(name[:maxParam])
	}
	switch fault.Code {
	case Unavailable:
		c.header.Set("Retry-After", strconv.Itoa(retryAfter))
	case quotaExceeded:
		c.header.Set("Retry-After", strconv.Itoa(int(math.Ceil(c.verdict.Reset.Sub(c.now).Seconds()))))
	}
	c.note(slog.String("code", fault.Code))
	return fault
}

func (e *Edge) record(c *call, name string, status int) {
	attrs := append([]slog.Attr{
		slog.String("endpoint", name),
		slog.String("request_id", apigw.RequestID(c.Context())),
		slog.String("key_id", c.verdict.KeyID),
		slog.Int("status", status),
		slog.Float64("duration_ms", float64(e.Now().Sub(c.now).Microseconds())/1000),
	}, c.noted...)
	e.Log.LogAttrs(c.Context(), slog.LevelInfo, "call", attrs...)
}

// serving returns the edition that is being served.
func (e *Edge) serving(c *call) (*edition.Edition, error) {
	current, err := e.Editions.Current(c.Context())
	if err != nil {
		e.Log.ErrorContext(c.Context(), "no edition to answer from", "request_id", apigw.RequestID(c.Context()), "error", err)
		return nil, &Error{Code: Unavailable}
	}
	c.header.Set("X-Snapshot", current.Snapshot)
	c.note(slog.String("snapshot", current.Snapshot))
	return current, nil
}

// current returns the edition to answer from, if it holds any of the sources
// that the call is about: absent data must not read as "clear".
func (e *Edge) current(c *call, about scope) (*edition.Edition, error) {
	current, err := e.serving(c)
	if err != nil {
		return nil, err
	}
	present := false
	c.states = about.states(current, c.now)
	for _, s := range c.states {
		present = present || s.Status != edition.Missing
	}
	if !present {
		return nil, &Error{Code: Unavailable, Message: "None of the lists that you ask for is loaded, so no answer can be given. Ask for other sources, or try again later."}
	}
	c.tellIncomplete()
	return current, nil
}
