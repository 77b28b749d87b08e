package eu

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/sanction"
)

// The codes of subjectType.
const (
	person     = "person"
	enterprise = "enterprise"
)

// record is a sanctionEntity as published, as far as we read it. Nearly all of the
// format is attributes.
type record struct {
	XMLName    xml.Name
	Reference  string `xml:"euReferenceNumber,attr"`
	Designated string `xml:"designationDate,attr"`
	Subject    struct {
		Code string `xml:"code,attr"`
	} `xml:"subjectType"`
	Regulations     []regulation     `xml:"regulation"`
	Aliases         []alias          `xml:"nameAlias"`
	Births          []birth          `xml:"birthdate"`
	Citizenships    []citizenship    `xml:"citizenship"`
	Identifications []identification `xml:"identification"`
	Addresses       []cited          `xml:"address"`
}

type citizenship struct {
	cited
	Country string `xml:"countryIso2Code,attr"`
}

type identification struct {
	cited
	Type   string `xml:"identificationTypeCode,attr"`
	Number string `xml:"number,attr"`
}

// expect tells the builder what the record has of all that we read. Regulation,
// subject type and names are in every record, and their attributes in every one of
// them but nameLanguage, which four names in five have. Dates of birth have nine
// persons in ten, citizenships more than half of them; numbers of any kind have two
// enterprises in five. What few records have is not asked for: the date of
// designation, ranges of years, remarks on names.
func (rec *record) expect(b *lists.Builder) {
	b.Expect(recordName, rec.XMLName.Local == recordName)
	b.Expect(recordName+"/@euReferenceNumber", rec.Reference != "")
	b.Expect("subjectType/@code", rec.Subject.Code != "")
	b.Expect("regulation", len(rec.Regulations) > 0)
	for _, r := range rec.Regulations {
		r.expect(b)
	}
	b.Expect("nameAlias", len(rec.Aliases) > 0)
	for _, a := range rec.Aliases {
		a.expect(b)
	}
	switch rec.Subject.Code {
	case person:
		b.Expect("citizenship/@countryIso2Code", len(rec.Citizenships) > 0 && rec.Citizenships[0].Country != "")
		b.Expect("birthdate", len(rec.Births) > 0)
		for _, birth := range rec.Births {
			birth.expect(b)
		}
	case enterprise:
		b.Expect("identification", len(rec.Identifications) > 0)
		for _, id := range rec.Identifications {
			b.Expect("identification/@identificationTypeCode", id.Type != "")
			b.Expect("identification/@number", id.Number != "")
		}
	}
}

// flaw says why the record cannot become an entry; it is empty where it can.
func (rec *record) flaw() string {
	code := rec.Subject.Code
	switch {
	case rec.XMLName != xml.Name{Space: namespace, Local: recordName}:
		return fmt.Sprintf("<%.40s> is no known kind of record", rec.XMLName.Local)
	case clean(rec.Reference) == "":
		return "euReferenceNumber is missing"
	case code == "":
		return "subjectType is missing"
	case code != person && code != enterprise:
		return fmt.Sprintf("unknown subjectType %.40q", code)
	case len(rec.names()) == 0:
		return "every name is missing"
	}
	return ""
}

// entry makes the entry of a record without flaw.
func (rec *record) entry() sanction.Entry {
	imos := rec.shipIMOs()
	return sanction.Entry{
		ID:         "EU-" + clean(rec.Reference),
		Source:     sanction.EU,
		Type:       rec.typ(imos),
		Names:      rec.names(),
		Programs:   rec.programs(),
		ListedOn:   rec.listedOn(),
		URL:        rec.url(),
		IMOs:       imos,
		BirthDates: rec.birthDates(),
		Countries:  rec.countries(),
	}
}

func (rec *record) typ(imos []string) sanction.Type {
	switch {
	case rec.Subject.Code == person:
		return sanction.Individual
	case len(imos) > 0:
		return sanction.Vessel
	}
	return sanction.Entity
}

// shipIMOs are the numbers that can only be a ship's: nine tenths of what the
// publisher calls an IMO number are those of companies (decisions section 1).
func (rec *record) shipIMOs() []string {
	var imos []string
	for _, id := range rec.Identifications {
		number := clean(id.Number)
		if rec.Subject.Code == enterprise && id.Type == "imo" && lists.ShipIMO(number) && !lists.CompanyIMO(number) {
			imos = append(imos, number)
		}
	}
	return distinct(imos)
}

func (rec *record) programs() []string {
	var programs []string
	for _, r := range rec.Regulations {
		programs = append(programs, clean(r.Programme))
	}
	return distinct(programs)
}

func (rec *record) birthDates() []string {
	var dates []string
	for _, b := range rec.Births {
		dates = append(dates, b.date())
	}
	return distinct(dates)
}

var countryCode = regexp.MustCompile(`^[A-Z]{2}$`)

// countries are those of citizenship; the format has no country of registration.
// Unknown ones are written "00". Serbia and Montenegro is no country any more.
func (rec *record) countries() []string {
	var codes []string
	for _, c := range rec.Citizenships {
		code := clean(c.Country)
		switch {
		case code == "CS":
			codes = append(codes, "RS")
		case countryCode.MatchString(code):
			codes = append(codes, code)
		}
	}
	return distinct(codes)
}

// listedOn is the date of designation. Few records have one; the others were
// listed when the first act that they cite was published or took effect, since
// their regulation is only the one that changed them last (decisions section 1).
func (rec *record) listedOn() string {
	earliest := ""
	for _, a := range rec.acts() {
		for _, published := range []string{a.Published, a.InForce} {
			if day := lists.Day(published); day != "" {
				earliest = min(cmp.Or(earliest, day), day)
			}
		}
	}
	return cmp.Or(lists.Day(rec.Designated), earliest)
}

// distinct drops blanks and repetitions and keeps the order.
func distinct(values []string) []string {
	var kept []string
	for _, v := range values {
		if v != "" && !slices.Contains(kept, v) {
			kept = append(kept, v)
		}
	}
	return kept
}
