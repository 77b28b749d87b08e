// Package eu reads the consolidated list of financial sanctions of the European
// Commission (the financial sanctions file, xmlFullSanctionsList_1_1): the
// persons, groups and entities whose assets are frozen in the European Union.
// The annexes of Regulation (EU) 833/2014 are no part of it.
//
// Refresh calls [Parse] and needs nothing else. The publisher flags no name as
// the primary one and types ships as enterprises; names.go and record.go say how
// both are told.
package eu

import (
	"encoding/xml"
	"fmt"
	"io"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/sanction"
)

// The root element of format 1.1 and its records.
const (
	namespace  = "http://eu.europa.ec/fpi/fsd/export"
	rootName   = "export"
	recordName = "sanctionEntity"
)

// Parse reads the uncompressed XML of the financial sanctions file, one record
// at a time. The caller owns the result; concurrent calls share nothing.
//
// A record without reference number, known subject type or name is left out and
// named in List.Rejected, and so is what is no sanctionEntity. Records of one
// reference number become one entry. On error the list is empty, and the error
// wraps one of package lists: ErrSchema for a file without a date, with nothing but
// rejected records or with an element or attribute that we read in none of many,
// ErrNoEntries for a file without records, and those of lists.ReadXML.
func Parse(r io.Reader) (sanction.List, error) {
	var p parser
	err := lists.ReadXML(r, xml.Name{Space: namespace, Local: rootName}, lists.Handlers{
		rootName + "/":  p.date,
		rootName + "/*": p.record,
	})
	if err != nil {
		return sanction.List{}, err
	}
	return p.list.List()
}

type parser struct {
	list lists.Builder
}

func (p *parser) date(_ *xml.Decoder, start xml.StartElement) error {
	for _, a := range start.Attr {
		if a.Name.Local == "generationDate" {
			p.list.Date = lists.Day(a.Value)
		}
	}
	if p.list.Date == "" {
		return fmt.Errorf("%w: <%s> has no generationDate with a full day", lists.ErrSchema, start.Name.Local)
	}
	return nil
}

// record takes every child of the root, whatever its name, so that a new or
// renamed kind of record is rejected by name rather than passed over.
func (p *parser) record(d *xml.Decoder, start xml.StartElement) error {
	var rec record
	if err := d.DecodeElement(&rec, &start); err != nil {
		return err
	}
	rec.expect(&p.list)
	if reason := rec.flaw(); reason != "" {
		p.list.Reject(rec.Reference, reason)
		return nil
	}
	p.list.Add(rec.entry())
	return nil
}
