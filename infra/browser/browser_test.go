package browser_test

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/listward/listward/infra/browser"
	"github.com/listward/listward/infra/engines"
)

const (
	style = `body { background: white; color: black }
		@media (prefers-color-scheme: dark) { h1 { color: #eee } }`
	form = `<main><h1>Ask 制裁</h1><form action="/echo">
		<label>Name <input name="name" value="old"></label>
		<label>Source <select name="source"><option value="">All<option value="UN">United Nations</select></label>
		<button>Search</button></form></main>`
)

// site is a server of pages, which all of its hosts have.
type site struct {
	*http.ServeMux
	port string
}

func serve(t *testing.T) site {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	s := site{mux, port}
	sum := sha256.Sum256([]byte(style))
	strict := "default-src 'none'; form-action 'self'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	s.page("/form", strict, "<style>"+style+"</style>"+form)
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
		fmt.Fprintf(w, "%s %s, %s, cookie %q", r.Host, r.URL.RawQuery, r.Header.Get("Accept-Language"), r.Header.Get("Cookie"))
	})
	return s
}

// page serves a page with a content security policy.
func (s site) page(path, csp, body string) {
	s.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", csp)
		_, _ = io.WriteString(w, `<!doctype html><html lang="en"><title>Page `+path+`</title>`+body)
	})
}

func (s site) on(host, path string) string { return "http://" + host + ":" + s.port + path }

func wantEqual[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestVisit(t *testing.T) {
	s, b := serve(t), browser.Open(t)
	p := b.Page(t)
	for _, host := range []string{"a.example", "b.example"} {
		p.Headers(map[string]string{"Accept-Language": "zh"})
		p.Navigate(s.on(host, "/form"))
		wantEqual(t, "the title", p.Title(), "Page /form")
		wantEqual(t, "the heading", p.Text("h1"), "Ask 制裁")
		wantEqual(t, "the status", p.Status(), http.StatusOK)
		p.CheckAccessible()
		p.Fill("[name=name]", "Anna")
		p.Fill("[name=source]", "United")
		p.Submit("button")
		wantEqual(t, "the address after the form", p.URL(), s.on(host, "/echo?name=Anna&source=UN"))
		wantEqual(t, "the answer", p.Text("body"), host+":"+s.port+" name=Anna&source=UN, zh, cookie \"\"")
	}
	p.Navigate(s.on("a.example", "/echo"))
	wantEqual(t, "the answer with a cookie", p.Text("body"), "a.example:"+s.port+" , zh, cookie \"seen=1\"")
	p.CheckQuiet()

	other := b.Page(t)
	other.Navigate(s.on("a.example", "/none"))
	wantEqual(t, "the status of a page that is not there", other.Status(), http.StatusNotFound)
	other.CheckQuiet()
	other.Navigate(s.on("a.example", "/echo"))
	wantEqual(t, "the answer to another visitor", other.Text("body"), "a.example:"+s.port+" , en-US,en;q=0.9, cookie \"\"")
}

func TestKeysAndScripts(t *testing.T) {
	s := serve(t)
	s.page("/script", "script-src 'unsafe-inline'", `<button>Count</button><output></output><script>
		let n = 0
		document.querySelector("button").onclick = () => setTimeout(() => document.querySelector("output").textContent = ++n)
	</script>`)
	p := browser.Open(t).Page(t)
	p.Navigate(s.on("a.example", "/script"))
	p.Press(kb.Tab + kb.Enter)
	p.Wait(`document.querySelector("output").textContent == "1"`)
	p.WaitVisible("output")
	p.Click("button")
	p.Wait(`document.querySelector("output").textContent == "2"`)
	var n []int
	p.Eval("Promise.resolve([n, n + 1])", &n)
	if !slices.Equal(n, []int{2, 3}) {
		t.Errorf("the script's variable is %v, want [2 3]", n)
	}
	p.Prefer("prefers-reduced-motion", "reduce")
	p.Prefer("prefers-color-scheme", "dark")
	p.Size(280, 500)
	var matches bool
	p.Eval(`matchMedia("(prefers-reduced-motion: reduce) and (prefers-color-scheme: dark) and (width: 280px)").matches`, &matches)
	wantEqual(t, "whether the preferences hold", matches, true)
	p.Prefer("prefers-color-scheme", "")
	p.Eval(`matchMedia("(prefers-color-scheme: dark)").matches`, &matches)
	wantEqual(t, "whether it is dark after that was taken back", matches, false)
}

func TestFrame(t *testing.T) {
	s := serve(t)
	s.page("/outer", "frame-src "+s.on("b.example", ""), `<p>outside</p><iframe src="`+s.on("b.example", "/inner")+`"></iframe>`)
	s.page("/inner", "script-src 'unsafe-inline'", `<p>inside</p><input><button onclick="
		document.querySelector('p').textContent = document.querySelector('input').value">Take</button>`)
	p := browser.Open(t).Page(t)
	p.Navigate(s.on("a.example", "/outer"))
	frame := p.Frame("iframe")
	wantEqual(t, "the frame's title", frame.Title(), "Page /inner")
	wantEqual(t, "the frame's address", frame.URL(), s.on("b.example", "/inner"))
	frame.Fill("input", "制裁 typed")
	frame.Click("button")
	frame.Wait(`document.querySelector("p").textContent != "inside"`)
	wantEqual(t, "the frame's text", frame.Text("p"), "制裁 typed")
	wantEqual(t, "the page's text", p.Text("p"), "outside")
	wantViolation(t, frame.Violations(), "label", "input")
	p.CheckQuiet("b.example:" + s.port)
	wantNotice(t, p.Notices(), browser.Foreign, s.on("b.example", "/inner"))
}

func TestNotices(t *testing.T) {
	s := serve(t)
	s.page("/alone", "frame-ancestors 'none'", "alone")
	tests := map[string]struct {
		csp, body string
		kind      browser.Kind
		text      string
	}{
		"an inline script":      {"script-src 'none'", "<script>1</script>", browser.CSP, "script-src-elem"},
		"an inline style":       {"style-src 'none'", `<p style="color: red">`, browser.CSP, "style-src-attr"},
		"a picture":             {"img-src 'none'", `<img alt="" src="/picture">`, browser.CSP, s.on("a.example", "/picture")},
		"a refused frame":       {"", `<iframe src="/alone"></iframe>`, browser.CSP, "frame-ancestors"},
		"an error":              {"", `<script>console.error("it is", {}, null, 7)</script>`, browser.Error, "it is Object null 7"},
		"an exception":          {"", `<script>throw new Error("thrown")</script>`, browser.Error, "thrown"},
		"a refused promise":     {"", `<script>Promise.reject(new Error("broken"))</script>`, browser.Error, "broken"},
		"a line in the console": {"", `<script>console.log("a line")</script>`, browser.Console, "a line"},
		"a missing picture":     {"", `<img alt="" src="/none.png">`, browser.Failed, "404 " + s.on("a.example", "/none.png")},
		"no answer":             {"", `<img alt="" src="http://a.example:1/">`, browser.Failed, "http://a.example:1/"},
		"a foreign picture":     {"", `<img alt="" src="` + s.on("b.example", "/form") + `">`, browser.Foreign, s.on("b.example", "/form")},
	}
	b := browser.Open(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := &recorder{TB: t}
			p := b.Page(r)
			path := "/" + strings.ReplaceAll(name, " ", "-")
			s.page(path, test.csp, test.body)
			p.Navigate(s.on("a.example", path))
			wantNotice(t, p.Notices(), test.kind, test.text)
			p.CheckQuiet()
			loud := strings.Contains(strings.Join(r.errors, "\n"), test.text)
			wantEqual(t, "whether CheckQuiet fails the test", loud, test.kind != browser.Console)
		})
	}
}

func wantNotice(t *testing.T, got []browser.Notice, kind browser.Kind, text string) {
	t.Helper()
	if !slices.ContainsFunc(got, func(n browser.Notice) bool { return n.Kind == kind && strings.Contains(n.Text, text) }) {
		t.Errorf("the notices are %v, want a %s with %q", got, kind, text)
	}
}

func TestAccessibility(t *testing.T) {
	s := serve(t)
	s.page("/bad", "default-src 'none'; style-src-attr 'unsafe-inline'",
		`<main><h1 style="background: white; color: #ddd">Pale</h1><input id="bare"></main>`)
	r := &recorder{TB: t}
	p := browser.Open(t).Page(r)
	p.Navigate(s.on("a.example", "/bad"))
	found := p.Violations()
	wantViolation(t, found, "color-contrast", "h1")
	wantViolation(t, found, "label", "#bare")
	p.CheckAccessible()
	for _, want := range []string{"color-contrast: ", ": h1", "label: ", ": #bare"} {
		if !strings.Contains(strings.Join(r.errors, "\n"), want) {
			t.Errorf("the test failed with %q, want %q in it", r.errors, want)
		}
	}
	var visible bool
	p.Eval("'axe' in window", &visible)
	wantEqual(t, "whether the page's scripts see axe-core", visible, false)
	p.CheckQuiet()

	p.Navigate(s.on("a.example", "/form"))
	p.Prefer("prefers-color-scheme", "dark")
	wantViolation(t, p.Violations(), "color-contrast", "h1")
}

func wantViolation(t *testing.T, got []browser.Violation, id, target string) {
	t.Helper()
	if !slices.ContainsFunc(got, func(v browser.Violation) bool {
		return v.ID == id && !v.Unsure && v.Help != "" && slices.Contains(v.Targets, target)
	}) {
		t.Errorf("the violations are %v, want %s at %s", got, id, target)
	}
}

func TestScreenshot(t *testing.T) {
	s := serve(t)
	s.page("/high", "style-src-attr 'unsafe-inline'", `<body style="margin: 0; height: 1234px">制裁`)
	p := browser.Open(t).Page(t)
	p.Size(480, 320)
	p.Navigate(s.on("a.example", "/high"))
	path := filepath.Join(t.TempDir(), "new", "high.png")
	p.Screenshot(path)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	picture, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "the size", picture.Bounds().Size().String(), "(480,1234)")
}

func TestFailingSteps(t *testing.T) {
	s := serve(t)
	b := browser.Open(t)
	for want, step := range map[string]func(*browser.Page){
		"click on ##":     func(p *browser.Page) { p.Click("##") },
		"evaluate absent": func(p *browser.Page) { p.Eval("absent", nil) },
		"wait for absent": func(p *browser.Page) { p.Wait("absent") },
		"decode":          func(p *browser.Page) { p.Eval("'text'", new(int)) },
		"go to http":      func(p *browser.Page) { p.Navigate("http://a.example:1/") },
	} {
		r := &recorder{TB: t}
		r.do(func() {
			p := b.Page(r)
			p.Navigate(s.on("a.example", "/form"))
			step(p)
		})
		if r.result != "failed" || !strings.Contains(fmt.Sprint(r.reason...), want) {
			t.Errorf("the test %s with %v, want failed with %q", r.result, r.reason, want)
		}
	}
}

func TestWithoutBrowser(t *testing.T) {
	t.Setenv("PATH", "")
	for ci, want := range map[string]string{"": "skipped", "true": "failed"} {
		t.Setenv("CI", ci)
		r := &recorder{TB: t}
		r.do(func() { browser.Open(r) })
		var reason error
		if len(r.reason) == 1 {
			reason, _ = r.reason[0].(error)
		}
		if r.result != want || !errors.Is(reason, engines.ErrUnavailable) {
			t.Errorf("without a browser, CI=%q: the test %s with %v, want %s with %v", ci, r.result, r.reason, want, engines.ErrUnavailable)
		}
	}
}

// recorder is a test that keeps how it went.
type recorder struct {
	testing.TB
	errors []string
	result string
	reason []any
}

// do runs what may end the test.
func (r *recorder) do(f func()) {
	var ended sync.WaitGroup
	ended.Go(f)
	ended.Wait()
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) { r.end("failed", fmt.Sprintf(format, args...)) }
func (r *recorder) Fatal(args ...any)                 { r.end("failed", args...) }
func (r *recorder) Skip(args ...any)                  { r.end("skipped", args...) }

func (r *recorder) end(result string, reason ...any) {
	r.result, r.reason = result, reason
	runtime.Goexit()
}
