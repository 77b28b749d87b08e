package api

import (
	"net/http"
	"strings"

	"github.com/listward/listward/pkg/apigw"
)

// preflightAge is how long a browser may remember a preflight, in seconds.
const preflightAge = "7200"

// NotFound answers what no other endpoint takes: preflights, known paths with a
// wrong method, and unknown paths. None of them needs a key.
func (e *Edge) NotFound() http.Handler {
	return e.public("not_found", func(c *call) (any, error) {
		methods := apigw.Allowed(apigw.Resource(c.Context()))
		switch {
		case c.Method == http.MethodOptions && underAPI(c.URL.Path):
			c.header.Set("Access-Control-Allow-Methods", "GET, POST")
			c.header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, If-None-Match")
			c.header.Set("Access-Control-Max-Age", preflightAge)
			return nil, nil
		case len(methods) > 0:
			c.header.Set("Allow", strings.Join(append(methods, http.MethodOptions), ", "))
			return nil, &Error{Code: methodNotAllowed}
		}
		return nil, &Error{Code: notFound}
	})
}
