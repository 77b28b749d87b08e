package refresh

import (
	"fmt"
	"slices"
	"strings"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/sanction"
)

// keepIDs gives the rows of an annex the ids that they had: where the publisher
// gives no ids, ours are made of what can be corrected. A row is the entry accepted
// before with which it shares an IMO number, else a company's number, else the id,
// else a name, if it is the only row to do so and the entry is the only one (decisions
// section 1, entry id). A row that is none keeps its own id, unless that is another
// party's. Each of the lists holds an id once, and so do the rows afterwards.
func keepIDs(rows, before []sanction.Entry) {
	p := pairing{rows: map[*sanction.Entry]string{}, before: map[string]bool{}}
	for _, marks := range []func(*sanction.Entry) []string{imos, companyNumbers, ownID, names} {
		p.pair(rows, before, marks)
	}
	taken := map[string]bool{}
	for i := range before {
		taken[before[i].ID] = true
	}
	for i := range rows {
		row := &rows[i]
		if id, known := p.rows[row]; known {
			row.ID = id
			continue
		}
		for id, n := row.ID, 2; taken[row.ID]; n++ {
			row.ID = fmt.Sprintf("%s-%d", id, n)
		}
		taken[row.ID] = true
	}
}

// pairing is which rows are which entries accepted before.
type pairing struct {
	rows   map[*sanction.Entry]string
	before map[string]bool // ids that a row has
}

// pair pairs what is left and shares a mark with nothing else that is left.
func (p *pairing) pair(rows, before []sanction.Entry, marks func(*sanction.Entry) []string) {
	now, then := map[string][]*sanction.Entry{}, map[string][]*sanction.Entry{}
	for i := range rows {
		if _, paired := p.rows[&rows[i]]; !paired {
			record(now, &rows[i], marks)
		}
	}
	for i := range before {
		if !p.before[before[i].ID] {
			record(then, &before[i], marks)
		}
	}
	for i := range rows {
		row := &rows[i]
		for _, mark := range marks(row) {
			_, paired := p.rows[row]
			if paired || len(now[mark]) != 1 || len(then[mark]) != 1 {
				continue
			}
			if old := then[mark][0]; !p.before[old.ID] && !another(row, old) {
				p.rows[row], p.before[old.ID] = old.ID, true
			}
		}
	}
}

// record notes an entry under its marks within its annex. An id is "EUX-" and the
// annex, then "-" and what tells the rows of the annex apart.
func record(by map[string][]*sanction.Entry, e *sanction.Entry, marks func(*sanction.Entry) []string) {
	for _, mark := range marks(e) {
		by[mark] = append(by[mark], e)
	}
}

func imos(e *sanction.Entry) []string           { return inAnnex(e, e.IMOs) }
func companyNumbers(e *sanction.Entry) []string { return inAnnex(e, e.CompanyNumbers) }
func ownID(e *sanction.Entry) []string          { return []string{e.ID} }

func names(e *sanction.Entry) []string {
	var texts []string
	for _, n := range e.Names {
		texts = append(texts, strings.ToLower(n.Text))
	}
	return inAnnex(e, texts)
}

func inAnnex(e *sanction.Entry, values []string) []string {
	annex := strings.Join(strings.SplitN(e.ID, "-", 3)[:2], "-")
	var all []string
	for _, v := range values {
		if mark := annex + " " + v; !slices.Contains(all, mark) {
			all = append(all, mark)
		}
	}
	return all
}

// another tells parties of one name apart: ships by their IMO numbers, unless a check
// digit is wrong, which is a slip that a row of now may correct, and companies by
// their numbers.
func another(a, b *sanction.Entry) bool {
	ships := slices.ContainsFunc(a.IMOs, lists.ShipIMO) && slices.ContainsFunc(b.IMOs, lists.ShipIMO)
	return ships && disjoint(a.IMOs, b.IMOs) ||
		len(a.CompanyNumbers) > 0 && len(b.CompanyNumbers) > 0 && disjoint(a.CompanyNumbers, b.CompanyNumbers)
}

func disjoint(a, b []string) bool {
	return !slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}
