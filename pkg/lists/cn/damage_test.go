package cn_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/lists/cn"
	"github.com/listward/listward/pkg/lists/liststest"
)

// wholeNotices are notices of every form by name, as texts and as pages.
func wholeNotices() map[string]string {
	texts := map[string]string{
		"annex": announcement("商务部公告2031年第7号 公布将3家外国实体列入出口管制管控名单",
			"1. 甲公司（Alpha Inc.）\n2.乙公司(Beta, Ltd）\n3、丙空间、安全集团（Gamma (UK) Ltd）"),
		"annex with branches": announcement("公布将4家外国实体列入关注名单",
			"1. 甲公司（Alpha Inc.）及其分支机构\n　-Alpha Inc.\n　-Alpha Europe Limited\n　-甲日本公司（Alpha Japan KK）\n2. 乙公司\n3. Gamma (UK) Ltd\n4. 丁公司（Delta）\n5."),
		"annex that nothing counts": announcement("公布将甲公司等外国实体列入出口管制管控名单",
			"1. 甲公司（Alpha Inc.）\n2. 乙公司（Beta Inc.）及其分支机构\n　-Beta Europe\n　-Beta Japan KK"),
		"sentence": prose("不可靠实体清单工作机制关于将甲防务、空间集团、乙公司列入不可靠实体清单的公告",
			"决定将参与军售的甲防务、空间集团（Alpha, Inc.）、乙公司(Beta）列入不可靠实体清单，并采取措施："),
		"sentence that counts": prose("不可靠实体清单工作机制关于对甲公司等4家企业采取不可靠实体清单措施的公告",
			"决定将参与军售的甲公司（Alpha）、乙公司 （Beta)、丙集团和丁公司（Delta）等4家实体列入不可靠实体清单。"),
		"order": "关于对2家机构采取反制措施的决定\n【发布文号】商务部令2031年第5号\n二〇三一年 第5号\n" +
			"决定对甲银行（Alpha Bank）和乙银行（Beta Bank）采取以下反制措施：\n禁止交易。\n二〇三一年八月十三日",
	}
	all := maps.Clone(texts)
	for name, text := range texts {
		all[name+", page"] = webPage(text)
	}
	return all
}

// checkDamage asserts the law of ParseNotice: what was damaged gives an error, a
// doubt, or all parties of the whole, of which as many as may differ have another
// name.
func checkDamage(t *testing.T, whole cn.Notice, damaged string, mayDiffer int, what string) {
	t.Helper()
	n, err := cn.ParseNotice(strings.NewReader(damaged))
	if err != nil && !errors.Is(err, cn.ErrNotice) {
		t.Errorf("%s: error %v, want ErrNotice", what, err)
	}
	if err != nil || len(n.Doubts) > 0 {
		return
	}
	lost := slices.DeleteFunc(slices.Clone(whole.Parties), func(p cn.Party) bool { return slices.Contains(n.Parties, p) })
	if len(lost) > mayDiffer || len(n.Parties) < len(whole.Parties) {
		t.Errorf("%s: no doubt about %d parties of %d, without %+v", what, len(n.Parties), len(whole.Parties), lost)
	}
}

// checkFlips flips bits of a notice, the same ones in each run.
func checkFlips(t *testing.T, name, text string, flips int) {
	t.Helper()
	whole := parse(t, text)
	random := rand.New(rand.NewPCG(1, uint64(len(text))))
	for range flips {
		damaged := []byte(text)
		at, bit := random.IntN(len(text)), random.IntN(8)
		damaged[at] ^= 1 << bit
		checkDamage(t, whole, string(damaged), 1, fmt.Sprintf("%s: bit %d flipped behind %q", name, bit, tail(text[:at])))
	}
}

func tail(text string) string { return text[max(0, len(text)-20):] }

func TestCutNoticesLoseNobodySilently(t *testing.T) {
	for name, text := range wholeNotices() {
		whole := parse(t, text)
		if len(whole.Parties) < 2 {
			t.Fatalf("%s: only parties %+v", name, whole.Parties)
		}
		for at := range len(text) {
			checkDamage(t, whole, text[:at], 0, fmt.Sprintf("%s: cut behind %q", name, tail(text[:at])))
		}
	}
}

func TestFlippedNoticesLoseNobodySilently(t *testing.T) {
	for name, text := range wholeNotices() {
		checkFlips(t, name, text, 100)
	}
}

func TestNoticesWithoutTheirClosingDateAreDoubted(t *testing.T) {
	closing := regexp.MustCompile(`(?m)(^|;)[0-9二〇三一]{4}年.{1,6}月.{1,9}日(</p>)?$`)
	for name, text := range wholeNotices() {
		endless := closing.ReplaceAllString(text, "$1$2")
		if endless == text {
			t.Fatalf("%s has no closing date to take away", name)
		}
		n, err := cn.ParseNotice(strings.NewReader(endless))
		if !errors.Is(err, cn.ErrNotice) && !slices.Contains(n.Doubts, "the text has no closing date and may be cut off") {
			t.Errorf("%s: error %v, doubts %q", name, err, n.Doubts)
		}
	}
}

func TestNoticesWithAnotherCountAreDoubted(t *testing.T) {
	tried := 0
	for name, text := range wholeNotices() {
		whole := parse(t, text)
		if whole.Count == 0 {
			continue
		}
		tried++
		title := strings.Replace(whole.Title, fmt.Sprintf("%d家", whole.Count), "9家", 1)
		want := fmt.Sprintf("the title counts 9 parties, the text names %d", whole.Count)
		if n := parse(t, strings.Replace(text, whole.Title, title, 1)); !slices.Contains(n.Doubts, want) {
			t.Errorf("%s: doubts %q, want %q", name, n.Doubts, want)
		}
	}
	if tried != 8 {
		t.Errorf("%d notices with a count in the title were tried, want 8", tried)
	}
}

// TestFullNoticesLoseNobodySilently asserts the law on the Ministry's own texts, and
// on pages made of them.
func TestFullNoticesLoseNobodySilently(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(liststest.Folder(t), "newer", "cn", "notices", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("notices %q, error %v", files, err)
	}
	closing := regexp.MustCompile(`(?m)^[ \t]*\d{4}年\d{1,2}月\d{1,2}日[ \t]*$`)
	counted := regexp.MustCompile(`(\d+|三)(家[^\n]*(?:名单|公告|答记者问))`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, plain := filepath.Base(file), string(text)
		whole, random := parse(t, plain), rand.New(rand.NewPCG(2, uint64(len(text))))
		for _, form := range []string{plain, webPage(plain)} {
			for range 20 {
				at := random.IntN(len(form))
				checkDamage(t, whole, form[:at], 0, fmt.Sprintf("%s: cut behind %q", name, tail(form[:at])))
			}
			checkFlips(t, name, form, 20)
		}
		checkDamage(t, whole, closing.ReplaceAllString(plain, ""), 0, name+" without its closing date")
		at := counted.FindStringSubmatchIndex(plain)
		if whole.Count > 0 && at != nil {
			checkDamage(t, whole, plain[:at[2]]+"97"+plain[at[3]:], 0, name+" with another count")
		}
	}
}
