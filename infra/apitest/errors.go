package apitest

import (
	"fmt"
	"strings"
	"testing"
)

// refusal is a call and the error that it must give.
type refusal struct {
	request
	status int
	code   string
	param  string
}

func (s Service) refuse(t *testing.T, tests []refusal) {
	t.Helper()
	for _, tt := range tests {
		got := s.do(t, tt.request)
		fault := got.error(t)
		if got.status != tt.status || fault.Code != tt.code || fault.Param != tt.param {
			t.Errorf("%s %.80s %v %.60q: %d %s (param %q), want %d %s (param %q)", tt.method, tt.path, tt.header, tt.body,
				got.status, fault.Code, fault.Param, tt.status, tt.code, tt.param)
		}
	}
}

func (s Service) testErrors(t *testing.T) {
	key := s.key(t)
	long := strings.Repeat("é", 200)
	s.refuse(t, []refusal{
		{get(key, ""), 400, "missing_name", "name"},
		{get(key, "name="), 400, "missing_name", "name"},
		{get(key, name(" -!? ")), 400, "missing_name", "name"},
		{get(key, name("\u200b'")), 400, "missing_name", "name"},
		{get(key, name(long+"e")), 400, "name_too_long", "name"},
		{get(key, name(strings.Repeat(" ", 200)+"e")), 400, "name_too_long", "name"}, // as sent, not trimmed
		{get(key, "name=x&format=yaml"), 400, "invalid_format", "format"},
		{get(key, "name=x&format=JSON"), 400, "invalid_format", "format"},
		{get(key, "name=x&source=FBI"), 400, "invalid_source", "source"},
		{get(key, "name=x&source=ofac"), 400, "invalid_source", "source"},
		{get(key, "name=x&type=person"), 400, "invalid_type", "type"},
		{get(key, "name=x&limit=5"), 400, "invalid_parameter", "limit"},
		{get(key, "nam=x"), 400, "invalid_parameter", "nam"},
		{get(key, "Name=x"), 400, "invalid_parameter", "Name"},
		{get(key, "name=x&name=y"), 400, "invalid_parameter", "name"},
		{get(key, "name=x&source=UN&source=UN"), 400, "invalid_parameter", "source"},
		{get(key, "name=M%FCller"), 400, "invalid_parameter", "name"}, // Latin-1
		{get(key, "name=%zz"), 400, "invalid_parameter", ""},
		{request{"GET", "/", nil, ""}, 404, "not_found", ""},
		{request{"GET", "/api/v1/nothing", nil, ""}, 404, "not_found", ""},
		{request{"GET", "/api/v1/screen/", bearer(key), ""}, 404, "not_found", ""},
		{request{"GET", "/api/v1/%2e%2e/screen", nil, ""}, 404, "not_found", ""},
		{request{"GET", "/api%2Fv1%2Fscreen?name=x", bearer(key), ""}, 404, "not_found", ""},
		{request{"PUT", "/api/v1/screen?name=x", nil, ""}, 405, "method_not_allowed", ""},
		{request{"DELETE", "/api/v1/screen", bearer(key), ""}, 405, "method_not_allowed", ""},
	})
	for _, ok := range []string{name(long), name("李"), name("7"), "name=a+b", "name=%E2%80%99s"} {
		if got := s.do(t, get(key, ok)); got.status != 200 {
			t.Errorf("%.60s: status %d: %s", ok, got.status, got.body)
		}
	}
	head := s.do(t, request{"HEAD", "/api/v1/screen?name=x", bearer(key), ""})
	if allow := head.header.Get("Allow"); head.status != 405 || allow != "GET, POST, OPTIONS" {
		t.Errorf("HEAD: status %d, Allow %q", head.status, allow)
	}
}

func (s Service) testBatchErrors(t *testing.T) {
	key := s.key(t)
	body := func(b string) request { return post(key, "", b) }
	s.refuse(t, []refusal{
		{body(``), 400, "invalid_body", ""},
		{body(`null`), 400, "invalid_body", ""},
		{body(`["x"]`), 400, "invalid_body", ""},
		{body(`{"names": ["x"]`), 400, "invalid_body", ""},
		{body(`{"names": ["x"]} {}`), 400, "invalid_body", ""},
		{body(`{"names": "x"}`), 400, "invalid_body", "names"},
		{body(`{"names": null}`), 400, "invalid_body", "names"},
		{body(`{"names": ["x", null]}`), 400, "invalid_body", "names"},
		{body(`{"names": ["x", 7]}`), 400, "invalid_body", "names"},
		{body(`{"names": ["x"], "rows": 1}`), 400, "invalid_body", "rows"},
		{body(`{"names": ["x"], "rows": null}`), 400, "invalid_body", "rows"},
		{body(`{"Names": ["x"]}`), 400, "invalid_body", "Names"},
		{body(`{"names": ["x"], "fuzzy": true}`), 400, "invalid_body", "fuzzy"},
		{body(`{"` + strings.Repeat("<", 1<<19) + `": 1}`), 400, "invalid_body", strings.Repeat("<", 100)},
		{body(`{"names": ["x"], "names": ["y"]}`), 400, "invalid_body", "names"},
		{body("{\"names\": [\"M\xfcller\"]}"), 400, "invalid_body", "names"},
		{body(`{}`), 400, "missing_name", "names"},
		{body(`{"names": []}`), 400, "missing_name", "names"},
		{body(`{"names": [` + strings.Repeat(`"x",`, 100) + `"x"]}`), 400, "too_many_names", "names"},
		{post(key, "name=x", `{"names": ["x"]}`), 400, "invalid_parameter", "name"},
		{post(key, "format=pdf", `{"names": ["x"]}`), 400, "invalid_format", "format"},
		{post(key, "source=X", `{"names": ["x"]}`), 400, "invalid_source", "source"},
		{post(key, "type=X", `{"names": ["x"]}`), 400, "invalid_type", "type"},
		{body(`{"names": ["` + strings.Repeat("x", 1<<20) + `"]}`), 413, "body_too_large", ""},
	})
	for _, tt := range []struct {
		names, code string
		index       int
	}{
		{`"x", " ", "y"`, "missing_name", 1},
		{`"x", "y", ""`, "missing_name", 2},
		{`"` + strings.Repeat("x", 201) + `"`, "name_too_long", 0},
		{`"x", "\ud800"`, "invalid_body", 1},
	} {
		got := s.do(t, body(`{"names": [`+tt.names+`]}`)).error(t)
		if got.Code != tt.code || got.Param != "names" || got.Index == nil || *got.Index != tt.index {
			t.Errorf("names %.40s: %+v, want %s at %d", tt.names, got, tt.code, tt.index)
		}
	}
}

// testOrderOfChecks sends calls that are wrong in two ways and more: the first of
// decisions section 4 is told.
func (s Service) testOrderOfChecks(t *testing.T) {
	a := s.account(t)
	good, _ := a.key(t)
	revoked, revokedID := a.key(t)
	s.admin(t, nil, "key", "revoke", a.id, revokedID)
	lapsed := s.account(t)
	lapsedLocked, _ := lapsed.key(t, "--domain", "example.com")
	s.admin(t, nil, "plan", "end", lapsed.id)
	locked, _ := a.key(t, "--domain", "example.com")
	huge := strings.Repeat("x", 1<<20+1)

	wrongPath := func(r request) request { r.path = "/api/v1/nothing"; return r }
	wrongMethod := func(r request) request { r.method = "PATCH"; return r }
	s.refuse(t, []refusal{
		{wrongPath(wrongMethod(post("", "x=1", huge))), 404, "not_found", ""},
		{wrongMethod(post(revoked, "x=1", huge)), 405, "method_not_allowed", ""},
		{request{"POST", "/api/v1/screen?x=1", nil, huge}, 401, "missing_key", ""},
		{post("lw_nonsense", "x=1", huge), 401, "invalid_key", ""},
		{post(revoked, "x=1", huge), 401, "invalid_key", ""},
		{post(lapsedLocked, "x=1", huge), 403, "membership_required", ""},
		{post(locked, "x=1", huge), 403, "domain_not_allowed", ""},
		{post(good, "x=1", huge), 413, "body_too_large", ""},
		{post(good, "x=1", "no json"), 400, "invalid_parameter", "x"},
		{post(good, "format=x", "no json"), 400, "invalid_format", "format"},
		{post(good, "source=CN", "no json"), 400, "invalid_body", ""},
	})
	for _, header := range []string{"", "Basic dTpw", "Bearer", "Bearer ", "Token " + good, good} {
		got := s.do(t, request{"GET", "/api/v1/screen?name=x", map[string]string{"Authorization": header}, ""})
		if got.status != 401 || got.error(t).Code != "missing_key" || got.remaining() != 0 {
			t.Errorf("Authorization %q: %d %s", header, got.status, got.body)
		}
	}
	for _, header := range []string{"bearer " + good, "BEARER  " + good} {
		if got := s.do(t, request{"GET", "/api/v1/screen?name=x", map[string]string{"Authorization": header}, ""}); got.status != 200 {
			t.Errorf("Authorization %q: %d %s", fmt.Sprintf("%.8s…", header), got.status, got.body)
		}
	}
}
