// Package table renders columns and rows as files for people.
//
// [Table.WriteCSV] is for programs and spreadsheets alike; it guards them from
// cells that would run as formulas, by a change to the text of such cells.
// [Table.WriteXLSX] is for reading and filing: dates, links and numbers are
// real ones, the text is unchanged, and a second sheet says what the rows rest
// on. Where neither change nor limit is wanted, write JSON instead.
//
// Equal tables give equal bytes: nothing in a file depends on the clock or the
// machine, so its SHA-256 can be kept as evidence.
package table

import (
	"errors"
	"fmt"
	"iter"
)

// ErrShape says that a table cannot be written: it has no columns, a row has
// more or fewer cells than it, the rows differ from one range to the next, or
// they are more than a sheet holds.
var ErrShape = errors.New("not a table")

// Kind says what the cells of a column are. A cell that is not what its column
// says, an empty one too, is taken for text.
type Kind uint8

const (
	// Text is any text, shown as it is.
	Text Kind = iota
	// Date is a full day, YYYY-MM-DD.
	Date
	// Time is a second in UTC, in the form of RFC 3339 with Z.
	Time
	// Link is an absolute http or https URL in ASCII.
	Link
	// Number is a decimal integer, without plus sign or leading zeros.
	Number
)

// Column describes the cells at one place of every row.
type Column struct {
	// Name is the header in csv: the name of the field in JSON.
	Name string
	// English and Chinese are the two lines of the header in xlsx; either may
	// be empty.
	English, Chinese string
	Kind             Kind
}

// Note is a labelled value that stands beside the rows.
type Note struct {
	English, Chinese, Value string
}

// Table is what to write. Its methods may be called concurrently if Rows may be
// ranged over concurrently; they change nothing and keep nothing.
type Table struct {
	Columns []Column
	// Rows gives the cells of each row in the order of Columns. It is ranged
	// over more than once and must give the same each time; a row is not used
	// after the step that gave it, its strings may be. Nil is no rows.
	Rows iter.Seq[[]string]
	// Notes fill the second sheet in xlsx; csv has no place for them.
	Notes []Note
}

// each calls do with every row until it fails.
func (t Table) each(do func(row []string) error) error {
	if len(t.Columns) == 0 {
		return fmt.Errorf("%w: no columns", ErrShape)
	}
	if t.Rows == nil {
		return nil
	}
	n := 0
	for row := range t.Rows {
		n++
		if len(row) != len(t.Columns) {
			return fmt.Errorf("%w: row %d has %d cells for %d columns", ErrShape, n, len(row), len(t.Columns))
		}
		if err := do(row); err != nil {
			return err
		}
	}
	return nil
}
