package ofac_test

import (
	"cmp"
	"path"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists/liststest"
	"github.com/listward/listward/pkg/lists/ofac"
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
	EarliestListing string                `json:"listed_on_earliest"`
	LatestListing   string                `json:"listed_on_latest"`
	WithoutListing  int                   `json:"without_listed_on"`
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
		c.EarliestListing = min(cmp.Or(c.EarliestListing, e.ListedOn), e.ListedOn)
		c.LatestListing = max(c.LatestListing, e.ListedOn)
	}
	c.DistinctIMOs, c.Programs = len(imos), len(programs)
	return c
}

// countKinds counts names by kind as expected.json does: former names are
// aliases, and a weak name is nothing else.
func countKinds(list sanction.List) map[sanction.Kind]int {
	kinds := map[sanction.Kind]int{}
	for _, e := range list.Entries {
		for _, n := range e.Names {
			kind := n.Shown()
			if kind == sanction.Former {
				kind = sanction.Alias
			}
			kinds[kind]++
		}
	}
	return kinds
}

func parseFull(t *testing.T, file string) sanction.List {
	t.Helper()
	got, err := ofac.Parse(liststest.Open(t, file))
	if err != nil {
		t.Fatalf("Parse(%s): %v", file, err)
	}
	return got
}

// expectation is what expected.json says of one file.
type expectation struct {
	counts
	Kinds map[sanction.Kind]int `json:"names_by_kind"`
}

func TestFullLists(t *testing.T) {
	for _, tt := range []struct {
		key, file string
		// bareIMOs are vessels whose number passes the check digit but is not
		// written with "IMO"; the reader behind expected.json passes over them.
		bareIMOs int
		// repeated are aliases of the same text as another name of their entry,
		// which that reader counts among the kinds, though not as distinct names.
		repeated int
		// latestListing is the latest SDN date where that reader took the date of
		// the earliest specific list instead. Decisions section 1 lets the SDN date
		// decide, so that a party has the same date in both files.
		latestListing string
	}{
		{key: "ofac_sdn", file: "SDN_ENHANCED.XML.gz", bareIMOs: 2, repeated: 4},
		{key: "ofac_cons", file: "CONS_ENHANCED.XML.gz", repeated: 1, latestListing: "2025-01-10"},
	} {
		for _, generation := range []string{"older", "newer"} {
			t.Run(generation+"/"+tt.key, func(t *testing.T) {
				t.Parallel() // the SDN list takes long under the race detector
				var want expectation
				liststest.Expected(t, generation, tt.key, &want)
				want.VesselsWithIMO += tt.bareIMOs
				want.DistinctIMOs += tt.bareIMOs
				want.Kinds[sanction.Alias] -= tt.repeated
				want.LatestListing = cmp.Or(tt.latestListing, want.LatestListing)

				list := parseFull(t, path.Join(generation, "ofac", tt.file))
				got := expectation{counts: count(list), Kinds: countKinds(list)}
				if diff := gocmp.Diff(want, got, gocmp.AllowUnexported(expectation{})); diff != "" {
					t.Errorf("counts of %s/ofac/%s (-want +got):\n%s", generation, tt.file, diff)
				}
				if len(list.Rejected) != 0 {
					t.Errorf("%s/ofac/%s: rejected %v, want none", generation, tt.file, list.Rejected)
				}
				law.Check(t, list, nil)
			})
		}
	}
}
