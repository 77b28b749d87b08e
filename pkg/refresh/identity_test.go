package refresh_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/sanction"
)

const eux = "eux/02014R0833.xhtml"

// annexes is a consolidated text of a date with an annex of parties (name,
// information, date of listing) and one of vessels (name, IMO number, grounds, date).
func annexes(date string, parties, vessels [][]string) string {
	table := func(number, title string, rows [][]string) string {
		var b strings.Builder
		fmt.Fprintf(&b, `<div id="anx_%s"><p class="title-annex-1">ANNEX %s</p><p class="title-annex-2">%s</p>`+
			`<div class="centered"><table><tbody>`, number, number, title)
		for _, cells := range rows {
			b.WriteString("<tr>")
			for _, cell := range cells {
				b.WriteString("<td><p>" + cell + "</p></td>")
			}
			b.WriteString("</tr>")
		}
		return b.String() + "</tbody></table></div></div>"
	}
	number := func(header []string, rows [][]string) [][]string {
		all := [][]string{header}
		for i, row := range rows {
			all = append(all, append([]string{fmt.Sprint(i+1, ".")}, row...))
		}
		return all
	}
	return `<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml"><body>` +
		`<p class="reference">02014R0833 — EN — ` + date + ` — 040.001</p>` +
		table("IV", "List", number([]string{"Number", "Name", "Identifying Information", "Date of listing"}, parties)) +
		table("XLII", "List", number([]string{"", "Vessel name", "IMO number", "Grounds", "Date of application"}, vessels)) +
		"</body></html>"
}

// TestIDsAreKept: a row that shares an IMO number, a company's number or a name with
// exactly one entry accepted before keeps that entry's id (decisions section 1).
func TestIDsAreKept(t *testing.T) {
	party := func(name, number, date string) []string {
		if number != "" {
			number = "Registration number: " + number
		}
		return []string{name, number, date}
	}
	vessel := func(name, imo string) []string { return []string{name, imo, "(a)", "1.2.2025"} }
	before := annexes("01.01.2026",
		[][]string{party("Lake Plant", "77", "1.2.2025"), party("Hill Works", "", "1.2.2025"), party("Twin", "88", "1.2.2025"), party("Twin", "99", "1.2.2025")},
		[][]string{vessel("Sea", "9074729"), vessel("Pond", "9333670"), vessel("Typo", "9074720")})
	for what, tt := range map[string]struct {
		parties, vessels [][]string
		want             string // an id that is served
		gone             string // one that is not
	}{
		"as it was":                           {[][]string{party("Lake Plant", "77", "1.2.2025")}, nil, "EUX-IV-lake-plant-2025-02-01", "EUX-IV-lake-works-2025-02-01"},
		"another name, the number stays":      {[][]string{party("Lake Works", "77", "1.2.2025")}, nil, "EUX-IV-lake-plant-2025-02-01", "EUX-IV-lake-works-2025-02-01"},
		"another date, the name stays":        {[][]string{party("Hill Works", "", "3.2.2025")}, nil, "EUX-IV-hill-works-2025-02-01", "EUX-IV-hill-works-2025-02-03"},
		"the former name is there":            {[][]string{party("Mount JSC (formerly Hill Works)", "", "1.2.2025")}, nil, "EUX-IV-hill-works-2025-02-01", "EUX-IV-mount-jsc-2025-02-01"},
		"a name that two had":                 {[][]string{party("Twin", "", "5.5.2025")}, nil, "EUX-IV-twin-2025-05-05", "EUX-IV-twin-2025-02-01"},
		"two rows claim one":                  {[][]string{party("Hill Works", "", "3.2.2025"), party("Hill Works", "", "4.2.2025")}, nil, "EUX-IV-hill-works-2025-02-03", "EUX-IV-hill-works-2025-02-01"},
		"the old row is still there":          {[][]string{party("Hill Works", "", "1.2.2025"), party("Hill Works", "", "3.2.2025")}, nil, "EUX-IV-hill-works-2025-02-03", ""},
		"another annex":                       {nil, [][]string{vessel("Hill Works", "9187629")}, "EUX-XLII-9187629", "EUX-IV-hill-works-2025-02-01"},
		"a ship renamed":                      {nil, [][]string{vessel("Ocean", "9074729")}, "EUX-XLII-9074729", ""},
		"another ship of the name":            {nil, [][]string{vessel("Sea", "9187629")}, "EUX-XLII-9187629", "EUX-XLII-9074729"},
		"one of two namesakes goes":           {[][]string{party("Twin", "99", "1.2.2025")}, nil, "EUX-IV-twin-2025-02-01-2", "EUX-IV-twin-2025-02-01"},
		"two change their names in a chain":   {[][]string{party("Hill Works", "77", "1.2.2025"), party("Lake Plant", "88", "1.2.2025")}, nil, "EUX-IV-lake-plant-2025-02-01", "EUX-IV-hill-works-2025-02-01"},
		"a namesake does not hide the number": {[][]string{party("Lake Works", "77", "1.2.2025"), party("Lake Plant", "55", "3.3.2025")}, nil, "EUX-IV-lake-plant-2025-02-01", "EUX-IV-lake-works-2025-02-01"},
		"another company of the name":         {[][]string{party("Lake Plant", "78", "1.2.2025")}, nil, "EUX-IV-lake-plant-2025-02-01-2", "EUX-IV-lake-plant-2025-02-01"},
		"a slip in the IMO number is mended":  {nil, [][]string{vessel("Typo", "9187629")}, "EUX-XLII-9074720", "EUX-XLII-9187629"},
	} {
		b := newBench(t)
		b.mustRun(files(t, map[string]string{eux: before}))
		s := b.mustRun(files(t, map[string]string{eux: annexes("02.01.2026", tt.parties, tt.vessels)})).State(sanction.EUX)
		if s.Status != edition.OK {
			t.Fatalf("%s: %s, %s", what, s.Status, s.Detail)
		}
		ids := b.served()
		if !slices.Contains(ids, tt.want) || tt.gone != "" && slices.Contains(ids, tt.gone) {
			eu := slices.DeleteFunc(ids, func(id string) bool { return !strings.HasPrefix(id, "EUX-") })
			t.Errorf("%s: served %v, want %s and not %s", what, eu, tt.want, tt.gone)
		}
	}
}

// TestAnotherAddressIsNoChange: every consolidation has its own address, which moves
// neither last_updated nor the history.
func TestAnotherAddressIsNoChange(t *testing.T) {
	rows := [][]string{{"Lake Plant", "", "1.2.2025"}}
	b := newBench(t)
	before := b.mustRun(files(t, map[string]string{eux: annexes("01.01.2026", rows, nil)}))
	after := b.mustRun(files(t, map[string]string{eux: annexes("02.01.2026", rows, nil)}))
	was, is := before.State(sanction.EUX), after.State(sanction.EUX)
	if !is.LastUpdated.Equal(was.LastUpdated) || is.ListDate == was.ListDate || after.Snapshot == before.Snapshot {
		t.Errorf("after a new consolidation %+v, before %+v, want another snapshot and date and the same last_updated", is, was)
	}
	if changes := b.lastChanges(after); len(changes) != 0 {
		t.Errorf("recorded as changes: %+v", changes)
	}
}
