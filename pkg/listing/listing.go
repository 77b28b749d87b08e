// Package listing is an entry as callers see it: the fields that every answer and
// every file show, their order, and their headings in both languages.
//
// A [Row] is what screening shows of an entry; an [Entry] has the aliases too, and is
// what browsing shows; a [Copy] has the publisher's attribution besides, and is what
// bulk files and changes show, of which callers make copies of the lists. All are
// marshalled as JSON and give cells for pkg/table.
package listing

import (
	"strings"

	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/table"
)

// Row is a list entry: the fields of spec section 2.1, then those of decisions section 3.
type Row struct {
	Source sanction.Source `json:"source"`
	Name   string          `json:"name"`
	Type   sanction.Type   `json:"type"`
	// Programs are labels joined by "; ".
	Programs string `json:"programs"`
	// ListedOn is YYYY-MM-DD, or empty where the publisher gives no full day.
	ListedOn string `json:"listed_on"`
	URL      string `json:"url"`
	ID       string `json:"id"`
	// IMO holds ship identification numbers, joined by "; ".
	IMO        string   `json:"imo,omitempty"`
	BirthDates []string `json:"birth_dates,omitempty"`
	Countries  []string `json:"countries,omitempty"`
	Lists      []string `json:"lists,omitempty"`
}

// Entry is a row with the entry's other names, as published.
type Entry struct {
	Row
	Aliases []string `json:"aliases,omitempty"`
}

const separator = "; "

// RowOf makes the row of an entry, whose slices it shares.
func RowOf(e sanction.Entry) Row {
	return Row{
		Source:     e.Source,
		Name:       e.Name(),
		Type:       e.Type,
		Programs:   strings.Join(e.Programs, separator),
		ListedOn:   e.ListedOn,
		URL:        e.URL,
		ID:         e.ID,
		IMO:        strings.Join(e.IMOs, separator),
		BirthDates: e.BirthDates,
		Countries:  e.Countries,
		Lists:      e.Lists,
	}
}

// EntryOf makes the row with aliases of an entry, whose slices it shares.
func EntryOf(e sanction.Entry) Entry {
	entry := Entry{Row: RowOf(e)}
	for _, n := range e.Names[1:] {
		entry.Aliases = append(entry.Aliases, n.Text)
	}
	return entry
}

// RowColumns returns the columns of a Row.
func RowColumns() []table.Column {
	return []table.Column{
		{Name: "source", English: "Source", Chinese: "来源"},
		{Name: "name", English: "Name", Chinese: "名称"},
		{Name: "type", English: "Type", Chinese: "类型"},
		{Name: "programs", English: "Programmes", Chinese: "制裁项目"},
		{Name: "listed_on", English: "Listed on", Chinese: "列入日期", Kind: table.Date},
		{Name: "url", English: "Official record", Chinese: "官方记录", Kind: table.Link},
		{Name: "id", English: "Id", Chinese: "编号"},
		{Name: "imo", English: "IMO number", Chinese: "IMO编号"},
		{Name: "birth_dates", English: "Dates of birth", Chinese: "出生日期"},
		{Name: "countries", English: "Countries", Chinese: "国家或地区"},
		{Name: "lists", English: "Lists", Chinese: "名单"},
	}
}

// Cells returns the row's text for RowColumns.
func (r Row) Cells() []string {
	return []string{
		string(r.Source), r.Name, string(r.Type), r.Programs, r.ListedOn, r.URL, r.ID, r.IMO,
		strings.Join(r.BirthDates, separator), strings.Join(r.Countries, separator), strings.Join(r.Lists, separator),
	}
}

// EntryColumns returns the columns of an Entry.
func EntryColumns() []table.Column {
	return append(RowColumns(), table.Column{Name: "aliases", English: "Other names", Chinese: "其他名称"})
}

// Cells returns the entry's text for EntryColumns.
func (e Entry) Cells() []string {
	return append(e.Row.Cells(), strings.Join(e.Aliases, separator))
}

// Copy is an entry that leaves the service to be kept, with what must stand beside it.
type Copy struct {
	Entry
	// Attribution is the publisher's, see [Publisher].
	Attribution string `json:"attribution,omitempty"`
}

// CopyOf makes the copy of an entry, whose slices it shares.
func CopyOf(e sanction.Entry) Copy {
	return Copy{EntryOf(e), PublisherOf(e.Source).Attribution}
}

// CopyColumns returns the columns of a Copy.
func CopyColumns() []table.Column {
	return append(EntryColumns(), table.Column{Name: "attribution", English: "Attribution", Chinese: "数据来源声明"})
}

// Cells returns the copy's text for CopyColumns.
func (c Copy) Cells() []string { return append(c.Entry.Cells(), c.Attribution) }

// Notice stands beside entries that leave the service as a file (spec section 1).
func Notice() table.Note {
	return table.Note{English: "Notice", Chinese: "声明",
		Value: "A hit is a due-diligence signal, not a legal conclusion. The official record is authoritative."}
}

// Publisher is what callers are told of a source.
type Publisher struct {
	Title string
	// URL is the publisher's own page of the list.
	URL string
	// Attribution is what must stand beside the publisher's data; empty where nothing
	// has to.
	Attribution string
}

// PublisherOf returns the publisher of a source.
func PublisherOf(s sanction.Source) Publisher {
	switch s {
	case sanction.OFAC:
		return Publisher{"US Treasury, OFAC: SDN and Consolidated non-SDN lists", "https://sanctionslist.ofac.treas.gov/", ""}
	case sanction.UN:
		return Publisher{"UN Security Council Consolidated List", "https://main.un.org/securitycouncil/en/content/un-sc-consolidated-list",
			"Source: United Nations Security Council Consolidated List"}
	case sanction.EU:
		return Publisher{"EU consolidated list of financial sanctions",
			"https://data.europa.eu/data/datasets/consolidated-list-of-persons-groups-and-entities-subject-to-eu-financial-sanctions",
			"Source: European Commission, © European Union; reuse under Decision 2011/833/EU"}
	case sanction.EUX:
		return Publisher{"EU Regulation 833/2014: annexes that name parties and vessels", "https://eur-lex.europa.eu/eli/reg/2014/833",
			"Source: EUR-Lex, © European Union; reuse under Decision 2011/833/EU"}
	case sanction.CN:
		return Publisher{"Ministry of Commerce of China: unreliable entities and export control lists", "https://www.mofcom.gov.cn/", ""}
	}
	return Publisher{}
}
