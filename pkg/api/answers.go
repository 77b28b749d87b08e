package api

import (
	"strings"
	"time"

	"github.com/listward/listward/pkg/apigw"
	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/fold"
	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/screen"
)

// row is a list entry as callers see it: the fields of spec section 2.1, then
// those of decisions section 3.
type row struct {
	Source      sanction.Source `json:"source"`
	Name        string          `json:"name"`
	Type        sanction.Type   `json:"type"`
	Programs    string          `json:"programs"`
	ListedOn    string          `json:"listed_on"`
	URL         string          `json:"url"`
	ID          string          `json:"id"`
	IMO         string          `json:"imo,omitempty"`
	BirthDates  []string        `json:"birth_dates,omitempty"`
	Countries   []string        `json:"countries,omitempty"`
	Lists       []string        `json:"lists,omitempty"`
	Match       string          `json:"match"`
	MatchedName string          `json:"matched_name"`
	MatchedKind sanction.Kind   `json:"matched_kind"`
}

// rows makes the rows of hits.
func rows(e *edition.Edition, hits []screen.Hit) []row {
	list := make([]row, 0, len(hits))
	for _, h := range hits {
		entry, name := e.Data.Head(h.Entry), e.Data.Name(h.Name)
		list = append(list, row{
			Source:      entry.Source,
			Name:        entry.Name(),
			Type:        entry.Type,
			Programs:    strings.Join(entry.Programs, "; "),
			ListedOn:    entry.ListedOn,
			URL:         entry.URL,
			ID:          entry.ID,
			IMO:         strings.Join(entry.IMOs, "; "),
			BirthDates:  entry.BirthDates,
			Countries:   entry.Countries,
			Lists:       entry.Lists,
			Match:       h.Rule.String(),
			MatchedName: name.Text,
			MatchedKind: name.Shown(),
		})
	}
	return list
}

// sourceState is the evidence on one source that was searched.
type sourceState struct {
	Source     sanction.Source `json:"source"`
	ListDate   string          `json:"list_date"`
	AcceptedAt string          `json:"accepted_at"`
	Status     edition.Status  `json:"status"`
}

// evidence is what makes an answer usable later: what was asked when, and of
// which lists (decisions section 2).
type evidence struct {
	ScreenedAt string `json:"screened_at"`
	RequestID  string `json:"request_id"`
	Snapshot   string `json:"snapshot"`
	// Rules is the version of the folding and matching rules.
	Rules   int           `json:"rules"`
	Sources []sourceState `json:"sources"`
}

func (c *call) evidence(e *edition.Edition, about scope) evidence {
	return evidence{
		ScreenedAt: timeOf(c.now),
		RequestID:  apigw.RequestID(c.Context()),
		Snapshot:   e.Snapshot,
		Rules:      fold.Version,
		Sources:    about.states(e, c.now),
	}
}

// timeOf writes a time as RFC 3339 in UTC, and one that never was as nothing.
func timeOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
