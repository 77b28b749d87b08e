// Package contracttest holds calls and answers against the OpenAPI document, by an
// existing validator. It is for tests.
package contracttest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"github.com/listward/listward/pkg/contract"
)

// Validator knows the document. It is safe for concurrent use.
type Validator struct {
	router routers.Router
}

// New reads the document, which must be OpenAPI.
func New(t testing.TB) Validator {
	t.Helper()
	document, err := openapi3.NewLoader().LoadFromData(contract.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	if err := document.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	router, err := legacy.NewRouter(document)
	if err != nil {
		t.Fatal(err)
	}
	return Validator{router}
}

// ErrUnknown is returned for a call that the document does not have.
var ErrUnknown = errors.New("no operation of the document")

// Call checks a call.
func (v Validator) Call(r *http.Request) error {
	input, err := v.input(r)
	if err != nil {
		return err
	}
	return openapi3filter.ValidateRequest(r.Context(), input)
}

// Answer checks an answer to a call: its status, its headers and, if it is JSON, its
// body.
func (v Validator) Answer(r *http.Request, status int, header http.Header, body []byte) error {
	input, err := v.input(r)
	if err != nil {
		return err
	}
	isJSON := strings.HasPrefix(header.Get("Content-Type"), "application/json")
	answer := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: status, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, ExcludeResponseBody: !isJSON, MultiError: true},
	}
	if err := openapi3filter.ValidateResponse(r.Context(), answer); err != nil {
		return err
	}
	promised := input.Route.Operation.Responses.Status(status)
	if kind, _, _ := strings.Cut(header.Get("Content-Type"), ";"); promised != nil && len(body) > 0 && promised.Value.Content.Get(kind) == nil {
		return fmt.Errorf("the media type %s is not promised", kind)
	}
	return nil
}

func (v Validator) input(r *http.Request) (*openapi3filter.RequestValidationInput, error) {
	r = r.Clone(r.Context())
	r.URL = &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery} // the document is of any server
	route, parameters, err := v.router.FindRoute(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return &openapi3filter.RequestValidationInput{
		Request: r, PathParams: parameters, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, MultiError: true},
	}, nil
}
