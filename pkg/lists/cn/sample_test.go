package cn_test

import (
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists/sample"
	"github.com/listward/listward/pkg/sanction"
)

// parseSample folds the sample, about which nothing may be open: neither now nor,
// as the end of a suspension, on a later day.
func parseSample(t *testing.T) sanction.List {
	t.Helper()
	folder, err := fs.Sub(sample.Files(), "cn/notices")
	if err != nil {
		t.Fatal(err)
	}
	notices := readFolder(t, folder)
	list, reviews := fold(t, notices...)
	checkLaws(t, list)
	if len(reviews) != 0 || len(list.Rejected) != 0 {
		t.Errorf("sample with reviews %v, rejected %v", reviews, list.Rejected)
	}
	return list
}

func TestParseSample(t *testing.T) {
	byID := map[string]sanction.Entry{}
	for _, e := range parseSample(t).Entries {
		byID[e.ID] = e
	}
	for _, want := range []sanction.Entry{
		{
			ID: "CN-UEL-2023-1-1", Source: sanction.CN, Type: sanction.Entity,
			Names: []sanction.Name{
				{Text: "Lockheed Martin Corporation", Kind: sanction.Primary},
				{Text: "洛克希德·马丁公司", Kind: sanction.Native},
			},
			Programs: []string{"UEL"}, ListedOn: "2023-02-16", URL: "https://www.mofcom.gov.cn/zwgk/zcfb/",
		},
		{
			ID: "CN-UEL-2024-2-1", Source: sanction.CN, Type: sanction.Entity,
			Names: []sanction.Name{
				{Text: "Boeing Defense, Space & Security", Kind: sanction.Primary},
				{Text: "美国波音防务、空间与安全集团", Kind: sanction.Native},
			},
			Programs: []string{"UEL"}, ListedOn: "2024-05-20",
			URL: "https://aqygzj.mofcom.gov.cn/flzc/gzjgfxwj/art/2024/art_41f74ffdff914c6dafb548617919d1dd.html",
		},
		{
			ID: "CN-UEL-2025-4-1", Source: sanction.CN, Type: sanction.Entity,
			Names:    []sanction.Name{{Text: "美国PVH集团", Kind: sanction.Primary}},
			Programs: []string{"UEL"}, ListedOn: "2025-02-04",
			URL: "https://www.mofcom.gov.cn/zwgk/zcfb/art/2025/art_ab15d2258dda4e93b8ad1ec4776d37c3.html",
		},
		{
			ID: "CN-UEL-2025-8-6", Source: sanction.CN, Type: sanction.Entity,
			Names: []sanction.Name{
				{Text: "Hudson Technologies Co.", Kind: sanction.Primary},
				{Text: "哈德森技术公司", Kind: sanction.Native},
			},
			Programs: []string{"UEL (suspended)"}, ListedOn: "2025-04-10",
			URL: "https://www.mofcom.gov.cn/zwgk/zcfb/art/2025/art_c29bed8111a5406ea44f363694865ac2.html",
		},
		{
			ID: "CN-ECL-2025-22-7", Source: sanction.CN, Type: sanction.Entity,
			Names: []sanction.Name{
				{Text: "BRINC Drones, Inc.", Kind: sanction.Primary},
				{Text: "BRINC无人机公司", Kind: sanction.Native},
			},
			Programs: []string{"ECL (stopped)"}, ListedOn: "2025-04-10",
			URL: "https://www.mofcom.gov.cn/zwgk/zcfb/art/2025/art_c6b190344a154e6f831e0fdfc190e41e.html",
		},
		{
			ID: "CN-ECL-2025-35-3", Source: sanction.CN, Type: sanction.Entity,
			Names: []sanction.Name{
				{Text: "National Chung-Shan Institute of Science & Technology", Kind: sanction.Primary},
				{Text: "中山科学研究院", Kind: sanction.Native},
			},
			Programs: []string{"ECL"}, ListedOn: "2025-07-09",
			URL: "https://www.mofcom.gov.cn/zwgk/zcfb/art/2025/art_53c6b5ab958841dfb90b77c00f8602cf.html",
		},
	} {
		if diff := cmp.Diff(want, byID[want.ID]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.ID, diff)
		}
	}
}

// The demonstration shows both lists and every state of a listing.
func TestSampleHoldsEveryState(t *testing.T) {
	list := parseSample(t)
	got := map[string]int{}
	for _, e := range list.Entries {
		got[e.Programs[0]]++
	}
	want := map[string]int{"UEL": 5, "UEL (suspended)": 6, "ECL": 8, "ECL (stopped)": 12}
	if diff := cmp.Diff(want, got); diff != "" || list.Date != "2025-08-12" {
		t.Errorf("sample of %s, entries by programme (-want +got):\n%s", list.Date, diff)
	}
}
