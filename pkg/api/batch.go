package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/screen"
	"github.com/listward/listward/pkg/table"
)

const (
	// maxBody is the size of a batch body in bytes.
	maxBody = 1 << 20
	// maxBatchRows is how many rows each name of a batch is answered with.
	maxBatchRows = 40
)

// batchResult is the answer to one name of a batch (spec section 2.3).
type batchResult struct {
	Query   string `json:"query"`
	Matched bool   `json:"matched"`
	Count   int    `json:"count"`
	// Truncated and Rows are there when rows were asked for.
	Truncated *bool  `json:"truncated,omitempty"`
	Rows      *[]hit `json:"rows,omitempty"`
}

// Cells returns the text of a result without rows.
func (r batchResult) Cells() []string {
	return []string{r.Query, strconv.FormatBool(r.Matched), strconv.Itoa(r.Count)}
}

func queryColumn() table.Column {
	return table.Column{Name: "query", English: "Query", Chinese: "查询"}
}

func countColumn() table.Column {
	return table.Column{Name: "count", English: "Count", Chinese: "匹配数量", Kind: table.Number}
}

func resultColumns() []table.Column {
	return []table.Column{queryColumn(),
		{Name: "matched", English: "Matched", Chinese: "是否匹配"},
		countColumn()}
}

// batchHit is a hit with the name that was asked for, or the name alone. Count and
// Truncated are of the name, and tell when its hits are more than its lines.
type batchHit struct {
	Query string `json:"query"`
	hit
	Count     int  `json:"count"`
	Truncated bool `json:"truncated"`
}

func batchHitColumns() []table.Column {
	return slices.Concat([]table.Column{queryColumn()}, hitColumns(), []table.Column{countColumn(),
		{Name: "truncated", English: "Truncated", Chinese: "是否截断"}})
}

// Cells returns the text for batchHitColumns.
func (h batchHit) Cells() []string {
	return slices.Concat([]string{h.Query}, h.hit.Cells(), []string{strconv.Itoa(h.Count), strconv.FormatBool(h.Truncated)})
}

type batchScreening struct {
	Results []batchResult `json:"results"`
	evidence
}

// Batch answers POST /api/v1/screen.
func (e *Edge) Batch() http.Handler { return e.guarded("batch", e.batch) }

func (e *Edge) batch(c *call) (any, error) {
	// One byte more tells a body that is too large; the gateway holds it anyway.
	body, err := io.ReadAll(io.LimitReader(c.Body, maxBody+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxBody {
		return nil, &Error{Code: BodyTooLarge}
	}
	var about scope
	if err := decode(c.URL.Query(), c.scopeParams(&about)...); err != nil {
		return nil, err
	}
	asked, err := decodeBatch(body)
	if err != nil {
		return nil, err
	}
	current, err := e.current(c, about)
	if err != nil {
		return nil, err
	}
	answer := batchScreening{Results: make([]batchResult, 0, len(asked.names)), evidence: c.evidence(current)}
	matched := 0
	for _, name := range asked.names {
		result := screenOne(current, screen.Query{Name: name, Source: about.source, Type: about.kind}, asked.rows)
		if result.Matched {
			matched++
		}
		answer.Results = append(answer.Results, result)
	}
	c.note(slog.Int("names", len(asked.names)), slog.Int("matched", matched))
	return sheet{body: answer, name: "screening", file: func() table.Sheet {
		if asked.rows {
			return table.Sheet{Columns: batchHitColumns(), Lines: linesOf(answer.hits()), Notes: answer.notes()}
		}
		return table.Sheet{Columns: resultColumns(), Lines: linesOf(answer.Results), Notes: answer.notes()}
	}}, nil
}

// hits are the rows of all names, and a line for each name without any.
func (b batchScreening) hits() []batchHit {
	var all []batchHit
	for _, result := range b.Results {
		for _, h := range *result.Rows {
			all = append(all, batchHit{result.Query, h, result.Count, *result.Truncated})
		}
		if len(*result.Rows) == 0 {
			all = append(all, batchHit{Query: result.Query})
		}
	}
	return all
}

func screenOne(e *edition.Edition, q screen.Query, withRows bool) batchResult {
	limit := 0
	if withRows {
		limit = maxBatchRows
	}
	found := screen.Find(e.Data, q, limit)
	result := batchResult{Query: q.Name, Matched: found.Count > 0, Count: found.Count}
	if withRows {
		list, truncated := hits(e, found.Hits), found.Count > len(found.Hits)
		result.Rows, result.Truncated = &list, &truncated
	}
	return result
}

// batchRequest is the body of a batch.
type batchRequest struct {
	names []string
	rows  bool
}

// decodeBatch reads the body strictly: a field that is unknown, repeated or null
// is refused as a parameter would be, and so is anything behind the object.
func decodeBatch(body []byte) (batchRequest, error) {
	var asked batchRequest
	d := json.NewDecoder(bytes.NewReader(body))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return asked, &Error{Code: InvalidBody}
	}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		field, _ := token.(string)
		if err != nil || seen[field] {
			return asked, &Error{Code: InvalidBody, Param: field}
		}
		seen[field] = true
		if err := asked.take(field, d); err != nil {
			return asked, &Error{Code: InvalidBody, Param: field}
		}
	}
	if _, err := d.Token(); err != nil {
		return asked, &Error{Code: InvalidBody}
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return asked, &Error{Code: InvalidBody, Message: "Something follows the JSON object. " + errorTable[InvalidBody].advice}
	}
	return asked, asked.check()
}

var errField = errors.New("unknown field or null")

func (b *batchRequest) take(field string, d *json.Decoder) error {
	switch field {
	case "names":
		var names []*string
		if err := d.Decode(&names); err != nil || names == nil {
			return errors.Join(err, errField)
		}
		for _, n := range names {
			if n == nil {
				return errField
			}
			b.names = append(b.names, *n)
		}
		return nil
	case "rows":
		var rows *bool
		if err := d.Decode(&rows); err != nil || rows == nil {
			return errors.Join(err, errField)
		}
		b.rows = *rows
		return nil
	}
	return errField
}

func (b *batchRequest) check() error {
	switch {
	case len(b.names) == 0:
		return &Error{Code: missingName, Param: "names"}
	case len(b.names) > maxNames:
		return &Error{Code: tooManyNames, Param: "names"}
	}
	for i, name := range b.names {
		err := checkName(name)
		if !isText(name) {
			err = &Error{Code: InvalidBody, Message: "A name is not UTF-8. Send the body as UTF-8."}
		}
		if err != nil {
			err.Param, err.Index = "names", &i
			return err
		}
	}
	return nil
}
