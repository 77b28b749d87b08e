package cn_test

import (
	"bytes"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists/cn"
	"github.com/listward/listward/pkg/sanction"
)

// checkLaws asserts what holds for every list that Fold returns.
func checkLaws(t *testing.T, list sanction.List) {
	t.Helper()
	ids := map[string]bool{}
	for _, e := range list.Entries {
		if ids[e.ID] || !strings.HasPrefix(e.ID, "CN-") || e.Source != sanction.CN {
			t.Errorf("%s: the id is met twice or of another source", e.ID)
		}
		ids[e.ID] = true
		if _, err := time.Parse(time.DateOnly, e.ListedOn); err != nil || !strings.HasPrefix(e.URL, "https://") {
			t.Errorf("%s: listed on %q, url %q", e.ID, e.ListedOn, e.URL)
		}
		for i, n := range e.Names {
			if strings.TrimSpace(n.Text) == "" || (n.Kind == sanction.Primary) != (i == 0) {
				t.Errorf("%s: name %d is %+v", e.ID, i, n)
			}
		}
	}
	if len(ids) == 0 {
		t.Error("a list without entries and without an error")
	}
}

// FuzzParseNotice: an error comes with nothing; whatever was read has a date and
// folds to a sound list, or to one without parties, which is an error.
func FuzzParseNotice(f *testing.F) {
	f.Add([]byte(announcement("公布将2家外国实体列入出口管制管控名单", "1. 甲公司（Alpha Inc.）\n-Alpha Inc.\n-Beta\n2．乙公司(Gamma）及其分支机构\n3.")))
	f.Add([]byte("<html><p>" + announcement("公布将实体列入关注名单", "1. 甲公司（Alpha）") + "</p>"))
	f.Add([]byte(prose("关于将甲集团列入不可靠实体清单的公告", "决定将参与的甲集团、乙公司（Beta）和丙公司列入不可靠实体清单。")))
	f.Add([]byte(answer("自2031年5月14日起，继续暂停不可靠实体清单工作机制〔2031〕7号、8号措施90天。")))
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := cn.ParseNotice(bytes.NewReader(text))
		if err != nil {
			if diff := cmp.Diff(cn.Notice{}, n); diff != "" {
				t.Errorf("ParseNotice(%q) returned a notice beside the error %v:\n%s", text, err, diff)
			}
			return
		}
		if _, err := time.Parse(time.DateOnly, n.Published); err != nil {
			t.Errorf("ParseNotice(%q): published %q", text, n.Published)
		}
		list, _, err := cn.Fold([]cn.Notice{n})
		if err == nil {
			checkLaws(t, list)
		} else if !cmp.Equal(list, sanction.List{}) {
			t.Errorf("Fold of %q returned a list beside the error %v", text, err)
		}
	})
}

// FuzzDamagedNotice: whatever byte of a notice is replaced, and wherever it is cut,
// no party is lost without a report.
func FuzzDamagedNotice(f *testing.F) {
	notices := wholeNotices()
	names := slices.Sorted(maps.Keys(notices))
	for i := range names {
		f.Add(byte(i), uint16(500), byte('*'), false)
		f.Add(byte(i), uint16(700), byte(0), true)
	}
	f.Fuzz(func(t *testing.T, which byte, position uint16, replacement byte, cut bool) {
		name := names[int(which)%len(names)]
		text := notices[name]
		at := int(position) % len(text)
		damaged, mayDiffer := text[:at]+string([]byte{replacement})+text[at+1:], 1
		if cut {
			damaged, mayDiffer = text[:at], 0
		}
		checkDamage(t, parse(t, text), damaged, mayDiffer, name)
	})
}

// FuzzParseIndex: an error comes with no links; every link is a plain address of the
// Ministry, met once, with a title and a real day or none.
func FuzzParseIndex(f *testing.F) {
	f.Add([]byte(index(row("/a.html", indexed), row("https://example.com/", indexed))))
	f.Add([]byte(`{"data":{"html":"<li><a href='//aqygzj.mofcom.gov.cn/b' title='将甲公司列入关注名单'>x</a>2031-03-04</li>` +
		strings.ReplaceAll(others, `"`, "'") + `"}}`))
	f.Add([]byte("<table><td>2031.3.4<a href='?q#f'>采取反制措施<p>2031-03-04" + others))
	f.Fuzz(func(t *testing.T, text []byte) {
		found, err := cn.ParseIndex(bytes.NewReader(text), &indexPage)
		if err != nil && found != nil {
			t.Errorf("ParseIndex(%q) returned links beside the error %v", text, err)
		}
		known := map[string]bool{}
		for _, link := range found {
			u, err := url.Parse(link.URL)
			if err != nil || u.Scheme != "https" || u.User != nil || u.Port() != "" || u.Fragment != "" ||
				!strings.HasSuffix("."+u.Hostname(), ".mofcom.gov.cn") {
				t.Errorf("ParseIndex(%q): address %q", text, link.URL)
			}
			if len(link.URL) > 300 || known[link.URL] || strings.TrimSpace(link.Title) == "" || strings.Contains(link.Title, "\n") {
				t.Errorf("ParseIndex(%q): %+v, met before: %t", text, link, known[link.URL])
			}
			known[link.URL] = true
			if _, err := time.Parse(time.DateOnly, link.Published); link.Published != "" && err != nil {
				t.Errorf("ParseIndex(%q): published %q", text, link.Published)
			}
		}
	})
}
