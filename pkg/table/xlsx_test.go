package table_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/tealeg/xlsx/v3"
	"pgregory.net/rapid"

	"github.com/listward/listward/pkg/table"
)

func open(t *testing.T, tab table.Table) (entries, evidence *xlsx.Sheet) {
	t.Helper()
	file, err := xlsx.OpenBinary(write(t, "xlsx", tab))
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Sheets) != 2 || file.Sheets[0].Name != "Entries 条目" || file.Sheets[1].Name != "Evidence 依据" {
		t.Fatalf("got the sheets %v", file.Sheets)
	}
	return file.Sheets[0], file.Sheets[1]
}

func cell(t *testing.T, s *xlsx.Sheet, row, column int) *xlsx.Cell {
	t.Helper()
	c, err := s.Cell(row, column)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTheHeaderOfBothSheets(t *testing.T) {
	for _, rows := range []int{0, 1, 50} {
		entries, evidence := open(t, entries(rows, 14))
		for _, s := range []*xlsx.Sheet{entries, evidence} {
			style := cell(t, s, 0, 0).GetStyle()
			if !style.Font.Bold || style.Font.Color != "FFFFFFFF" || style.Fill.PatternType != "solid" || style.Fill.FgColor != "FF1F2937" {
				t.Errorf("%s: the header has font %+v and fill %+v", s.Name, style.Font, style.Fill)
			}
			if p := s.SheetViews[0].Pane; p == nil || p.State != "frozen" || p.YSplit != 1 || p.XSplit != 0 || p.TopLeftCell != "A2" {
				t.Errorf("%s: the header is not frozen: %+v", s.Name, p)
			}
		}
		if got := cell(t, entries, 0, 1).Value; got != "名称\nName" {
			t.Errorf("got header %q", got)
		}
		want := &xlsx.AutoFilter{TopLeftCell: "A1", BottomRightCell: "N" + strconv.Itoa(rows+1)}
		if diff := gocmp.Diff(want, entries.AutoFilter); diff != "" {
			t.Error(diff)
		}
		if entries.MaxRow != rows+1 || evidence.AutoFilter != nil {
			t.Errorf("got %d rows, and the filter %v of the evidence", entries.MaxRow, evidence.AutoFilter)
		}
	}
}

func TestTheHeaderMayHaveOneLine(t *testing.T) {
	tab := texts(2, []string{"", ""})
	tab.Columns[0].Chinese, tab.Columns[1].English = "", ""
	s, _ := open(t, tab)
	if a, b := cell(t, s, 0, 0).Value, cell(t, s, 0, 1).Value; a != "Ea" || b != "中b" {
		t.Errorf("got %q and %q", a, b)
	}
}

func TestColumnsAreAsWideAsTheirCells(t *testing.T) {
	s, _ := open(t, texts(7, []string{"", strings.Repeat("x", 20), strings.Repeat("字", 10), strings.Repeat("x", 9_000),
		"123456789\n1234567890\n1", strings.Repeat("\u0628\u0651", 15), "12345678901"},
		[]string{"", "x", "x", "x", "x", "x", "x"}))
	var got []float64
	for i := range 7 {
		got = append(got, *s.Col(i).Width)
	}
	if diff := gocmp.Diff([]float64{11, 23, 23, 63, 13, 18, 14}, got); diff != "" {
		t.Error(diff)
	}
}

func TestNotesFillTheSecondSheet(t *testing.T) {
	tab := texts(1)
	tab.Notes = []table.Note{{Chinese: "查询", English: "Query", Value: "=1+1"}, {Chinese: "快照", English: "Snapshot", Value: "ea52"}}
	_, s := open(t, tab)
	var got []string
	for row := range 3 {
		for column := range 3 {
			got = append(got, cell(t, s, row, column).Value)
		}
	}
	want := []string{"项目", "Item", "内容\nValue", "查询", "Query", "=1+1", "快照", "Snapshot", "ea52"}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDatesAndNumbersAreReal(t *testing.T) {
	const daily, seconds = "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss"
	for _, test := range []struct {
		kind          table.Kind
		cell          string
		value, format string
	}{
		{table.Date, "2026-11-21", "46347", daily},
		{table.Date, "1900-03-01", "61", daily},
		{table.Date, "9999-12-31", "2958465", daily},
		{table.Time, "2026-11-21T12:00:00Z", "46347.5", seconds},
		{table.Number, "0", "0", "general"},
		{table.Number, "-5", "-5", "general"},
		{table.Number, "999999999999999", "999999999999999", "general"},
	} {
		s, _ := open(t, of(test.kind, test.cell))
		c := cell(t, s, 1, 0)
		if c.Type() != xlsx.CellTypeNumeric || c.Value != test.value || !strings.EqualFold(c.GetNumberFormat(), test.format) {
			t.Errorf("%q is %q of type %v as %q", test.cell, c.Value, c.Type(), c.GetNumberFormat())
		}
	}
}

func TestTimesAreExactToTheSecond(t *testing.T) {
	want := time.Date(2026, 11, 21, 13, 35, 55, 0, time.UTC)
	s, _ := open(t, of(table.Time, want.Format(time.RFC3339)))
	got, err := cell(t, s, 1, 0).GetTime(false)
	if err != nil || !got.Round(time.Second).Equal(want) || got.Sub(want).Abs() > time.Millisecond {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestWhatIsNotItsKindIsText(t *testing.T) {
	for kind, cells := range map[table.Kind][]string{
		table.Text:   {"2026-11-21", "5", "https://example.org/", "TRUE", "1e5", "#REF!"},
		table.Date:   {"1900-02-28", "0001-01-01", "2026-02-30", "2026-11", "21 Nov 2026", "2026-11-21T00:00:00Z"},
		table.Time:   {"2026-11-21", "2026-11-21T13:35:55+02:00", "2026-11-21T13:35:55.5Z", "2026-11-21 13:35:55Z"},
		table.Number: {"007", "+5", "-0", "1.5", "1e5", "1 000", "1234567890123456", "-1234567890123456", "五", "٣"},
		table.Link: {"ftp://example.org/", "javascript:alert(1)", "example.org", "https://", "https:x", "https://example.org/a b",
			"https://example.org/%zz", "https://example.org/?q=%", "https://example.org/#a#b", "https://example.org/字",
			"https://example.org/é", "https://example.org/\x7f",
			`https://example.org/"`, "https://example.org/" + strings.Repeat("x", 2_079)},
	} {
		s, _ := open(t, of(kind, cells...))
		for i, want := range cells {
			if c := cell(t, s, i+1, 0); c.Type() != xlsx.CellTypeInline || c.Value != want || c.Hyperlink.Link != "" {
				t.Errorf("kind %d: %q is %q of type %v with link %q", kind, want, c.Value, c.Type(), c.Hyperlink.Link)
			}
		}
	}
}

func TestLinksAreReal(t *testing.T) {
	cells := []string{"https://example.org/a?b=1&c='2'", "", "http://example.org/x#part&2", "HTTPS://example.org/%E5%AD%97"}
	s, _ := open(t, of(table.Link, cells...))
	for i, want := range []xlsx.Hyperlink{
		{Link: "https://example.org/a?b=1&c='2'"}, {}, {Link: "http://example.org/x", Location: "part&2"}, {Link: "HTTPS://example.org/%E5%AD%97"},
	} {
		c := cell(t, s, i+1, 0)
		if diff := gocmp.Diff(want, c.Hyperlink); diff != "" || c.Value != cells[i] {
			t.Errorf("%q is shown as %q: %s", cells[i], c.Value, diff)
		}
	}
}

func TestLinksBeyondExcelsLimitAreText(t *testing.T) {
	const limit = 65_530
	tab := of(table.Link, slices.Repeat([]string{"https://example.org/"}, limit+2)...)
	file := write(t, "xlsx", tab)
	sheet, rels := part(t, file, "xl/worksheets/sheet1.xml"), part(t, file, "xl/worksheets/_rels/sheet1.xml.rels")
	links, targets := bytes.Count(sheet, []byte("<hyperlink ")), bytes.Count(rels, []byte("<Relationship "))
	shown := bytes.Count(sheet, []byte("https://example.org/</t>"))
	if links != limit || targets != limit || shown != limit+2 {
		t.Errorf("%d links to %d targets in %d cells", links, targets, shown)
	}
}

func part(t interface{ Fatal(...any) }, file []byte, name string) []byte {
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := archive.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// worksheet is what the format says of cells, for the texts that tealeg/xlsx
// trims or does not unescape.
type worksheet struct {
	Rows []struct {
		Cells []struct {
			Reference string  `xml:"r,attr"`
			Style     int     `xml:"s,attr"`
			Formula   *string `xml:"f"`
			Text      *struct {
				Space string `xml:"http://www.w3.org/XML/1998/namespace space,attr"`
				Value string `xml:",chardata"`
			} `xml:"is>t"`
		} `xml:"c"`
	} `xml:"sheetData>row"`
}

var escaped = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

// readXLSX returns the texts of the first sheet below the header by reference.
func readXLSX(t interface{ Fatal(...any) }, file []byte) map[string]string {
	var sheet worksheet
	if err := xml.Unmarshal(part(t, file, "xl/worksheets/sheet1.xml"), &sheet); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, row := range sheet.Rows[1:] {
		for _, c := range row.Cells {
			if c.Formula != nil || c.Text == nil {
				t.Fatal(c.Reference + " is not text")
			}
			text := c.Text.Value
			if c.Text.Space != "preserve" {
				text = strings.Trim(text, " \t\r\n")
			}
			texts[c.Reference] = escaped.ReplaceAllStringFunc(text, func(e string) string {
				code, _ := strconv.ParseUint(e[2:6], 16, 16)
				return string(rune(code))
			})
		}
	}
	return texts
}

func TestXLSXGivesBackWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns, cells := rows(t)
		want := map[string]string{}
		for i, row := range cells {
			for j, cell := range row {
				if cell != "" {
					want[fmt.Sprintf("%c%d", 'A'+j, i+2)] = strings.ToValidUTF8(cell, "\uFFFD")
				}
			}
		}
		if diff := gocmp.Diff(want, readXLSX(t, write(t, "xlsx", texts(columns, cells...)))); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestAwkwardTextsAreText(t *testing.T) {
	for _, want := range []string{"=1+1", "+1", "-1", "@x", "\tx", "\rx\r\n", " x ", `"<&>'`, "محمّد", "שָׁלוֹם\u200f", "漢字", "😀",
		"a\x00\x01\x1fb\ufffe\uffff", "_x0041_x0042_", "_x005F_x0041_", "_xD800_", "_x0041\x01", "_X0041_", "_x00", mark + "=1"} {
		if got := readXLSX(t, write(t, "xlsx", texts(1, []string{want})))["A2"]; got != want {
			t.Errorf("%q became %q", want, got)
		}
	}
}

func TestExcelIsToldToKeepFormulasText(t *testing.T) {
	file := write(t, "xlsx", texts(4, []string{"=1+1", " -x", "x", "1\n2"}))
	var sheet worksheet
	if err := xml.Unmarshal(part(t, file, "xl/worksheets/sheet1.xml"), &sheet); err != nil {
		t.Fatal(err)
	}
	var styles struct {
		Formats []struct {
			Quoted    bool `xml:"quotePrefix,attr"`
			Alignment struct {
				Wrap bool `xml:"wrapText,attr"`
			} `xml:"alignment"`
		} `xml:"cellXfs>xf"`
	}
	if err := xml.Unmarshal(part(t, file, "xl/styles.xml"), &styles); err != nil {
		t.Fatal(err)
	}
	var quoted, wrapped []bool
	for _, c := range sheet.Rows[1].Cells {
		quoted = append(quoted, styles.Formats[c.Style].Quoted)
		wrapped = append(wrapped, styles.Formats[c.Style].Alignment.Wrap)
	}
	if !slices.Equal(quoted, []bool{true, true, false, false}) || !slices.Equal(wrapped, []bool{false, false, false, true}) {
		t.Errorf("quoted are %v, wrapped are %v", quoted, wrapped)
	}
}

func TestLongTextsAreVisiblyCut(t *testing.T) {
	const limit = 32_767
	for text, want := range map[string]string{
		strings.Repeat("x", limit):         strings.Repeat("x", limit),
		strings.Repeat("字", limit):         strings.Repeat("字", limit),
		strings.Repeat("x", 40_000):        strings.Repeat("x", limit-1) + "…",
		strings.Repeat("😀", 16_383) + "x":  strings.Repeat("😀", 16_383) + "x",
		strings.Repeat("😀", 16_384):        strings.Repeat("😀", 16_383) + "…",
		"x" + strings.Repeat("😀", 16_384):  "x" + strings.Repeat("😀", 16_382) + "…",
		strings.Repeat("\x01", limit+1):    strings.Repeat("\x01", limit-1) + "…",
		strings.Repeat("字", limit-1) + "😀": strings.Repeat("字", limit-1) + "…",
	} {
		got := readXLSX(t, write(t, "xlsx", texts(1, []string{text})))["A2"]
		if units := len(utf16.Encode([]rune(got))); got != want || units > limit {
			t.Errorf("%.20q of %d bytes became %.20q of %d bytes, %d units", text, len(text), got, len(got), units)
		}
	}
}

func TestNoPartHasATime(t *testing.T) {
	file := write(t, "xlsx", entries(1, 14))
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil || len(archive.File) == 0 {
		t.Fatal(len(archive.File), err)
	}
	for _, f := range archive.File {
		if f.ModifiedDate != 0 || f.ModifiedTime != 0 || len(f.Extra) != 0 || strings.HasPrefix(f.Name, "docProps/") {
			t.Errorf("%s tells when it was made", f.Name)
		}
	}
}

func TestColumnsBeyondZHaveTwoLetters(t *testing.T) {
	row := make([]string, 703)
	row[25], row[26], row[701], row[702] = "Z", "AA", "ZZ", "AAA"
	got := readXLSX(t, write(t, "xlsx", texts(len(row), row)))
	if diff := gocmp.Diff(map[string]string{"Z2": "Z", "AA2": "AA", "ZZ2": "ZZ", "AAA2": "AAA"}, got); diff != "" {
		t.Error(diff)
	}
}
