package refresh

import (
	"slices"
	"strings"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/sanction"
)

// keepIDs gives the rows of an annex the ids that they had: where the publisher
// gives no ids, ours are made of what can be corrected. A new id becomes that of
// the one entry accepted before that shares an IMO number, a company's number or a
// name with the row, unless that one is still there or two rows would claim it
// (decisions section 1, entry id). Each of the lists holds an id once.
func keepIDs(rows, before []sanction.Entry) {
	was := holders(before)
	there, known := ids(rows), ids(before)
	claims := map[string][]*sanction.Entry{}
	for i := range rows {
		row := &rows[i]
		if known[row.ID] {
			continue
		}
		if id := formerID(row, was); id != "" && !there[id] {
			claims[id] = append(claims[id], row)
		}
	}
	for id, claimants := range claims {
		if len(claimants) == 1 {
			claimants[0].ID = id
		}
	}
}

// formerID returns the id of the only entry that shares the first mark which the
// row shares with any, and nothing where several do.
func formerID(row *sanction.Entry, was map[string][]*sanction.Entry) string {
	for _, m := range marks(row) {
		if found := was[m]; len(found) == 1 && !anotherShip(row, found[0]) {
			return found[0].ID
		} else if len(found) > 1 {
			return ""
		}
	}
	return ""
}

// anotherShip tells ships of one name apart. A wrong check digit is a slip of the
// publisher's, which a row of now may correct.
func anotherShip(a, b *sanction.Entry) bool {
	return slices.ContainsFunc(a.IMOs, lists.ShipIMO) && slices.ContainsFunc(b.IMOs, lists.ShipIMO) &&
		!slices.Equal(a.IMOs, b.IMOs)
}

// holders finds entries by their marks.
func holders(entries []sanction.Entry) map[string][]*sanction.Entry {
	found := map[string][]*sanction.Entry{}
	for i := range entries {
		for _, m := range marks(&entries[i]) {
			found[m] = append(found[m], &entries[i])
		}
	}
	return found
}

// marks are what an entry is known by within its annex, the surest first. An id is
// "EUX-" and the annex, then "-" and what tells its rows apart.
func marks(e *sanction.Entry) []string {
	annex := strings.Join(strings.SplitN(e.ID, "-", 3)[:2], "-")
	var all []string
	for _, imo := range e.IMOs {
		all = append(all, annex+" IMO "+imo)
	}
	for _, number := range e.CompanyNumbers {
		all = append(all, annex+" number "+number)
	}
	for _, n := range e.Names {
		all = append(all, annex+" name "+strings.ToLower(n.Text))
	}
	return all
}

func ids(entries []sanction.Entry) map[string]bool {
	there := make(map[string]bool, len(entries))
	for i := range entries {
		there[entries[i].ID] = true
	}
	return there
}
