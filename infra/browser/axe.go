package browser

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/listward/listward/infra/engines"
)

// audit runs axe-core over one document; those in frames are audited by themselves.
// Beside the rules that axe-core applies of its own accord it applies the one of
// WCAG 2.2 AA. It loads nothing, as that would be a request of the page.
const audit = `axe.run({
	iframes: false, preload: false, elementRef: false,
	resultTypes: ["violations", "incomplete"],
	rules: {"target-size": {enabled: true}, "frame-tested": {enabled: false}},
}).then(found => [["violations", false], ["incomplete", true]].flatMap(([kind, unsure]) =>
	found[kind].map(rule => ({id: rule.id, help: rule.help, unsure, targets: rule.nodes.map(node => node.target.join(" "))}))))`

// Violation is a rule of axe-core that a document does not keep.
type Violation struct {
	// ID names the rule, Help says what it wants.
	ID, Help string
	// Targets are selectors of the elements that do not keep it.
	Targets []string
	// Unsure says that a person must look: axe-core could not decide.
	Unsure bool
}

func (v Violation) String() string {
	return fmt.Sprintf("%s: %s: %s", v.ID, v.Help, strings.Join(v.Targets, ", "))
}

// CheckAccessible fails the test with every violation of the document as it stands
// now, frames in it left out ([Page.Frame] is for these). What axe-core is not sure
// of is logged.
func (p *Page) CheckAccessible() {
	p.t.Helper()
	for _, v := range p.Violations() {
		if v.Unsure {
			p.t.Logf("accessibility, to be looked at: %s", v)
			continue
		}
		p.t.Errorf("accessibility: %s", v)
	}
}

// Violations returns what axe-core finds in the document, at the end that of which
// it is not sure. It runs in a JavaScript world of its own, which the page's
// scripts and its content security policy know nothing of. Where axe-core cannot
// be fetched, the test ends as at [Open].
func (p *Page) Violations() []Violation {
	p.t.Helper()
	file, err := engines.NPM(p.ctx, "infra/browser/axe", "axe-core/axe.min.js")
	engines.Need(p.t, err)
	axe, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	in := func(ctx context.Context, tab *chromedp.Target, root []*chromedp.Node) ([]Violation, error) {
		world, err := cdp.Call(ctx, tab, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{
			FrameID: root[0].FrameID, WorldName: "axe",
		})
		if err != nil {
			return nil, err
		}
		there := func(e *runtime.EvaluateParams) { e.ContextID = world.ExecutionContextID }
		if _, err := chromedp.Evaluate[chromedp.Void](string(axe), there)(ctx, tab); err != nil {
			return nil, err
		}
		return chromedp.Evaluate[[]Violation](audit, there, chromedp.EvalAwaitPromise)(ctx, tab)
	}
	return run(p, "audit the page", chromedp.QueryAfter(chromedp.CSS("html"), in, p.where("html")))
}
