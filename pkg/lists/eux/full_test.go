package eux_test

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists/eux"
	"github.com/listward/listward/pkg/lists/liststest"
	"github.com/listward/listward/pkg/sanction"
)

// counts are the figures of expected.json, which a reader independent of this
// one counted.
type counts struct {
	Date            string                `json:"list_date"`
	Records         int                   `json:"distinct_ids"`
	ByAnnex         map[string]int        `json:"by_annex"` // "XLV.A"
	ByType          map[sanction.Type]int `json:"by_type"`
	Kinds           map[sanction.Kind]int `json:"names_by_kind"`
	DistinctIMOs    int                   `json:"distinct_ship_imos"`
	EarliestListing string                `json:"listed_on_earliest"`
	LatestListing   string                `json:"listed_on_latest"`
	WithoutListing  int                   `json:"without_listed_on"`
	ApplyingLater   int                   `json:"date_of_application_after_list_date"`
}

func count(list sanction.List) counts {
	c := counts{
		Date: list.Date, Records: len(list.Entries),
		ByAnnex: map[string]int{}, ByType: map[sanction.Type]int{}, Kinds: map[sanction.Kind]int{},
	}
	var imos []string
	for _, e := range list.Entries {
		program, _, later := strings.Cut(strings.TrimPrefix(e.Programs[0], "833/2014 Annex "), " (applies from ")
		c.ByAnnex[strings.Replace(program, " Part ", ".", 1)]++
		c.ByType[e.Type]++
		for _, n := range e.Names {
			c.Kinds[n.Kind]++
		}
		imos = append(imos, e.IMOs...)
		if later {
			c.ApplyingLater++
		}
		if e.ListedOn == "" {
			c.WithoutListing++
			continue
		}
		c.EarliestListing = min(cmp.Or(c.EarliestListing, e.ListedOn), e.ListedOn)
		c.LatestListing = max(c.LatestListing, e.ListedOn)
	}
	slices.Sort(imos)
	c.DistinctIMOs = len(slices.Compact(imos))
	return c
}

func TestFullLists(t *testing.T) {
	for _, tt := range []struct {
		generation string
		// repeated are the rows of an IMO number that stands above already, under the
		// same name. The reader behind expected.json counts rows.
		repeated int
		// ex are the former names behind "(ex …)", which that reader leaves in the name.
		ex int
	}{
		{generation: "older", repeated: 1},
		{generation: "newer", repeated: 2, ex: 1},
	} {
		// That reader goes by the labels. Names in Latin letters below "Local name:"
		// are aliases here, and those in another script below other labels native;
		// so is the one in a bracket behind a primary name. One alias that repeats the
		// primary name is no name of its own.
		const latinLocal, nativeAliases, nativeBrackets, repeatedAliases = 15, 5, 1, 1

		var want counts
		liststest.Expected(t, tt.generation, "eux", &want)
		want.ByAnnex["XLII"] -= tt.repeated
		want.ByType[sanction.Vessel] -= tt.repeated
		want.Kinds[sanction.Primary] -= tt.repeated
		want.Kinds[sanction.Former] += tt.ex
		want.Kinds[sanction.Alias] += latinLocal - nativeAliases - repeatedAliases
		want.Kinds[sanction.Native] += nativeAliases + nativeBrackets - latinLocal

		file := path.Join(tt.generation, "eux", "02014R0833.xhtml.gz")
		list, err := eux.Parse(liststest.Open(t, file))
		if err != nil {
			t.Fatalf("Parse(%s): %v", file, err)
		}
		if diff := gocmp.Diff(want, count(list)); diff != "" {
			t.Errorf("counts of %s (-want +got):\n%s", file, diff)
		}
		if len(list.Rejected) != 0 {
			t.Errorf("%s: rejected %v, want none", file, list.Rejected)
		}
		for _, broken := range law.Broken(list) {
			t.Errorf("%s: %s", file, broken)
		}
	}
}
