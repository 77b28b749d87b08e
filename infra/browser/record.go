package browser

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Kind is what a notice is about.
type Kind string

// The kinds of notices.
const (
	// Console is what scripts wrote to the console, at any level, and what the
	// browser wrote there about them.
	Console Kind = "console"
	// Error is an error in the console, or an exception that nothing caught.
	Error Kind = "error"
	// CSP is a violation of a content security policy, if only reported.
	CSP Kind = "csp"
	// Failed is a request without an answer, or with a status from 400 on, that
	// is not for the tab's own document.
	Failed Kind = "failed request"
	// Foreign is a request to a host that is not allowed.
	Foreign Kind = "foreign request"
)

// icon is what the browser asks for by itself, some time after the page. Whether
// there is one does not matter.
const icon = "/favicon.ico"

// Notice is one thing that a page did and a visitor does not see.
type Notice struct {
	Kind Kind
	Text string
}

func (n Notice) String() string { return string(n.Kind) + ": " + n.Text }

// CheckQuiet fails the test with every notice of the tab and its frames, since the
// tab was opened, but what was only written to the console. Requests may go to the
// hosts that Navigate was given, and to those named here, as host:port.
func (p *Page) CheckQuiet(hosts ...string) {
	p.t.Helper()
	for _, n := range p.Notices(hosts...) {
		if n.Kind != Console {
			p.t.Errorf("the page is not quiet: %s", n)
		}
	}
}

// Notices returns what has happened in the tab and its frames since it was opened.
// The hosts are those of [Page.CheckQuiet].
func (p *Page) Notices(hosts ...string) []Notice {
	p.t.Helper()
	// What the page has done by now is told before the answer to this.
	p.do("wait for the page", chromedp.Evaluate[chromedp.Void](
		"new Promise(done => requestAnimationFrame(() => setTimeout(done)))", chromedp.EvalAwaitPromise))
	return p.record.notices(hosts)
}

// record is what the browser told about a tab. The browser tells it while methods
// of the page run, and so there is a lock.
type record struct {
	main cdp.FrameID

	mu       sync.Mutex
	told     []Notice
	requests []*network.EventRequestWillBeSent
	hosts    []string
	status   int
	media    map[string]string
}

func (r *record) allow(host string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hosts = append(r.hosts, host)
}

func (r *record) lastStatus() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status
}

// prefer returns all media features with this one.
func (r *record) prefer(feature, value string) []*emulation.MediaFeature {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.media == nil {
		r.media = map[string]string{}
	}
	r.media[feature] = value
	var all []*emulation.MediaFeature
	for name, value := range r.media {
		all = append(all, &emulation.MediaFeature{Name: name, Value: value})
	}
	return all
}

// notices returns what was told, and which requests went to a host that is not
// allowed.
func (r *record) notices(hosts []string) []Notice {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := slices.Clone(r.told)
	for _, sent := range r.requests {
		to, err := url.Parse(sent.Request.URL)
		if err != nil || to.Host != "" && !slices.Contains(r.hosts, to.Host) && !slices.Contains(hosts, to.Host) {
			all = append(all, Notice{Foreign, sent.Request.URL})
		}
	}
	return all
}

// add takes in one event of the browser.
func (r *record) add(event any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		r.tell(level(string(e.Type)), written(e.Args))
	case *runtime.EventExceptionThrown:
		r.tell(Error, (&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error())
	case *log.EventEntryAdded:
		if e.Entry.Source == log.EntrySourceNetwork {
			return // told by the request
		}
		r.tell(level(string(e.Entry.Level)), string(e.Entry.Source)+": "+e.Entry.Text+" "+e.Entry.URL)
	case *audits.EventIssueAdded:
		if v := e.Issue.Details.ContentSecurityPolicyIssueDetails; v != nil {
			r.tell(CSP, fmt.Sprintf("%s forbids %s %s", v.ViolatedDirective, v.ContentSecurityPolicyViolationType, v.BlockedURL))
		}
	case *network.EventRequestWillBeSent:
		r.requests = append(r.requests, e)
	case *network.EventResponseReceived:
		r.answered(e)
	case *network.EventLoadingFailed:
		if address := r.address(e.RequestID); !e.Canceled && !strings.HasSuffix(address, icon) {
			r.tell(Failed, cmp.Or(e.ErrorText, "blocked: "+string(e.BlockedReason))+" "+address)
		}
	}
}

func (r *record) tell(kind Kind, text string) {
	r.told = append(r.told, Notice{kind, text})
}

// answered takes in the answer to a request. The status of the tab's own document
// is for the test to look at.
func (r *record) answered(e *network.EventResponseReceived) {
	switch {
	case e.Type == network.ResourceTypeDocument && e.FrameID == r.main:
		r.status = int(e.Response.Status)
	case e.Response.Status >= 400 && !strings.HasSuffix(e.Response.URL, icon):
		r.tell(Failed, fmt.Sprintf("%d %s", e.Response.Status, e.Response.URL))
	}
}

// address returns where a request went.
func (r *record) address(id network.RequestID) string {
	for _, sent := range slices.Backward(r.requests) {
		if sent.RequestID == id {
			return sent.Request.URL
		}
	}
	return ""
}

func level(name string) Kind {
	if name == "error" || name == "assert" {
		return Error
	}
	return Console
}

// written returns what a script wrote to the console: strings as they are, other
// values as JSON or, for objects, as the browser describes them.
func written(values []*runtime.RemoteObject) string {
	var all []string
	for _, v := range values {
		text := cmp.Or(v.Description, string(v.Value), string(v.Type))
		if v.Type == runtime.RemoteObjectTypeString && json.Unmarshal(v.Value, &text) != nil {
			text = string(v.Value)
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}
