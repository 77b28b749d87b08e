package cn_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/lists/cn"
)

// announcement is a notice of the Ministry on the export control list whose annex
// holds the given lines.
func announcement(title, annex string) string {
	return "https://www.mofcom.gov.cn/a.html\n\n" + title + `
【发布单位】安全与管制局
【发布文号】商务部公告2031年第7号
【发文日期】2031年03月04日

决定将甲公司等实体列入出口管制管控名单（见附件），并采取以下措施：
一、禁止出口；正在开展的活动应当立即停止。
本公告自公布之日起正式实施。
附件：出口管制管控名单（2031年3月4日）

商务部
2031年3月4日

　　附件
出口管制管控名单
（2031年3月4日）

` + annex
}

// prose is a notice of the mechanism that names its parties in a sentence.
func prose(title, sentence string) string {
	return title + `
【发布文号】不可靠实体清单工作机制〔2031〕4号
【发文日期】2031年04月09日
公　 告
2031年 第4号
` + sentence + `
一、禁止上述企业在中国境内新增投资。
本公告自2031年4月10日12时01分起实施。
2031年4月9日`
}

// answer is an answer to the press.
func answer(text string) string {
	return "来源：商务部新闻办公室 2031-05-14 22:00\n\n商务部新闻发言人就调整不可靠实体清单措施答记者问\n" +
		"问：是否停止不可靠实体清单工作机制〔2031〕1号措施？\n答： " + text
}

func parse(t *testing.T, text string) cn.Notice {
	t.Helper()
	n, err := cn.ParseNotice(strings.NewReader(text))
	if err != nil {
		t.Fatalf("ParseNotice(%s): %v", text, err)
	}
	return n
}

func TestParseNoticeReadsEveryField(t *testing.T) {
	const title = "商务部公告2031年第7号 公布将2家外国实体列入出口管制管控名单"
	got := parse(t, announcement(title, "1. 甲公司（Alpha Inc.）\n2. 乙公司（Beta Inc.）"))
	want := cn.Notice{
		Number: "MOFCOM-2031-7", Title: title, Program: cn.ECL, Published: "2031-03-04", Count: 2,
		URLs: []string{"https://www.mofcom.gov.cn/a.html"},
		Parties: []cn.Party{
			{Ordinal: 1, Name: "Alpha Inc.", Native: "甲公司"},
			{Ordinal: 2, Name: "Beta Inc.", Native: "乙公司"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ParseNotice (-want +got):\n%s", diff)
	}
}

func TestParseNoticeReadsWebPages(t *testing.T) {
	const title = "商务部公告2031年第7号 公布将2家外国实体列入关注名单"
	text := announcement(title, "1. 甲公司（Alpha &amp; Sons）\n　2. 乙公司（Beta Inc.）")
	page := "<!DOCTYPE html><html><head><title>关于暂停的公告</title><script>列入名单的公告</script></head><body><div><p>" +
		strings.ReplaceAll(text, "\n", "</p>\n<p>") + "</p></div></body></html>"
	got := parse(t, page)
	want := parse(t, strings.ReplaceAll(text, "&amp;", "&"))
	if diff := cmp.Diff(want, got); diff != "" || got.Program != cn.Watch || len(got.Parties) != 2 {
		t.Errorf("page of programme %q (-text +page):\n%s", got.Program, diff)
	}
}

// An annex of which the end could be cut off is doubted in a text, and not in a
// page, which has an end tag.
func TestParseNoticeReadsAnnexes(t *testing.T) {
	for _, tt := range []struct {
		name, annex string
		open        bool
		want        []cn.Party
	}{
		{"mixed brackets, dots and blanks", "1. 甲公司(Alpha Inc.）\n2.乙公司（Beta  Inc.)\n3、丙公司（Gamma）\n4．丁公司（\u200cDelta）", false, []cn.Party{
			{Ordinal: 1, Name: "Alpha Inc.", Native: "甲公司"}, {Ordinal: 2, Name: "Beta Inc.", Native: "乙公司"},
			{Ordinal: 3, Name: "Gamma", Native: "丙公司"}, {Ordinal: 4, Name: "Delta", Native: "丁公司"}}},
		{"brackets in names", "1. 甲（中国）公司（Alpha (China) Ltd.）", false, []cn.Party{{Ordinal: 1, Name: "Alpha (China) Ltd.", Native: "甲（中国）公司"}}},
		{"joining words in names", "1. 甲和乙防务、空间与安全公司（Alpha, Beta & Sons）", false, []cn.Party{
			{Ordinal: 1, Name: "Alpha, Beta & Sons", Native: "甲和乙防务、空间与安全公司"}}},
		{"full-width digits", "１．甲公司（Alpha）\n２ 、　乙６公司（Beta 6）", false, []cn.Party{
			{Ordinal: 1, Name: "Alpha", Native: "甲公司"}, {Ordinal: 2, Name: "Beta 6", Native: "乙6公司"}}},
		{"branches of one name", "1. 甲及其同类研究院及其海外分支机构\n2. 乙及其同类研究院\n3. 丙公司（Gamma）", false, []cn.Party{
			{Ordinal: 1, Native: "甲及其同类研究院"}, {Ordinal: 2, Native: "乙及其同类研究院"}, {Ordinal: 3, Name: "Gamma", Native: "丙公司"}}},
		{"one name only", "1. 甲和乙公司\n2. Beta (UK) Ltd", true, []cn.Party{{Ordinal: 1, Native: "甲和乙公司"}, {Ordinal: 2, Name: "Beta (UK) Ltd"}}},
		{"stray number and addresses", "1. 甲公司（Alpha）\n地址：某路1号\n邮编：100000\n2.", false, []cn.Party{{Ordinal: 1, Name: "Alpha", Native: "甲公司"}}},
		{"subsidiaries, the first repeats the parent", "1. 甲公司（Alpha Inc.）及其分支机构\n　-Alpha Inc.\n　-Alpha Europe\n2. 乙公司（Beta）\n- 丙公司（Gamma）", true, []cn.Party{
			{Ordinal: 1, Name: "Alpha Inc.", Native: "甲公司"}, {Ordinal: 1, Sub: 2, Name: "Alpha Europe"},
			{Ordinal: 2, Name: "Beta", Native: "乙公司"}, {Ordinal: 2, Sub: 1, Name: "Gamma", Native: "丙公司"}}},
	} {
		listed := 0
		for _, party := range tt.want {
			listed = max(listed, party.Ordinal)
		}
		text := announcement(fmt.Sprintf("公布将%d家外国实体列入出口管制管控名单", listed), tt.annex)
		if diff := cmp.Diff(tt.want, parse(t, webPage(text)).Parties); diff != "" || len(parse(t, webPage(text)).Doubts) != 0 {
			t.Errorf("%s: page, doubts %q (-want +got):\n%s", tt.name, parse(t, webPage(text)).Doubts, diff)
		}
		var doubts []string
		if tt.open {
			doubts = []string{"nothing shows that the annex is whole"}
		}
		got := parse(t, text)
		if diff := cmp.Diff(tt.want, got.Parties); diff != "" || !slices.Equal(got.Doubts, doubts) {
			t.Errorf("%s: annex %q, doubts %q, want %q (-want +got):\n%s", tt.name, tt.annex, got.Doubts, doubts, diff)
		}
	}
}

// TestAnnexIsHeadedInTwoWays: the usual 附件, and 附 alone.
func TestAnnexIsHeadedInTwoWays(t *testing.T) {
	text := announcement("公布将2家外国实体列入出口管制管控名单", "1. 甲公司（Alpha）\n2. 乙公司（Beta）")
	for _, text := range []string{text, webPage(text)} {
		short := strings.ReplaceAll(text, "附件", "附")
		if short == text {
			t.Fatal("the text speaks of no annex")
		}
		want := []cn.Party{{Ordinal: 1, Name: "Alpha", Native: "甲公司"}, {Ordinal: 2, Name: "Beta", Native: "乙公司"}}
		if got := parse(t, short); !slices.Equal(got.Parties, want) || len(got.Doubts) != 0 {
			t.Errorf("parties %v, doubts %q, want %v", got.Parties, got.Doubts, want)
		}
	}
}

func TestParseNoticeReadsSentences(t *testing.T) {
	for _, tt := range []struct {
		sentence string
		want     []cn.Party
	}{
		{"决定将参与军售的甲公司（Alpha）、乙公司 （Beta)和丙公司（Gamma）等3家实体列入不可靠实体清单。", []cn.Party{
			{Ordinal: 1, Name: "Alpha", Native: "甲公司"}, {Ordinal: 2, Name: "Beta", Native: "乙公司"}, {Ordinal: 3, Name: "Gamma", Native: "丙公司"}}},
		{"决定将甲防务、空间集团（Alpha Defense, Space）列入不可靠实体清单。", []cn.Party{{Ordinal: 1, Name: "Alpha Defense, Space", Native: "甲防务、空间集团"}}},
		{"决定将甲集团、乙公司（Beta）和丙公司列入不可靠实体清单。", []cn.Party{
			{Ordinal: 1, Native: "甲集团"}, {Ordinal: 2, Name: "Beta", Native: "乙公司"}, {Ordinal: 3, Native: "丙公司"}}},
		{"决定将甲公司及其子公司、乙和丙公司（Beta & Gamma）及其分支机构以及丁论坛与戊（中国）公司（Epsilon (China)）列入不可靠实体清单。", []cn.Party{
			{Ordinal: 1, Native: "甲公司"}, {Ordinal: 2, Name: "Beta & Gamma", Native: "乙和丙公司"},
			{Ordinal: 3, Native: "丁论坛"}, {Ordinal: 4, Name: "Epsilon (China)", Native: "戊（中国）公司"}}},
	} {
		text := prose("不可靠实体清单工作机制关于将实体列入不可靠实体清单的公告", tt.sentence)
		for form, got := range map[string]cn.Notice{"text": parse(t, text), "page": parse(t, webPage(text))} {
			if diff := cmp.Diff(tt.want, got.Parties); diff != "" || len(got.Doubts) != 0 {
				t.Errorf("%s as %s: doubts %q (-want +got):\n%s", tt.sentence, form, got.Doubts, diff)
			}
			if got.Number != "UEL-2031-4" || got.Effective != "2031-04-10" {
				t.Errorf("%s as %s: number %s, effective %s", tt.sentence, form, got.Number, got.Effective)
			}
		}
	}
}

func TestParseNoticeMarksExecutives(t *testing.T) {
	got := parse(t, prose("不可靠实体清单工作机制关于将甲公司高级管理人员列入不可靠实体清单的公告", "决定将张三（San Zhang）列入不可靠实体清单。"))
	if len(got.Parties) != 1 || !got.Parties[0].Individual {
		t.Errorf("got %+v, want one individual", got.Parties)
	}
}

func TestParseNoticeReadsOrders(t *testing.T) {
	text := "关于对两家机构采取反制措施的决定\n【发布文号】商务部令2031年第5号\n2031年8月13日\n决定对甲银行（Alpha Bank）和乙银行（Beta Bank）采取以下反制措施：\n禁止交易。"
	got := parse(t, text)
	if got.Number != "ORDER-2031-5" || got.Program != cn.Countermeasure || len(got.Parties) != 2 || len(got.Doubts) != 0 {
		t.Errorf("ParseNotice(%s): %+v", text, got)
	}
}

func TestParseNoticeReadsEffects(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []cn.Effect
	}{
		{"自2031年5月14日起，暂停4月4日公告（不可靠实体清单工作机制〔2031〕7号）相关措施90天，停止4月9日公告（不可靠实体清单工作机制〔2031〕8号）相关措施。", []cn.Effect{
			{Action: cn.Suspend, Of: "UEL-2031-7", From: "2031-05-14", Until: "2031-08-12"},
			{Action: cn.Stop, Of: "UEL-2031-8", From: "2031-05-14"}}},
		{"继续暂停商务部公告2031年第21号、22号措施1年。", []cn.Effect{
			{Action: cn.Suspend, Of: "MOFCOM-2031-21", From: "2031-05-14", Until: "2032-05-14"},
			{Action: cn.Suspend, Of: "MOFCOM-2031-22", From: "2031-05-14", Until: "2032-05-14"}}},
		{"暂停商务部令2031年第6号措施至2032年11月10日；恢复商务部令2031年第5号措施。", []cn.Effect{
			{Action: cn.Suspend, Of: "ORDER-2031-6", From: "2031-05-14", Until: "2032-11-10"},
			{Action: cn.Resume, Of: "ORDER-2031-5", From: "2031-05-14"}}},
		{"暂停不可靠实体清单工作机制公告2031年第1号措施，取消商务部令2031年第5号，调整商务部公告2031年第9号。", []cn.Effect{
			{Action: cn.Suspend, Of: "UEL-2031-1", From: "2031-05-14"},
			{Action: cn.Cancel, Of: "ORDER-2031-5", From: "2031-05-14"},
			{Action: cn.Adjust, Of: "MOFCOM-2031-9", From: "2031-05-14"}}},
		{"商务部决定自2031年6月1日至2032年5月14日，继续暂停商务部公告2031年第21号措施，停止商务部令2031年第5号。", []cn.Effect{
			{Action: cn.Suspend, Of: "MOFCOM-2031-21", From: "2031-06-01", Until: "2032-05-14"},
			{Action: cn.Stop, Of: "ORDER-2031-5", From: "2031-06-01"}}},
		{"决定将甲公司（Alpha）移出不可靠实体清单。", []cn.Effect{
			{Action: cn.Remove, Program: cn.UEL, From: "2031-05-14", Parties: []cn.Party{{Ordinal: 1, Name: "Alpha", Native: "甲公司"}}}}},
	} {
		got := parse(t, answer(tt.text))
		if diff := cmp.Diff(tt.want, got.Effects); diff != "" || got.Number != "" || len(got.Doubts) != 0 {
			t.Errorf("%s: number %q, doubts %q (-want +got):\n%s", tt.text, got.Number, got.Doubts, diff)
		}
	}
}

// A notice of a change repeats its title, which names itself and the notice that it
// changes, but not from when.
func TestParseNoticeReadsEffectsOnce(t *testing.T) {
	const title = "关于暂停商务部令2031年第5号措施的决定"
	text := "商务部令2031年第6号 " + title + "\n二〇三一年 第6号\n" + title + "\n商务部令2031年第6号《" + title + "》现予公布。\n" +
		"自2031年9月1日起，暂停商务部令2031年第5号措施一年。\n2031年8月13日"
	want := []cn.Effect{{Action: cn.Suspend, Of: "ORDER-2031-5", From: "2031-09-01", Until: "2032-09-01"}}
	for form, n := range map[string]cn.Notice{"text": parse(t, text), "page": parse(t, webPage(text))} {
		if diff := cmp.Diff(want, n.Effects); diff != "" || n.Number != "ORDER-2031-6" || len(n.Doubts) != 0 || !n.Certain() {
			t.Errorf("%s: number %s, doubts %q (-want +got):\n%s", form, n.Number, n.Doubts, diff)
		}
	}
}

func TestParseNoticeRefuses(t *testing.T) {
	good := announcement("公布将1家外国实体列入出口管制管控名单", "1. 甲公司（Alpha）")
	for _, tt := range []struct {
		name, text string
		want       error
	}{
		{"empty", "", cn.ErrNotice},
		{"maintenance page", "<html><body>503</body></html>", cn.ErrNotice},
		{"no UTF-8", "\xb9\xab\xb8\xe6", cn.ErrNotice},
		{"no number", strings.Replace(good, "【发布文号】商务部公告2031年第7号", "", 1), cn.ErrNotice},
		{"no date", "公布将1家外国实体列入出口管制管控名单\n【发布文号】商务部公告2031年第7号", cn.ErrNotice},
		{"too large", good + strings.Repeat("\n", 2<<20), lists.ErrTooLarge},
	} {
		n, err := cn.ParseNotice(strings.NewReader(tt.text))
		if !errors.Is(err, tt.want) || err != nil && !cmp.Equal(n, cn.Notice{}) {
			t.Errorf("%s: ParseNotice returned %+v, %v, want error %v", tt.name, n, err, tt.want)
		}
	}
}
