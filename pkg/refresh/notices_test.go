package refresh_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/fetch"
	"github.com/listward/listward/pkg/lists/cn"
	"github.com/listward/listward/pkg/sanction"
)

// ministry is the web as far as the Ministry's sites go: it counts what it is asked
// for, and every other publisher is out of order.
type ministry struct {
	// pages are by address; the index pages are those of cn.Indexes, and link all.
	pages map[string]string
	// titles are those of the links, by address.
	titles map[string]string
	mu     sync.Mutex // sources are read at once
	asked  []string
	down   bool
	away   string // the address of a page that redirects to another site
}

func newMinistry() *ministry {
	return &ministry{pages: map[string]string{}, titles: map[string]string{}}
}

// publish adds a notice and its link.
func (m *ministry) publish(title, text string) (address string) {
	address = fmt.Sprintf("https://www.mofcom.gov.cn/zcfb/blgg/art/2026/art_%032x.html", len(m.pages)+1)
	m.pages[address], m.titles[address] = text, title
	return address
}

func (m *ministry) RoundTrip(r *http.Request) (*http.Response, error) {
	address := r.URL.String()
	m.mu.Lock()
	m.asked = append(m.asked, address)
	m.mu.Unlock()
	text, status := m.pages[address], http.StatusOK
	switch {
	case address == m.away:
		return &http.Response{StatusCode: http.StatusFound, Request: r, Body: http.NoBody,
			Header: http.Header{"Location": {"https://mofcom.gov.cn.evil.example/"}}}, nil
	case r.URL.Host == "mofcom.gov.cn.evil.example":
		text = m.pages[m.away]
	case m.down || !strings.HasSuffix(r.URL.Host, ".mofcom.gov.cn"):
		status = http.StatusForbidden
	case strings.Contains(address, "/api-gateway/"):
		text = `{"data": {"html": "` + others + `"}}`
	case text == "":
		text = m.index()
	}
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: http.Header{}, Request: r,
		Body: io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text))}, nil
}

// others are notices that bear on no list.
const others = "<li><a href='/a.html'>One</a><span>2026-11-18</span></li>" +
	"<li><a href='/b.html'>Two</a><span>2026-11-17</span></li><li><a href='/c.html'>Three</a><span>2026-11-16</span></li>"

func (m *ministry) index() string {
	page := "<html><body>" + others
	for address := range m.pages {
		page += fmt.Sprintf("<li><a href='%s' title='%s'>…</a><span>2026-11-19</span></li>", address, m.titles[address])
	}
	return page + "</body></html>"
}

// run refreshes from the web, of which only the Ministry answers.
func (m *ministry) run(b *bench) edition.State {
	b.t.Helper()
	m.asked = nil
	p, err := b.refresher(fetch.Web{Client: &http.Client{Transport: m}, Attempts: 1}).Run(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return p.State(sanction.CN)
}

// listing is a notice that puts parties on the export control list.
func listing(number, count int, parties ...string) (title, text string) {
	title = fmt.Sprintf("商务部公告2026年第%d号 公布将%d家外国实体列入出口管制管控名单", number, count)
	text = title + fmt.Sprintf("\n【发布文号】商务部公告2026年第%d号\n【发文日期】2026年11月19日\n"+
		"决定将甲公司等实体列入出口管制管控名单（见附件）。\n附件：名单\n商务部\n2026年11月19日\n附件\n", number)
	for i, party := range parties {
		text += fmt.Sprintf("%d. %s\n", i+1, party)
	}
	return title, text
}

func TestRegisterIsServedWithoutTheSites(t *testing.T) {
	b, m := newBench(t), newMinistry()
	m.down = true
	s := m.run(b)
	if s.Status != edition.Review || s.Entries < 100 || !strings.Contains(s.Detail, "new notices may be missing") || s.ListDate == "" {
		t.Errorf("state %+v, want the register's entries in review", s)
	}
}

func TestNewNoticeIsTakenIn(t *testing.T) {
	b, m := newBench(t), newMinistry()
	before := m.run(b)
	address := m.publish(listing(901, 2, "甲公司（Alpha Rotor Inc.）", "乙公司（Beta Rotor Inc.）"))
	s := m.run(b)
	if s.Entries != before.Entries+2 || s.ListDate != "2026-11-19" || !s.LastUpdated.Equal(b.now) {
		t.Errorf("state %+v, want 2 more entries than %d and the notice's date", s, before.Entries)
	}
	if ids := b.served(); !slices.Contains(ids, "CN-ECL-2026-901-1") || !slices.Contains(ids, "CN-ECL-2026-901-2") {
		t.Errorf("the notice's parties are not served: %v", ids[len(ids)-10:])
	}
	if again := m.run(b); slices.Contains(m.asked, address) || again.Entries != s.Entries {
		t.Errorf("the page was asked for again, or %d entries instead of %d", again.Entries, s.Entries)
	}
	m.pages = map[string]string{} // the page is gone: no delisting
	if gone := m.run(b); gone.Entries != s.Entries {
		t.Errorf("%d entries after the page is gone, want %d", gone.Entries, s.Entries)
	}
}

func TestNewChangeIsApplied(t *testing.T) {
	b, m := newBench(t), newMinistry()
	m.publish(listing(901, 1, "甲公司（Alpha Rotor Inc.）"))
	before := m.run(b)
	m.publish("商务部公告2026年第902号 公布取消商务部公告2026年第901号措施",
		"商务部公告2026年第902号 公布取消商务部公告2026年第901号措施\n【发布文号】商务部公告2026年第902号\n【发文日期】2026年11月20日\n"+
			"自2026年11月20日起，取消商务部公告2026年第901号措施。\n商务部\n2026年11月20日")
	if s := m.run(b); s.Entries != before.Entries-1 || slices.Contains(b.served(), "CN-ECL-2026-901-1") {
		t.Errorf("%d entries after one of %d was cancelled: %s", s.Entries, before.Entries, s.Detail)
	}
}

// TestDoubtfulNoticeIsNamed: what cannot be taken in without a person is reported
// with the notice's number, in every run, and nothing of it is served.
func TestDoubtfulNoticeIsNamed(t *testing.T) {
	b, m := newBench(t), newMinistry()
	before := m.run(b)
	m.publish(listing(901, 3, "甲公司（Alpha Rotor Inc.）", "乙公司（Beta Rotor Inc.）"))
	title, _ := listing(902, 1)
	m.publish(title, "<html><body>maintenance</body></html>")
	m.run(b)
	again := m.run(b)
	if again.Status != edition.Review || again.Entries != before.Entries {
		t.Errorf("state %+v, want review with %d entries", again, before.Entries)
	}
	if !strings.Contains(again.Detail, "MOFCOM-2026-901: not taken in") || !strings.Contains(again.Detail, "2026年第902号") {
		t.Errorf("the detail does not name the two notices: %s", again.Detail)
	}
	if !strings.Contains(b.log.String(), "MOFCOM-2026-30") {
		t.Error("the log does not name every doubt")
	}
}

// TestMendedPageIsTakenIn: what was not taken in is looked at again.
func TestMendedPageIsTakenIn(t *testing.T) {
	b, m := newBench(t), newMinistry()
	before := m.run(b)
	title, whole := listing(901, 2, "甲公司（Alpha Rotor Inc.）", "乙公司（Beta Rotor Inc.）")
	address := m.publish(title, strings.Split(whole, "2. ")[0])
	if s := m.run(b); s.Entries != before.Entries || !strings.Contains(s.Detail, "MOFCOM-2026-901") {
		t.Fatalf("half the notice: %+v", s)
	}
	m.pages[address] = whole
	if s := m.run(b); s.Entries != before.Entries+2 || strings.Contains(s.Detail, "MOFCOM-2026-901") {
		t.Errorf("the whole notice: %d entries after %d, %s", s.Entries, before.Entries, s.Detail)
	}
}

// TestSecondTextOfANotice: the same under another address is no news, and what says
// something else is a doubt.
func TestSecondTextOfANotice(t *testing.T) {
	b, m := newBench(t), newMinistry()
	_, one := listing(901, 1, "甲公司（Alpha Rotor Inc.）")
	_, two := listing(901, 2, "甲公司（Alpha Rotor Inc.）", "乙公司（Beta Rotor Inc.）")
	const untold = "公布将外国实体列入出口管制管控名单" // a title without the number
	m.publish(untold, one)
	before := m.run(b)
	m.publish(untold, one)
	if s := m.run(b); s.Entries != before.Entries || strings.Contains(s.Detail, "another text") {
		t.Errorf("the same text twice: %d entries after %d, %s", s.Entries, before.Entries, s.Detail)
	}
	m.publish(untold, two)
	if s := m.run(b); s.Entries != before.Entries || !strings.Contains(s.Detail, "MOFCOM-2026-901: another text of it says something else") {
		t.Errorf("another text: %d entries after %d, %s", s.Entries, before.Entries, s.Detail)
	}
}

// TestPageOfAnotherSite: the Ministry's pages are the Ministry's.
func TestPageOfAnotherSite(t *testing.T) {
	b, m := newBench(t), newMinistry()
	before := m.run(b)
	m.away = m.publish(listing(901, 1, "甲公司（Alpha Rotor Inc.）"))
	if s := m.run(b); s.Entries != before.Entries || !strings.Contains(s.Detail, "another site") {
		t.Errorf("%d entries after %d, %s", s.Entries, before.Entries, s.Detail)
	}
}

func TestEveryIndexIsRead(t *testing.T) {
	b, m := newBench(t), newMinistry()
	m.run(b)
	want := cn.Indexes(b.now.Year())
	if len(want) < 3 {
		t.Fatalf("only %d index pages are known", len(want))
	}
	for _, address := range want {
		if !slices.ContainsFunc(m.asked, func(a string) bool { return unescaped(a) == unescaped(address) }) {
			t.Errorf("%s was not read", address)
		}
	}
}

func unescaped(address string) string {
	r, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return address
	}
	return r.URL.Host + r.URL.Path + "?" + r.URL.Query().Encode()
}

// TestNoticesAreJudgedOneByOne: a text that became doubtful does not take the place
// of the one accepted before, and the others are not touched.
func TestNoticesAreJudgedOneByOne(t *testing.T) {
	const path = "cn/notices/mofcom-2026-901.txt"
	_, good := listing(901, 3, "甲公司（Alpha Rotor Inc.）", "乙公司（Beta Rotor Inc.）", "丙公司（Gamma Rotor Inc.）")
	_, fewer := listing(901, 3, "甲公司（Alpha Rotor Inc.）")
	for what, bad := range map[string]string{
		"fewer names than the title counts": fewer,
		"no closing date":                   strings.Replace(good, "商务部\n2026年11月19日\n", "", 1),
		"cut off":                           good[:len(good)/2],
		"cut in the title":                  good[:20],
		"empty":                             "",
		"a web page":                        "<html><body>maintenance</body></html>",
	} {
		b := newBench(t)
		before := b.mustRun(withNotice(t, path, good)).State(sanction.CN)
		ids := b.served()
		if before.Status != edition.OK || !slices.Contains(ids, "CN-ECL-2026-901-3") {
			t.Fatalf("the good text: %+v", before)
		}
		for range 2 {
			s := b.mustRun(withNotice(t, path, bad)).State(sanction.CN)
			if s.Status != edition.Review || !strings.Contains(s.Detail, path) {
				t.Errorf("%s: %s, %q, want review naming the file", what, s.Status, s.Detail)
			}
			if diff := cmp.Diff(ids, b.served()); diff != "" {
				t.Errorf("%s: what is served changed (-before +after):\n%s", what, diff)
			}
		}
		if s := b.mustRun(withNotice(t, path, good)).State(sanction.CN); s.Status != edition.OK {
			t.Errorf("%s: after the good text again: %s, %s", what, s.Status, s.Detail)
		}
	}
}

// TestGoneNoticeIsKept: a file that is gone from the folder takes nobody off the list.
func TestGoneNoticeIsKept(t *testing.T) {
	const path = "cn/notices/mofcom-2026-901.txt"
	_, text := listing(901, 1, "甲公司（Alpha Rotor Inc.）")
	b := newBench(t)
	b.mustRun(withNotice(t, path, text+"2. 乙公司（Beta Rotor Inc.）\n"))
	b.mustRun(withNotice(t, path, text))
	ids := b.served()
	for range 2 {
		s := b.mustRun(files(t, nil)).State(sanction.CN)
		if s.Status != edition.Review || !strings.Contains(s.Detail, path+" is gone") {
			t.Errorf("%s, %q, want review that names the file", s.Status, s.Detail)
		}
		if diff := cmp.Diff(ids, b.served()); diff != "" {
			t.Errorf("what is served changed (-before +after):\n%s", diff)
		}
	}
}

// TestFolderOfNotices: a file that is no notice is named and hides no other; a folder
// without a notice is refused.
func TestFolderOfNotices(t *testing.T) {
	b := newBench(t)
	whole := b.mustRun(files(t, nil)).State(sanction.CN)
	s := b.mustRun(withNotice(t, "cn/notices/a.html", "<html>503</html>")).State(sanction.CN)
	if s.Status != edition.Review || s.Entries != whole.Entries || !strings.Contains(s.Detail, "cn/notices/a.html") {
		t.Errorf("state %+v, want review that names the file", s)
	}
	empty := files(t, nil)
	for path := range empty {
		if strings.HasPrefix(path, "cn/") {
			delete(empty, path)
		}
	}
	empty["cn/notices/notices.csv"] = &fstest.MapFile{}
	if s := b.mustRun(empty).State(sanction.CN); s.Status != edition.Stale || s.Entries != whole.Entries || !strings.Contains(s.Detail, "there is none") {
		t.Errorf("state %+v, want stale: no notices", s)
	}
}

// withNotice is the sample with one more notice.
func withNotice(t *testing.T, path, text string) fstest.MapFS {
	t.Helper()
	folder := files(t, nil)
	folder[path] = &fstest.MapFile{Data: []byte(text)}
	return folder
}
