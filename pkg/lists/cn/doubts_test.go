package cn_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/lists/cn"
)

func TestParseNoticeDoubts(t *testing.T) {
	good := announcement("公布将1家外国实体列入出口管制管控名单", "1. 甲公司（Alpha）")
	page := webPage(good)
	list := func(annex string) string {
		return announcement("公布将2家外国实体列入出口管制管控名单", annex)
	}
	sentence := func(clause string) string {
		return prose("关于将实体列入不可靠实体清单的公告", "决定将"+clause+"列入不可靠实体清单。")
	}
	for _, tt := range []struct{ name, text, want string }{
		{"other count", strings.Replace(good, "1家", "十二家", 1), "the title counts 12 parties, the text names 1"},
		{"annex without items", strings.Replace(good, "1. 甲", "甲", 1), "names could not be read"},
		{"annex cut off", good[:strings.Index(good, "　　附件")], "names could not be read"},
		{"no sentence that lists", strings.Replace(good, "决定将", "", 1), "names could not be read"},
		{"cut off", strings.Replace(good, "\n2031年3月4日", "", 1), "no closing date"},
		{"wrong numbering", strings.Replace(good, "1. 甲", "3. 甲", 1), "item 1 has the number 3"},
		{"text behind a name", good + "香港办事处", "item 1 ends with"},
		{"unclear change", answer("将暂停有关措施。"), "no earlier notice"},

		{"page without an end", strings.NewReplacer("</body>", "", "</html>", "").Replace(page), "the page has no end"},
		{"tag without an end", strings.Replace(page, "</p>", "</p", 1), "the text is damaged"},
		{"control character", strings.Replace(good, "Alpha", "Al\x01ha", 1), "the text is damaged"},
		{"lost character", strings.Replace(good, "甲公司（", "\ufffd公司（", 1), "the text is damaged"},
		{"two dates", strings.Replace(good, "\n2031年3月4日", "\n2031年3月5日", 1), "of 2031-03-04 at its head and of 2031-03-05 at its end"},
		{"two numbers", strings.Replace(sentence("甲公司"), "第4号", "第5号", 1), "two numbers"},
		{"number of the title", announcement("商务部公告2031年第8号 公布将1家外国实体列入关注名单", "1. 甲公司（Alpha）"), "two numbers"},

		{"count in the sentence", sentence("甲公司（Alpha）等2家实体"), "its sentence counts 2 parties, 1 were read"},
		{"names in the title", strings.Replace(sentence("甲公司（Alpha）"), "实体列入", "甲公司、乙公司列入", 1), "the title names 2 parties, the text 1"},
		{"some names", sentence("甲公司（Alpha）等外国实体"), "names only some"},
		{"lists twice", sentence("甲公司（Alpha）列入不可靠实体清单，将乙公司（Beta）"), "lists more than once"},
		{"two sentences", sentence("甲公司（Alpha）列入不可靠实体清单。决定将乙公司（Beta）"), "lists more than once"},
		{"open bracket", sentence("甲公司（Alpha、乙公司（Beta）"), "a bracket is open"},
		{"no joining word", sentence("甲公司（Alpha）〃乙公司（Beta）"), "name 1 is followed by"},
		{"Latin names", sentence("Alpha、Beta"), "there may be two names"},
		{"unknown relations", sentence("甲公司（Alpha）及其友人、乙公司（Beta）"), "name 1 is followed by"},
		{"no names", prose("关于对甲公司采取不可靠实体清单措施的公告", "决定采取措施。"), "names could not be read"},
		{"no names in an order", "关于对甲银行采取反制措施的决定\n【发布文号】商务部令2031年第5号\n2031年8月13日\n采取以下反制措施：", "names could not be read"},

		{"open item", list("1. 甲公司（Alpha\n2. 乙公司（Beta）"), "a bracket is open"},
		{"line between items", list("1. 甲公司（Alpha）\n乙公司\n2. 丙公司（Gamma）"), `between the items stands "乙公司"`},
		{"item without number", list("1. 甲公司（Alpha）\n2. 乙公司（Beta）\n丙公司（Gamma）"), "a name may stand in"},
		{"branch without dash", list("1. 甲公司（Alpha）\n2. 乙公司（Beta）及其分支机构\nBeta Europe"), "a name may stand in"},
		{"two items in a line", list("1. 甲公司 2. 乙公司"), "there may be two names"},
		{"two branches in a line", list("1. 甲公司（Alpha）\n-Alpha Europe -Alpha Japan\n2. 乙公司（Beta）"), "there may be two names"},
		{"text behind a branch", list("1. 甲公司（Alpha）\n-甲欧洲公司（Alpha Europe）等\n2. 乙公司（Beta）"), "a row under item 1 ends with"},
		{"nothing counts", announcement("公布将实体列入关注名单", "1. 甲公司（Alpha）"), "nothing shows that the annex is whole"},

		{"change of no notice", answer("停止商务部公告2031年第7号措施，停止4月9日公告措施。"), "a change is unclear"},
		{"two changes in one", answer("取消对商务部公告2031年第7号的暂停。"), "a change is unclear"},
		{"change of a part", answer("停止商务部公告2031年第7号部分措施。"), "a change is unclear"},
		{"unknown end", answer("暂停商务部公告2031年第7号措施，暂停商务部公告2031年第8号措施三个月。"), "a change is unclear"},
		{"names in an answer", answer("停止商务部公告2031年第7号对甲公司（Alpha）的措施。"), "an answer names parties"},
		{"no real day", answer("自2031年2月30日起，停止商务部公告2031年第7号措施。"), "a change is unclear"},
		{"one annex for two", strings.Replace(good, "一、禁止", "决定将乙公司等实体移出关注名单。一、禁止", 1), "of those listed or of those removed"},
		{"cut change", answer("停止商务部公告2031年第7号措施，停止商务部公告"), "ends in mid-sentence"},
	} {
		n := parse(t, tt.text)
		if !strings.Contains(strings.Join(n.Doubts, "\n"), tt.want) {
			t.Errorf("%s: doubts %q, want %q", tt.name, n.Doubts, tt.want)
		}
		if n.Certain() {
			t.Errorf("%s: certain in spite of doubts %q", tt.name, n.Doubts)
		}
	}
}

// TestGenericWordsAreNoNames: a sentence that names nobody lists nobody, whatever its
// title counts.
func TestGenericWordsAreNoNames(t *testing.T) {
	for _, clause := range []string{
		"有关外国实体", "名单所列外国实体", "附件所列实体", "下列1家外国实体", "以下企业", "参与军售的外国实体（名单附后）", "外国实体（附后）",
		"违反中国法律、损害国家安全的企业", "上述日本公司", "相关组织和个人", "名单中的1家美国企业", "以下一家实体（1）", "加拿大实体",
	} {
		text := prose("不可靠实体清单工作机制关于将1家外国实体列入不可靠实体清单的公告", "决定将"+clause+"列入不可靠实体清单。")
		n := parse(t, webPage(text))
		if !slices.Contains(n.Doubts, "the names could not be read") || n.Certain() || len(n.Parties) != 0 {
			t.Errorf("%s: parties %+v, doubts %q", clause, n.Parties, n.Doubts)
		}
	}
	n := parse(t, webPage(prose("不可靠实体清单工作机制关于将2家外国实体列入不可靠实体清单的公告",
		"决定将参与军售的甲公司（Alpha）、以下1家公司、美国乙公司列入不可靠实体清单。")))
	want := []cn.Party{{Ordinal: 1, Name: "Alpha", Native: "甲公司"}, {Ordinal: 2, Native: "美国乙公司"}}
	if !slices.Equal(n.Parties, want) || !slices.Equal(n.Doubts, []string{`"以下1家公司" is no name`}) {
		t.Errorf("parties %+v, doubts %q, want %+v and one doubt", n.Parties, n.Doubts, want)
	}
}

// TestRemovalOfNobodyRemovesNobody: a removal of which no names were read is not one
// of all whom the earlier notice lists.
func TestRemovalOfNobodyRemovesNobody(t *testing.T) {
	for _, clause := range []string{"有关外国实体", "附件所列实体", "外国实体（见附件）"} {
		n := parse(t, prose("不可靠实体清单工作机制关于将外国实体移出不可靠实体清单的公告",
			"决定将"+clause+"移出不可靠实体清单（不可靠实体清单工作机制〔2031〕1号）。"))
		if len(n.Effects) != 0 || !slices.Contains(n.Doubts, "the names of those removed could not be read") {
			t.Errorf("%s: effects %+v, doubts %q", clause, n.Effects, n.Doubts)
		}
	}
}

func TestCertain(t *testing.T) {
	annex := "1. 甲公司（Alpha）及其分支机构\n-Alpha Europe\n2. 乙公司（Beta）"
	for name, text := range map[string]string{
		"parties as counted, with a branch": announcement("公布将2家外国实体列入关注名单", annex),
		"its page":                          webPage(announcement("公布将2家外国实体列入关注名单", annex)),
		"changes of an answer":              answer("暂停商务部公告2031年第7号措施90天，停止商务部公告2031年第8号措施。"),
		"answer that repeats a listing": "2031-03-04 12:00\n商务部新闻发言人就将2家外国实体列入出口管制管控名单答记者问\n" +
			"答：商务部决定将2家外国实体列入出口管制管控名单。",
		"changes of one series": prose("不可靠实体清单工作机制关于暂停不可靠实体清单措施的公告",
			"暂停不可靠实体清单工作机制〔2031〕1号、2号措施，恢复不可靠实体清单工作机制〔2031〕3号措施。"),
		"cancelling order": "关于取消对2家机构采取反制措施的决定\n【发布文号】商务部令2031年第6号\n取消商务部令2031年第5号。\n2031年8月13日",
		"investigation":    prose("关于对甲公司启动不可靠实体清单调查的公告", "决定对甲公司启动调查。"),
		"added measures": prose("关于对甲公司采取不可靠实体清单处理措施的公告",
			"决定于2031年2月4日将甲公司（Alpha）列入不可靠实体清单。现决定采取措施。"),
	} {
		if n := parse(t, text); !n.Certain() {
			t.Errorf("%s: not certain: %+v", name, n)
		}
	}
}

func TestUncertain(t *testing.T) {
	parties := []cn.Party{{Ordinal: 1, Name: "Alpha"}, {Ordinal: 1, Sub: 1, Name: "Alpha Europe"}}
	listing := cn.Notice{Number: "UEL-2031-1", Title: "将1家实体列入不可靠实体清单", Program: cn.UEL, Count: 1, Parties: parties}
	change := cn.Notice{Title: "暂停不可靠实体清单措施答记者问", Effects: []cn.Effect{{Action: cn.Stop, Of: "UEL-2031-1"}}}
	cancel := cn.Notice{Number: "UEL-2031-2", Title: "取消不可靠实体清单措施", Effects: []cn.Effect{
		{Action: cn.Cancel, Of: "UEL-2031-1", Parties: parties}, {Action: cn.Remove, Of: "UEL-2031-1"}}}
	for _, n := range []cn.Notice{listing, change, cancel} {
		if !n.Certain() {
			t.Fatalf("not certain to begin with: %+v", n)
		}
	}
	for _, tt := range []struct {
		reason string
		notice cn.Notice
		spoil  func(*cn.Notice)
	}{
		{"a doubt is open", listing, func(n *cn.Notice) { n.Doubts = []string{"cut off"} }},
		{"nothing counts the parties", listing, func(n *cn.Notice) { n.Count = 0 }},
		{"a party is missing", listing, func(n *cn.Notice) { n.Count = 2 }},
		{"a branch is no party of the count", listing, func(n *cn.Notice) { n.Count, n.Parties = 2, parties }},
		{"its list is unknown", listing, func(n *cn.Notice) { n.Program = "" }},
		{"its number is unknown", listing, func(n *cn.Notice) { n.Number = "" }},
		{"the listed are missing", listing, func(n *cn.Notice) { n.Parties = nil }},
		{"the counted are missing", listing, func(n *cn.Notice) { n.Title, n.Parties = "对1家企业采取措施", nil }},
		{"the countermeasures hit nobody", listing, func(n *cn.Notice) { n.Title, n.Count, n.Parties = "采取反制措施", 0, nil }},
		{"the listed beside a change are missing", listing, func(n *cn.Notice) {
			n.Title, n.Parties, n.Effects = "调整清单，将1家实体列入", nil, change.Effects
		}},
		{"nothing changes", change, func(n *cn.Notice) { n.Effects = nil }},
		{"a removal names no notice", change, func(n *cn.Notice) {
			n.Effects = append(n.Effects[:1:1], cn.Effect{Action: cn.Remove, Program: cn.UEL, Parties: parties})
		}},
		{"an answer cancels", cancel, func(n *cn.Notice) { n.Number = "" }},
		{"it cancels two notices", cancel, func(n *cn.Notice) {
			n.Effects = append(n.Effects[:1:1], cn.Effect{Action: cn.Cancel, Of: "UEL-2031-3"})
		}},
		{"it cancels one notice and removes from another", cancel, func(n *cn.Notice) {
			n.Effects = append(n.Effects[:1:1], cn.Effect{Action: cn.Remove, Of: "UEL-2031-3", Parties: parties})
		}},
		{"it changes another series", change, func(n *cn.Notice) { n.Number = "MOFCOM-2031-1" }},
		{"it cancels a notice of another series", cancel, func(n *cn.Notice) { n.Number = "ORDER-2031-2" }},
		{"what an adjustment changes must be read", change, func(n *cn.Notice) {
			n.Effects = []cn.Effect{{Action: cn.Adjust, Of: "UEL-2031-1"}}
		}},
	} {
		n := tt.notice
		if tt.spoil(&n); n.Certain() {
			t.Errorf("certain although %s: %s", tt.reason, fmt.Sprintf("%+v", n))
		}
	}
}
