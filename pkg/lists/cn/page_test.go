package cn_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists/cn"
)

// TestParseNoticeFindsTheHead: the title, number and dates in the ways in which
// pages show them. Each head stands over the same sentence.
func TestParseNoticeFindsTheHead(t *testing.T) {
	const title = "不可靠实体清单工作机制关于将甲公司、乙公司列入不可靠实体清单的公告"
	const fields = "\n【发布单位】安全与管制局\n【发布文号】不可靠实体清单工作机制公告〔2031〕4号\n【发文日期】2031年04月09日\n"
	for _, tt := range []struct {
		name, head, title string
		number            cn.Number
	}{
		{"number in its field only", title + fields, title, "UEL-2031-4"},
		{"fields in one line", title + strings.ReplaceAll(fields, "\n【", "【"), title, "UEL-2031-4"},
		{"full-width digits and blanks", title + "\n【发布文号】不可靠实体清单工作机制公告 〔２０３１〕 ４号\n【发文日期】２０３１年０４月０９日\n", title, "UEL-2031-4"},
		{"number in the title", "商务部公告2031年第４号 " + title, "商务部公告2031年第4号 " + title, "MOFCOM-2031-4"},
		{"number behind the title", title + "（不可靠实体清单工作机制公告〔2031〕4号）", title + "（不可靠实体清单工作机制公告〔2031〕4号）", "UEL-2031-4"},
		{"number in front of the title", "商务部令２０３１年第4号\n" + title, title, "ORDER-2031-4"},
		{"Chinese numerals", "中华人民共和国商务部令 二〇三一年第4号\n" + title, title, "ORDER-2031-4"},
		{"title in two parts", "不可靠实体清单工作机制关于将甲公司、乙公司\n列入不可靠实体清单的公告" + fields, title, "UEL-2031-4"},
		{"title broken in the list's name", "不可靠实体清单工作机制关于将甲公司、\n乙公司列入不可靠实体\n清单的公告" + fields, title, "UEL-2031-4"},
		{"title that seems whole", "不可靠实体清单工作机制关于将甲公司、乙公司列入不可靠实体清单\n的公告" + fields, strings.TrimSuffix(title, "的公告"), "UEL-2031-4"},
		{"title under the office's name", "不可靠实体清单工作机制\n" + strings.TrimPrefix(title, "不可靠实体清单工作机制") + fields, strings.TrimPrefix(title, "不可靠实体清单工作机制"), "UEL-2031-4"},
	} {
		text := tt.head + "\n2031年 第4号\n决定将甲公司（Alpha）、乙公司（Beta）列入不可靠实体清单。\n2031年4月9日"
		for form, n := range map[string]cn.Notice{"text": parse(t, text), "page": parse(t, webPage(text))} {
			if n.Title != tt.title || n.Number != tt.number || n.Published != "2031-04-09" || len(n.Parties) != 2 || len(n.Doubts) != 0 {
				t.Errorf("%s as %s: got %+v", tt.name, form, n)
			}
		}
	}
}

// A title of the notice stands in one element of several: lines break between
// blocks only.
func TestParseNoticeJoinsElements(t *testing.T) {
	page := pageHead + `<h1><span>商务部公告2031年第7号</span>&nbsp;<span>公布将2家外国实体</span>列入
出口管制管控名单</h1>
<div><span>【发文日期】2031年03月04日</span></div>
<p>决定将甲公司等2家外国实体列入<b>出口管制管控名单</b>（见附件）。</p><p>2031年3月4日</p><p>附&nbsp;件</p>
<p>1.&#160;<span>甲公司</span>（<i>Alpha&#160;Inc.</i>）</p><p>　　2.乙公司（<a href="https://beta.example/">Beta</a>）</p>` + pageFoot
	want := cn.Notice{
		Number: "MOFCOM-2031-7", Title: "商务部公告2031年第7号 公布将2家外国实体列入 出口管制管控名单", Program: cn.ECL,
		Published: "2031-03-04", Count: 2,
		Parties: []cn.Party{{Ordinal: 1, Name: "Alpha Inc.", Native: "甲公司"}, {Ordinal: 2, Name: "Beta", Native: "乙公司"}},
	}
	if diff := cmp.Diff(want, parse(t, page)); diff != "" {
		t.Errorf("ParseNotice (-want +got):\n%s", diff)
	}
}

// The links around an answer name notices too, and change nothing.
func TestParseNoticeLeavesOutLinks(t *testing.T) {
	want := parse(t, answer("停止商务部公告2031年第8号措施。"))
	got := parse(t, webPage(answer("停止商务部公告2031年第8号措施。")))
	if diff := cmp.Diff(want, got); diff != "" || len(got.Effects) != 1 {
		t.Errorf("answer (-text +page):\n%s", diff)
	}
	linked := strings.Replace(webPage(announcement("公布将1家实体列入关注名单", "")), "<p>附件下载</p>", `<p><a href="/a.pdf">附件：名单.pdf</a></p>`, 1)
	if n := parse(t, linked); len(n.Doubts) == 0 || len(n.Parties) != 0 {
		t.Errorf("notice with the annex in another file: %+v", n)
	}
}
