package cn_test

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists/cn"
	"github.com/listward/listward/pkg/lists/liststest"
	"github.com/listward/listward/pkg/sanction"
)

// counts are the figures of expected.json, which a reader independent of this
// one counted.
type counts struct {
	Date          string                `json:"list_date"`
	Records       int                   `json:"distinct_ids"`
	ByType        map[sanction.Type]int `json:"by_type"`
	NamesByID     int                   `json:"names_distinct_per_id"`
	NamesOverall  int                   `json:"names_distinct_overall"`
	Earliest      string                `json:"listed_on_earliest"`
	Latest        string                `json:"listed_on_latest"`
	WithoutListed int                   `json:"without_listed_on"`
	Programs      int                   `json:"programmes"`
	ByNotice      map[string]int        `json:"by_notice"`
	ByStatus      map[string]int        `json:"by_status_from_texts_here"`
}

func count(list sanction.List) counts {
	c := counts{Date: list.Date, Records: len(list.Entries), ByType: map[sanction.Type]int{}, ByNotice: map[string]int{}, ByStatus: map[string]int{}}
	texts, programs := map[string]bool{}, map[string]bool{}
	for _, e := range list.Entries {
		program, mark, marked := strings.Cut(e.Programs[0], " (")
		status, _, _ := strings.Cut(strings.TrimSuffix(mark, ")"), " ")
		if !marked {
			status = "listed"
		}
		id := strings.Split(e.ID, "-")
		c.ByNotice[id[1]+"/"+id[2]+"-"+id[3]]++
		c.ByStatus[status]++
		c.ByType[e.Type]++
		c.NamesByID += len(e.Names)
		c.Earliest = min(cmp.Or(c.Earliest, e.ListedOn), e.ListedOn)
		c.Latest = max(c.Latest, e.ListedOn)
		programs[program] = true
		for _, n := range e.Names {
			texts[n.Text] = true
		}
	}
	c.NamesOverall, c.Programs = len(texts), len(programs)
	return c
}

func readFull(t *testing.T, generation string) []cn.Notice {
	t.Helper()
	folder := filepath.Join(liststest.Folder(t), generation, "cn", "notices")
	return readFolder(t, os.DirFS(folder))
}

func TestFullFolders(t *testing.T) {
	for generation, wantReviews := range map[string][]cn.Review{
		"older": nil,
		"newer": {{Notice: "UEL-2025-7", From: "2025-11-10", Reason: "the suspension until 2025-11-10 has ended without a further notice"}},
	} {
		var want counts
		liststest.Expected(t, generation, "cn", &want)
		list, reviews := fold(t, readFull(t, generation)...)
		if diff := gocmp.Diff(want, count(list)); diff != "" {
			t.Errorf("%s: counts (-want +got):\n%s", generation, diff)
		}
		if diff := gocmp.Diff(wantReviews, reviews); diff != "" {
			t.Errorf("%s: reviews (-want +got):\n%s", generation, diff)
		}
		if len(list.Rejected) != 0 {
			t.Errorf("%s: rejected %v", generation, list.Rejected)
		}
	}
}

// TestFullOddNotices asserts the texts that a simple reading gets wrong.
func TestFullOddNotices(t *testing.T) {
	folder := filepath.Join(liststest.Folder(t), "newer", "cn", "notices")
	of := func(action cn.Action, number cn.Number, from, until string) cn.Effect {
		return cn.Effect{Action: action, Of: number, From: from, Until: until}
	}
	for _, tt := range []struct {
		file    string
		names   []string // Latin, or Chinese where there is no other
		effects []cn.Effect
		doubts  []string
	}{
		{"uel-2024-01", []string{"General Atomics Aeronautical Systems", "General Dynamics Land Systems"}, nil,
			[]string{"the title counts 3 parties, the text names 2"}},
		{"uel-2024-02", []string{"Boeing Defense, Space & Security"}, nil, nil},
		{"uel-2024-03", nil, nil, nil}, // an investigation
		{"uel-2025-04", []string{"美国PVH集团", "Illumina, Inc."}, nil, nil},
		{"uel-2025-06", nil, nil, nil}, // measures only
		{"uel-update-2025-05-14", nil, []cn.Effect{of(cn.Suspend, "UEL-2025-7", "2025-05-14", "2025-08-12"), of(cn.Suspend, "UEL-2025-8", "2025-05-14", "")}, nil},
		{"uel-update-2025-08-12", nil, []cn.Effect{of(cn.Suspend, "UEL-2025-7", "2025-08-12", "2025-11-10"), of(cn.Stop, "UEL-2025-8", "2025-08-12", "")}, nil},
	} {
		text, err := os.ReadFile(filepath.Join(folder, tt.file+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		n := parse(t, string(text))
		var names []string
		for _, p := range n.Parties {
			names = append(names, cmp.Or(p.Name, p.Native))
		}
		if !slices.Equal(names, tt.names) || !slices.Equal(n.Doubts, tt.doubts) {
			t.Errorf("%s: names %q and doubts %q, want %q and %q", tt.file, names, n.Doubts, tt.names, tt.doubts)
		}
		if diff := gocmp.Diff(tt.effects, n.Effects); diff != "" {
			t.Errorf("%s: effects (-want +got):\n%s", tt.file, diff)
		}
	}
}

// TestFullRegisterAgreesWithTexts: every text of the folder stands in the register,
// word for word, but for its addresses and the doubts that were settled.
func TestFullRegisterAgreesWithTexts(t *testing.T) {
	register, err := cn.Register()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range readFull(t, "newer") {
		i := slices.IndexFunc(register, func(known cn.Notice) bool { return known.Number == n.Number && known.Title == n.Title })
		if i < 0 {
			t.Errorf("the register lacks %s %s", n.Number, n.Title)
			continue
		}
		if diff := gocmp.Diff(register[i], n); diff != "" {
			t.Errorf("%s (-register +text):\n%s", cmp.Or(string(n.Number), n.Title), diff)
		}
	}
}

func TestRegister(t *testing.T) {
	register, err := cn.Register()
	if err != nil {
		t.Fatal(err)
	}
	list, reviews := fold(t, register...)
	checkLaws(t, list)
	status := map[string]string{}
	for _, e := range list.Entries {
		status[e.ID] = e.Programs[0]
	}
	for id, want := range map[string]string{
		"CN-UEL-2023-1-1":  "UEL",
		"CN-ECL-2025-35-8": "ECL",
		"CN-UEL-2025-5-1":  "UEL (stopped)",
		"CN-UEL-2025-7-3":  "UEL (suspended until 2026-11-10)",
		"CN-UEL-2025-8-6":  "UEL (stopped)",
		"CN-ECL-2025-13-1": "ECL (stopped)",
		"CN-ECL-2025-21-1": "ECL (suspended until 2026-11-10)",
		"CN-ECL-2025-22-1": "ECL (stopped)",
	} {
		if status[id] != want {
			t.Errorf("%s: programme %q, want %q", id, status[id], want)
		}
	}
	if status["CN-COUNTERMEASURE-2025-5-1"] != "" || status["CN-COUNTERMEASURE-2025-5-2"] != "" {
		t.Error("the order of 2025 that was cancelled on 2026-04-24 is still listed")
	}
	for _, n := range register {
		named := slices.ContainsFunc(reviews, func(r cn.Review) bool { return r.Notice == cmp.Or(string(n.Number), n.Title) })
		if unread := n.Count > 0 && len(n.Parties) == 0 && len(n.Effects) == 0; unread && !named {
			t.Errorf("%s: its names are not in the register, and no review says so", n.Number)
		}
	}
}
