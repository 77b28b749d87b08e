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
// a valid date of the data, or if not one entity could be read; ErrNoEntries
// without any entity. Other errors are the reader's own. With an error the list
// is empty. An entity without id, type, name or sanctions list is left out and
// named in List.Rejected.
func Parse(r io.Reader) (sanction.List, error) {
	p := parser{countries: make(map[string]string)}
	err := lists.ReadXML(r, xml.Name{Space: namespace, Local: rootName}, lists.Handlers{
		"dataAsOf":       p.readDate,
		"referenceValue": p.readReference,
		"entity":         p.readEntity,
	})
	if err != nil {
		return sanction.List{}, err
	}
	return p.list.List()
}

// parser gathers the list while the file streams by.
type parser struct {
	list      lists.Builder
	countries map[string]string // ISO codes by OFAC's names
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

// readReference keeps the country codes. Nothing else of the tables is needed,
// since entities repeat the text of what they refer to.
func (p *parser) readReference(d *xml.Decoder, start xml.StartElement) error {
	var ref struct {
		Type    string `xml:"type"`
		Value   string `xml:"value"`
		ISOCode string `xml:"isoCode"`
	}
	if err := d.DecodeElement(&ref, &start); err != nil {
		return err
	}
	if ref.Type == "COUNTRY" {
		p.countries[ref.Value] = ref.ISOCode
	}
	return nil
}

func (p *parser) readEntity(d *xml.Decoder, start xml.StartElement) error {
	var rec record
	if err := d.DecodeElement(&rec, &start); err != nil {
		return err
	}
	rec.ID = strings.TrimSpace(rec.ID)
	entry, err := rec.entry(p.countries)
	if err != nil {
		p.list.Reject(rec.ID, err.Error())
		return nil
	}
	p.list.Add(entry)
	return nil
}
