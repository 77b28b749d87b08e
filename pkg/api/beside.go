package api

import (
	"mime"
	"net/http"
	"strings"
)

const typeHTML = "text/html; charset=utf-8"

// Document is an answer that is shown as it is.
type Document struct {
	// Status is 200 if it is zero.
	Status int
	// Type is its Content-Type.
	Type string
	Body []byte
}

// Page answers a call of a page beside the API, such as the account area. It may set
// headers of the response. Its errors are told as those of the API: an *Error with what
// it says, any other, which is logged, as internal_error.
type Page func(header http.Header, r *http.Request) (Document, error)

// Sorry makes the HTML of a page that tells a reader of an error, with its code in
// <meta name="error-code"> (decisions section 4). It may set headers.
type Sorry func(header http.Header, r *http.Request, status int, e *Error) []byte

// Beside makes the handler of a page that stands beside the API: with the headers that
// every response has, and without a key. Its errors are JSON, or for who asks for HTML
// what sorry makes of them.
func (e *Edge) Beside(name string, page Page, sorry Sorry) http.Handler {
	return e.hosted(name, func(c *call) (any, error) { return page(c.header, c.Request) }, sorry)
}

// BesideGuarded is Beside for a page that only calls with an OK verdict reach.
func (e *Edge) BesideGuarded(name string, page Page, sorry Sorry) http.Handler {
	return e.hosted(name, func(c *call) (any, error) {
		if err := refusal(c.verdict); err != nil {
			return nil, err
		}
		return page(c.header, c.Request)
	}, sorry)
}

// AsksForHTML reports whether Accept names text/html, as that of every browser does.
func AsksForHTML(header http.Header) bool {
	for _, accept := range header.Values("Accept") {
		for part := range strings.SplitSeq(accept, ",") {
			if kind, _, err := mime.ParseMediaType(part); err == nil && kind == "text/html" {
				return true
			}
		}
	}
	return false
}
