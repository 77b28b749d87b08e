package contract_test

import (
	"bytes"
	"encoding/json"
	"go/format"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/listward/listward/pkg/contract"
	"github.com/listward/listward/pkg/listing"
	"github.com/listward/listward/pkg/sanction"
)

// element is an element of the page.
type element struct{ *html.Node }

func readPage(t *testing.T) element {
	t.Helper()
	node, err := html.Parse(bytes.NewReader(contract.Page()))
	if err != nil {
		t.Fatal(err)
	}
	return element{node}
}

// all returns the elements below that have one of the tags, in their order.
func (e element) all(tags ...string) []element {
	var found []element
	for n := range e.Descendants() {
		if n.Type == html.ElementNode && slices.Contains(tags, n.Data) {
			found = append(found, element{n})
		}
	}
	return found
}

func (e element) attr(name string) string {
	for _, a := range e.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func (e element) text() string {
	var b strings.Builder
	for n := range e.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return strings.TrimSpace(b.String())
}

func (e element) texts(tags ...string) []string {
	var all []string
	for _, found := range e.all(tags...) {
		all = append(all, found.text())
	}
	return all
}

// TestPageShowsEveryOperation: method, path, the parameters with those of the body,
// and a request.
func TestPageShowsEveryOperation(t *testing.T) {
	d := read(t)
	sections := map[string]element{}
	for _, s := range readPage(t).all("section") {
		if id := s.attr("data-operation"); id != "" {
			sections[id] = s
		}
	}
	for _, o := range d.operations() {
		s, ok := sections[o.id]
		if !ok {
			t.Errorf("%s %s is not on the page", o.method, o.path)
			continue
		}
		if routes := s.texts("p"); !slices.Contains(routes, o.method+" "+o.path) {
			t.Errorf("%s: no line %s %s", o.id, o.method, o.path)
		}
		var want, got []string
		for name := range d.parameters(o) {
			if name != "If-None-Match" {
				want = append(want, name)
			}
		}
		for name := range d.at(o.object, "requestBody", "content", "application/json", "schema", "properties") {
			want = append(want, name)
		}
		for _, dt := range s.all("dt") {
			got = append(got, dt.texts("code")...)
		}
		if slices.Sort(want); !slices.Equal(want, slices.Sorted(slices.Values(got))) {
			t.Errorf("%s: parameters %q, want %q", o.id, got, want)
		}
		if pres := s.all("pre"); len(pres) == 0 || pres[0].attr("data-run") != "curl" {
			t.Errorf("%s: no request", o.id)
		}
		delete(sections, o.id)
	}
	for id := range sections {
		t.Errorf("the page shows %s, which is no operation", id)
	}
}

// TestPageNamesTheErrorsOfAnOperation: those that are not of every call.
func TestPageNamesTheErrorsOfAnOperation(t *testing.T) {
	d := read(t)
	ofEveryCall := []string{"401", "403", "429", "500", "503"}
	for _, s := range readPage(t).all("section") {
		for _, o := range d.operations() {
			if s.attr("data-operation") != o.id || o.object["security"] != nil {
				continue
			}
			var want, got []string
			for status, item := range d.at(o.object, "responses") {
				if parts, _ := d.at(item, "content", "application/json", "schema")["allOf"].([]any); len(parts) == 2 && !slices.Contains(ofEveryCall, status) {
					want = append(want, texts(d.at(parts[1], "properties", "error", "properties", "code")["enum"])...)
				}
			}
			for _, a := range s.all("a") {
				if code, ok := strings.CutPrefix(a.attr("href"), "#error-"); ok {
					got = append(got, code)
				}
			}
			if slices.Sort(want); len(want) == 0 || !slices.Equal(want, slices.Sorted(slices.Values(got))) {
				t.Errorf("%s: errors %q, want %q", o.id, got, want)
			}
		}
	}
}

func TestPageShowsEveryErrorCode(t *testing.T) {
	codes := read(t).errorCodes()
	for _, row := range readPage(t).all("tr") {
		code, ok := strings.CutPrefix(row.attr("id"), "error-")
		if !ok {
			continue
		}
		if cells := row.texts("th", "td"); len(cells) != 3 || cells[0] != code || cells[1] != strconv.Itoa(codes[code]) || cells[2] == "" {
			t.Errorf("row of %s: %q, want status %d", code, cells, codes[code])
		}
		delete(codes, code)
	}
	for code := range codes {
		t.Errorf("%s is not in the page's table", code)
	}
}

// TestPageShowsTheRulesAndFields of the document's schemas, in their order.
func TestPageShowsTheRulesAndFields(t *testing.T) {
	d := read(t)
	enum := func(name string) []string { return texts(d.at(d.root, "components", "schemas", name)["enum"]) }
	rows := map[string][]string{}
	for _, s := range readPage(t).all("section") {
		for _, th := range s.all("th") {
			if th.attr("scope") == "row" {
				rows[s.attr("id")] = append(rows[s.attr("id")], th.text())
			}
		}
	}
	for section, want := range map[string][]string{"matching": enum("Match"), "evidence": enum("Status")} {
		if !slices.Equal(rows[section], want) || len(want) == 0 {
			t.Errorf("%s: %q, want %q", section, rows[section], want)
		}
	}
	for _, schema := range []string{"ScreeningRow", "Entry"} {
		for field := range d.at(d.root, "components", "schemas", schema, "properties") {
			if !slices.Contains(rows["entry"], field) {
				t.Errorf("the field %s is not on the page", field)
			}
		}
	}
}

// TestPageSaysOfFilesWhatTheDocumentSays, part by part: evidence leads to them.
func TestPageSaysOfFilesWhatTheDocumentSays(t *testing.T) {
	d := read(t)
	for _, s := range readPage(t).all("section") {
		if s.attr("data-operation") != "snapshot" {
			continue
		}
		said := strings.ToLower(s.text())
		for name, property := range d.at(d.root, "components", "schemas", "PublisherFile", "properties") {
			description, _ := d.at(property)["description"].(string)
			parts := regexp.MustCompile(`[,.]( |$)`).Split(strings.ToLower(description), -1)
			for _, part := range append(parts, name) {
				if !strings.Contains(said, part) {
					t.Errorf("the page does not say of %s: %q", name, part)
				}
			}
		}
		return
	}
	t.Error("the page has no section on snapshots")
}

// TestPageShowsTheDocumentsAnswers: arrays may be cut where the caption says so.
func TestPageShowsTheDocumentsAnswers(t *testing.T) {
	d := read(t)
	answers := map[string][]any{}
	for _, o := range d.operations() {
		answers[o.id] = d.examples(d.at(o.object, "responses", "200", "content", "application/json"))
	}
	shown := 0
	for _, figure := range readPage(t).all("figure") {
		pre := figure.all("pre")[0]
		id := pre.attr("data-answer")
		if id == "" {
			continue
		}
		shown++
		var got any
		if err := json.Unmarshal([]byte(pre.text()), &got); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		cut := strings.Contains(figure.texts("figcaption")[0], "shortened")
		if !slices.ContainsFunc(answers[id], func(want any) bool { return shows(got, want, cut) }) {
			t.Errorf("the answer of %s is no example of the document", id)
		}
	}
	if shown != 7 {
		t.Errorf("the page shows %d answers, want 7", shown)
	}
}

// shows reports whether got is want, but for ends of arrays that are cut.
func shows(got, want any, cut bool) bool {
	switch want := want.(type) {
	case object:
		got, ok := got.(object)
		same := ok && len(got) == len(want)
		for key := range want {
			same = same && shows(got[key], want[key], cut)
		}
		return same
	case []any:
		got, ok := got.([]any)
		same := ok && len(got) <= len(want) && (len(got) == len(want) || cut && len(got) > 0)
		for i := 0; same && i < len(got); i++ {
			same = shows(got[i], want[i], cut)
		}
		return same
	}
	return got == want
}

func TestExamples(t *testing.T) {
	languages := map[string]int{}
	for _, e := range contract.Examples() {
		languages[e.Language]++
		if keyless := strings.Contains(e.Code, "/openapi.json") || strings.Contains(e.Code, "/docs"); !strings.Contains(e.Code, "LISTWARD_URL") || !keyless && !strings.Contains(e.Code, "LISTWARD_KEY") {
			t.Errorf("%s does not read address and key from the environment:\n%s", e.Language, e.Code)
		}
		if strings.Contains(e.Code, "&amp;") || strings.Contains(e.Code, "&lt;") {
			t.Errorf("%s is not unescaped:\n%s", e.Language, e.Code)
		}
		if e.Language == "go" {
			if formatted, err := format.Source([]byte(e.Code)); err != nil || string(formatted) != e.Code {
				t.Errorf("the Go example is not formatted: %v", err)
			}
		}
	}
	runs := 0
	for _, pre := range readPage(t).all("pre") {
		if pre.attr("data-run") != "" {
			runs++
		}
	}
	if total := len(contract.Examples()); total != runs || languages["curl"] < 10 || languages["go"] != 1 || languages["python"] != 2 || languages["javascript"] != 1 {
		t.Errorf("%d examples of %d on the page: %v", total, runs, languages)
	}
}

func TestPageNamesThePublishers(t *testing.T) {
	page := readPage(t)
	links := map[string]string{}
	for _, a := range page.all("a") {
		links[a.attr("href")] = a.text()
	}
	for _, source := range sanction.Sources() {
		p := listing.PublisherOf(source)
		if links[p.URL] != p.Title {
			t.Errorf("%s: %s is linked as %q, want %q", source, p.URL, links[p.URL], p.Title)
		}
		if p.Attribution != "" && !slices.Contains(page.texts("q"), p.Attribution) {
			t.Errorf("%s: no attribution %q", source, p.Attribution)
		}
	}
}

// TestPageLoadsNothing: it is one file, and leads only to itself, to the document and
// to publishers.
func TestPageLoadsNothing(t *testing.T) {
	page := readPage(t)
	if size := len(contract.Page()); size >= 64_000 {
		t.Errorf("the page has %d bytes, want less than 64,000", size)
	}
	if n := len(page.all("script", "img", "iframe", "object", "embed", "form", "base", "video", "audio", "source")); n > 0 {
		t.Errorf("%d elements that run, load or send something", n)
	}
	if style := page.all("style")[0].text(); regexp.MustCompile(`@import|url\(|src:`).MatchString(style) {
		t.Error("the style sheet loads something")
	}
	for _, link := range page.all("link") {
		if link.attr("href") != "data:," {
			t.Errorf("the page loads %s", link.attr("href"))
		}
	}
	ids := map[string]int{}
	for n := range page.Descendants() {
		if id := (element{n}).attr("id"); id != "" {
			ids[id]++
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "srcset" || a.Key == "style" {
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
		}
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("id %s is there %d times", id, n)
		}
	}
	publisher := regexp.MustCompile(`(^|\.)(treas\.gov|un\.org|europa\.eu|mofcom\.gov\.cn)$`)
	for _, a := range page.all("a") {
		href := a.attr("href")
		u, err := url.Parse(href)
		switch inside, ok := strings.CutPrefix(href, "#"); {
		case err != nil:
			t.Error(err)
		case ok && ids[inside] == 0:
			t.Errorf("%s leads nowhere", href)
		case !ok && href != "api/v1/openapi.json" && (u.Scheme != "https" || !publisher.MatchString(u.Host)):
			t.Errorf("%s is none of a publisher", href)
		}
	}
}

// TestPageIsAccessible holds what WCAG 2.2 AA asks for and can be read off the markup.
func TestPageIsAccessible(t *testing.T) {
	page := readPage(t)
	if page.all("html")[0].attr("lang") != "en" || page.all("title")[0].text() == "" {
		t.Error("no language or no title")
	}
	for _, landmark := range []string{"header", "nav", "main", "h1"} {
		if n := len(page.all(landmark)); n != 1 {
			t.Errorf("%d elements <%s>, want one", n, landmark)
		}
	}
	if skip := page.all("body")[0].all("a")[0]; skip.attr("href") != "#"+page.all("main")[0].attr("id") {
		t.Error("the first link does not skip to the main part")
	}
	level := 0
	for _, h := range page.all("main")[0].all("h1", "h2", "h3", "h4", "h5", "h6") {
		next := int(h.Data[1] - '0')
		if next > level+1 || h.text() == "" {
			t.Errorf("heading %q of level %d stands below one of level %d", h.text(), next, level)
		}
		level = next
	}
	for _, th := range page.all("th") {
		if scope := th.attr("scope"); scope != "col" && scope != "row" || th.text() == "" {
			t.Errorf("table header %q has scope %q", th.text(), scope)
		}
	}
	for _, pre := range page.all("pre") { // they scroll, so the keyboard must reach them
		if pre.attr("tabindex") != "0" {
			t.Errorf("no tabindex: %.40s", pre.text())
		}
	}
	for _, a := range page.all("a") {
		if a.text() == "" {
			t.Errorf("a link to %s without text", a.attr("href"))
		}
	}
	for _, e := range page.all("section", "nav") {
		if id := e.attr("aria-labelledby"); !strings.Contains(string(contract.Page()), `<h2 id="`+id+`">`) && !strings.Contains(string(contract.Page()), `<h3 id="`+id+`">`) {
			t.Errorf("<%s> is labelled by %q, which is no heading", e.Data, id)
		}
	}
}
