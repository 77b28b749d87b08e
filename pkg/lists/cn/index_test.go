package cn_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/lists/cn"
)

var indexPage = url.URL{Scheme: "https", Host: "www.mofcom.gov.cn", Path: "/zcfb/blgg/gg/2031/index.html"}

// row is one entry of an index, as most pages show it.
func row(href, title string) string {
	return `<li><a href="` + href + `" target="_blank">` + title + `</a><span>[2031-03-04]</span></li>`
}

func index(rows ...string) string {
	return `<!DOCTYPE html><html><head><title>公告</title></head><body><nav><a href="/">首页</a><a href="/bkgl/">不可靠实体清单</a></nav>
<ul>` + strings.Join(rows, "\n") + `</ul><a href="/zcfb/blgg/gg/2030/">2030年</a></body></html>`
}

func links(t *testing.T, page string) []cn.Link {
	t.Helper()
	found, err := cn.ParseIndex(strings.NewReader(page), &indexPage)
	if err != nil {
		t.Fatalf("ParseIndex(%s): %v", page, err)
	}
	return found
}

const indexed = "商务部公告2031年第7号 公布将2家外国实体列入出口管制管控名单"

func TestParseIndexReadsPagesAndJSON(t *testing.T) {
	page := index(
		row("art/2031/art_b.html", "商务部公告2031年第8号 关于稀土出口管制的公告"),
		row("art/2031/art_a.html", indexed),
		row("/zcfb/blgg/gg/2031/art/2031/art_a.html", indexed+"（重复）"),
		row("http://aqygzj.mofcom.gov.cn:80/c.html?id=1#top", "关于暂停17家实体不可靠实体清单措施答记者问"))
	want := []cn.Link{
		{URL: "https://www.mofcom.gov.cn/zcfb/blgg/gg/2031/art/2031/art_a.html", Title: indexed, Published: "2031-03-04"},
		{URL: "https://aqygzj.mofcom.gov.cn/c.html?id=1", Title: "关于暂停17家实体不可靠实体清单措施答记者问", Published: "2031-03-04"},
	}
	if diff := cmp.Diff(want, links(t, page)); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
	answer, err := json.Marshal(map[string]any{"code": 200, "data": map[string]any{"html": page}})
	if err != nil {
		t.Fatal(err)
	}
	for form, text := range map[string]string{"JSON": string(answer), "JSON with a byte order mark": "\ufeff\n" + string(answer)} {
		if diff := cmp.Diff(want, links(t, text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", form, diff)
		}
	}
}

func TestParseIndexReadsRows(t *testing.T) {
	const link = `<a href="/a.html">` + indexed + `</a>`
	const other = `<a href="/b.html">其他</a>`
	for _, tt := range []struct{ name, row, published string }{
		{"date behind", link + `<span>2031-03-04</span>` + other, "2031-03-04"},
		{"date in front", `<li><span>2031/3/4</span>` + link + `</li><li><span>2031/3/3</span>` + other + `</li>`, "2031-03-04"},
		{"date in the link", `<a href="/a.html"><p>` + indexed + `</p><span>【2031-03-04】</span></a>` + other, "2031-03-04"},
		{"date beside the link's element", `<li><div><b>` + link + `</b></div><div>2031年3月4日</div></li>`, "2031-03-04"},
		{"cells", `<table><tr><td>` + link + `</td><td>2031.03.04</td></tr><tr><td>` + other + `</td><td>2031.03.03</td></tr></table>`, "2031-03-04"},
		{"a link to the column", `<ul><li><a href="/c/">[公告]</a>` + link + `<i>2031-03-04</i></li></ul>`, "2031-03-04"},
		{"date of another row", `<ul><li>` + link + `</li><li>` + other + `<span>2031-03-03</span></li></ul>`, ""},
		{"date of all rows", `<div>` + link + other + `</div><div>2031-03-05</div>`, ""},
		{"no real day", link + `<span>2031-02-30</span>`, ""},
		{"title cut short", `<a href="/a.html" title=" ` + indexed + `">商务部公告2031年第7号　公布将…</a>`, ""},
		{"image beside the title", `<a href="/a.html"><img src="/a.png"></a>` + link, ""},
		{"full-width digits", strings.ReplaceAll(link, "2031", "２０３１"), ""},
	} {
		want := []cn.Link{{URL: "https://www.mofcom.gov.cn/a.html", Title: indexed, Published: tt.published}}
		if diff := cmp.Diff(want, links(t, tt.row)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestParseIndexFiltersTitles(t *testing.T) {
	for title, want := range map[string]bool{
		"关于将甲公司列入不可靠实体清单的公告":            true,
		"公布将20家实体列入关注名单":                true,
		"关于对甲公司等三家企业采取不可靠实体清单措施的公告":     true,
		"商务部令2031年第5号 关于对两家机构采取反制措施的决定": true,
		"关于对甲集团启动不可靠实体清单调查的公告":          true,
		"关于将甲公司移出不可靠实体清单的公告":            true,
		"商务部新闻发言人就暂停不可靠实体清单措施答记者问":      true,
		"就继续暂停28家美国实体有关措施答记者问":          true,
		"就恢复出口管制管控名单措施答记者问":             true,
		"关于停止、取消或撤销反制措施的公告":             true,
		"商务部新闻发言人就调整关注名单答记者问":           true,

		"商务部公告2031年第8号 公布取消商务部公告2031年第7号措施":  true,
		"商务部公告2031年第8号 关于调整进口钢管反倾销措施的公告":     false,
		"商务部公告2031年第8号 公布暂停商务部公告2031年第7号第二款": false,
		"商务部新闻发言人就某国暂停实体清单规则措施答记者问":          false,
		"不可靠实体清单规定":          false,
		"不可靠实体清单":            false,
		"关于调整稀土出口管制的公告":      false,
		"关于对原产于某国的钢管采取措施的公告": false,
		"列入": false,
	} {
		if got := len(links(t, index(row("/a.html", title)))) == 1; got != want {
			t.Errorf("%s: kept %t, want %t", title, got, want)
		}
	}
}

func TestParseIndexStaysWithTheMinistry(t *testing.T) {
	for href, want := range map[string]string{
		"https://mofcom.gov.cn/a":                 "https://mofcom.gov.cn/a",
		"//EXPORTCONTROL.mofcom.gov.cn/a":         "https://exportcontrol.mofcom.gov.cn/a",
		" /a b.html ":                             "https://www.mofcom.gov.cn/a%20b.html",
		"https://user:secret@www.mofcom.gov.cn/a": "https://www.mofcom.gov.cn/a",
		"https://example.com/a":                   "",
		"//example.com/a":                         "",
		"https://evilmofcom.gov.cn/a":             "",
		"https://mofcom.gov.cn.example.com/a":     "",
		"https://www.mofcom.gov.cn@example.com/a": "",
		"https://www.mofcom.gov.cn./a":            "",
		"javascript:void(0)":                      "",
		"ftp://www.mofcom.gov.cn/a":               "",
		"https://[::1/a":                          "",
	} {
		got := ""
		if found := links(t, index(row(href, indexed))); len(found) == 1 {
			got = found[0].URL
		}
		if got != want {
			t.Errorf("%q: address %q, want %q", href, got, want)
		}
	}
}

func TestParseIndexRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, page string
		want       error
	}{
		{"empty", "", cn.ErrIndex},
		{"page without links", "<html><body>503 <a name='top'>x</a></body></html>", cn.ErrIndex},
		{"shell", `<html><script>load("<a href='/a'>x</a>")</script></html>`, cn.ErrIndex},
		{"JSON of an error", `{"code":500,"msg":"x"}`, cn.ErrIndex},
		{"JSON with other data", `{"data":"<a href='/a'>x</a>"}`, cn.ErrIndex},
		{"JSON without links", `{"data":{"html":""}}`, cn.ErrIndex},
		{"cut JSON", `{"data":{"html":"<a href='/a'>`, cn.ErrIndex},
		{"no UTF-8", "<a href='/a'>\xb9\xab</a>", cn.ErrIndex},
		{"nested too deep", "<a href='/a'>" + strings.Repeat("<div>", 10_000), cn.ErrIndex},
		{"too large", index() + strings.Repeat(" ", 2<<20), lists.ErrTooLarge},
	} {
		found, err := cn.ParseIndex(strings.NewReader(tt.page), &indexPage)
		if !errors.Is(err, tt.want) || found != nil {
			t.Errorf("%s: ParseIndex returned %v, %v, want error %v", tt.name, found, err, tt.want)
		}
	}
	if found := links(t, index()); found != nil {
		t.Errorf("index without a notice: %v", found)
	}
}

func TestLinkNumber(t *testing.T) {
	for title, want := range map[string]cn.Number{
		indexed: "MOFCOM-2031-7",
		"不可靠实体清单工作机制公告〔2031〕4号 关于将甲公司移出不可靠实体清单的公告": "UEL-2031-4",
		"中华人民共和国商务部令2031年第5号 关于对两家机构采取反制措施的决定":     "ORDER-2031-5",
		"关于将甲公司列入不可靠实体清单的公告（不可靠实体清单工作机制〔2031〕4号）":  "UEL-2031-4",
		"关于暂停商务部公告2031年第7号出口管制管控名单措施的公告":           "",
		"商务部新闻发言人就商务部公告2031年第7号列入出口管制管控名单答记者问":     "",
		"不可靠实体清单工作机制关于将甲公司列入不可靠实体清单的公告":            "",
	} {
		if got := (cn.Link{Title: title}).Number(); got != want {
			t.Errorf("%s: number %q, want %q", title, got, want)
		}
	}
}

func TestIndexes(t *testing.T) {
	addresses := cn.Indexes(2031)
	if len(addresses) != 5 || addresses[0] != indexPage.String() {
		t.Errorf("Indexes(2031) = %q, want five, the first %s", addresses, indexPage.String())
	}
	for _, address := range addresses {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "https" || !strings.HasSuffix(u.Hostname(), ".mofcom.gov.cn") {
			t.Errorf("address %q, error %v", address, err)
		}
	}
	bureau := slices.IndexFunc(addresses, func(a string) bool { return strings.Contains(a, "aqygzj") })
	u, err := url.Parse(addresses[max(bureau, 0)])
	if err != nil || u.Query().Get("tagId") != "信息列表" || u.Query().Get("paramJson") != `{"pageNo":1,"pageSize":99999}` {
		t.Errorf("address of the bureau %s, error %v", u, err)
	}
}
