package table

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// byteOrderMark lets Excel read the file as UTF-8, not in the code page of the
// machine.
const byteOrderMark = "\uFEFF"

// WriteCSV writes the table as comma-separated values: UTF-8 with a byte-order
// mark, a header of column names, records as in RFC 4180 that end in CRLF. It
// ranges over the rows once and holds one at a time.
//
// A cell that a spreadsheet could run as a formula gets a leading apostrophe:
// one that begins with = + - @, their full-width forms, TAB, CR, LF or NUL, also
// behind blanks or invisible characters (OWASP, "CSV Injection"). Integers of a
// [Number] column need none. The apostrophe alters the text and cannot be told
// from one that was there before. Bytes that are not UTF-8 become U+FFFD. All
// else is unchanged, line ends within cells included.
//
// It fails with [ErrShape], when the rows before are written, or with the error of
// w.
func (t Table) WriteCSV(w io.Writer) error {
	out := bufio.NewWriterSize(w, 64<<10)
	header := make([]string, len(t.Columns))
	for i, column := range t.Columns {
		header[i] = column.Name
	}
	record := append([]byte(byteOrderMark), appendRecord(nil, header, func(int) Kind { return Text })...)
	_, err := out.Write(record)
	if err == nil {
		err = t.each(func(row []string) error {
			record = appendRecord(record[:0], row, t.kind)
			_, err := out.Write(record)
			return err
		})
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	return nil
}

func (t Table) kind(column int) Kind { return t.Columns[column].Kind }

// appendRecord does not leave the quoting to encoding/csv, which with CRLF as
// line end also rewrites the LF and drops the CR that stand in cells.
func appendRecord(b []byte, row []string, kind func(column int) Kind) []byte {
	for i, cell := range row {
		if i > 0 {
			b = append(b, ',')
		}
		cell = strings.ToValidUTF8(cell, "\uFFFD")
		if formulaLike(cell) && !(kind(i) == Number && isInteger(cell)) {
			cell = "'" + cell
		}
		// A line without anything in it would be read as no record at all.
		if needsQuotes(cell) || cell == "" && len(row) == 1 {
			b = append(b, '"')
			b = append(b, strings.ReplaceAll(cell, `"`, `""`)...)
			b = append(b, '"')
			continue
		}
		b = append(b, cell...)
	}
	return append(b, "\r\n"...)
}

// needsQuotes also asks for quotes where RFC 4180 needs none: LibreOffice takes
// semicolons and tabs for separators too, and some readers trim blanks.
func needsQuotes(cell string) bool {
	return strings.ContainsAny(cell, "\",;\t\r\n") || strings.TrimSpace(cell) != cell
}
