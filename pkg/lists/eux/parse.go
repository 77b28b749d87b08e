// Package eux reads the EU lists that the European Commission's financial
// sanctions file leaves out: the annexes of Regulation (EU) No 833/2014 that name
// parties or vessels, from the consolidated act as the Publications Office (CELLAR)
// serves it in XHTML. The annexes of goods, ports, zones and currencies are passed
// over.
//
// Refresh calls [Parse] and needs nothing else. Whoever misses an annex begins at
// annex.go, whoever misses a row at row.go, and whoever misses a name at names.go:
// a cell holds several.
package eux

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/sanction"
)

// Parse reads a consolidated text of the regulation, one row at a time. The caller
// owns the result; concurrent calls share nothing.
//
// A row without a name, of a vessel without an IMO number of seven digits, or
// without a date in an annex that dates its rows is left out and named in
// List.Rejected. Rows of one IMO number become one entry, and so do rows of one
// annex, part, name and date, unless their registration numbers differ. On error
// the list is empty, and the error wraps one of package lists: ErrSchema for a text
// whose first annex is not preceded by the reference of the English consolidated
// act and its date, or with nothing but rejected rows, ErrNoEntries for a text
// without a row in any of the annexes, and those of lists.ReadXML.
func Parse(r io.Reader) (sanction.List, error) {
	p := parser{registrations: map[string][]string{}}
	root := xml.Name{Space: "http://www.w3.org/1999/xhtml", Local: "html"}
	err := lists.ReadXML(r, root, lists.Handlers{
		root.Local: allowEntities,
		"p":        p.paragraph,
		"tr":       p.tableRow,
	})
	if err != nil {
		return sanction.List{}, err
	}
	return p.list.List()
}

// parser is where in the text we are, and what was read so far.
type parser struct {
	list          lists.Builder
	annex         annex
	columns       columns
	registrations map[string][]string // by the id that their parties share, see number
}

// allowEntities lets the text use the entities of the XHTML document type, such as
// &nbsp;, which are none of XML itself.
func allowEntities(d *xml.Decoder, _ xml.StartElement) error {
	d.Entity = xml.HTMLEntity
	return nil
}

// paragraph takes a paragraph outside of a table: the reference of the act, the
// title of an annex, the label of a part, or a name in an annex that is a list.
func (p *parser) paragraph(d *xml.Decoder, start xml.StartElement) error {
	lines, err := readLines(d)
	if err != nil || len(lines) == 0 {
		return err
	}
	class := class(start)
	switch {
	case class == "title-annex-1":
		return p.enter(lines[0])
	case p.list.Date == "":
		p.list.Date = dateOfText(lines[0])
	case p.annex.enterPart(lines[0]):
	case p.annex.list() && !besideTheList(class):
		for _, line := range lines {
			p.item(line)
		}
	}
	return nil
}

// besideTheList tells headings, amendment markers and footnotes from names.
func besideTheList(class string) bool {
	return strings.HasPrefix(class, "title") || class == "modref" || class == "note"
}

var actReference = regexp.MustCompile(`^02014R0833 \W EN \W (\d{2}\.\d{2}\.\d{4})( |$)`)

// dateOfText returns the date in the line with which a consolidated text begins,
// such as "02014R0833 — EN — 25.06.2024 — 018.001", and nothing for another line.
func dateOfText(line string) string {
	match := actReference.FindStringSubmatch(line)
	if match == nil {
		return ""
	}
	date, _ := day(match[1])
	return date
}

// enter begins an annex. The reference of the act must stand before it: another
// act's annexes have other meanings, and the entries need the date.
func (p *parser) enter(title string) error {
	if p.list.Date == "" {
		return fmt.Errorf("%w: no reference \"02014R0833 — EN — DATE\" stands before %.80q", lists.ErrSchema, title)
	}
	p.annex = annexOf(title)
	p.columns = nil
	return nil
}

var itemNumber = regexp.MustCompile(`^\d+\.\s`)

// item takes a name of an annex that is a list. Text without a letter is the number
// of an item, or "[…]" in an annex that is empty.
func (p *parser) item(line string) {
	if line = itemNumber.ReplaceAllString(line, ""); hasLetter(line) {
		p.add(row{name: []string{line}}, line)
	}
}

// tableRow takes a row of a table: a header, the label of a part, a party, or
// nothing when only an amendment marker stood in it.
func (p *parser) tableRow(d *xml.Decoder, _ xml.StartElement) error {
	cells, err := readCells(d)
	if err != nil || p.annex.number == "" {
		return err
	}
	texts := nonBlank(cells)
	if len(texts) == 0 || len(texts) == 1 && p.annex.enterPart(texts[0]) {
		return nil
	}
	if header := headerOf(cells); header != nil {
		p.columns = header
		return nil
	}
	if p.columns == nil {
		p.reject(texts[0], "no header row stands above it")
		return nil
	}
	p.add(p.columns.row(cells), texts[0])
	return nil
}

// add makes an entry of a row, or names it among the rejected, by its first text
// where it has no name.
func (p *parser) add(r row, first string) {
	e := sanction.Entry{
		Source: sanction.EUX,
		Type:   p.annex.typ(),
		Names:  names(r.name),
		URL: "https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:02014R0833-" +
			strings.ReplaceAll(p.list.Date, "-", ""),
	}
	if flaw := r.flaw(p.annex, e.Names); flaw != "" {
		p.reject(cmp.Or(strings.Join(r.name, " "), first), flaw)
		return
	}
	e.ListedOn, _ = day(r.date)
	e.Programs = []string{p.program(e.ListedOn)}
	if e.Type == sanction.Vessel {
		e.IMOs = []string{r.imo}
		e.ID = "EUX-" + p.annex.number + "-" + r.imo
	} else {
		e.ID = p.number(partyID(p.annex, e), r.registration)
	}
	p.list.Add(e)
}

func (p *parser) reject(label, reason string) {
	p.list.Reject(fmt.Sprintf("%s: %.80s", p.annex, label), reason)
}

// program is the programme of a row of the annex. An entry is listed before its
// date of application has come, and says so (decisions section 1).
func (p *parser) program(listedOn string) string {
	program := "833/2014 " + p.annex.String()
	if listedOn > p.list.Date {
		program += " (applies from " + listedOn + ")"
	}
	return program
}
