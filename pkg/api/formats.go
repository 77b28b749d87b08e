package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"

	"github.com/listward/listward/pkg/table"
)

// format is what a query endpoint answers in (spec section 4.6).
type format string

const (
	formatJSON   format = "json"
	formatXLSX   format = "xlsx"
	formatCSV    format = "csv"
	formatNDJSON format = "ndjson"
)

func formats() []format { return []format{formatJSON, formatXLSX, formatCSV, formatNDJSON} }

// contentType is the format's media type.
func (f format) contentType() string {
	switch f {
	case formatXLSX:
		return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	case formatCSV:
		return "text/csv; charset=utf-8"
	case formatNDJSON:
		return "application/x-ndjson"
	}
	return "application/json; charset=utf-8"
}

// line is one line of a file: its cells are those of the sheet's columns, and as JSON it
// is an object.
type line interface{ Cells() []string }

func linesOf[L line](all []L) []line {
	lines := make([]line, len(all))
	for i := range all {
		lines[i] = all[i]
	}
	return lines
}

// sheet is an answer that every format can show.
type sheet struct {
	body    any // in JSON
	name    string
	columns []table.Column
	lines   []line
	notes   []table.Note
}

// maxAnswer is the size of an answer's body that Lambda lets pass, in bytes: of its 6 MB
// base64 takes a quarter and JSON's escapes a little.
const maxAnswer = 4 << 20

// render makes the body.
func (s sheet) render(f format) ([]byte, error) {
	var b bytes.Buffer
	var err error
	switch f {
	case formatXLSX:
		err = s.table().WriteXLSX(&b)
	case formatCSV:
		err = s.table().WriteCSV(&b)
	case formatNDJSON:
		for _, l := range s.lines {
			if err = encode(&b, l); err != nil {
				break
			}
		}
	default:
		err = encode(&b, s.body)
	}
	if err != nil {
		return nil, fmt.Errorf("write the answer as %s: %w", f, err)
	}
	if b.Len() > maxAnswer {
		return nil, &Error{Code: invalidLimit, Message: "The answer is larger than one call can carry. Ask for fewer rows with limit, or for fewer names."}
	}
	return b.Bytes(), nil
}

func (s sheet) table() table.Table {
	return table.Table{Columns: s.columns, Notes: s.notes, Rows: func(yield func([]string) bool) {
		for _, l := range s.lines {
			if !yield(l.Cells()) {
				return
			}
		}
	}}
}

// attachment is the Content-Disposition of a file (RFC 6266).
func attachment(name string) string {
	return mime.FormatMediaType("attachment", map[string]string{"filename": name})
}

// encode writes a value as one line of JSON.
func encode(to *bytes.Buffer, value any) error {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// document is an answer that is there already.
type document struct {
	contentType string
	body        []byte
}
