package browser

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/chromedp"
)

// Frame returns the document of the frame that the selector selects, of whatever
// host: its methods look into that. What concerns the whole tab (Navigate, Size,
// Screenshot, the notices and the like) they do to the tab.
func (p *Page) Frame(selector string) *Page {
	frame := *p
	frame.frame = selector
	return &frame
}

// where says in which document a selector is looked up. A frame is looked up each
// time anew, because it is another node after it has loaded.
func (p *Page) where(selector string) chromedp.QueryOption {
	if p.frame == "" {
		return func(*chromedp.Selector) {}
	}
	return chromedp.ByFunc(func(ctx context.Context, tab *chromedp.Target, root *chromedp.Node) ([]cdp.NodeID, error) {
		document, err := inFrame(ctx, tab, root.NodeID, p.frame)
		if err != nil {
			return nil, err
		}
		return query(ctx, tab, document, selector)
	})
}

// errNoFrame says that there is no such frame yet; the query tries again.
var errNoFrame = errors.New("the frame is not there")

// inFrame returns the document of a frame, whose node the browser tells when it is
// asked to.
func inFrame(ctx context.Context, tab *chromedp.Target, root cdp.NodeID, selector string) (cdp.NodeID, error) {
	frame, err := query(ctx, tab, root, selector)
	if err != nil {
		return 0, err
	}
	if len(frame) == 0 {
		return 0, errNoFrame
	}
	described, err := cdp.Call(ctx, tab, dom.DescribeNode, dom.DescribeNodeParams{NodeID: frame[0], Pierce: new(true)})
	if err != nil {
		return 0, err
	}
	if described.Node.ContentDocument == nil {
		return 0, errNoFrame
	}
	pushed, err := cdp.Call(ctx, tab, dom.PushNodesByBackendIDsToFrontend, dom.PushNodesByBackendIDsToFrontendParams{
		BackendNodeIDs: []cdp.BackendNodeID{described.Node.ContentDocument.BackendNodeID},
	})
	if err != nil {
		return 0, err
	}
	return pushed.NodeIDs[0], nil
}

func query(ctx context.Context, tab *chromedp.Target, in cdp.NodeID, selector string) ([]cdp.NodeID, error) {
	found, err := cdp.Call(ctx, tab, dom.QuerySelector, dom.QuerySelectorParams{NodeID: in, Selector: selector})
	if err != nil || found.NodeID == 0 {
		return nil, err
	}
	return []cdp.NodeID{found.NodeID}, nil
}
