package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// stack is the local stack, started as a user starts it.
type stack struct{ url, key string }

var serving = regexp.MustCompile(`Listward serves (http://\S+) `)

func startStack(t *testing.T) stack {
	t.Helper()
	program, data := filepath.Join(t.TempDir(), "local"), t.TempDir()
	root := filepath.Join("..", "..")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./infra/local")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the local stack: %v: %s", err, out)
	}
	command := exec.Command(program, "serve")
	command.Dir = root
	command.Env = append(os.Environ(), "PORT=0", "LISTS=sample", "DATA="+data)
	var wrong bytes.Buffer
	command.Stderr = &wrong
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(command.Process.Signal(syscall.SIGTERM), command.Wait()); err != nil {
			t.Errorf("the local stack ended: %v: %s", err, wrong.String())
		}
	})
	return stack{addressIn(t, out), keyIn(t, data)}
}

// addressIn waits until the stack prints its address.
func addressIn(t *testing.T, out io.Reader) string {
	t.Helper()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if found := serving.FindStringSubmatch(lines.Text()); found != nil {
			return found[1]
		}
	}
	t.Fatal("the local stack printed no address")
	return ""
}

func keyIn(t *testing.T, data string) string {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(data, "demo-key"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(key))
}

// smoke runs the command and returns what it printed, and the names of the checks that
// failed.
func smoke(t *testing.T, address, key string) (printed string, failed []string, err error) {
	t.Helper()
	environment := map[string]string{"URL": address, "KEY": key}
	var out bytes.Buffer
	err = run(t.Context(), func(name string) string { return environment[name] }, &out)
	const part = 12 // of it tells enough to look for the rest
	if strings.Contains(out.String(), key[:part]) || err != nil && strings.Contains(err.Error(), key[:part]) {
		t.Errorf("a part of the key is in what is printed: %s %v", out.String(), err)
	}
	if lines := strings.Count(out.String(), "\n"); lines != len(checks()) {
		t.Errorf("%d lines for %d checks:\n%s", lines, len(checks()), out.String())
	}
	for line := range strings.Lines(out.String()) {
		if rest, ok := strings.CutPrefix(line, "FAIL  "); ok {
			name, _, _ := strings.Cut(rest, ":")
			failed = append(failed, name)
		}
	}
	return out.String(), failed, err
}

// page is an answer on its way, with its body.
type page struct {
	*http.Response
	body string
}

func (p *page) error(status int, code string) {
	p.StatusCode, p.body = status, `{"error":{"code":"`+code+`","message":"Broken."}}`
}

// fault breaks the answers to a method and the paths that begin so.
type fault struct {
	method, path string
	make         func(p *page)
	want         []string // the checks that fail
}

func faults() map[string]fault {
	replaced := func(old, new string) func(*page) {
		return func(p *page) { p.body = strings.ReplaceAll(p.body, old, new) }
	}
	without := func(header string) func(*page) { return func(p *page) { p.Header.Del(header) } }
	set := func(header, value string) func(*page) { return func(p *page) { p.Header.Set(header, value) } }
	down := func(p *page) { p.error(500, "internal_error") }
	gateway := func(p *page) { p.StatusCode, p.body = 403, `{"message":"Missing Authentication Token"}` }
	return map[string]fault{
		"no documentation":              {"GET", "/docs", down, []string{"documentation"}},
		"another contract":              {"GET", "/api/v1/openapi.json", replaced("/api/v1/screen", "/api/v2/screen"), []string{"OpenAPI document"}},
		"a contract for members":        {"GET", "/api/v1/openapi.json", func(p *page) { p.error(401, "missing_key") }, []string{"OpenAPI document"}},
		"no limit in refusals":          {"GET", "/api/v1/screen", ifRefused(without("X-RateLimit-Limit")), []string{"call without a key", "call with a wrong key"}},
		"no reset in refusals":          {"GET", "/api/v1/screen", ifRefused(without("X-RateLimit-Reset")), []string{"call without a key", "call with a wrong key"}},
		"calls left without a key":      {"GET", "/api/v1/screen", ifRefused(set("X-RateLimit-Remaining", "7")), []string{"call without a key", "call with a wrong key"}},
		"one refusal for all":           {"GET", "/api/v1/screen", ifRefused(replaced("invalid_key", "missing_key")), []string{"call with a wrong key"}},
		"refusals of the gateway":       {"GET", "/api/v1/screen", ifRefused(gateway), []string{"call without a key", "call with a wrong key"}},
		"no lists":                      {"GET", "/api/v1/s", ifServed(func(p *page) { p.error(503, "unavailable") }), []string{"sources", "browsing", "a listed name", "a name that is not listed", "batch", "spreadsheet", "changes", "export"}},
		"a source less":                 {"GET", "/api/v1/sources", replaced(`"source":"EUX"`, `"source":"EU2"`), []string{"sources"}},
		"a source without entries":      {"GET", "/api/v1/sources", replaced(`"entries":31`, `"entries":0`), []string{"sources"}},
		"nobody is listed":              {"GET", "/api/v1/screen", replaced(`"matched":true`, `"matched":false`), []string{"a listed name"}},
		"somebody else is listed":       {"GET", "/api/v1/screen", replaced(`"id":"`, `"id":"X`), []string{"a listed name"}},
		"everybody is listed":           {"GET", "/api/v1/screen", replaced(`"matched":false,"count":0`, `"matched":true,"count":1`), []string{"a name that is not listed"}},
		"a batch of hits":               {"POST", "/api/v1/screen", replaced(`"matched":false,"count":0`, `"matched":true,"count":1`), []string{"batch"}},
		"a batch without rows":          {"POST", "/api/v1/screen", replaced(`"rows"`, `"hits"`), []string{"batch"}},
		"a spreadsheet in base64":       {"GET", "/api/v1/screen", ifSpreadsheet(func(p *page) { p.body = "UEsDBBQACAAIAAAA" }), []string{"spreadsheet"}},
		"a spreadsheet cut off":         {"GET", "/api/v1/screen", ifSpreadsheet(func(p *page) { p.body = p.body[:len(p.body)/2] }), []string{"spreadsheet"}},
		"no history":                    {"GET", "/api/v1/changes", down, []string{"changes"}},
		"an export cut off":             {"GET", "/downloads/", func(p *page) { p.body = p.body[:len(p.body)-1] }, []string{"export"}},
		"an export that cannot be read": {"GET", "/downloads/", func(p *page) { p.error(403, "access_denied") }, []string{"export"}},
		"an export that leads nowhere":  {"GET", "/api/v1/exports/", without("Location"), []string{"export"}},
		"calls for nothing":             {"GET", "/api/v1/sources", set("X-RateLimit-Remaining", "500"), []string{"calls are counted"}},
		"no account page":               {"GET", "/account", down, []string{"sign-in"}},
		"sign-in without PKCE":          {"GET", "/account/login", edited("Location", "code_challenge=", "c="), []string{"sign-in"}},
		"sign-in that leads elsewhere":  {"GET", "/account/login", edited("Location", "callback", "back"), []string{"sign-in"}},
		"an issuer that knows us not":   {"GET", "/oidc/authorize", set("Location", "https://issuer.example/error?error=redirect_mismatch"), []string{"sign-in"}},
		"an issuer that is down":        {"GET", "/oidc/authorize", func(p *page) { p.StatusCode = 503 }, []string{"sign-in"}},
		"a search box in JSON":          {"GET", "/embed", func(p *page) { p.error(401, "missing_key"); p.Header.Set("Content-Type", "application/json") }, []string{"search box without a key"}},
		"a preflight without methods":   {"OPTIONS", "/api/v1/screen", without("Access-Control-Allow-Methods"), []string{"preflight"}},
		"a preflight that needs a key":  {"OPTIONS", "/api/v1/screen", func(p *page) { p.StatusCode = 401 }, []string{"preflight"}},
		"a preflight for one site":      {"OPTIONS", "/api/v1/screen", set("Access-Control-Allow-Origin", "https://one.example"), []string{"preflight"}},
		"events that anybody may send":  {"POST", "/billing/stripe", func(p *page) { p.StatusCode, p.body = 200, `{}` }, []string{"payment event without a signature"}},
		"events that nothing takes":     {"POST", "/billing/stripe", gateway, []string{"payment event without a signature"}},
		"the gateway's 403":             {"GET", "/api/v1/smoke", gateway, []string{"unknown path"}},
		"the gateway's own words":       {"SMOKE", "/", gateway, []string{"what the gateway answers by itself"}},
		"the gateway's bare answers":    {"SMOKE", "/", without("X-RateLimit-Limit"), []string{"what the gateway answers by itself"}},
	}
}

func edited(header, old, new string) func(*page) {
	return func(p *page) { p.Header.Set(header, strings.ReplaceAll(p.Header.Get(header), old, new)) }
}

func ifRefused(broken func(*page)) func(*page) {
	return func(p *page) {
		if p.StatusCode == http.StatusUnauthorized {
			broken(p)
		}
	}
}

func ifServed(broken func(*page)) func(*page) {
	return func(p *page) {
		if p.StatusCode == http.StatusOK && p.Request.Header.Get("Authorization") != "" {
			broken(p)
		}
	}
}

func ifSpreadsheet(broken func(*page)) func(*page) {
	return func(p *page) {
		if strings.HasPrefix(p.body, "PK") {
			broken(p)
		}
	}
}

// broken serves what the stack serves, with a fault. The stack's address in the answers
// is its own, so that callers stay with it.
func (s stack) broken(t *testing.T, f fault) (address string, met *atomic.Int32) {
	t.Helper()
	to, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	met = &atomic.Int32{}
	front := httptest.NewServer(nil)
	t.Cleanup(front.Close)
	front.Config.Handler = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			if strings.HasPrefix(r.In.URL.Path, "/downloads/") && r.In.Header.Get("Authorization") != "" {
				t.Error("the key went along to a download")
			}
			r.SetURL(to)
		},
		ModifyResponse: func(got *http.Response) error {
			text, err := io.ReadAll(got.Body)
			if err != nil {
				return err
			}
			p := &page{got, strings.ReplaceAll(string(text), s.url, front.URL)}
			got.Header.Set("Location", strings.ReplaceAll(got.Header.Get("Location"), s.url, front.URL))
			if got.Request.Method == f.method && strings.HasPrefix(got.Request.URL.Path, f.path) {
				met.Add(1)
				f.make(p)
			}
			got.Header.Del("Content-Length")
			got.ContentLength, got.Body = int64(len(p.body)), io.NopCloser(strings.NewReader(p.body))
			return nil
		},
	}
	return front.URL, met
}

// TestSmoke: a service that works passes, and each fault fails the checks that it is
// about, and no others.
func TestSmoke(t *testing.T) {
	s := startStack(t)
	t.Run("works", func(t *testing.T) {
		printed, failed, err := smoke(t, s.url+"/", s.key)
		if err != nil || failed != nil {
			t.Errorf("failed: %q, %v\n%s", failed, err, printed)
		}
		for _, want := range []string{"ok    sources: all ok\n", "ok    a listed name: OFAC-", "ok    payment event without a signature: payments are not set up\n"} {
			if !strings.Contains(printed, want) {
				t.Errorf("%q is not in what is printed:\n%s", want, printed)
			}
		}
	})
	t.Run("through the proxy", func(t *testing.T) {
		address, met := s.broken(t, fault{"GET", "/", func(*page) {}, nil})
		if printed, failed, err := smoke(t, address, s.key); err != nil || failed != nil || met.Load() == 0 {
			t.Errorf("failed: %q, %v\n%s", failed, err, printed)
		}
	})
	t.Run("a source to look at", func(t *testing.T) {
		address, _ := s.broken(t, fault{"GET", "/api/v1/sources", func(p *page) {
			p.body = strings.Replace(p.body, `"status":"ok"`, `"status":"review"`, 1)
		}, nil})
		if printed, _, err := smoke(t, address, s.key); err != nil || !strings.Contains(printed, "ok    sources: OFAC is review\n") {
			t.Errorf("%v\n%s", err, printed)
		}
	})
	covered := map[string]bool{}
	for name, f := range faults() {
		t.Run(name, func(t *testing.T) {
			address, met := s.broken(t, f)
			printed, failed, err := smoke(t, address, s.key)
			if !errors.Is(err, errFailed) || met.Load() == 0 {
				t.Errorf("error %v with %d answers broken", err, met.Load())
			}
			if diff := cmp.Diff(f.want, failed); diff != "" {
				t.Errorf("checks that failed (-want +got):\n%s\n%s", diff, printed)
			}
		})
		for _, check := range f.want {
			covered[check] = true
		}
	}
	for _, c := range checks() {
		if !covered[c.name] {
			t.Errorf("no fault shows that the check %q can fail", c.name)
		}
	}
}

// TestNoSecrets: a service that sends everything back, and one that is not there.
func TestNoSecrets(t *testing.T) {
	const key = "lw_secretsecretsecretsecretsecretsecret"
	mirror := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, strings.Repeat(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), 9)) // a client that left gets nothing
	}))
	defer mirror.Close()
	nobody := httptest.NewServer(nil)
	nobody.Close()
	for _, address := range []string{mirror.URL, nobody.URL} {
		printed, failed, err := smoke(t, address, key)
		if !errors.Is(err, errFailed) || len(failed) != len(checks()) {
			t.Errorf("%v\n%s", err, printed)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct{ url, key string }{
		{"", "lw_x"}, {"https://listward.example", ""}, {"https://listward.example", "\n"},
		{"http://listward.example", "lw_x"}, {"http://10.0.0.1", "lw_x"}, {"listward.example", "lw_x"},
		{"https://listward.example?x=1", "lw_x"}, {"ftp://listward.example", "lw_x"},
	} {
		var out bytes.Buffer
		err := run(t.Context(), func(name string) string {
			return map[string]string{"URL": c.url, "KEY": c.key}[name]
		}, &out)
		if !errors.Is(err, errUsage) || out.Len() > 0 {
			t.Errorf("URL=%q KEY=%q: %v, printed %q", c.url, c.key, err, out.String())
		}
	}
	for _, address := range []string{"https://listward.example", "http://localhost:8080", "http://127.0.0.1:1", "http://[::1]:1"} {
		if err := checkAddress(address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestChecksHaveNames(t *testing.T) {
	var names []string
	for _, c := range checks() {
		if slices.Contains(names, c.name) || strings.ContainsAny(c.name, ":\n") {
			t.Errorf("the name %q is taken, or cannot be told from its note", c.name)
		}
		names = append(names, c.name)
	}
}
