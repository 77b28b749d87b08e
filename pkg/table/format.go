package table

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
)

// Format is the format of a file, and its ending.
type Format string

// The formats of files (spec section 4.6).
const (
	CSV    Format = "csv"
	XLSX   Format = "xlsx"
	NDJSON Format = "ndjson"
)

// Formats returns the formats in the order in which they are documented.
func Formats() []Format { return []Format{XLSX, CSV, NDJSON} }

// MediaType is the format's Content-Type.
func (f Format) MediaType() string {
	switch f {
	case XLSX:
		return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	case CSV:
		return "text/csv; charset=utf-8"
	}
	return "application/x-ndjson"
}

// Line is a line of a sheet: a row of cells in a [Table], and in ndjson the object that
// encoding/json makes of it.
type Line interface{ Cells() []string }

// Sheet is what every format can show. The rules of [Table] for Rows hold for Lines.
type Sheet struct {
	Columns []Column
	Lines   iter.Seq[Line]
	Notes   []Note
}

// Write writes the sheet as a file. It fails as WriteCSV and WriteXLSX do, with the
// error of a line that is no JSON, or with that of w.
func (s Sheet) Write(w io.Writer, f Format) error {
	switch f {
	case XLSX:
		return s.table().WriteXLSX(w)
	case CSV:
		return s.table().WriteCSV(w)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for line := range s.Lines {
		if err := encoder.Encode(line); err != nil {
			return fmt.Errorf("write ndjson: %w", err)
		}
	}
	return nil
}

func (s Sheet) table() Table {
	return Table{Columns: s.Columns, Notes: s.Notes, Rows: func(yield func([]string) bool) {
		for line := range s.Lines {
			if !yield(line.Cells()) {
				return
			}
		}
	}}
}
