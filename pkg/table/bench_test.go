package table_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/listward/listward/pkg/table"
)

// entries returns a table like the lists: short fields, links, aliases in
// several scripts.
func entries(rows, columns int) table.Table {
	t := table.Table{
		Columns: []table.Column{
			{Name: "source", Chinese: "来源", English: "Source"},
			{Name: "name", Chinese: "名称", English: "Name"},
			{Name: "type", Chinese: "类型", English: "Type"},
			{Name: "programs", Chinese: "项目", English: "Programmes"},
			{Name: "listed_on", Chinese: "列入日期", English: "Listed on", Kind: table.Date},
			{Name: "url", Chinese: "官方链接", English: "Official record", Kind: table.Link},
			{Name: "id", Chinese: "编号", English: "ID"},
			{Name: "imo", Chinese: "IMO编号", English: "IMO number"},
			{Name: "birth_dates", Chinese: "出生日期", English: "Birth dates"},
			{Name: "countries", Chinese: "国家", English: "Countries"},
			{Name: "lists", Chinese: "名单", English: "Lists"},
			{Name: "match", Chinese: "匹配", English: "Match"},
			{Name: "aliases", Chinese: "别名", English: "Aliases"},
			{Name: "checked_at", Chinese: "时间", English: "Checked at", Kind: table.Time},
		}[:columns],
		Notes: []table.Note{{Chinese: "快照", English: "Snapshot", Value: "ea52884548a5"}},
	}
	t.Rows = func(yield func([]string) bool) {
		for i := range rows {
			row := []string{"OFAC", fmt.Sprintf("MEIER & SÖHNE, Karl %d", i), "individual", "RUSSIA-EO14024; SDGT",
				fmt.Sprintf("20%02d-0%d-1%d", i%27, i%9+1, i%10), fmt.Sprintf("https://sanctionssearch.ofac.treas.gov/Details.aspx?id=%d", i),
				fmt.Sprintf("OFAC-%d", i), "9179842", "07 Oct 1952", "RU; CY", "SDN", "equal",
				fmt.Sprintf("Мейер %d; كارل ماير; 卡尔·迈尔; MEIER, Carl; MAYER, Karl %[1]d; KARL MEYER INTERNATIONAL TRADING LLC", i),
				"2026-11-21T13:35:55Z"}
			if !yield(row[:columns]) {
				return
			}
		}
	}
	return t
}

func BenchmarkWriteXLSX(b *testing.B) {
	for _, size := range [][2]int{{500, 14}, {28_000, 13}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			t := entries(size[0], size[1])
			b.ReportAllocs()
			for b.Loop() {
				if err := t.WriteXLSX(io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWriteCSV(b *testing.B) {
	t := entries(28_000, 13)
	b.ReportAllocs()
	for b.Loop() {
		if err := t.WriteCSV(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
