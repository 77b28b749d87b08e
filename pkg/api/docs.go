package api

import (
	"net/http"
	"strings"

	"github.com/listward/listward/pkg/apigw"
	"github.com/listward/listward/pkg/contract"
)

// preflightAge is how long a browser may remember a preflight, in seconds.
const preflightAge = "7200"

// Docs shows the contract, and answers what no other endpoint takes: preflights, known
// paths with a wrong method, and unknown paths. None of them needs a key.
func (e *Edge) Docs() http.Handler {
	return e.public("docs", func(c *call) (any, error) {
		resource := apigw.Resource(c.Context())
		methods := apigw.Allowed(resource)
		switch {
		case c.Method == http.MethodGet && resource == apigw.DocsPath:
			c.header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'")
			return Document{Type: typeHTML, Body: contract.Page()}, nil
		case c.Method == http.MethodGet && resource == apigw.OpenAPIPath:
			return Document{Type: typeJSON, Body: contract.OpenAPI()}, nil
		case c.Method == http.MethodOptions && underAPI(c.URL.Path):
			c.header.Set("Access-Control-Allow-Methods", "GET, POST")
			c.header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, If-None-Match")
			c.header.Set("Access-Control-Max-Age", preflightAge)
			return nil, nil
		case len(methods) > 0:
			if underAPI(c.URL.Path) {
				methods = append(methods, http.MethodOptions)
			}
			c.header.Set("Allow", strings.Join(methods, ", "))
			return nil, &Error{Code: MethodNotAllowed}
		}
		return nil, &Error{Code: NotFound}
	})
}
