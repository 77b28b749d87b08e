// Package un reads the consolidated list of the United Nations Security Council
// (consolidated.xml): the individuals and entities under the sanctions of all its
// committees. The format has no vessels; those of the 1718 committee stand in a
// PDF only.
//
// Refresh calls [Parse] and needs nothing else. Whoever misses a name that the
// publisher shows begins at names.go: one alias cell may hold several names.
package un

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/sanction"
)

// Parse reads the XML of the consolidated list, one record at a time. The caller
// owns the result; concurrent calls share nothing.
//
// A record of unknown type or without reference number, name or list type is left
// out and named in List.Rejected. Records of one reference number become one
// entry. On error the list is empty, and the error wraps one of package lists:
// ErrSchema for a file without a date, without one of its two sections, with
// nothing but rejected records or with an element that we read in none of many,
// ErrNoEntries for a file without records, and those of lists.ReadXML.
func Parse(r io.Reader) (sanction.List, error) {
	p := parser{countries: lists.NewCountries()}
	root := xml.Name{Local: "CONSOLIDATED_LIST"}
	err := lists.ReadXML(r, root, lists.Handlers{
		root.Local + "/": p.date,
		"INDIVIDUALS/":   p.section,
		"INDIVIDUALS/*":  p.record,
		"ENTITIES/":      p.section,
		"ENTITIES/*":     p.record,
	})
	if err == nil {
		err = p.checkSections()
	}
	if err != nil {
		return sanction.List{}, err
	}
	return p.list.List()
}

type parser struct {
	list      lists.Builder
	countries lists.Countries
	sections  []string // names of the sections met
}

func (p *parser) date(_ *xml.Decoder, start xml.StartElement) error {
	for _, a := range start.Attr {
		if a.Name.Local == "dateGenerated" {
			p.list.Date = lists.Day(a.Value)
		}
	}
	if p.list.Date == "" {
		return fmt.Errorf("%w: <%s> has no dateGenerated with a full day", lists.ErrSchema, start.Name.Local)
	}
	return nil
}

func (p *parser) section(_ *xml.Decoder, start xml.StartElement) error {
	p.sections = append(p.sections, start.Name.Local)
	return nil
}

// record takes every element of a section, whatever its name, so that a new or
// renamed kind of record is rejected by name rather than passed over.
func (p *parser) record(d *xml.Decoder, start xml.StartElement) error {
	var rec record
	if err := d.DecodeElement(&rec, &start); err != nil {
		return err
	}
	rec.expect(&p.list, p.sections[len(p.sections)-1])
	if reason := rec.flaw(); reason != "" {
		p.list.Reject(rec.Reference, reason)
		return nil
	}
	p.list.Add(rec.entry(p.countries))
	return nil
}

// checkSections refuses a file that is well-formed and yet lacks a half.
func (p *parser) checkSections() error {
	for _, name := range []string{"INDIVIDUALS", "ENTITIES"} {
		if !slices.Contains(p.sections, name) {
			return fmt.Errorf("%w: there is no <%s>", lists.ErrSchema, name)
		}
	}
	return nil
}
