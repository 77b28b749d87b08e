package api

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/history"
	"github.com/listward/listward/pkg/listing"
	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/table"
)

// changeRow is what became of an entry: as it is now or, removed, was last.
type changeRow struct {
	listing.Copy
	Change history.Kind `json:"change"`
	// Fields names what differs in a changed entry, and Before has what it was.
	Fields []string       `json:"fields,omitempty"`
	Before map[string]any `json:"before,omitempty"`
}

func changeColumns() []table.Column {
	return append(listing.CopyColumns(),
		table.Column{Name: "change", English: "Change", Chinese: "变更"},
		table.Column{Name: "fields", English: "Fields", Chinese: "变更字段"},
		table.Column{Name: "before", English: "Before", Chinese: "变更前"})
}

// Cells returns the text for changeColumns.
func (r changeRow) Cells() []string {
	var before []string
	for _, field := range slices.Sorted(maps.Keys(r.Before)) {
		before = append(before, fmt.Sprintf("%s: %s", field, textOf(r.Before[field])))
	}
	return append(r.Copy.Cells(), string(r.Change), strings.Join(r.Fields, "; "), strings.Join(before, "\n"))
}

// textOf writes a former value as its cell would have it.
func textOf(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case []string:
		return strings.Join(value, "; ")
	case []any:
		texts := make([]string, len(value))
		for i := range value {
			texts[i] = textOf(value[i])
		}
		return strings.Join(texts, "; ")
	}
	return fmt.Sprint(value)
}

func changeRowOf(c history.Change) (changeRow, error) {
	row := changeRow{Copy: listing.CopyOf(c.Entry), Change: c.Kind, Fields: c.Fields}
	if c.Before == nil {
		return row, nil
	}
	former, err := fieldsOf(*c.Before)
	if err != nil {
		return row, err
	}
	row.Before = map[string]any{}
	for _, field := range c.Fields {
		row.Before[field] = former[field]
	}
	return row, nil
}

// fieldsOf are the fields of an entry's row by name; those that a row leaves out are
// null. Registrations stand in no row, and change all the same.
func fieldsOf(e sanction.Entry) (map[string]any, error) {
	text, err := json.Marshal(listing.EntryOf(e))
	if err != nil {
		return nil, err
	}
	fields := map[string]any{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	fields["registrations"] = e.Registrations
	return fields, nil
}

// difference is the answer of GET /api/v1/changes.
type difference struct {
	Since string `json:"since"`
	From  string `json:"from"`
	To    string `json:"to"`
	page
	Rows     []changeRow `json:"rows"`
	Snapshot string      `json:"snapshot"`
}

// Changes answers GET /api/v1/changes.
func (e *Edge) Changes() http.Handler { return e.guarded("changes", e.changes) }

func (e *Edge) changes(c *call) (any, error) {
	var since string
	current, about, part, err := e.paged(c, param{"since", func(v string) *Error {
		since = v
		return c.checkSince(v)
	}})
	if err != nil {
		return nil, err
	}
	index, err := history.ReadIndex(c.Context(), e.Store, current.History)
	if err != nil {
		return nil, err
	}
	from, err := c.sinceIn(index, since)
	if err != nil {
		return nil, err
	}
	if c.unchanged(current.Snapshot, index[from].Snapshot, c.shown()) {
		return notModified{}, nil
	}
	return e.difference(c, current, since, about, part, index[from:])
}

// difference answers with the net effect of all publications behind the first.
func (e *Edge) difference(c *call, current *edition.Edition, since string, about scope, part paging, index history.Index) (any, error) {
	net, err := history.Net(c.Context(), e.Store, index[1:])
	if err != nil {
		return nil, err
	}
	net = slices.DeleteFunc(net, func(change history.Change) bool { return !about.concerns(change) })
	made, found := pageOf(c, part, current.Snapshot, net)
	answer := difference{Since: since, From: index[0].Snapshot, To: current.Snapshot, page: made,
		Rows: make([]changeRow, 0, len(found)), Snapshot: current.Snapshot}
	for _, change := range found {
		// The history does not record what is no change, such as another address.
		if e, there := current.Data.ByID(change.Entry.ID); there {
			change.Entry = current.Data.Entry(e)
		}
		row, err := changeRowOf(change)
		if err != nil {
			return nil, err
		}
		answer.Rows = append(answer.Rows, row)
	}
	c.note(slog.Int("count", made.Count))
	return sheet{body: answer, name: "changes", file: func() table.Sheet {
		notes := []table.Note{{English: "Since", Chinese: "起始", Value: since}, {English: "From snapshot", Chinese: "起始快照", Value: answer.From}}
		return table.Sheet{Columns: changeColumns(), Lines: linesOf(answer.Rows),
			Notes: slices.Concat(notes, made.notes(), c.evidence(current).notes())}
	}}, nil
}

// concerns reports whether a change is of an entry that is or was in scope.
func (s scope) concerns(change history.Change) bool {
	if s.source != "" && change.Entry.Source != s.source {
		return false
	}
	return s.kind == "" || change.Entry.Type == s.kind || change.Before != nil && change.Before.Type == s.kind
}

// checkSince refuses what is neither a day that has begun nor a snapshot's id.
func (c *call) checkSince(v string) *Error {
	if isSnapshot(v) {
		return nil
	}
	day, err := time.Parse(time.DateOnly, v)
	if err != nil {
		return &Error{Code: invalidSince}
	}
	if day.After(c.now) {
		return &Error{Code: invalidSince, Message: "That day has not begun, in UTC. " + errorTable[invalidSince].advice}
	}
	return nil
}

// sinceIn returns the publication in force at 00:00 UTC of a day, or the last one of a
// snapshot.
func (c *call) sinceIn(index history.Index, since string) (int, error) {
	day, err := time.Parse(time.DateOnly, since)
	for i := len(index) - 1; i >= 0; i-- {
		if err != nil && index[i].Snapshot == since || err == nil && !index[i].PublishedAt.After(day) {
			return i, nil
		}
	}
	if len(index) == 0 {
		return 0, &Error{Code: invalidSince, Param: "since", Message: "No changes are recorded yet."}
	}
	first := index[0]
	return 0, &Error{Code: invalidSince, Param: "since", Message: fmt.Sprintf(
		"The history does not reach back so far, or does not have this snapshot. It begins at %s: ask for its snapshot %s%s.",
		timeOf(first.PublishedAt), first.Snapshot, c.orFrom(firstDay(first.PublishedAt)))}
}

// orFrom offers the days from one on, if that has begun.
func (c *call) orFrom(day time.Time) string {
	if day.After(c.now) {
		return ""
	}
	return fmt.Sprintf(", or for a day from %s on", day.Format(time.DateOnly))
}

// firstDay is the first day at whose beginning something published at a time was in force.
func firstDay(published time.Time) time.Time {
	day := published.UTC().Truncate(24 * time.Hour)
	if day.Before(published) {
		day = day.AddDate(0, 0, 1)
	}
	return day
}
