package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/listward/listward/pkg/keys"
)

// check is one thing that is looked at. Its note stands behind its name.
type check struct {
	name string
	look func(ctx context.Context, v *visit) (note string, err error)
}

// checks are all of them, in an order in which the later ones use what the earlier ones
// have seen.
func checks() []check {
	return []check{
		{"documentation", documentation},
		{"OpenAPI document", contract},
		{"call without a key", withoutKey},
		{"call with a wrong key", wrongKey},
		{"sources", sources},
		{"browsing", browsing},
		{"a listed name", listedName},
		{"a name that is not listed", unlistedName},
		{"batch", batch},
		{"spreadsheet", spreadsheet},
		{"changes", changes},
		{"export", export},
		{"calls are counted", counted},
		{"sign-in", signIn},
		{"search box without a key", searchBox},
		{"preflight", preflight},
		{"payment event without a signature", unsignedEvent},
		{"unknown path", unknownPath},
		{"what the gateway answers by itself", byGateway},
	}
}

// visit is what one run has seen of the service.
type visit struct {
	caller
	states []state // of the sources
	entry  entry   // one that is listed
	served string  // the snapshot
}

// state is how a source is (GET /api/v1/sources).
type state struct {
	Source  string
	Status  string
	Entries int
}

type entry struct{ ID, Source, Name string }

var errNothingListed = errors.New("the checks before found nothing listed to ask for")

func documentation(ctx context.Context, v *visit) (string, error) {
	got, err := v.call(ctx, request{path: "/docs"})
	if err != nil {
		return "", err
	}
	return "", errors.Join(got.html(http.StatusOK, "/api/v1/screen"), got.nothingLeft())
}

func contract(ctx context.Context, v *visit) (string, error) {
	got, err := v.call(ctx, request{path: "/api/v1/openapi.json"})
	if err != nil {
		return "", err
	}
	var document struct {
		OpenAPI string
		Paths   map[string]json.RawMessage
	}
	if err := got.decode(&document); err != nil {
		return "", err
	}
	if !strings.HasPrefix(document.OpenAPI, "3.") || document.Paths["/api/v1/screen"] == nil {
		return "", got.wrong("it does not describe /api/v1/screen")
	}
	return "", nil
}

func withoutKey(ctx context.Context, v *visit) (string, error) {
	got, err := v.call(ctx, request{path: "/api/v1/screen?name=smoke"})
	if err != nil {
		return "", err
	}
	if origin := got.header.Get("Access-Control-Allow-Origin"); origin != "*" {
		return "", got.wrong("Access-Control-Allow-Origin %q, want *", origin)
	}
	return "", errors.Join(got.refused(http.StatusUnauthorized, "missing_key"), got.nothingLeft())
}

// wrongKey tries one that is none by its form, and one that only the store can tell.
func wrongKey(ctx context.Context, v *visit) (string, error) {
	unknown, err := keys.New(rand.Reader)
	if err != nil {
		return "", err
	}
	for _, key := range []string{"lw_smoke", unknown.Reveal()} {
		got, err := v.call(ctx, request{path: "/api/v1/screen?name=smoke", header: map[string]string{"Authorization": "Bearer " + key}})
		if err == nil {
			err = errors.Join(got.refused(http.StatusUnauthorized, "invalid_key"), got.nothingLeft())
		}
		if err != nil {
			return "", err
		}
	}
	return "", nil
}

// sources must all be told; what is not ok about them is printed, for it may be the
// publisher's doing.
func sources(ctx context.Context, v *visit) (string, error) {
	got, err := v.keyed(ctx, request{path: "/api/v1/sources"})
	if err != nil {
		return "", err
	}
	var body struct {
		Sources  []state
		Snapshot string
	}
	if err := got.decode(&body); err != nil {
		return "", err
	}
	v.states = body.Sources
	var notes []string
	for _, name := range []string{"OFAC", "UN", "EU", "EUX", "CN"} {
		i := slices.IndexFunc(body.Sources, func(s state) bool { return s.Source == name })
		if i < 0 {
			return "", got.wrong("%s is not among the sources", name)
		}
		if s := body.Sources[i]; s.Status != "ok" {
			notes = append(notes, name+" is "+s.Status)
		} else if s.Entries == 0 {
			return "", got.wrong("%s is ok, without an entry", name)
		}
	}
	if notes == nil {
		return "all ok", nil
	}
	return strings.Join(notes, ", "), nil
}

func preflight(ctx context.Context, v *visit) (string, error) {
	got, err := v.call(ctx, request{method: http.MethodOptions, path: "/api/v1/screen", header: map[string]string{
		"Origin": "https://example.com", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization",
	}})
	if err != nil {
		return "", err
	}
	for name, part := range map[string]string{"Origin": "*", "Methods": "POST", "Headers": "Authorization"} {
		if value := got.header.Get("Access-Control-Allow-" + name); got.status != http.StatusNoContent || !strings.Contains(value, part) {
			return "", got.wrong("Access-Control-Allow-%s %q, want 204 with %s", name, value, part)
		}
	}
	return "", nil
}

// unsignedEvent: without payments there is nothing to send events to.
func unsignedEvent(ctx context.Context, v *visit) (string, error) {
	got, err := v.call(ctx, request{method: http.MethodPost, path: "/billing/stripe", body: `{"type":"invoice.paid"}`})
	if err != nil {
		return "", err
	}
	if got.refused(http.StatusNotFound, "not_found") == nil {
		return "payments are not set up", nil
	}
	if got.status != http.StatusBadRequest {
		return "", got.wrong("want 400, or 404 not_found where payments are not set up")
	}
	return "", nil
}

func unknownPath(ctx context.Context, v *visit) (string, error) {
	got, err := v.call(ctx, request{path: "/api/v1/smoke"})
	if err != nil {
		return "", err
	}
	return "", errors.Join(got.refused(http.StatusNotFound, "not_found"), got.nothingLeft())
}

// byGateway asks by a method that no route has.
func byGateway(ctx context.Context, v *visit) (string, error) {
	got, err := v.call(ctx, request{method: "SMOKE", path: "/api/v1/screen"})
	if err != nil {
		return "", err
	}
	rest, err := got.remainingAlone()
	if err == nil && rest != 0 {
		err = got.wrong("X-RateLimit-Remaining %d, want 0", rest)
	}
	return "", errors.Join(got.refused(http.StatusNotFound, "not_found"), err)
}

// counted calls twice: no more is left than one call less.
func counted(ctx context.Context, v *visit) (string, error) {
	var left [2]int
	var reset [2]string
	for i := range left {
		got, err := v.keyed(ctx, request{path: "/api/v1/sources"})
		if err != nil {
			return "", err
		}
		if left[i], err = got.remaining(); err != nil {
			return "", err
		}
		reset[i] = got.header.Get("X-RateLimit-Reset")
	}
	if reset[0] == reset[1] && left[1] >= left[0] {
		return "", fmt.Errorf("%w: %d calls are left after one, and %d after another", errUnexpected, left[0], left[1])
	}
	return fmt.Sprintf("%d left today", left[1]), nil
}
