package cn_test

import (
	"bytes"
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
