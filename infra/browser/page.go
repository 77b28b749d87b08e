package browser

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Page is one tab, or one frame in it ([Page.Frame]). Selectors are CSS and mean
// the first element that they select; a method waits until there is one. What
// cannot be done fails the test at once, and so methods are for the test's own
// goroutine.
type Page struct {
	t      testing.TB
	ctx    context.Context
	record *record
	// frame selects the element whose document the page stands for; empty for the
	// tab itself.
	frame string
}

// run does one step of the test, or fails the test with what was to be done and
// what was told about the tab.
func run[T any](p *Page, what string, step chromedp.Action[T]) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	result, err := chromedp.Run(ctx, step)
	if err != nil {
		p.t.Fatalf("%s in %s: %v\n%v", what, cmp.Or(p.frame, "the page"), err, p.record.notices(nil))
	}
	return result
}

func (p *Page) do(what string, step chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	run(p, what, step)
}

// send sends a command of the protocol to the tab.
func send[P, R any](p *Page, what string, command cdp.Command[P, R], params P) {
	p.t.Helper()
	run(p, what, func(ctx context.Context, tab *chromedp.Target) (R, error) {
		return cdp.Call(ctx, tab, command, params)
	})
}

// Navigate loads an address, and returns when the page and what it needs are
// there, whatever the status. Its host is one that [Page.CheckQuiet] allows.
func (p *Page) Navigate(address string) {
	p.t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.record.allow(at.Host)
	p.do("go to "+address, chromedp.Navigate(address))
}

// Click clicks on an element as soon as it is visible. A click that loads another
// page is a [Page.Submit].
func (p *Page) Click(selector string) {
	p.t.Helper()
	p.do("click on "+selector, chromedp.Click(chromedp.CSS(selector), p.where(selector)))
}

// Submit clicks on a link or a form's button, and returns when the page that comes
// by it is loaded.
func (p *Page) Submit(selector string) {
	p.t.Helper()
	p.do("submit by "+selector, func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.RunResponse(ctx, chromedp.Click(chromedp.CSS(selector), p.where(selector)))
		return chromedp.Void{}, err
	})
}

// Fill puts the text into a field in place of what is there, key by key. In a list
// of choices it picks the one that begins with the text.
func (p *Page) Fill(selector, text string) {
	p.t.Helper()
	p.WaitVisible(selector)
	call[chromedp.Void](p, "focus "+selector, selector, "function() { this.focus(); this.select?.() }")
	p.Press(kb.Backspace + text)
}

// Press presses keys, which go to the element that has the focus: text, or keys
// of package chromedp/kb such as kb.Tab.
func (p *Page) Press(keys string) {
	p.t.Helper()
	p.do(fmt.Sprintf("press %q", keys), chromedp.KeyEvent(keys))
}

// WaitVisible returns when an element is visible.
func (p *Page) WaitVisible(selector string) {
	p.t.Helper()
	p.do("see "+selector, chromedp.WaitVisible(chromedp.CSS(selector), p.where(selector)))
}

// Text returns the text of an element as soon as it is there, as it is rendered.
func (p *Page) Text(selector string) string {
	p.t.Helper()
	return run(p, "read "+selector, chromedp.Text(chromedp.CSS(selector), p.where(selector)))
}

// Title returns the title of the document.
func (p *Page) Title() string {
	p.t.Helper()
	return call[string](p, "read the title", "html", "function() { return document.title }")
}

// URL returns the address of the document.
func (p *Page) URL() string {
	p.t.Helper()
	return call[string](p, "read the address", "html", "function() { return document.URL }")
}

// Status returns the HTTP status of the tab's document, 0 before the first one.
func (p *Page) Status() int {
	return p.record.lastStatus()
}

// Eval evaluates a JavaScript expression among the scripts of the document, waits
// for a promise, and decodes the value into result as encoding/json does. A nil
// result drops the value. It is not subject to the content security policy.
func (p *Page) Eval(expression string, result any) {
	p.t.Helper()
	value := call[[]byte](p, "evaluate "+expression, "html", "function() { return ("+expression+"\n) }")
	if result == nil {
		return
	}
	if err := json.Unmarshal(value, result); err != nil {
		p.t.Fatalf("evaluate %s: decode %q: %v", expression, value, err)
	}
}

// Wait returns when a JavaScript expression is true, which it asks for every few
// milliseconds: that a text has come, that something is gone.
func (p *Page) Wait(expression string) {
	p.t.Helper()
	call[chromedp.Void](p, "wait for "+expression, "html", `function() {
		const look = (done, failed) => {
			try { (`+expression+`) ? done() : setTimeout(look, 5, done, failed) } catch (e) { failed(e) }
		}
		return new Promise(look)
	}`)
}

// call calls a function on an element, in the element's document.
func call[T any](p *Page, what, selector, function string) T {
	p.t.Helper()
	on := func(ctx context.Context, tab *chromedp.Target, nodes []*chromedp.Node) (T, error) {
		this, err := cdp.Call(ctx, tab, dom.ResolveNode, dom.ResolveNodeParams{NodeID: nodes[0].NodeID})
		if err != nil {
			var none T
			return none, err
		}
		return chromedp.CallFunctionOn[T](function, func(c *runtime.CallFunctionOnParams) {
			c.ObjectID, c.AwaitPromise = this.Object.ObjectID, new(true)
		})(ctx, tab)
	}
	return run(p, what, chromedp.QueryAfter(chromedp.CSS(selector), on, p.where(selector)))
}

// Size sets the size of the viewport in CSS pixels.
func (p *Page) Size(width, height int) {
	p.t.Helper()
	p.do("set the size", chromedp.EmulateViewport(int64(width), int64(height)))
}

// Prefer makes the visitor prefer something, from now on and for all documents:
// Prefer("prefers-color-scheme", "dark"), Prefer("prefers-reduced-motion", "reduce").
// An empty value takes it back.
func (p *Page) Prefer(feature, value string) {
	p.t.Helper()
	send(p, "prefer "+value, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: p.record.prefer(feature, value),
	})
}

// Headers are sent with every request from now on, in place of those of the
// calls before: Accept-Language for example.
func (p *Page) Headers(headers map[string]string) {
	p.t.Helper()
	sent := network.Headers{}
	for name, value := range headers {
		sent[name] = value
	}
	send(p, "set headers", network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: sent})
}

// Screenshot writes the whole page, beyond the viewport too, to a PNG file. It
// makes the folder.
func (p *Page) Screenshot(path string) {
	p.t.Helper()
	picture := run(p, "take a screenshot", chromedp.FullScreenshot(100))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, picture, 0o644)); err != nil {
		p.t.Fatal(err)
	}
}
