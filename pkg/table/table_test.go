package table_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/listward/listward/pkg/table"
)

// texts returns a table of text columns, named by letters.
func texts(columns int, rows ...[]string) table.Table {
	t := table.Table{Rows: slices.Values(rows)}
	for i := range columns {
		letter := string(rune('a' + i))
		t.Columns = append(t.Columns, table.Column{Name: letter, English: "E" + letter, Chinese: "中" + letter})
	}
	return t
}

// of returns a table of one column.
func of(kind table.Kind, cells ...string) table.Table {
	return table.Table{Columns: []table.Column{{Name: "c", English: "C", Kind: kind}},
		Rows: func(yield func([]string) bool) {
			for _, cell := range cells {
				if !yield([]string{cell}) {
					return
				}
			}
		}}
}

var formats = map[string]func(table.Table, io.Writer) error{
	"csv": table.Table.WriteCSV, "xlsx": table.Table.WriteXLSX,
}

func write(t interface{ Fatal(...any) }, format string, tab table.Table) []byte {
	var b bytes.Buffer
	if err := formats[format](tab, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// changing has n rows when first ranged over and then as many as after says.
func changing(n, after int) table.Table {
	t := texts(1)
	t.Rows = func(yield func([]string) bool) {
		for range n {
			if !yield([]string{"x"}) {
				return
			}
		}
		n = after
	}
	return t
}

func TestWhatIsNoTableIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		table   table.Table
		formats []string
	}{
		"no columns":     {table.Table{}, []string{"csv", "xlsx"}},
		"a short row":    {texts(2, []string{"1", "2"}, []string{"1"}), []string{"csv", "xlsx"}},
		"a long row":     {texts(1, []string{"1", "2"}), []string{"csv", "xlsx"}},
		"too many rows":  {changing(1<<20, 1<<20), []string{"xlsx"}},
		"growing rows":   {changing(1, 2), []string{"xlsx"}},
		"shrinking rows": {changing(2, 1), []string{"xlsx"}},
		"many columns":   {table.Table{Columns: make([]table.Column, 1<<14+1)}, []string{"xlsx"}},
	} {
		for _, format := range test.formats {
			t.Run(name+" "+format, func(t *testing.T) {
				if err := formats[format](test.table, io.Discard); !errors.Is(err, table.ErrShape) {
					t.Errorf("got %v, want ErrShape", err)
				}
			})
		}
	}
}

func TestARefusedWorkbookLeavesNothing(t *testing.T) {
	var b bytes.Buffer
	if err := texts(2, []string{"1"}).WriteXLSX(&b); !errors.Is(err, table.ErrShape) || b.Len() > 0 {
		t.Errorf("got %v and %d bytes, want ErrShape and none", err, b.Len())
	}
}

var errFull = errors.New("full")

// full takes so many bytes and no more.
type full int

func (f *full) Write(p []byte) (int, error) {
	if len(p) > int(*f) {
		return 0, errFull
	}
	*f -= full(len(p))
	return len(p), nil
}

func TestTheErrorOfTheWriterIsReturned(t *testing.T) {
	tab := entries(3_000, 14)
	for format, writeTo := range formats {
		size := len(write(t, format, tab))
		for _, room := range []int{0, size / 2, size - 1} {
			if w := full(room); !errors.Is(writeTo(tab, &w), errFull) {
				t.Errorf("%s with room for %d of %d bytes does not fail", format, room, size)
			}
		}
		if w := full(size); writeTo(tab, &w) != nil {
			t.Errorf("%s fails with room for all", format)
		}
	}
}

func TestEqualTablesGiveEqualBytes(t *testing.T) {
	for format := range formats {
		first := write(t, format, entries(700, 14))
		for range 5 {
			if !bytes.Equal(first, write(t, format, entries(700, 14))) {
				t.Fatalf("two %s files of one table differ", format)
			}
		}
		if bytes.Equal(first, write(t, format, entries(701, 14))) {
			t.Errorf("the %s files of two tables are equal", format)
		}
	}
}
