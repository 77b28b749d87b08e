package un_test

import (
	stdcmp "cmp"
	"encoding/xml"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/lists/liststest"
	"github.com/listward/listward/pkg/lists/un"
	"github.com/listward/listward/pkg/sanction"
)

// counts are the figures of expected.json, which a reader independent of this
// one counted.
type counts struct {
	Date            string                `json:"list_date"`
	Records         int                   `json:"records"`
	ByType          map[sanction.Type]int `json:"by_type"`
	EarliestListing string                `json:"listed_on_earliest"`
	LatestListing   string                `json:"listed_on_latest"`
	WithoutListing  int                   `json:"without_listed_on"`
	Programs        int                   `json:"programmes"`
}

func count(list sanction.List) counts {
	c := counts{Date: list.Date, Records: len(list.Entries), ByType: map[sanction.Type]int{}}
	programs := map[string]bool{}
	for _, e := range list.Entries {
		c.ByType[e.Type]++
		programs[e.Programs[0]] = true
		if e.ListedOn == "" {
			c.WithoutListing++
			continue
		}
		c.EarliestListing = min(stdcmp.Or(c.EarliestListing, e.ListedOn), e.ListedOn)
		c.LatestListing = max(c.LatestListing, e.ListedOn)
	}
	c.Programs = len(programs)
	return c
}

func TestFullLists(t *testing.T) {
	for _, tt := range []struct {
		generation string
		// splitNames is how many distinct names per entry there are beyond those of
		// expected.json, where an alias cell counts as one name.
		splitNames int
	}{
		{generation: "older", splitNames: 55},
		{generation: "newer", splitNames: 100},
	} {
		t.Run(tt.generation, func(t *testing.T) {
			file := path.Join(tt.generation, "un", "consolidated.xml.gz")
			list, err := un.Parse(liststest.Open(t, file))
			if err != nil {
				t.Fatalf("Parse(%s): %v", file, err)
			}
			law.Check(t, list, nil)
			if len(list.Rejected) != 0 {
				t.Errorf("%s: rejected %v, want none", file, list.Rejected)
			}
			var want counts
			liststest.Expected(t, tt.generation, "un", &want)
			if diff := cmp.Diff(want, count(list)); diff != "" {
				t.Errorf("counts of %s (-want +got):\n%s", file, diff)
			}
			checkNumberOfNames(t, list, tt.generation, tt.splitNames)
			checkAgainstFile(t, list, file)
		})
	}
}

// checkNumberOfNames compares with the independent count of names. Those by kind
// cannot be compared: a cell splits into names of several kinds.
func checkNumberOfNames(t *testing.T, list sanction.List, generation string, splitNames int) {
	t.Helper()
	var want struct {
		Names int `json:"names_distinct_per_id"`
	}
	liststest.Expected(t, generation, "un", &want)
	names := 0
	for _, e := range list.Entries {
		names += len(e.Names)
	}
	if names != want.Names+splitNames {
		t.Errorf("%s: got %d names, want %d and %d more from split cells", generation, names, want.Names, splitNames)
	}
}

// published is what checkAgainstFile reads of a record, without any of our rules.
type published struct {
	Reference     string   `xml:"REFERENCE_NUMBER"`
	NativeName    string   `xml:"NAME_ORIGINAL_SCRIPT"`
	Nationalities []string `xml:"NATIONALITY>VALUE"`
}

// checkAgainstFile asserts that every name in the original script is found, that
// no alias still holds several names, and that all nationalities but two values
// which name no present state have a code.
func checkAgainstFile(t *testing.T, list sanction.List, file string) {
	t.Helper()
	entries := map[string]sanction.Entry{}
	for _, e := range list.Entries {
		entries[e.ID] = e
		for _, n := range e.Names[1:] {
			if strings.Contains(n.Text, ";") {
				t.Errorf("%s: %q holds several names", e.ID, n.Text)
			}
		}
	}
	natives := 0
	for _, record := range readPublished(t, file) {
		e := entries["UN-"+strings.TrimSpace(record.Reference)]
		if native := strings.Join(strings.Fields(record.NativeName), " "); native != "" {
			natives++
			if !slices.ContainsFunc(e.Names, func(n sanction.Name) bool { return n.Text == native }) {
				t.Errorf("%s: native name %q is missing", record.Reference, native)
			}
		}
		checkCountries(t, e, record.Nationalities)
	}
	if natives < 300 {
		t.Errorf("%s: %d native names, want 300 or more", file, natives)
	}
}

func readPublished(t *testing.T, file string) []published {
	t.Helper()
	var all struct {
		Individuals []published `xml:"INDIVIDUALS>INDIVIDUAL"`
		Entities    []published `xml:"ENTITIES>ENTITY"`
	}
	if err := xml.NewDecoder(liststest.Open(t, file)).Decode(&all); err != nil {
		t.Fatalf("read %s: %v", file, err)
	}
	return append(all.Individuals, all.Entities...)
}

func checkCountries(t *testing.T, e sanction.Entry, nationalities []string) {
	t.Helper()
	states := slices.DeleteFunc(slices.Clone(nationalities), func(n string) bool {
		return n == "" || n == "na" || n == "former Soviet Union"
	})
	slices.Sort(states)
	if want := len(slices.Compact(states)); len(e.Countries) != want {
		t.Errorf("%s: nationalities %q give countries %q, want %d", e.ID, nationalities, e.Countries, want)
	}
}

// Responses that the publisher's address really gave.
func TestFullBadFiles(t *testing.T) {
	liststest.CheckBadFiles(t, un.Parse, "un_*", map[string]error{
		"un_empty_body.bin":        lists.ErrEmpty,
		"un_maintenance_page.html": lists.ErrHTML,
		"un_nginx_403.html":        lists.ErrHTML,
		"html_status_200.html":     lists.ErrHTML,
		"eu_zero_entities.xml":     lists.ErrRoot,
	})
}
