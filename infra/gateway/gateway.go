// Package gateway serves an AWS SAM template's REST API on one machine: it does
// with an HTTP request what API Gateway does, and hands the functions the JSON
// events that Lambda hands them. Use it for the local stack and for tests of
// the whole service; [ReadTemplate] reads the template, [New] makes the handler.
//
// # What it emulates
//
// By the API Gateway and Lambda developer guides, where nothing else is said:
//
//   - Routes: a literal segment goes before {parameter}, that before {proxy+}; an
//     exact method before ANY. A path that is known without the method, and one
//     that is not known, are MISSING_AUTHENTICATION_TOKEN.
//   - REQUEST authorizers without identity source and cache. The policy is
//     evaluated, and the context reaches the function as strings.
//   - Proxy integration: events in payload format 1.0 with bodies in base64, as
//     the binary media type */* has it, and path and parameters as REST APIs give
//     them (path as sent, parameters decoded, "+" as a blank, ";" as a separator).
//   - Time-outs and Lambda's 6 MB limit on answers.
//   - Gateway responses, their fall-back to DEFAULT_4XX and DEFAULT_5XX included,
//     and the answer of 413 above 10 MB that cannot be shaped.
//
// # What it does not
//
//   - Throttling, usage plans, caching, logging, stage variables, mapping
//     templates with substitutions, models, WAF, Lambda's 6 MB limit on events,
//     and every limit on headers and on the length of addresses.
//   - API Gateway drops or renames some headers (WWW-Authenticate of a function
//     arrives as x-amzn-Remapped-WWW-Authenticate); here all pass.
//   - There is no stage in the address, as behind a custom domain.
//   - API Gateway makes a resource without methods of each folder of a path
//     (/api of /api/v1/screen); here such a path is matched by {proxy+}.
//   - A function that runs past its own time-out is answered as
//     INTEGRATION_TIMEOUT; API Gateway does so past its 29 s, and answers before
//     that as INTEGRATION_FAILURE. A function is not killed: it is told by its
//     context, and the answer waits for it.
//   - An authorizer's error "Unauthorized", which API Gateway answers with 401, is
//     AUTHORIZER_FAILURE like any other.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"time"
)

// ErrNoInvoker is returned by New for a function of the template that nobody
// serves.
var ErrNoInvoker = errors.New("a function of the template has no invoker")

// maxBody is the size in bytes above which API Gateway refuses a request's body.
const maxBody = 10 << 20

// Invoker runs a function: in this process, or in one of its own that speaks
// Lambda's runtime API. lambda.Handler of aws-lambda-go satisfies it.
type Invoker interface {
	// Invoke answers an event with what the function returned, both as JSON. It is
	// called concurrently. The context ends at the function's time-out, not when
	// the client goes away. An error is the function's failure.
	Invoke(ctx context.Context, payload []byte) ([]byte, error)
}

// Options are what a gateway takes from its surroundings. All are required.
type Options struct {
	// RequestID returns a new request id. It is called concurrently.
	RequestID func() string
	// Now is the clock of the events' request times.
	Now func() time.Time
	// Log gets an entry for each call that a function failed. Neither path nor
	// query are in it, for they hold the names that callers screen.
	Log *slog.Logger
}

type gateway struct {
	options    Options
	stage      string
	routes     routes
	authorizer target
	responses  map[string]Response
}

// New returns the handler of the template's API. The invokers are found by their
// function's folder. Every function with a route, and the authorizer, must have
// one, else the error is ErrNoInvoker; others are left alone. The handler may be
// used concurrently.
func New(t Template, invoke map[string]Invoker, o Options) (http.Handler, error) {
	g := &gateway{options: o, stage: t.Stage, responses: t.Responses}
	for _, id := range slices.Sorted(maps.Keys(t.Functions)) {
		f := t.Functions[id]
		if len(f.Routes) == 0 && id != t.Authorizer {
			continue
		}
		invoker, ok := invoke[f.Folder]
		if !ok {
			return nil, fmt.Errorf("%w: %s in folder %s", ErrNoInvoker, id, f.Folder)
		}
		function := target{folder: f.Folder, timeout: f.Timeout, invoker: invoker}
		if id == t.Authorizer {
			g.authorizer = function
		}
		g.routes.add(f.Routes, function)
	}
	g.routes.sort()
	return g, nil
}

// ServeHTTP answers one call.
func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := g.options.RequestID()
	log := g.options.Log.With("request_id", id)
	w.Header().Set("x-amzn-RequestId", id)
	answer, err := g.handle(w, r, id)
	if err != nil {
		answer = g.refuse(r.Context(), log, err)
	}
	if err := answer.write(w); err != nil {
		log.WarnContext(r.Context(), "the client did not get its answer", "error", err)
	}
}

// handle takes a call through the gateway. Its errors are refusals.
func (g *gateway) handle(w http.ResponseWriter, r *http.Request, id string) (answer, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return answer{}, fmt.Errorf("%w: %w", badRequest, err)
	}
	to, ok := g.routes.match(r.Method, r.URL.EscapedPath())
	if !ok {
		return answer{}, missingAuthenticationToken
	}
	event, err := g.event(r, body, id, to)
	if err != nil {
		return answer{}, fmt.Errorf("%w: %w", badRequest, err)
	}
	if to.authorized {
		event.RequestContext.Authorizer, err = g.authorize(r.Context(), event)
		if err != nil {
			return answer{}, err
		}
	}
	return to.function.integrate(r.Context(), event)
}
