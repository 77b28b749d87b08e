package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/listward/listward/infra/browser"
	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/objects/dir"
	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/snapshot"
)

// customers is a web server for the pages of customers, by whatever host it is called.
// Each page frames the search box with a key, and takes the height that it tells.
func customers(t *testing.T, box string) (port string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		sandbox := ""
		if r.URL.Path == "/sandbox" { // as the README has it
			sandbox = ` sandbox="allow-scripts allow-same-origin allow-popups"`
		}
		fmt.Fprintf(w, `<!DOCTYPE html><html lang="en"><title>A customer</title><link rel="icon" href="data:,"><h1>A customer</h1>
<iframe id="box"%s src="%s/embed?%s" title="Sanctions search" width="100%%" height="480"></iframe>
<script>addEventListener("message", (e) => {
  const frame = document.getElementById("box");
  if (e.source === frame.contentWindow && e.origin === %q && e.data.type === "listward-height") frame.height = e.data.height;
});</script>`, sandbox, box, strings.ReplaceAll(r.URL.RawQuery, "&", "&amp;"), box)
	}))
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

// boxes are search boxes in a browser: of a stack, with a key that is locked to sites.
type boxes struct {
	running
	chromium *browser.Browser
	key, id  string
	port     string // of the customers' pages
}

// TestSearchBoxInABrowser shows the box in pages on different hosts.
func TestSearchBoxInABrowser(t *testing.T) {
	c := testConfig(t, sampleLists)
	b := boxes{chromium: browser.Open(t), running: runStack(t, c)}
	b.key, b.id = b.newKey(t, c, "shop.example", "*.shops.example")
	b.port = customers(t, b.url)

	t.Run("allowed sites", b.onAllowedSites)
	t.Run("in a sandbox", func(t *testing.T) { b.searchInBox(t, b.site(t, "shop.example", "sandbox").Frame("#box")) })
	t.Run("the last name counts", b.lastNameCounts)
	t.Run("a token that has ended", b.renewsItsToken)
	t.Run("other sites", b.onOtherSites)
	t.Run("looks", func(t *testing.T) {
		for _, lang := range []string{"en", "zh"} {
			for _, scheme := range []string{"light", "dark"} {
				for _, width := range []int{280, 480, 1024} {
					b.lookAtBox(t, b.chromium.Page(t), b.key, lang, scheme, width)
				}
			}
		}
	})
	t.Run("errors", func(t *testing.T) { b.boxInTrouble(t, c, b.chromium, b.key, b.id) })
}

// site opens a customer's page, which frames the box.
func (b boxes) site(t *testing.T, host, path string) *browser.Page {
	t.Helper()
	p := b.chromium.Page(t)
	p.Navigate("http://" + host + ":" + b.port + "/" + path + "?key=" + b.key + "&lang=en")
	return p
}

// alone opens the box outside a frame.
func (b boxes) alone(t *testing.T) *browser.Page {
	t.Helper()
	p := b.chromium.Page(t)
	p.Navigate(b.url + "/embed?key=" + b.key + "&lang=en")
	return p
}

func (b boxes) host() string { return strings.TrimPrefix(b.url, "http://") }

func (b boxes) onAllowedSites(t *testing.T) {
	for _, site := range []string{"shop.example", "a.b.shops.example"} {
		p := b.site(t, site, "")
		b.searchInBox(t, p.Frame("#box"))
		p.CheckQuiet(b.host())
		var tall bool
		p.Eval(`document.getElementById("box").height !== "480"`, &tall)
		if !tall {
			t.Error("the frame does not have the height that the box tells")
		}
	}
}

func (b boxes) lastNameCounts(t *testing.T) {
	p := b.alone(t)
	p.Fill("#name", "Zorblatt")
	p.Press(kb.Enter)
	p.Fill("#name", "Ramzan Kadyrov")
	p.Press(kb.Enter)
	p.Wait("document.getElementById('status').textContent === '1 match for “Ramzan Kadyrov”'")
}

func (b boxes) renewsItsToken(t *testing.T) {
	for what, script := range map[string]string{"by the clock": "ends = 0", "by another key": "token = token.slice(0, -4) + 'AAAA'"} {
		p := b.alone(t)
		p.Eval(script, nil)
		p.Fill("#name", "Ramzan Kadyrov")
		p.Click("#go")
		p.Wait("document.getElementById('status').textContent === '1 match for “Ramzan Kadyrov”'")
		t.Log("renewed a token that has ended", what)
	}
}

func (b boxes) onOtherSites(t *testing.T) {
	for _, site := range []string{"evil.example", "shops.example", "shop.example.evil.net", "evilshop.example"} {
		notices := b.site(t, site, "").Notices(b.host())
		refused := slices.ContainsFunc(notices, func(n browser.Notice) bool { return strings.Contains(n.Text, "frame-ancestors") })
		if !refused {
			t.Errorf("%s may frame the box: %v", site, notices)
		}
	}
}

// TestSearchBoxShowsText: whatever a list holds is shown as text, and names from right to
// left read so.
func TestSearchBoxShowsText(t *testing.T) {
	chromium := browser.Open(t)
	c := testConfig(t, sampleLists)
	if err := runStack(t, c).stop(); err != nil {
		t.Fatal(err)
	}
	markup := `Odd <script>document.title = "run"</script> "quoted" 'single' & <img src=x onerror="document.title='run'">`
	arabic := "شركة الاختبار"
	publishNames(t, c, markup, "Odd \u202etxt.exe\u202c name", arabic)
	s := runStack(t, c)
	key, _ := s.newKey(t, c)
	p := chromium.Page(t)
	p.Navigate(s.url + "/embed?key=" + key + "&lang=en")
	p.Fill("#name", "odd")
	p.Click("#go")
	p.Wait("document.getElementById('status').textContent === '2 matches for “odd”'")
	var title, first string
	var elements int
	p.Eval("document.title", &title)
	p.Eval("document.querySelector('#results h2').textContent", &first)
	p.Eval("document.querySelectorAll('#results script, #results img').length", &elements)
	if title != "Sanctions search" || first != markup || elements != 0 {
		t.Errorf("title %q, first name %q, %d elements of it", title, first, elements)
	}
	p.Fill("#name", arabic)
	p.Click("#go")
	p.Wait("document.getElementById('status').textContent.startsWith('1 match')")
	var direction string
	p.Eval("getComputedStyle(document.querySelector('#results h2')).direction", &direction)
	if direction != "rtl" {
		t.Errorf("an Arabic name reads %s", direction)
	}
	look(p, "box-arabic")
	p.CheckQuiet()
}

// publishNames puts a snapshot of entries with the names into service.
func publishNames(t *testing.T, c config, names ...string) {
	t.Helper()
	var list []sanction.Entry
	for i, text := range names {
		list = append(list, sanction.Entry{
			ID: fmt.Sprint("UN-", i), Source: sanction.UN, Type: sanction.Entity, Programs: []string{"<b>bold</b>"}, URL: "javascript:document.title='run'",
			Names: []sanction.Name{{Text: text, Kind: sanction.Primary}},
		})
	}
	file, err := snapshot.Build(list)
	if err != nil {
		t.Fatal(err)
	}
	store, err := dir.Open(c.objects())
	if err != nil {
		t.Fatal(err)
	}
	pointer, etag, err := edition.Read(t.Context(), store, "")
	if err != nil {
		t.Fatal(err)
	}
	pointer.Snapshot = edition.ID(file)
	if _, err := store.Put(t.Context(), edition.SnapshotName(pointer.Snapshot), file, objects.Always); err != nil {
		t.Fatal(err)
	}
	if err := edition.Write(t.Context(), store, pointer, etag); err != nil {
		t.Fatal(err)
	}
}

// newKey creates a key by the operator's command, and returns it and its id.
func (r running) newKey(t *testing.T, c config, domains ...string) (key, id string) {
	t.Helper()
	args := []string{"key", "create", demoAccount()}
	for _, d := range domains {
		args = append(args, "--domain", d)
	}
	var created struct{ Key, ID string }
	runCommand(t, c, &created, args...)
	return created.Key, created.ID
}

// searchInBox finds a name, a vessel by its number, and nothing.
func (r running) searchInBox(t *testing.T, box *browser.Page) {
	t.Helper()
	for _, tt := range []struct{ query, status, shows string }{
		{"Ramzan Kadyrov", "1 match for “Ramzan Kadyrov”", "KADYROV, Ramzan Akhmatovich"},
		{"IMO 9116412", "1 match for “IMO 9116412”", "ADRIAN DARYA 1"},
		{"Zorblatt Quuxington", "No match for “Zorblatt Quuxington” in the lists searched. This does not mean that a party is not sanctioned.", ""},
		{"?!", "Type a name with at least one letter or digit.", ""},
		{strings.Repeat("x", 201), "The name is too long: at most 200 characters.", ""},
	} {
		box.Fill("#name", tt.query)
		box.Click("#go")
		box.Wait(fmt.Sprintf("document.getElementById('status').textContent === %q", tt.status))
		if results := box.Text("#results"); !strings.Contains(results, tt.shows) || (tt.shows == "") != (results == "") {
			t.Errorf("%s shows %q", tt.query, results)
		}
	}
}

// lookAtBox has the box in one language, theme and width, with and without results.
func (r running) lookAtBox(t *testing.T, p *browser.Page, key, lang, scheme string, width int) {
	t.Helper()
	p.Size(width, 700)
	p.Prefer("prefers-color-scheme", scheme)
	p.Navigate(r.url + "/embed?key=" + key + "&lang=" + lang)
	p.CheckAccessible()
	p.Fill("#name", "bank")
	p.Click("#go")
	p.WaitVisible("#results li")
	look(p, fmt.Sprintf("box-%s-%s-%d", lang, scheme, width))
	var wide bool
	p.Eval("document.documentElement.scrollWidth > innerWidth", &wide)
	if wide {
		t.Errorf("%s %s: the box is wider than %d pixels", lang, scheme, width)
	}
	p.CheckQuiet()
}

// boxInTrouble: what visitors read when the day's calls are used up, the key is revoked,
// or the plan has ended, while the box is open and when it loads.
func (r running) boxInTrouble(t *testing.T, c config, chromium *browser.Browser, key, id string) {
	p := chromium.Page(t)
	p.Navigate(r.url + "/embed?key=" + key + "&lang=en")
	expect := func(message string) {
		t.Helper()
		p.Fill("#name", "bank")
		p.Click("#go")
		p.Wait(fmt.Sprintf("document.getElementById('status').textContent === %q", message))
		look(p, "box-trouble")
	}
	for r.useKey(t, key, "https://shop.example") == "200" {
	}
	expect("The searches of today are used up. There are new ones from 00:00 UTC.")
	runCommand(t, c, nil, "key", "revoke", demoAccount(), id)
	expect("The key of this search box is not valid. The owner of this site must replace it.")
	p.Navigate(r.url + "/embed?key=" + key + "&lang=zh")
	if p.Status() != http.StatusUnauthorized || !strings.Contains(p.Text("main"), "此搜索框的密钥无效") {
		t.Errorf("a revoked key: %d %s", p.Status(), p.Text("main"))
	}
	look(p, "box-sorry")
}
