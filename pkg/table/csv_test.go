package table_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/listward/listward/pkg/table"
)

const mark = "\uFEFF"

func TestCSVIsAsRFC4180Says(t *testing.T) {
	tab := texts(3, []string{"", "a,b", `say "so"`}, []string{"1\n2", "1\r\n2", "1\r2"}, []string{" x", "p; q", "Ł"})
	want := mark + "a,b,c\r\n" + `,"a,b","say ""so"""` + "\r\n" + "\"1\n2\",\"1\r\n2\",\"1\r2\"\r\n" + "\" x\",\"p; q\",Ł\r\n"
	if diff := gocmp.Diff(want, string(write(t, "csv", tab))); diff != "" {
		t.Error(diff)
	}
}

func TestCSVWithoutRowsIsAHeader(t *testing.T) {
	for name, tab := range map[string]table.Table{"none": texts(2), "nil": {Columns: texts(2).Columns}} {
		if got := string(write(t, "csv", tab)); got != mark+"a,b\r\n" {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func TestCSVGuardsFormulas(t *testing.T) {
	for _, test := range []struct {
		kind table.Kind
		cell string
		want string
	}{
		{table.Text, "=1+1", "'=1+1"},
		{table.Text, "+1", "'+1"},
		{table.Text, "-1", "'-1"},
		{table.Text, "@SUM(A1)", "'@SUM(A1)"},
		{table.Text, "\tx", "'\tx"},
		{table.Text, "\rx", "'\rx"},
		{table.Text, "\nx", "'\nx"},
		{table.Text, "\x00x", "'\x00x"},
		{table.Text, "＝1", "'＝1"},
		{table.Text, "＋1", "'＋1"},
		{table.Text, "－1", "'－1"},
		{table.Text, "＠x", "'＠x"},
		{table.Text, "  =1", "'  =1"},
		{table.Text, "\u00a0\u3000=1", "'\u00a0\u3000=1"},
		{table.Text, mark + "=1", "'" + mark + "=1"},
		{table.Text, "\u200f-1", "'\u200f-1"},
		{table.Text, "a=1", "a=1"},
		{table.Text, "'=1", "'=1"},
		{table.Text, " a", " a"},
		{table.Text, "", ""},
		{table.Text, "   ", "   "},
		{table.Text, "a\xff\xfeb", "a\uFFFDb"},
		{table.Text, "\xff=1", "\uFFFD=1"},
		{table.Number, "-5", "-5"},
		{table.Number, "-12345678901234567890", "-12345678901234567890"},
		{table.Number, "-5+1", "'-5+1"},
		{table.Number, "-05", "'-05"},
		{table.Number, "-", "'-"},
		{table.Number, "+5", "'+5"},
		{table.Date, "-2026-01-02", "'-2026-01-02"},
		{table.Date, "2026-01-02", "2026-01-02"},
		{table.Link, "=https://example.org", "'=https://example.org"},
	} {
		if got := readCSV(t, write(t, "csv", of(test.kind, test.cell)))[1][0]; got != test.want {
			t.Errorf("kind %d, cell %q: got %q, want %q", test.kind, test.cell, got, test.want)
		}
	}
}

func readCSV(t interface{ Fatal(...any) }, file []byte) [][]string {
	text, ok := bytes.CutPrefix(file, []byte(mark))
	if !ok {
		t.Fatal("no byte-order mark")
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// text draws texts rich in what is awkward to write.
func text() *rapid.Generator[string] {
	awkward := []string{"=", "+", "-", "@", "＝", "\t", "\r", "\n", "\r\n", "\x00", "\x01", "\x1f", " ", ",", ";", `"`, "'", "<", "&",
		mark, "\u00a0", "\u200f", "\ufffe", "\uffff", "\xff", "_", "_x0041_", "x0041_", "_x005F_", "_xD800_", "محمّد", "שָׁלוֹם", "漢字", "😀", "x"}
	pieces := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(awkward), rapid.String()), 0, 6)
	return rapid.Map(pieces, func(p []string) string { return strings.Join(p, "") })
}

func rows(t *rapid.T) (columns int, rows [][]string) {
	columns = rapid.IntRange(1, 4).Draw(t, "columns")
	return columns, rapid.SliceOfN(rapid.SliceOfN(text(), columns, columns), 0, 5).Draw(t, "rows")
}

// dangerous is written apart from the code, with the classes of Unicode.
var dangerous = regexp.MustCompile(`^([\t\r\n\x00]|[\p{Z}\p{Cc}\p{Cf}]*[=+@＝＋－＠-])`)

func TestCSVGivesBackWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns, cells := rows(t)
		got := readCSV(t, write(t, "csv", texts(columns, cells...)))[1:]
		if len(got) != len(cells) {
			t.Fatalf("%d rows of %d", len(got), len(cells))
		}
		for i, row := range cells {
			for j, cell := range row {
				want := strings.ToValidUTF8(cell, "\uFFFD")
				if dangerous.MatchString(want) {
					want = "'" + want
				}
				// The reader, not the file, loses the CR before an LF.
				if want = strings.ReplaceAll(want, "\r\n", "\n"); got[i][j] != want {
					t.Fatalf("cell %q: got %q, want %q", cell, got[i][j], want)
				}
			}
		}
	})
}

// readBack prints a csv file as Python reads it.
const readBack = `import csv, json, sys
with open(sys.argv[1], newline="", encoding="utf-8-sig") as f:
    json.dump(list(csv.reader(f, strict=True)), sys.stdout)`

func TestPythonReadsTheCSV(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed; the CI has it")
	}
	cells := []string{"a,b", `"`, `""x"`, "1\r2", "1\n2", "1\r\n2\r", "a\tb", " x ", "p; q", "", "'", "محمّد", "שָׁלוֹם\u200f",
		"漢字", "😀", "a\x01\x1f\u2028b", strings.Repeat("字", 40_000), "a" + mark}
	path := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(path, write(t, "csv", texts(len(cells), cells, cells)), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "-c", readBack, path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var got [][]string
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff([][]string{cells, cells}, got[1:]); diff != "" {
		t.Error(diff)
	}
}
