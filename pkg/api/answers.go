package api

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/listward/listward/pkg/apigw"
	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/fold"
	"github.com/listward/listward/pkg/listing"
	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/screen"
	"github.com/listward/listward/pkg/table"
)

// hit is a row of a screening (decisions section 3).
type hit struct {
	listing.Row
	Match       string        `json:"match"`
	MatchedName string        `json:"matched_name"`
	MatchedKind sanction.Kind `json:"matched_kind"`
}

func hitColumns() []table.Column {
	return append(listing.RowColumns(),
		table.Column{Name: "match", English: "Match", Chinese: "匹配规则"},
		table.Column{Name: "matched_name", English: "Matched name", Chinese: "匹配名称"},
		table.Column{Name: "matched_kind", English: "Kind of name", Chinese: "名称类别"})
}

// Cells returns the text for hitColumns.
func (h hit) Cells() []string {
	return append(h.Row.Cells(), h.Match, h.MatchedName, string(h.MatchedKind))
}

// hits makes the rows of what was found.
func hits(e *edition.Edition, found []screen.Hit) []hit {
	list := make([]hit, 0, len(found))
	for _, f := range found {
		name := e.Data.Name(f.Name)
		list = append(list, hit{listing.RowOf(e.Data.Head(f.Entry)), f.Rule.String(), name.Text, name.Shown()})
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

// tellIncomplete sets the header that names the sources which are not ok.
func (c *call) tellIncomplete() {
	var incomplete []string
	for _, s := range c.states {
		if s.Status != edition.OK {
			incomplete = append(incomplete, fmt.Sprintf("%s=%s", s.Source, s.Status))
		}
	}
	if len(incomplete) > 0 {
		c.header.Set("X-Incomplete", strings.Join(incomplete, ", "))
	}
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

func (c *call) evidence(e *edition.Edition) evidence {
	return evidence{
		ScreenedAt: timeOf(c.now),
		RequestID:  apigw.RequestID(c.Context()),
		Snapshot:   e.Snapshot,
		Rules:      fold.Version,
		Sources:    c.states,
	}
}

// timeOf writes a time as RFC 3339 in UTC, and one that never was as nothing.
func timeOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// notes are the evidence as the second sheet of a spreadsheet has it.
func (e evidence) notes() []table.Note {
	notes := []table.Note{
		{English: "Answered at", Chinese: "查询时间", Value: e.ScreenedAt},
		{English: "Request id", Chinese: "请求编号", Value: e.RequestID},
		{English: "Snapshot", Chinese: "快照", Value: e.Snapshot},
		{English: "Rules", Chinese: "规则版本", Value: strconv.Itoa(e.Rules)},
	}
	for _, s := range e.Sources {
		notes = append(notes, table.Note{English: "List " + string(s.Source), Chinese: "名单 " + string(s.Source),
			Value: string(s.Status) + ", list of " + s.ListDate + ", accepted " + s.AcceptedAt})
	}
	return append(notes, listing.Notice())
}
