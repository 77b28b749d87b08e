// Package browser drives headless Chromium, so that tests see our pages as a
// visitor does: with the scripts, the content security policy, the frames and the
// keyboard of a real browser.
//
// A test calls [Open] and [Browser.Page], and says what a visitor does. Whatever
// does not come about within fifteen seconds fails the test. Every host name leads
// to 127.0.0.1, so that a page of http://customer.example:port can hold a frame of
// http://listward.example:port; nothing can be reached beyond this machine.
// [Page.CheckQuiet] and [Page.CheckAccessible] hold for a page as it stands at the
// moment of the call.
package browser

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"

	"github.com/listward/listward/infra/engines"
)

// patience is how long a page may take for one step. On an idle machine it takes
// some 10 ms, and the start of Chromium a second.
const patience = 15 * time.Second

// flags are added to those of chromedp. Background services are off because they
// would look for Google's hosts, and the isolation of sites is off so that frames
// of another host are part of the page that holds them: what one origin may do to
// another, and what a content security policy forbids, stays the same.
func flags() map[string]any {
	return map[string]any{
		"headless":                      "new",
		"host-resolver-rules":           "MAP * 127.0.0.1",
		"no-proxy-server":               true,
		"ignore-certificate-errors":     true, // those of httptest
		"disable-gpu":                   true,
		"disable-quic":                  true,
		"disable-component-update":      true,
		"disable-site-isolation-trials": true,
		"disable-features":              "Translate,HttpsUpgrades,IsolateOrigins,SitePerProcess,site-per-process",
	}
}

// Browser is a Chromium that runs until the end of the test that opened it. It is
// safe for concurrent use.
type Browser struct {
	ctx context.Context
}

// Open starts a Chromium of its own, with a new profile, which is stopped at the
// end of the test. Where there is none the test is skipped, with CI=true in the
// environment it fails.
func Open(t testing.TB) *Browser {
	t.Helper()
	program, err := find()
	engines.Need(t, err)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program))
	for name, value := range flags() {
		options = append(options, chromedp.Flag(name, value))
	}
	// Not the test's context, which ends before the browser is to be stopped.
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := start(ctx, cancel); err != nil {
		t.Fatalf("start %s: %v", program, err)
	}
	return &Browser{ctx}
}

// find returns Chromium's program, or ErrUnavailable of package engines.
func find() (string, error) {
	names := []string{"chromium", "chromium-browser", "google-chrome"}
	for _, name := range names {
		if program, err := exec.LookPath(name); err == nil {
			return program, nil
		}
	}
	return "", fmt.Errorf("find a browser: %w: no %s in PATH", engines.ErrUnavailable, strings.Join(names, ", "))
}

// start starts the browser or opens the tab of a context. They live as long as the
// context that this is done with, so that it must have no deadline of its own.
func start(ctx context.Context, cancel context.CancelFunc) error {
	late := time.AfterFunc(patience, cancel)
	defer late.Stop()
	return chromedp.Do(ctx)
}

// Page opens an empty page of 1280 by 800 pixels for a test, at whose end it is
// closed. It has cookies and a cache of its own. A subtest opens its own page.
func (b *Browser) Page(t testing.TB) *Page {
	t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	if err := start(ctx, cancel); err != nil {
		t.Fatalf("open a page: %v", err)
	}
	record := &record{main: cdp.FrameID(chromedp.FromContext(ctx).Target.TargetID)}
	if err := chromedp.Listen(ctx, record.add); err != nil {
		t.Fatalf("listen to a page: %v", err)
	}
	p := &Page{t: t, ctx: ctx, record: record}
	send(p, "have violations told", audits.Enable, cdp.Empty{})
	p.Size(1280, 800)
	return p
}
