package eu_test

import (
	"cmp"
	"path"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists/eu"
	"github.com/listward/listward/pkg/lists/liststest"
	"github.com/listward/listward/pkg/sanction"
)

// counts are the figures of expected.json, which a reader independent of this
// one counted.
type counts struct {
	Date            string                `json:"list_date"`
	Records         int                   `json:"distinct_ids"`
	ByType          map[sanction.Type]int `json:"by_type"`
	DistinctNames   int                   `json:"names_distinct_per_id"`
	VesselsWithIMO  int                   `json:"vessels_with_imo"`
	DistinctIMOs    int                   `json:"distinct_ship_imos"`
	EarliestListing string                `json:"listed_on_earliest_with_regulationSummary"`
	LatestListing   string                `json:"listed_on_latest"`
	WithoutListing  int                   `json:"without_listed_on"`
	ListedAfterDate int                   `json:"listed_on_after_list_date"`
	Programs        int                   `json:"programmes"`
}

func count(list sanction.List) counts {
	c := counts{Date: list.Date, Records: len(list.Entries), ByType: map[sanction.Type]int{}}
	imos, programs := map[string]bool{}, map[string]bool{}
	for _, e := range list.Entries {
		c.ByType[e.Type]++
		c.DistinctNames += len(e.Names)
		if len(e.IMOs) > 0 {
			c.VesselsWithIMO++
		}
		for _, imo := range e.IMOs {
			imos[imo] = true
		}
		for _, p := range e.Programs {
			programs[p] = true
		}
		if e.ListedOn == "" {
			c.WithoutListing++
			continue
		}
		if e.ListedOn > list.Date {
			c.ListedAfterDate++
		}
		c.EarliestListing = min(cmp.Or(c.EarliestListing, e.ListedOn), e.ListedOn)
		c.LatestListing = max(c.LatestListing, e.ListedOn)
	}
	c.DistinctIMOs, c.Programs = len(imos), len(programs)
	return c
}

func TestFullLists(t *testing.T) {
	for _, tt := range []struct {
		generation string
		// The reader behind expected.json looked at regulations alone for the latest
		// listing. Decisions section 1 has the dates of every regulationSummary count
		// too, so that fewer parties seem to be listed by the act that changed them
		// last. It makes no difference to the newer list.
		latestListing   string
		listedAfterDate int
	}{
		{generation: "older", latestListing: "2025-07-28", listedAfterDate: 16},
		{generation: "newer"},
	} {
		generation := tt.generation
		t.Run(generation, func(t *testing.T) {
			t.Parallel() // the list takes long under the race detector
			var want counts
			liststest.Expected(t, generation, "eu", &want)
			// Unica and New Konk, which the publisher types as enterprises.
			want.ByType[sanction.Vessel] = 2
			want.ByType[sanction.Entity] -= 2
			want.LatestListing = cmp.Or(tt.latestListing, want.LatestListing)
			want.ListedAfterDate = cmp.Or(tt.listedAfterDate, want.ListedAfterDate)
			got, err := eu.Parse(liststest.Open(t, path.Join(generation, "eu", "FULL-1_1.xml.gz")))
			if err != nil {
				t.Fatalf("Parse(%s): %v", generation, err)
			}
			if diff := gocmp.Diff(want, count(got)); diff != "" {
				t.Errorf("counts of %s (-want +got):\n%s", generation, diff)
			}
			if len(got.Rejected) != 0 {
				t.Errorf("%s: rejected %v, want none", generation, got.Rejected)
			}
			checkVessels(t, got)
			law.Check(t, got, nil)
		})
	}
}

func checkVessels(t *testing.T, list sanction.List) {
	t.Helper()
	got := map[string][]string{}
	for _, e := range list.Entries {
		if e.Type == sanction.Vessel {
			got[e.Name()] = e.IMOs
		}
	}
	want := map[string][]string{"Unica": {"8514306"}, "New Konk": {"9036387"}}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("vessels by name (-want +got):\n%s", diff)
	}
}
