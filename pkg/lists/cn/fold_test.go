package cn_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/lists/cn"
	"github.com/listward/listward/pkg/sanction"
)

// listing is a notice of 4 March 2031 that lists Alpha and Beta.
func listing() cn.Notice {
	return cn.Notice{
		Number: "MOFCOM-2031-7", Program: cn.ECL, Published: "2031-03-04", Effective: "2031-03-05",
		URLs: []string{"https://www.mofcom.gov.cn/a.html"},
		Parties: []cn.Party{
			{Ordinal: 1, Name: "Alpha Inc.", Native: "甲公司"},
			{Ordinal: 2, Native: "乙公司", Individual: true},
			{Ordinal: 2, Sub: 1, Name: "Beta Europe"},
		},
	}
}

func fold(t *testing.T, notices ...cn.Notice) (sanction.List, []cn.Review) {
	t.Helper()
	list, reviews, err := cn.Fold(notices)
	if err != nil {
		t.Fatalf("Fold(%+v): %v", notices, err)
	}
	return list, reviews
}

func TestFoldMakesEntries(t *testing.T) {
	n := listing()
	unknown := cn.Notice{Number: "UEL-2031-1", Program: cn.UEL, Published: "2031-02-01", Parties: n.Parties[:1]}
	got, reviews := fold(t, n, unknown)
	want := sanction.List{Date: "2031-03-04", Entries: []sanction.Entry{
		{ID: "CN-UEL-2031-1-1", Source: sanction.CN, Type: sanction.Entity, Programs: []string{"UEL"}, ListedOn: "2031-02-01",
			URL:   "https://www.mofcom.gov.cn/zwgk/zcfb/",
			Names: []sanction.Name{{Text: "Alpha Inc.", Kind: sanction.Primary}, {Text: "甲公司", Kind: sanction.Native}}},
		{ID: "CN-ECL-2031-7-1", Source: sanction.CN, Type: sanction.Entity, Programs: []string{"ECL"}, ListedOn: "2031-03-05",
			URL:   "https://www.mofcom.gov.cn/a.html",
			Names: []sanction.Name{{Text: "Alpha Inc.", Kind: sanction.Primary}, {Text: "甲公司", Kind: sanction.Native}}},
		{ID: "CN-ECL-2031-7-2", Source: sanction.CN, Type: sanction.Individual, Programs: []string{"ECL"}, ListedOn: "2031-03-05",
			URL: "https://www.mofcom.gov.cn/a.html", Names: []sanction.Name{{Text: "乙公司", Kind: sanction.Primary}}},
		{ID: "CN-ECL-2031-7-2-1", Source: sanction.CN, Type: sanction.Entity, Programs: []string{"ECL"}, ListedOn: "2031-03-05",
			URL: "https://www.mofcom.gov.cn/a.html", Names: []sanction.Name{{Text: "Beta Europe", Kind: sanction.Primary}}},
	}}
	if diff := cmp.Diff(want, got); diff != "" || len(reviews) != 0 {
		t.Errorf("Fold, reviews %v (-want +got):\n%s", reviews, diff)
	}
}

func TestFoldAppliesEffects(t *testing.T) {
	const of = cn.Number("MOFCOM-2031-7")
	suspend := cn.Effect{Action: cn.Suspend, Of: of, From: "2031-05-14", Until: "2031-08-12"}
	stop := cn.Effect{Action: cn.Stop, Of: of, From: "2031-06-01"}
	ended := cn.Review{Notice: string(of), From: "2031-08-12", Reason: "the suspension until 2031-08-12 has ended without a further notice"}
	alpha := []cn.Party{{Name: "ALPHA INC."}}
	for _, tt := range []struct {
		name    string
		effects []cn.Effect
		first   string // programme of Alpha, empty when it left the list
		others  string
		reviews []cn.Review
	}{
		{"suspended with an end", []cn.Effect{suspend}, "ECL (suspended until 2031-08-12)", "ECL (suspended until 2031-08-12)", []cn.Review{ended}},
		{"suspended without an end", []cn.Effect{{Action: cn.Suspend, Of: of}}, "ECL (suspended)", "ECL (suspended)", nil},
		{"stopped, then resumed", []cn.Effect{stop, {Action: cn.Resume, Of: of}}, "ECL", "ECL", nil},
		{"suspended, then stopped", []cn.Effect{suspend, stop}, "ECL (stopped)", "ECL (stopped)", nil},
		{"one party removed by name", []cn.Effect{{Action: cn.Remove, Program: cn.ECL, Parties: alpha}}, "", "ECL", nil},
		{"one party stopped", []cn.Effect{{Action: cn.Stop, Of: of, Parties: alpha}}, "ECL (stopped)", "ECL", nil},
		{"one party cancelled", []cn.Effect{{Action: cn.Cancel, Of: of, Parties: alpha}}, "", "ECL", nil},
		{"other list", []cn.Effect{{Action: cn.Remove, Program: cn.UEL, Parties: alpha}}, "ECL", "ECL",
			[]cn.Review{{Notice: "answer", Reason: "its remove of UEL meets no listing"}}},
		{"other notice", []cn.Effect{{Action: cn.Stop, Of: "UEL-2031-9"}}, "ECL", "ECL",
			[]cn.Review{{Notice: "answer", Reason: "its stop of UEL-2031-9 meets no listing"}}},
		{"cancelled from the list's day", []cn.Effect{{Action: cn.Cancel, Of: of, Parties: alpha, From: "2031-05-14"}}, "", "ECL", nil},
		{"cancelled from a later day", []cn.Effect{{Action: cn.Cancel, Of: of, From: "2031-05-15"}}, "ECL", "ECL",
			[]cn.Review{{Notice: "answer", From: "2031-05-15", Reason: "its cancel of MOFCOM-2031-7 is to take effect on 2031-05-15"}}},
		{"removed from a later day, stopped until then", []cn.Effect{stop, {Action: cn.Remove, Program: cn.ECL, Parties: alpha, From: "2032-01-01"}}, "ECL (stopped)", "ECL (stopped)",
			[]cn.Review{{Notice: "answer", From: "2032-01-01", Reason: "its remove of ECL is to take effect on 2032-01-01"}}},
		{"nobody cancelled from a later day", []cn.Effect{{Action: cn.Cancel, Of: "UEL-2031-9", From: "2031-05-15"}}, "ECL", "ECL",
			[]cn.Review{{Notice: "answer", Reason: "its cancel of UEL-2031-9 meets no listing"}}},
		{"adjusted", []cn.Effect{{Action: cn.Adjust, Of: of}}, "ECL", "ECL",
			[]cn.Review{{Notice: "answer", Reason: "it adjusts MOFCOM-2031-7; what changes must be read"}}},
	} {
		list, reviews := fold(t, cn.Notice{Title: "answer", Published: "2031-05-14", Effects: tt.effects}, listing())
		got := map[string]string{}
		for _, e := range list.Entries {
			got[e.ID] = strings.Join(e.Programs, "; ")
		}
		want := map[string]string{"CN-ECL-2031-7-1": tt.first, "CN-ECL-2031-7-2": tt.others, "CN-ECL-2031-7-2-1": tt.others}
		if tt.first == "" {
			delete(want, "CN-ECL-2031-7-1")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: programmes by id (-want +got):\n%s", tt.name, diff)
		}
		if diff := cmp.Diff(tt.reviews, reviews); diff != "" {
			t.Errorf("%s: reviews (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestFoldUnitesAddresses(t *testing.T) {
	second := listing()
	second.URLs = []string{"https://aqygzj.mofcom.gov.cn/b.html"}
	list, reviews := fold(t, listing(), second)
	if len(list.Entries) != 3 || len(reviews) != 0 || list.Entries[0].URL != "https://www.mofcom.gov.cn/a.html" {
		t.Errorf("one notice twice: %d entries, reviews %v", len(list.Entries), reviews)
	}
	second.Parties = second.Parties[:1]
	if list, reviews = fold(t, listing(), second); len(list.Entries) != 3 || len(reviews) != 1 {
		t.Errorf("two texts of one notice: %d entries, reviews %v, want 3 and one review", len(list.Entries), reviews)
	}
}

// TestFoldReviewsTwoTexts: of two texts of one notice the first counts, and a person
// sees where they differ and what is in doubt about either.
func TestFoldReviewsTwoTexts(t *testing.T) {
	cancel := func(of cn.Number, doubts ...string) cn.Notice {
		return cn.Notice{Number: "MOFCOM-2031-9", Published: "2031-03-05", Doubts: doubts,
			Effects: []cn.Effect{{Action: cn.Cancel, Of: of, From: "2031-03-05"}}}
	}
	other := listing()
	other.Number = "MOFCOM-2031-8"
	differ := cn.Review{Notice: "MOFCOM-2031-9", Reason: "two texts of the notice differ in their parties or effects; the first counts"}
	cutOff := cn.Review{Notice: "MOFCOM-2031-9", Reason: "cut off"}
	for _, tt := range []struct {
		name          string
		first, second cn.Notice
		want          []cn.Review
	}{
		{"the same", cancel("MOFCOM-2031-7"), cancel("MOFCOM-2031-7"), nil},
		{"other effects", cancel("MOFCOM-2031-7"), cancel("MOFCOM-2031-8"), []cn.Review{differ}},
		{"doubt about the second", cancel("MOFCOM-2031-7"), cancel("MOFCOM-2031-7", "cut off"), []cn.Review{cutOff}},
		{"one doubt about both", cancel("MOFCOM-2031-7", "cut off"), cancel("MOFCOM-2031-7", "cut off"), []cn.Review{cutOff}},
	} {
		list, reviews := fold(t, listing(), other, tt.first, tt.second)
		if diff := cmp.Diff(tt.want, reviews); diff != "" || len(list.Entries) != 3 || list.Entries[0].ID != "CN-ECL-2031-8-1" {
			t.Errorf("%s: %d entries, reviews (-want +got):\n%s", tt.name, len(list.Entries), diff)
		}
	}
}

// TestFoldCountsOnOneDay: notices of one day take effect in the order of their
// numbers, the ninth in front of the tenth.
func TestFoldCountsOnOneDay(t *testing.T) {
	stop := cn.Notice{Number: "MOFCOM-2031-9", Published: "2031-03-04", Effects: []cn.Effect{{Action: cn.Stop, Of: "MOFCOM-2031-7"}}}
	resume := cn.Notice{Number: "MOFCOM-2031-10", Published: "2031-03-04", Effects: []cn.Effect{{Action: cn.Resume, Of: "MOFCOM-2031-7"}}}
	if list, _ := fold(t, resume, stop, listing()); list.Entries[0].Programs[0] != cn.ECL {
		t.Errorf("programme %q, want the resumed one", list.Entries[0].Programs[0])
	}
}

func TestFoldRefuses(t *testing.T) {
	removal := cn.Notice{Title: "removal", Published: "2031-06-01", Effects: []cn.Effect{{Action: cn.Cancel, Of: "MOFCOM-2031-7"}}}
	for name, notices := range map[string][]cn.Notice{
		"no notices":      nil,
		"no party":        {removal},
		"none is left":    {listing(), removal},
		"doubtful notice": {{Title: "x", Doubts: []string{"unread"}}},
	} {
		list, reviews, err := cn.Fold(notices)
		if !errors.Is(err, lists.ErrNoEntries) || reviews != nil || !cmp.Equal(list, sanction.List{}) {
			t.Errorf("%s: Fold returned %v, %v, %v, want lists.ErrNoEntries", name, list, reviews, err)
		}
	}
}

func TestFoldRejects(t *testing.T) {
	nameless, listless := listing(), listing()
	nameless.Parties = []cn.Party{{Ordinal: 1, Name: " "}}
	listless.Number, listless.Program = "MOFCOM-2031-8", ""
	list, _ := fold(t, listing(), listless, cn.Notice{Number: "UEL-2031-2", Program: cn.UEL, Published: "2031-02-01", Parties: nameless.Parties})
	if len(list.Entries) != 3 || len(list.Rejected) != 4 || list.Rejected[0].ID != "CN-UEL-2031-2-1" {
		t.Errorf("got %d entries and rejected %v, want 3 and 4", len(list.Entries), list.Rejected)
	}
	nameless.Number = "MOFCOM-2031-9"
	if _, _, err := cn.Fold([]cn.Notice{nameless}); !errors.Is(err, lists.ErrSchema) {
		t.Errorf("only a party without a name: error %v, want lists.ErrSchema", err)
	}
}

// readFolder reads the notices of a folder, each of which must be one.
func readFolder(t *testing.T, folder fs.FS) []cn.Notice {
	t.Helper()
	register, err := cn.Register()
	if err != nil {
		t.Fatal(err)
	}
	names, err := fs.Glob(folder, "*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("the folder has %d notices, error %v", len(names), err)
	}
	var notices []cn.Notice
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			t.Fatal(err)
		}
		notices = append(notices, cn.Confirmed(parse(t, string(text)), register))
	}
	return notices
}
