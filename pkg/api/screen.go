package api

import (
	"log/slog"
	"net/http"
	"strconv"

	"github.com/listward/listward/pkg/fold"
	"github.com/listward/listward/pkg/screen"
	"github.com/listward/listward/pkg/table"
)

// maxRows is how many rows one screening answers with.
const maxRows = 500

// screening is the answer to one name (spec section 2.2, decisions section 2).
type screening struct {
	Query   string `json:"query"`
	Matched bool   `json:"matched"`
	// Count is the number of matching entries; Rows holds the first 500.
	Count     int   `json:"count"`
	Truncated bool  `json:"truncated"`
	Rows      []hit `json:"rows"`
	evidence
}

// Screen answers GET /api/v1/screen.
func (e *Edge) Screen() http.Handler { return e.guarded("screen", e.screen) }

func (e *Edge) screen(c *call) (any, error) {
	var name string
	var about scope
	params := append([]param{{"name", func(v string) *Error {
		name = v
		return checkName(v)
	}}}, c.scopeParams(&about)...)
	if err := decode(c.URL.Query(), params...); err != nil {
		return nil, err
	}
	current, err := e.current(c, about)
	if err != nil {
		return nil, err
	}
	if c.unchanged(current.Snapshot, fold.Version, c.states) {
		return notModified{}, nil
	}
	found := screen.Find(current.Data, screen.Query{Name: name, Source: about.source, Type: about.kind}, maxRows)
	c.note(slog.Int("count", found.Count))
	c.header.Set("X-Matched", strconv.FormatBool(found.Count > 0))
	c.header.Set("X-Count", strconv.Itoa(found.Count))
	answer := screening{
		Query:     name,
		Matched:   found.Count > 0,
		Count:     found.Count,
		Truncated: found.Count > len(found.Hits),
		Rows:      hits(current, found.Hits),
		evidence:  c.evidence(current),
	}
	return sheet{body: answer, name: "screening", file: func() table.Sheet {
		return table.Sheet{Columns: hitColumns(), Lines: linesOf(answer.Rows), Notes: answer.notes()}
	}}, nil
}

// notes are the evidence behind what was asked and how much of the answer is shown.
func (s screening) notes() []table.Note {
	return append([]table.Note{
		{English: "Query", Chinese: "查询", Value: s.Query},
		{English: "Count", Chinese: "匹配数量", Value: strconv.Itoa(s.Count)},
		rowsShown(len(s.Rows)),
	}, s.evidence.notes()...)
}
