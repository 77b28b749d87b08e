package table

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// The width of a column in characters. A long cell runs on over empty ones and
// is cut at others.
const (
	minWidth = 8
	maxWidth = 60
	// padding leaves room for the button of the filter.
	padding = 3
)

// sheet is a worksheet on its way out.
type sheet struct {
	table    Table
	filtered bool
	// letters name the columns.
	letters []string
	widths  []int
	// rows counts the rows with the header.
	rows  int
	links []hyperlink
}

// hyperlink is one of the sheet's relations; its id is its place.
type hyperlink struct {
	row, column       int
	address, fragment string
}

// newSheet ranges over the rows to measure them.
func newSheet(t Table, filtered bool) (*sheet, error) {
	s := &sheet{table: t, filtered: filtered, rows: 1}
	for i, column := range t.Columns {
		s.letters = append(s.letters, letters(i))
		s.widths = append(s.widths, max(minWidth, min(maxWidth, columnsOf(title(column)))))
	}
	if err := t.each(s.measure); err != nil {
		return nil, err
	}
	if s.rows > maxRows || len(t.Columns) > maxColumns {
		return nil, fmt.Errorf("%w: %d rows of %d columns are more than a sheet holds", ErrShape, s.rows, len(t.Columns))
	}
	return s, nil
}

func (s *sheet) measure(row []string) error {
	s.rows++
	for i, cell := range row {
		if s.widths[i] < maxWidth && len(cell) > s.widths[i] {
			s.widths[i] = min(maxWidth, max(s.widths[i], columnsOf(cell)))
		}
	}
	return nil
}

// letters returns the name of the column at an index: A to Z, AA to XFD.
func letters(index int) string {
	name := string(rune('A' + index%26))
	if index < 26 {
		return name
	}
	return letters(index/26-1) + name
}

func title(c Column) string {
	return strings.Trim(c.Chinese+"\n"+c.English, "\n")
}

// area returns the reference of all cells, absolute or not.
func (s *sheet) area(absolute bool) string {
	last := s.letters[len(s.letters)-1]
	if absolute {
		return fmt.Sprintf("$A$1:$%s$%d", last, s.rows)
	}
	return fmt.Sprintf("A1:%s%d", last, s.rows)
}

func (s *sheet) write(w io.Writer) error {
	b := s.appendHead(nil)
	row := 1
	err := s.table.each(func(cells []string) error {
		if row++; row > s.rows {
			return fmt.Errorf("%w: it has grown since it was measured", ErrShape)
		}
		_, err := w.Write(b)
		b = s.appendRow(b[:0], row, cells)
		return err
	})
	if err != nil {
		return err
	}
	if row < s.rows {
		return fmt.Errorf("%w: it has shrunk since it was measured", ErrShape)
	}
	_, err = w.Write(s.appendTail(b))
	return err
}

// appendHead appends what stands before the rows, and the header.
func (s *sheet) appendHead(b []byte) []byte {
	b = fmt.Appendf(b, xmlHeader+`<worksheet xmlns="`+mainSpace+`" xmlns:r="`+relationSpace+`"><dimension ref="%s"/>`+
		`<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>`+
		`<selection pane="bottomLeft" activeCell="A2" sqref="A2"/></sheetView></sheetViews>`+
		`<sheetFormatPr defaultRowHeight="15"/><cols>`, s.area(false))
	for i, width := range s.widths {
		b = fmt.Appendf(b, `<col min="%d" max="%[1]d" width="%d" customWidth="1"/>`, i+1, width+padding)
	}
	b = append(b, `</cols><sheetData><row r="1" ht="33" customHeight="1">`...)
	for i, column := range s.table.Columns {
		b = s.appendString(b, 1, i, heading, title(column))
	}
	return append(b, `</row>`...)
}

// appendTail appends what stands behind the rows. Excel is asked not to mark
// digits that are text, such as IMO numbers, as mistakes.
func (s *sheet) appendTail(b []byte) []byte {
	b = append(b, `</sheetData>`...)
	if s.filtered {
		b = fmt.Appendf(b, `<autoFilter ref="%s"/>`, s.area(false))
	}
	if len(s.links) > 0 {
		b = append(b, `<hyperlinks>`...)
		for i, link := range s.links {
			b = s.appendLink(b, i, link)
		}
		b = append(b, `</hyperlinks>`...)
	}
	return fmt.Appendf(b, `<ignoredErrors><ignoredError sqref="%s" numberStoredAsText="1"/></ignoredErrors></worksheet>`, s.area(false))
}

func (s *sheet) appendLink(b []byte, i int, link hyperlink) []byte {
	b = fmt.Appendf(b, `<hyperlink ref="%s%d" r:id="rId%d"`, s.letters[link.column], link.row, i+1)
	if link.fragment != "" {
		b = append(appendText(append(b, ` location="`...), link.fragment), '"')
	}
	return append(b, `/>`...)
}

// writeRels writes the addresses that the sheet's hyperlinks refer to.
func (s *sheet) writeRels(w io.Writer) error {
	b := []byte(xmlHeader + `<Relationships xmlns="` + packageSpace + `">`)
	for i, link := range s.links {
		b = fmt.Appendf(b, `<Relationship Id="rId%d" Type="`+relationSpace+`/hyperlink" Target="%s" TargetMode="External"/>`,
			i+1, strings.ReplaceAll(link.address, "&", "&amp;"))
	}
	_, err := w.Write(append(b, `</Relationships>`...))
	return err
}

func (s *sheet) appendRow(b []byte, row int, cells []string) []byte {
	b = append(b, `<row r="`...)
	b = strconv.AppendInt(b, int64(row), 10)
	b = append(b, `">`...)
	for i, cell := range cells {
		if cell != "" {
			b = s.appendCell(b, row, i, cell)
		}
	}
	return append(b, `</row>`...)
}

func (s *sheet) appendCell(b []byte, row, column int, cell string) []byte {
	kind := s.table.kind(column)
	if stored, format, ok := kind.number(cell); ok {
		b = s.openCell(b, row, column, format)
		b = append(append(b, `><v>`...), stored...)
		return append(b, `</v></c>`...)
	}
	format := plain
	switch {
	case kind == Link && s.addLink(row, column, cell):
		format = linked
	case formulaLike(cell):
		format = quoted
	case strings.Contains(cell, "\n"):
		format = broken
	}
	return s.appendString(b, row, column, format, cell)
}

// addLink makes a hyperlink of a cell if it is one and Excel allows one more.
func (s *sheet) addLink(row, column int, cell string) bool {
	address, fragment, ok := splitLink(cell)
	if !ok || len(s.links) == maxLinks {
		return false
	}
	s.links = append(s.links, hyperlink{row, column, address, fragment})
	return true
}

func (s *sheet) appendString(b []byte, row, column int, format style, text string) []byte {
	text = clip(strings.ToValidUTF8(text, "\uFFFD"))
	b = append(s.openCell(b, row, column, format), ` t="inlineStr"><is><t`...)
	if trimmable(text) {
		b = append(b, ` xml:space="preserve"`...)
	}
	b = appendText(append(b, '>'), text)
	return append(b, `</t></is></c>`...)
}

// openCell appends the start of a cell's tag.
func (s *sheet) openCell(b []byte, row, column int, format style) []byte {
	b = append(append(b, `<c r="`...), s.letters[column]...)
	b = append(strconv.AppendInt(b, int64(row), 10), '"')
	if format != plain {
		b = append(strconv.AppendInt(append(b, ` s="`...), int64(format), 10), '"')
	}
	return b
}
