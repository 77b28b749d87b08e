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
// the list is empty, and the error wraps one of package lists: ErrNoEntries for a
// text without a row in any of the annexes, those of lists.ReadXML, and ErrSchema
// for a text whose first annex is not preceded by the reference of the English
// consolidated act and its date, with nothing but rejected rows, or with an annex
// that lacks its title, the label of a part, its table or a column of it: a whole
// annex would be missing or another.
func Parse(r io.Reader) (sanction.List, error) {
	p := parser{registrations: map[string][]string{}}
	root := xml.Name{Space: "http://www.w3.org/1999/xhtml", Local: "html"}
	err := lists.ReadXML(r, root, lists.Handlers{
		root.Local + "/": allowEntities,
		"div/":           p.division,
		"p":              p.paragraph,
		"tr":             p.tableRow,
	})
	if err == nil {
		err = p.leave()
	}
	if err != nil {
		return sanction.List{}, err
	}
	return p.list.List()
}

// parser is where in the text we are, and what was read so far.
type parser struct {
	list          lists.Builder
	untitled      string // number of the annex whose division began, until its title is met
	annex         annex
	table, text   bool // whether the annex has rows of a table, and text outside of them
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
// title of an annex, or what stands in one.
func (p *parser) paragraph(d *xml.Decoder, start xml.StartElement) error {
	lines, err := readLines(d)
	if err != nil || len(lines) == 0 {
		return err
	}
	class := attribute(start, "class")
	switch {
	case class == "title-annex-1":
		return p.enter(lines[0])
	case p.list.Date == "":
		p.list.Date = dateOfText(lines[0])
	case p.annex.number != "":
		return p.annexText(lines, class)
	}
	return nil
}

// annexText takes a paragraph of an annex: the label of a part, or a name in an
// annex that is a list.
func (p *parser) annexText(lines []string, class string) error {
	label, err := p.annex.enterPart(lines[0])
	if label || err != nil || besideTheList(class) {
		return err
	}
	for _, line := range lines {
		if p.annex.list() {
			p.item(line)
		}
		p.text = p.text || hasLetter(line)
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

// division begins an annex where its id says so. Its title must follow and say the
// same, lest one annex be taken for another or for none.
func (p *parser) division(_ *xml.Decoder, start xml.StartElement) error {
	number := numberIn(attribute(start, "id"), annexDivision)
	if number == "" {
		return nil
	}
	err := p.leave()
	p.annex, p.untitled = annex{}, number
	return err
}

// enter takes the title of an annex. The reference of the act must stand before it:
// another act's annexes have other meanings, and the entries need the date.
func (p *parser) enter(title string) error {
	entered := annexOf(numberIn(title, annexTitle))
	switch {
	case p.list.Date == "":
		return fmt.Errorf("%w: no reference \"02014R0833 — EN — DATE\" stands before %.80q", lists.ErrSchema, title)
	case p.untitled != "" && annexOf(p.untitled) != entered:
		return fmt.Errorf("%w: the title of Annex %s, found %.80q", lists.ErrSchema, p.untitled, title)
	}
	p.untitled = ""
	err := p.leave()
	p.annex = entered
	p.columns, p.table, p.text = nil, false, false
	return err
}

// leave checks an annex that ends.
func (p *parser) leave() error {
	switch {
	case annexOf(p.untitled) != annex{}:
		return fmt.Errorf("%w: the title-annex-1 of Annex %s", lists.ErrSchema, p.untitled)
	case p.annex.dated && p.text && !p.table:
		return fmt.Errorf("%w: a table row (tr) in %s", lists.ErrSchema, p.annex)
	}
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
	if len(texts) == 0 {
		return nil
	}
	if len(texts) == 1 {
		if label, err := p.annex.enterPart(texts[0]); label || err != nil {
			return err
		}
	}
	p.table = true
	header := headerOf(cells)
	switch {
	case header != nil:
		return p.head(header)
	case p.columns == nil && p.annex.dated && len(texts) > 1:
		return fmt.Errorf("%w: the header row in %s, above %.80q", lists.ErrSchema, p.annex, texts[0])
	case p.columns == nil:
		p.reject(texts[0], "no header row stands above it")
	default:
		p.add(p.columns.row(cells), texts[0])
	}
	return nil
}

func (p *parser) head(header columns) error {
	if missing := p.annex.missing(header); missing != "" {
		return fmt.Errorf("%w: the column of the %s in %s", lists.ErrSchema, missing, p.annex)
	}
	p.columns = header
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
	if r.registration != "" {
		e.CompanyNumbers = []string{r.registration}
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
