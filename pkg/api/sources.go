package api

import (
	"net/http"
	"strconv"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/listing"
	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/table"
)

// sourceRow is the statistics of a source (spec section 2.4, decisions section 3).
type sourceRow struct {
	Source       sanction.Source `json:"source"`
	Title        string          `json:"title"`
	PublisherURL string          `json:"publisher_url"`
	Entries      int             `json:"entries"`
	// LastUpdated is when the source's content last changed, CheckedAt when the
	// publisher was last asked; both are empty for what never happened.
	LastUpdated string         `json:"last_updated"`
	CheckedAt   string         `json:"checked_at"`
	ListDate    string         `json:"list_date"`
	AcceptedAt  string         `json:"accepted_at"`
	Status      edition.Status `json:"status"`
	Detail      string         `json:"detail"`
}

func sourceColumns() []table.Column {
	return []table.Column{
		{Name: "source", English: "Source", Chinese: "来源"},
		{Name: "title", English: "Title", Chinese: "标题"},
		{Name: "publisher_url", English: "Publisher", Chinese: "发布机构", Kind: table.Link},
		{Name: "entries", English: "Entries", Chinese: "条目数", Kind: table.Number},
		{Name: "last_updated", English: "Last updated", Chinese: "最近更新", Kind: table.Time},
		{Name: "checked_at", English: "Checked at", Chinese: "最近检查", Kind: table.Time},
		{Name: "list_date", English: "List of", Chinese: "名单日期", Kind: table.Date},
		{Name: "accepted_at", English: "Accepted at", Chinese: "采纳时间", Kind: table.Time},
		{Name: "status", English: "Status", Chinese: "状态"},
		{Name: "detail", English: "Detail", Chinese: "说明"},
	}
}

// Cells returns the text for sourceColumns.
func (r sourceRow) Cells() []string {
	return []string{string(r.Source), r.Title, r.PublisherURL, strconv.Itoa(r.Entries), r.LastUpdated, r.CheckedAt,
		r.ListDate, r.AcceptedAt, string(r.Status), r.Detail}
}

// statistics is the answer of GET /api/v1/sources.
type statistics struct {
	Sources  []sourceRow `json:"sources"`
	Snapshot string      `json:"snapshot"`
}

// Sources answers GET /api/v1/sources.
func (e *Edge) Sources() http.Handler { return e.guarded("sources", e.sources) }

func (e *Edge) sources(c *call) (any, error) {
	if err := decode(c.URL.Query(), c.formatParam()); err != nil {
		return nil, err
	}
	current, err := e.serving(c)
	if err != nil {
		return nil, err
	}
	c.states = scope{}.states(current, c.now)
	c.tellIncomplete()
	answer := statistics{Snapshot: current.Snapshot}
	for _, source := range sanction.Sources() {
		s, publisher := current.State(source), listing.PublisherOf(source)
		answer.Sources = append(answer.Sources, sourceRow{
			Source: source, Title: publisher.Title, PublisherURL: publisher.URL, Entries: s.Entries,
			LastUpdated: timeOf(s.LastUpdated), CheckedAt: timeOf(s.CheckedAt), ListDate: s.ListDate,
			AcceptedAt: timeOf(s.AcceptedAt), Status: s.StatusAt(c.now), Detail: s.Detail,
		})
	}
	if c.unchanged(answer) {
		return notModified{}, nil
	}
	return sheet{body: answer, name: "sources", file: func() table.Sheet {
		return table.Sheet{Columns: sourceColumns(), Lines: linesOf(answer.Sources), Notes: c.evidence(current).notes()}
	}}, nil
}
