package api

import (
	"log/slog"
	"net/http"
	"strconv"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/fold"
	"github.com/listward/listward/pkg/listing"
	"github.com/listward/listward/pkg/screen"
	"github.com/listward/listward/pkg/snapshot"
	"github.com/listward/listward/pkg/table"
)

// page is the part of an answer that all paged answers have (decisions section 3).
type page struct {
	Total  int  `json:"total"`
	Count  int  `json:"count"`
	Limit  int  `json:"limit"`
	Offset int  `json:"offset"`
	Next   *int `json:"next"`
}

// notes tell how much of the whole stands in a spreadsheet.
func (p page) notes() []table.Note {
	return []table.Note{
		{English: "Total", Chinese: "总数", Value: strconv.Itoa(p.Total)},
		{English: "Offset", Chinese: "起始位置", Value: strconv.Itoa(p.Offset)},
		rowsShown(p.Count),
	}
}

func rowsShown(n int) table.Note {
	return table.Note{English: "Rows shown", Chinese: "显示行数", Value: strconv.Itoa(n)}
}

// pageOf cuts the page out of all rows, and links the next one: to it and to the snapshot
// that it must be of, and without a key.
func pageOf[T any](c *call, p paging, served string, all []T) (page, []T) {
	from := min(p.offset, len(all))
	rows := all[from:min(from+p.limit, len(all))]
	made := page{Total: len(all), Count: len(rows), Limit: p.limit, Offset: p.offset}
	c.header.Set("X-Count", strconv.Itoa(made.Total))
	if next := from + len(rows); next < len(all) {
		made.Next = &next
		query := c.URL.Query()
		query.Set("offset", strconv.Itoa(next))
		query.Set("snapshot", served)
		c.header.Set("Link", "<?"+query.Encode()+`>; rel="next"`)
	}
	return made, rows
}

// checkSnapshot refuses a page of other lists than the caller's page before.
func (p paging) checkSnapshot(current *edition.Edition) error {
	if p.snapshot != "" && p.snapshot != current.Snapshot {
		return &Error{Code: snapshotChanged, Param: "snapshot"}
	}
	return nil
}

// paged reads the parameters of a paged endpoint, of which one is its own, and finds the
// edition to answer from.
func (e *Edge) paged(c *call, own param) (current *edition.Edition, about scope, part paging, err error) {
	if err = decode(c.URL.Query(), append(append(c.scopeParams(&about), part.params()...), own)...); err != nil {
		return nil, about, part, err
	}
	if current, err = e.current(c, about); err == nil {
		err = part.checkSnapshot(current)
	}
	return current, about, part, err
}

// browsing is the answer of GET /api/v1/sanctions.
type browsing struct {
	page
	Rows     []listing.Entry `json:"rows"`
	Snapshot string          `json:"snapshot"`
}

// Sanctions answers GET /api/v1/sanctions.
func (e *Edge) Sanctions() http.Handler { return e.guarded("sanctions", e.sanctions) }

func (e *Edge) sanctions(c *call) (any, error) {
	var q string
	current, about, part, err := e.paged(c, param{"q", func(v string) *Error {
		if q = v; v == "" {
			return nil
		}
		return checkName(v)
	}})
	if err != nil {
		return nil, err
	}
	if c.unchanged(current.Snapshot, fold.Version, c.shown()) {
		return notModified{}, nil
	}
	made, found := pageOf(c, part, current.Snapshot, browse(current.Data, q, about))
	answer := browsing{page: made, Rows: make([]listing.Entry, 0, len(found)), Snapshot: current.Snapshot}
	for _, entry := range found {
		answer.Rows = append(answer.Rows, listing.EntryOf(current.Data.Entry(entry)))
	}
	c.note(slog.Int("count", made.Count))
	return sheet{body: answer, name: "sanctions", file: func() table.Sheet {
		return table.Sheet{Columns: listing.EntryColumns(), Lines: linesOf(answer.Rows), Notes: append(made.notes(), c.evidence(current).notes()...)}
	}}, nil
}

// browse returns the entries in scope, in the order of source and id: all, or those that
// a text meets or that have it for their id.
func browse(data *snapshot.Snapshot, q string, about scope) []int {
	meets := func(int) bool { return true }
	if q != "" {
		meets = meeting(data, q)
	}
	var found []int
	for i := range data.Entries() {
		if e := data.Browsed(i); about.has(data, e) && meets(e) {
			found = append(found, e)
		}
	}
	return found
}

func meeting(data *snapshot.Snapshot, q string) func(entry int) bool {
	met := make([]bool, data.Entries())
	for _, h := range screen.Find(data, screen.Query{Name: q}, data.Entries()).Hits {
		met[h.Entry] = true
	}
	if e, ok := data.ByID(q); ok {
		met[e] = true
	}
	return func(entry int) bool { return met[entry] }
}

// has reports whether an entry is in scope.
func (s scope) has(data *snapshot.Snapshot, entry int) bool {
	return (s.source == "" || data.Source(entry) == s.source) && (s.kind == "" || data.Type(entry) == s.kind)
}
