package cn_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"runtime"
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
<ul>` + strings.Join(rows, "\n") + others + `</ul><a href="/zcfb/blgg/gg/2030/">2030年</a></body></html>`
}

// others are the dated rows that make a page an index.
const others = `<li><a href="/1.html">甲</a><span>2031-03-03</span></li>
<li><a href="/2.html">乙</a><span>2031-03-02</span></li><li><a href="/3.html">丙</a><span>2031-03-01</span></li>`

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
		{"terms", `<dl><dt>` + link + `</dt><dd>2031-03-04</dd><dt>` + other + `</dt><dd>2031-03-03</dd></dl>`, "2031-03-04"},
		{"dates in front without rows", `<p>2031-03-04 ` + link + `</p><p>2031-03-03 ` + other + `</p>`, "2031-03-04"},
		{"date of elements", link + `<b>2031</b>年<b>3</b>月<b>4</b>日` + other, "2031-03-04"},
		{"date of a script", link + `<script>var day = "2031-03-04"</script><style>/* 2031-03-04 */</style>` + other, ""},
		{"elements without an end", `<li><p><b><i>` + link + `<span>2031-03-04<li>` + other, "2031-03-04"},
		{"a link without an end", `<li><a href="/a.html">` + indexed + `<li><a href="/b.html">其他</a>2031-03-04`, ""},
		{"attributes met twice", `<a href="/a.html" href="/b.html">` + indexed + `</a>`, ""},
		{"capitals", strings.NewReplacer("<a href", "<A HREF", "/a>", "/A>").Replace(link) + `<SPAN>2031-03-04</SPAN>` + other, "2031-03-04"},
	} {
		want := []cn.Link{{URL: "https://www.mofcom.gov.cn/a.html", Title: indexed, Published: tt.published}}
		if diff := cmp.Diff(want, links(t, tt.row+"<ul>"+others+"</ul>")); diff != "" {
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
		{"maintenance page", `<html><body>2031-03-04<a href="/">首页</a></body></html>`, cn.ErrIndex},
		{"links without dates", "<a href='/a'>x</a><a href='/b'>x</a><a href='/c'>x</a>", cn.ErrIndex},
		{"two dated links", strings.Replace(index(), "2031-03-02", "", 1), cn.ErrIndex},
		{"one dated link in many places", strings.NewReplacer("/2.", "/1.", "/3.", "/1.").Replace(index()), cn.ErrIndex},
		{"dated links elsewhere", strings.ReplaceAll(index(), `href="`, `href="https://example.com`), cn.ErrIndex},
		{"JSON without dates", `{"data":{"html":"<a href='/a'>x</a>"}}`, cn.ErrIndex},
		{"address without an end", index(row("/a?"+strings.Repeat("&", 2000), indexed)), cn.ErrIndex},
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

// TestParseIndexTellsArticlesByTheirDates: a page is an index by three dated links,
// wherever their dates stand.
func TestParseIndexTellsArticlesByTheirDates(t *testing.T) {
	for name, form := range map[string]string{
		"beside":                  `<li><a href="/%.html">x</a>2031-03-0%</li>`,
		"in the link":             `<li><a href="/%.html">x [2031-03-0%]</a></li>`,
		"in the address":          `<li><a href="/2031-03-0%/x.html">x</a></li>`,
		"in folders":              `<li><a href="/2031/03/0%/x.html">x</a></li>`,
		"in the address, compact": `<li><a href="/t2031030%_1.html">x</a></li>`,
	} {
		page := ""
		for _, digit := range []string{"1", "2", "3"} {
			page += strings.ReplaceAll(form, "%", digit)
		}
		if found := links(t, page); found != nil {
			t.Errorf("%s: found %v", name, found)
		}
	}
	dated := links(t, index(`<li><a href="/2031/0304/art.html">`+indexed+`</a></li>`))
	if len(dated) != 1 || dated[0].Published != "2031-03-04" {
		t.Errorf("a date in the address: %v", dated)
	}
}

func TestParseIndexNamesAnAddressThatIsTooLong(t *testing.T) {
	const host = "https://www.mofcom.gov.cn"
	longest := "/" + strings.Repeat("a", 300-len(host)-1)
	if found := links(t, index(row(longest, indexed), row(longest+"a", "其他"))); len(found) != 1 || found[0].URL != host+longest {
		t.Errorf("an address of 300 bytes: %v", found)
	}
	found, err := cn.ParseIndex(strings.NewReader(index(row(longest+"a", indexed))), &indexPage)
	if !errors.Is(err, cn.ErrIndex) || !strings.Contains(err.Error(), host+"/aaa") || found != nil {
		t.Errorf("an address of 301 bytes: %v, %v, want ErrIndex with the address", found, err)
	}
}

// TestParseIndexNeedsLittleMemory: elements that are never closed stand in each
// paragraph below them, if a tree is built.
func TestParseIndexNeedsLittleMemory(t *testing.T) {
	var open strings.Builder
	for i := range 400 {
		fmt.Fprintf(&open, "<b i=%d>", i)
	}
	for open.Len() < 128<<10 {
		open.WriteString("<p>a</p>")
	}
	page := index(row("/a.html", indexed)) + open.String()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found := links(t, page)
	runtime.ReadMemStats(&after)
	const most = 4 << 20
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > most || len(found) != 1 {
		t.Errorf("%d links of a page of %d bytes took %d bytes, want one and at most %d", len(found), len(page), allocated, most)
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
