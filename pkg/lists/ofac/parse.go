// Package ofac reads the lists of the US Treasury's Office of Foreign Assets
// Control: SDN_ENHANCED.XML (Specially Designated Nationals) and
// CONS_ENHANCED.XML (the non-SDN lists, which it calls the Consolidated List).
// Use [Parse] for either, their format is the same: ENHANCED_XML of the
// Sanctions List Service. A party that stands on both kinds of list is in both
// files under one id; uniting the two is the caller's part.
package ofac

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/sanction"
)

// The root element of ENHANCED_XML. The service's other formats differ from it
// by the end of the namespace only.
const (
	namespace = "https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/ENHANCED_XML"
	rootName  = "sanctionsData"
)

// Parse reads one uncompressed ENHANCED_XML file, SDN or Consolidated. It holds
// one record at a time besides the entries it returns, which are the caller's;
// their order is that of the file, and no two have the same ID.
//
// A file that is not wholly the format is refused with the errors of package
// lists: ErrEmpty, ErrHTML, ErrSyntax, ErrTruncated, ErrRoot; ErrSchema without
// a valid date of the data, if not one entity could be read, or if an element that
// we read is in none of many; ErrNoEntries without any entity. Other errors are the reader's own. With an error the list
// is empty. An entity without id, type, name or sanctions list is left out and
// named in List.Rejected.
func Parse(r io.Reader) (sanction.List, error) {
	p := parser{countries: lists.NewCountries()}
	err := lists.ReadXML(r, xml.Name{Space: namespace, Local: rootName}, lists.Handlers{
		"dataAsOf": p.readDate,
		"entity":   p.readEntity,
	})
	if err != nil {
		return sanction.List{}, err
	}
	return p.list.List()
}

// parser gathers the list while the file streams by.
type parser struct {
	list      lists.Builder
	countries lists.Countries
}

func (p *parser) readDate(d *xml.Decoder, start xml.StartElement) error {
	var asOf string
	if err := d.DecodeElement(&asOf, &start); err != nil {
		return err
	}
	p.list.Date = lists.Day(asOf)
	if p.list.Date == "" {
		return fmt.Errorf("%w: dataAsOf %.40q is no date", lists.ErrSchema, asOf)
	}
	return nil
}

func (p *parser) readEntity(d *xml.Decoder, start xml.StartElement) error {
	var rec record
	if err := d.DecodeElement(&rec, &start); err != nil {
		return err
	}
	rec.ID = strings.TrimSpace(rec.ID)
	rec.expect(&p.list)
	entry, err := rec.entry(p.countries)
	if err != nil {
		p.list.Reject(rec.ID, err.Error())
		return nil
	}
	p.list.Add(entry)
	return nil
}
