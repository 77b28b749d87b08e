package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/listward/listward/infra/gateway"
	"github.com/listward/listward/pkg/apigw"
	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/lists/sample"
)

// running is a stack that serves on a port, as `make run` starts it.
type running struct {
	url  string
	stop func() error
}

var address = regexp.MustCompile(`Listward serves (http://\S+) `)

func runStack(t *testing.T, c config) running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	lines, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- serve(ctx, c, out)
		out.Close()
	}()
	var printed bytes.Buffer
	var found []string
	for buffer := make([]byte, 1024); found == nil; {
		n, err := lines.Read(buffer)
		printed.Write(buffer[:n])
		if found = address.FindStringSubmatch(printed.String()); found == nil && err != nil {
			cancel()
			t.Fatalf("the stack ended: %v\n%s", <-ended, printed.String())
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	stop := func() error {
		cancel()
		return <-ended
	}
	t.Cleanup(cancel)
	return running{found[1], stop}
}

func demoKey(t *testing.T, c config) string {
	t.Helper()
	text, err := os.ReadFile(c.keyFile())
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

func status(t *testing.T, url, key string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// TestRestart: key, count and lists survive a restart, which reads no list.
func TestRestart(t *testing.T) {
	c := testConfig(t, sampleLists)
	first := runStack(t, c)
	key := demoKey(t, c)
	if code, body := status(t, first.url+"/api/v1/screen?name=Hizballah", key); code != 200 || !strings.Contains(body, `"matched":true`) {
		t.Errorf("first start: %d %s", code, body)
	}
	if err := first.stop(); err != nil {
		t.Fatalf("stop: %v", err)
	}
	before, err := os.Stat(filepath.Join(c.objects(), "current.json"))
	if err != nil {
		t.Fatal(err)
	}
	second := runStack(t, c)
	if again := demoKey(t, c); again != key {
		t.Errorf("the demo key changed from %q to %q", key, again)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, second.url+"/api/v1/screen?name=Hizballah", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if rest := answer.Header.Get("X-RateLimit-Remaining"); answer.StatusCode != 200 || rest != "998" {
		t.Errorf("after a restart: status %d, remaining %q, want 200 and 998", answer.StatusCode, rest)
	}
	after, err := os.Stat(filepath.Join(c.objects(), "current.json"))
	if err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the restart published again (error %v)", err)
	}
	if err := second.stop(); err != nil {
		t.Fatalf("stop: %v", err)
	}
}

// TestOtherListsAtARestart: lists that are asked for are read, whatever is there.
func TestOtherListsAtARestart(t *testing.T) {
	c := testConfig(t, sampleLists)
	if err := runStack(t, c).stop(); err != nil {
		t.Fatal(err)
	}
	c.lists = withoutTaganda(t)
	r := runStack(t, c)
	if code, body := status(t, r.url+"/api/v1/screen?name=Bosco+Taganda", demoKey(t, c)); code != 200 || !strings.Contains(body, `"matched":false`) {
		t.Errorf("after a start with other lists: %d %s", code, body)
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
}

// TestDamagedSnapshotAtAStart is mended by reading the lists again.
func TestDamagedSnapshotAtAStart(t *testing.T) {
	c := testConfig(t, sampleLists)
	if err := runStack(t, c).stop(); err != nil {
		t.Fatal(err)
	}
	snapshots, err := filepath.Glob(filepath.Join(c.objects(), "snapshots", "*"))
	if err != nil || len(snapshots) != 1 {
		t.Fatalf("snapshots %v, error %v", snapshots, err)
	}
	if err := os.WriteFile(snapshots[0], []byte("LISTWARD"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := runStack(t, c)
	if code, body := status(t, r.url+"/api/v1/screen?name=Hizballah", demoKey(t, c)); code != 200 || !strings.Contains(body, `"matched":true`) {
		t.Errorf("after the snapshot was damaged: %d %s", code, body)
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
}

// TestUnloadedSourceIsUnavailable: absent data never reads as "clear", and is counted.
func TestUnloadedSourceIsUnavailable(t *testing.T) {
	c := testConfig(t, withoutTaganda(t))
	if err := os.RemoveAll(filepath.Join(c.lists, "un")); err != nil {
		t.Fatal(err)
	}
	s := startStack(t, c, time.Now, slog.New(slog.DiscardHandler))
	key, err := s.createDemo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	call := func(method, query, body string) *http.Response {
		r := httptest.NewRequestWithContext(t.Context(), method, "/api/v1/screen?"+query, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+key.Reveal())
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, r)
		return w.Result()
	}
	for i, answer := range []*http.Response{call("GET", "name=x&source=UN", ""), call("POST", "source=UN", `{"names": ["x"]}`)} {
		var body struct{ Error struct{ Code string } }
		if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode != 503 || body.Error.Code != "unavailable" || answer.Header.Get("Retry-After") == "" ||
			answer.Header.Get("X-RateLimit-Remaining") != fmt.Sprint(999-i) {
			t.Errorf("call %d: %d %s %v, want a counted 503", i, answer.StatusCode, body.Error.Code, answer.Header)
		}
	}
	if answer := call("GET", "name=x", ""); answer.StatusCode != 200 || answer.Header.Get("X-Incomplete") != "UN=missing" {
		t.Errorf("all sources: %d, X-Incomplete %q", answer.StatusCode, answer.Header.Get("X-Incomplete"))
	}
}

// TestStartWithoutReadableLists: what was read before is served on, but never in the
// place of other lists that were asked for.
func TestStartWithoutReadableLists(t *testing.T) {
	c := testConfig(t, withoutTaganda(t))
	if err := runStack(t, c).stop(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(c.lists); err != nil {
		t.Fatal(err)
	}
	s := startStack(t, c, func() time.Time { return time.Now().Add(25 * time.Hour) }, slog.New(slog.DiscardHandler))
	var out bytes.Buffer
	if err := s.firstRefresh(t.Context(), c, &out); err != nil || !strings.Contains(out.String(), "Those read before are served") {
		t.Errorf("a day later without the folder: error %v, printed %q", err, out.String())
	}
	c.lists = t.TempDir()
	if err := s.firstRefresh(t.Context(), c, io.Discard); !errors.Is(err, errNoneOK) {
		t.Errorf("other lists, which are not there: error %v, want errNoneOK", err)
	}
}

// TestRefusedRefreshFails, so that whatever runs it notices.
func TestRefusedRefreshFails(t *testing.T) {
	c := testConfig(t, withoutTaganda(t))
	if err := refreshOnce(t.Context(), c, io.Discard); err != nil {
		t.Fatal(err)
	}
	c.lists = t.TempDir()
	var out bytes.Buffer
	if err := refreshOnce(t.Context(), c, &out); !errors.Is(err, errNoneOK) || !strings.Contains(out.String(), "stale") {
		t.Errorf("with an empty folder: error %v, printed %q, want errNoneOK and the states", err, out.String())
	}
	unlock, err := c.guard()(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := refreshOnce(t.Context(), c, io.Discard); !errors.Is(err, errRunning) {
		t.Errorf("beside another refresh: error %v, want errRunning", err)
	}
	if err := unlock(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestQuoted(t *testing.T) {
	for in, want := range map[string]string{
		".local/demo-key": ".local/demo-key", "/a b/k": "'/a b/k'", "/it's/k": `'/it'\''s/k'`, "/$(x)": "'/$(x)'",
	} {
		if got := quoted(in); got != want {
			t.Errorf("quoted(%q) = %s, want %s", in, got, want)
		}
	}
}

// TestRefreshBesideARunningStack: another process publishes, and the stack serves
// it at the next call after a second.
func TestRefreshBesideARunningStack(t *testing.T) {
	c := testConfig(t, sampleLists)
	now := time.Now()
	s := startStack(t, c, func() time.Time { return now }, slog.New(slog.DiscardHandler))
	key, err := s.createDemo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := s.screen(t, key.Reveal(), "Bosco Taganda"); len(got) == 0 {
		t.Fatal("the sample does not hold the name that this test delists")
	}
	c.lists = withoutTaganda(t)
	if err := refreshOnce(t.Context(), c, io.Discard); err != nil {
		t.Fatal(err)
	}
	now = now.Add(2 * time.Second)
	if got := s.screen(t, key.Reveal(), "Bosco Taganda"); len(got) != 0 {
		t.Errorf("two seconds after the refresh the delisted name still matches %v", got)
	}
}

// withoutTaganda is a folder of the sample lists in which one name is another.
func withoutTaganda(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, sample.Files()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "un", "consolidated.xml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(text, []byte("BOSCO"), []byte("OTHER")), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestAdminOverTheSocket(t *testing.T) {
	c := testConfig(t, sampleLists)
	r := runStack(t, c)
	var out bytes.Buffer
	if err := sendCommand(t.Context(), c, []string{"account", "list"}, &out); err != nil || !strings.Contains(out.String(), "acct_") {
		t.Errorf("account list: %q, error %v", out.String(), err)
	}
	if err := sendCommand(t.Context(), c, []string{"account", "destroy"}, io.Discard); !errors.Is(err, errCommand) || !strings.Contains(err.Error(), "destroy") {
		t.Errorf("a command that there is not: error %v, want errCommand that names it", err)
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	if err := sendCommand(t.Context(), c, []string{"account", "list"}, io.Discard); !errors.Is(err, errCommand) || !strings.Contains(err.Error(), "is a stack running") {
		t.Errorf("without a stack: error %v, want errCommand that asks for one", err)
	}
}

func TestStartFailsInWords(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	busy := testConfig(t, sampleLists)
	busy.port = taken.Addr().(*net.TCPAddr).Port
	if err := serve(t.Context(), busy, io.Discard); err == nil || !strings.Contains(err.Error(), "PORT=") {
		t.Errorf("port taken: error %v, want one that tells to choose another", err)
	}
	empty := testConfig(t, t.TempDir())
	if err := serve(t.Context(), empty, io.Discard); err == nil || !strings.Contains(err.Error(), "ofac/SDN_ENHANCED.XML") {
		t.Errorf("empty folder of lists: error %v, want one that names what is missing", err)
	}
	c := testConfig(t, sampleLists)
	r := runStack(t, c)
	if err := serve(t.Context(), c, io.Discard); err == nil || !strings.Contains(err.Error(), "keys.db") {
		t.Errorf("data folder in use: error %v, want one that names the locked file", err)
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
}

func TestReadConfig(t *testing.T) {
	folder := t.TempDir()
	for _, tt := range []struct {
		env  map[string]string
		want config
		bad  string
	}{
		{map[string]string{"DATA": folder}, config{port: 8080, lists: "sample", data: folder, template: "template.yaml"}, ""},
		{map[string]string{"DATA": folder, "PORT": "18080", "LISTS": folder}, config{port: 18080, lists: folder, data: folder, template: "template.yaml"}, ""},
		{map[string]string{"DATA": folder, "LISTS": "official"}, config{port: 8080, lists: "official", data: folder, template: "template.yaml"}, ""},
		{map[string]string{"PORT": "http"}, config{}, "PORT"},
		{map[string]string{"PORT": "70000"}, config{}, "PORT"},
		{map[string]string{"LISTS": filepath.Join(folder, "nothing")}, config{}, "LISTS"},
		{map[string]string{"DATA": "/" + strings.Repeat("d", 120)}, config{}, "DATA"},
	} {
		got, err := readConfig(func(name string) string { return tt.env[name] })
		if tt.bad != "" {
			if !errors.Is(err, errConfig) || !strings.Contains(err.Error(), tt.bad) {
				t.Errorf("%v: error %v, want errConfig that names %s", tt.env, err, tt.bad)
			}
			continue
		}
		if err != nil || got != tt.want {
			t.Errorf("%v: %+v and error %v, want %+v", tt.env, got, err, tt.want)
		}
	}
	c := config{data: folder, lists: "official"}
	if err := c.rememberLists(); err != nil {
		t.Fatal(err)
	}
	if got, err := readConfig(func(name string) string { return map[string]string{"DATA": folder}[name] }); err != nil || got.lists != "official" {
		t.Errorf("without LISTS in a folder filled from official: %q, error %v", got.lists, err)
	}
}

// TestStoresInTrouble: the service answers in the error shape, never wrong.
func TestStoresInTrouble(t *testing.T) {
	c := testConfig(t, sampleLists)
	s := startStack(t, c, time.Now, slog.New(slog.DiscardHandler))
	key, err := s.createDemo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.handler)
	t.Cleanup(server.Close)
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	s.close = func() error { return nil }
	if code, body := status(t, server.URL+"/api/v1/screen?name=x", key.Reveal()); code != 503 || !strings.Contains(body, `"unavailable"`) {
		t.Errorf("key store closed: %d %s, want 503 unavailable", code, body)
	}
	if code, body := status(t, server.URL+"/nothing", key.Reveal()); code != 404 {
		t.Errorf("key store closed, unknown path: %d %s, want 404", code, body)
	}
}

// TestFunctionsInTrouble: what fails under the gateway is told in the same shape.
func TestFunctionsInTrouble(t *testing.T) {
	s := startStack(t, testConfig(t, sampleLists), time.Now, slog.New(slog.DiscardHandler))
	file, err := os.Open(filepath.Join("..", "..", "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	template, err := gateway.ReadTemplate(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		broken string
		status int
		code   string
	}{
		{"authorizer", http.StatusInternalServerError, "internal_error"},
		{"screen", http.StatusServiceUnavailable, "unavailable"},
	} {
		functions := s.functions(nil, slog.New(slog.DiscardHandler))
		for _, beside := range []string{"authorizer", "account", "billing", "embed"} {
			functions[beside] = apigw.Handler(http.NotFoundHandler())
		}
		functions["authorizer"] = apigw.Authorizer(keys.NewAuthorizer(s.keys, nil, time.Now, slog.New(slog.DiscardHandler)))
		functions[tt.broken] = failing{}
		h, err := gateway.New(template, functions, gateway.Options{
			RequestID: func() string { return "r-1" }, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/screen?name=x", nil))
		if w.Code != tt.status || !strings.Contains(w.Body.String(), `"`+tt.code+`"`) ||
			strings.Contains(w.Body.String(), "broken pipe") || w.Header().Get("X-RateLimit-Limit") != "1000" {
			t.Errorf("%s fails: %d %s %v, want %d %s", tt.broken, w.Code, w.Body, w.Header(), tt.status, tt.code)
		}
	}
}

type failing struct{}

func (failing) Invoke(context.Context, []byte) ([]byte, error) { return nil, errors.New("broken pipe") }

// TestTemplateHasTheRoutes compares template.yaml with the table in the code, and
// every function of it with the folders that exist.
func TestTemplateHasTheRoutes(t *testing.T) {
	file, err := os.Open(filepath.Join("..", "..", "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	template, err := gateway.ReadTemplate(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []apigw.Route
	for _, f := range template.Functions {
		for _, r := range f.Routes {
			if f.Folder == "docs" && r.Method != http.MethodGet {
				continue // what no other function takes
			}
			if public := []string{"docs", "account", "billing"}; r.Authorized == slices.Contains(public, f.Folder) {
				t.Errorf("%s %s of the function %s: asks the authorizer: %v", r.Method, r.Path, f.Folder, r.Authorized)
			}
			got = append(got, apigw.Route{Method: r.Method, Path: r.Path, Function: f.Folder, Counted: r.Authorized && f.Folder != "embed"})
		}
	}
	byMethod := cmpopts.SortSlices(func(a, b apigw.Route) bool { return a.Path+a.Method < b.Path+b.Method })
	if diff := cmp.Diff(apigw.Routes(), got, byMethod); diff != "" {
		t.Errorf("routes of the code and of template.yaml (-code +template):\n%s", diff)
	}
}

// TestDataIsPrivate: the folder holds keys, so nobody else reads it.
func TestDataIsPrivate(t *testing.T) {
	c := testConfig(t, sampleLists)
	c.data = filepath.Join(c.data, "new")
	if err := runStack(t, c).stop(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{c.data, c.keyFile(), c.keysFile()} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the permissions %v", filepath.Base(path), info.Mode())
		}
	}
	if _, err := os.Stat(c.socket()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is still there after the end: %v", err)
	}
}
