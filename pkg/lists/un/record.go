package un

import (
	"cmp"
	"encoding/xml"
	"slices"
	"strings"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/sanction"
)

// record is an INDIVIDUAL or an ENTITY as published, as far as we read it. An
// entity has FirstName only, and neither nationality nor date of birth.
type record struct {
	XMLName       xml.Name
	Reference     string   `xml:"REFERENCE_NUMBER"`
	FirstName     string   `xml:"FIRST_NAME"`
	SecondName    string   `xml:"SECOND_NAME"`
	ThirdName     string   `xml:"THIRD_NAME"`
	FourthName    string   `xml:"FOURTH_NAME"`
	NativeName    string   `xml:"NAME_ORIGINAL_SCRIPT"`
	ListType      string   `xml:"UN_LIST_TYPE"`
	ListedOn      string   `xml:"LISTED_ON"`
	Nationalities []string `xml:"NATIONALITY>VALUE"`
	PersonAliases []alias  `xml:"INDIVIDUAL_ALIAS"`
	EntityAliases []alias  `xml:"ENTITY_ALIAS"`
	Births        []birth  `xml:"INDIVIDUAL_DATE_OF_BIRTH"`
}

type birth struct {
	Type     string `xml:"TYPE_OF_DATE"`
	Date     string `xml:"DATE"`
	Year     string `xml:"YEAR"`
	FromYear string `xml:"FROM_YEAR"`
	ToYear   string `xml:"TO_YEAR"`
	Note     string `xml:"NOTE"`
}

// expect tells the builder what the record has of all that we read. The publisher
// gives every record a date of listing; about nine individuals in ten have a second
// name, a nationality, aliases and dates of birth, every second of them a third
// name, every second of those a fourth, and every second individual a name in the
// original script.
func (rec *record) expect(b *lists.Builder, section string) {
	b.Expect("REFERENCE_NUMBER", rec.Reference != "")
	b.Expect("UN_LIST_TYPE", rec.ListType != "")
	b.Expect("LISTED_ON", rec.ListedOn != "")
	b.Expect("FIRST_NAME", rec.FirstName != "")
	if section == "ENTITIES" {
		b.Expect("ENTITIES/ENTITY", rec.typ() == sanction.Entity)
		expectAliases(b, "ENTITY_ALIAS", rec.EntityAliases)
		return
	}
	b.Expect("INDIVIDUALS/INDIVIDUAL", rec.typ() == sanction.Individual)
	expectAliases(b, "INDIVIDUAL_ALIAS", rec.PersonAliases)
	b.Expect("SECOND_NAME", rec.SecondName != "")
	if rec.SecondName != "" {
		b.Expect("THIRD_NAME", rec.ThirdName != "")
	}
	if rec.ThirdName != "" {
		b.Expect("FOURTH_NAME", rec.FourthName != "")
	}
	b.Expect("NAME_ORIGINAL_SCRIPT", rec.NativeName != "")
	b.Expect("NATIONALITY/VALUE", len(rec.Nationalities) > 0)
	b.Expect("INDIVIDUAL_DATE_OF_BIRTH", len(rec.Births) > 0)
	for _, birth := range rec.Births {
		birth.expect(b)
	}
}

func (b birth) expect(list *lists.Builder) {
	list.Expect("INDIVIDUAL_DATE_OF_BIRTH/TYPE_OF_DATE", b.Type != "")
	if b.Type == "BETWEEN" {
		list.Expect("INDIVIDUAL_DATE_OF_BIRTH/FROM_YEAR", b.FromYear != "")
		list.Expect("INDIVIDUAL_DATE_OF_BIRTH/TO_YEAR", b.ToYear != "")
		return
	}
	list.Expect("INDIVIDUAL_DATE_OF_BIRTH/DATE", b.Date != "")
	if b.Date == "" {
		list.Expect("INDIVIDUAL_DATE_OF_BIRTH/YEAR", b.Year != "")
	}
}

// flaw says why the record cannot become an entry; it is empty where it can.
func (rec *record) flaw() string {
	switch {
	case rec.typ() == "":
		return "<" + rec.XMLName.Local + "> is no known type of record"
	case clean(rec.Reference) == "":
		return "REFERENCE_NUMBER is missing"
	case clean(rec.ListType) == "":
		return "UN_LIST_TYPE is missing"
	case len(rec.names()) == 0:
		return "every name is missing"
	}
	return ""
}

func (rec *record) typ() sanction.Type {
	switch rec.XMLName.Local {
	case "INDIVIDUAL":
		return sanction.Individual
	case "ENTITY":
		return sanction.Entity
	}
	return ""
}

// entry makes the entry of a record without flaw.
func (rec *record) entry(countries lists.Countries) sanction.Entry {
	listType := clean(rec.ListType)
	return sanction.Entry{
		ID:         "UN-" + clean(rec.Reference),
		Source:     sanction.UN,
		Type:       rec.typ(),
		Names:      rec.names(),
		Programs:   []string{listType},
		ListedOn:   lists.Day(rec.ListedOn),
		URL:        committeePage(listType),
		BirthDates: rec.birthDates(),
		Countries:  rec.countries(countries),
	}
}

func (rec *record) birthDates() []string {
	var dates []string
	for _, b := range rec.Births {
		if date := b.date(); date != "" && !slices.Contains(dates, date) {
			dates = append(dates, date)
		}
	}
	return dates
}

// date words one date of birth. A note counts only where it stands alone: beside
// a date it tells how sure that is or where it was found.
func (b birth) date() string {
	date := cmp.Or(clean(b.Date), clean(b.Year))
	from, to := clean(b.FromYear), clean(b.ToYear)
	switch {
	case date != "" && clean(b.Type) == "APPROXIMATELY":
		return "circa " + date
	case date != "":
		return date
	case from != "" && to != "":
		return from + " to " + to
	}
	return clean(b.Note)
}

// countries leaves out what names no present state ("na", "former Soviet Union").
func (rec *record) countries(known lists.Countries) []string {
	var codes []string
	for _, n := range rec.Nationalities {
		if code := known.Code(n); code != "" && !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	return codes
}

// committeePage is the page of the committee that keeps a part of the list: the
// list links its records to no page, and the addresses of the committees' narrative
// summaries do not follow from it. An unknown list type gets the page of the whole
// list.
func committeePage(listType string) string {
	const site = "https://main.un.org/securitycouncil/en/"
	committee, known := map[string]string{
		"Al-Qaida":   "1267",
		"CAR":        "2127",
		"DPRK":       "1718",
		"DRC":        "1533",
		"GB":         "2048", // Guinea-Bissau
		"Haiti":      "2653",
		"Iran":       "1737",
		"Iraq":       "1518",
		"Libya":      "1970",
		"Somalia":    "2713",
		"SouthSudan": "2206",
		"Sudan":      "1591",
		"Taliban":    "1988",
		"Yemen":      "2140",
	}[listType]
	if !known {
		return site + "content/un-sc-consolidated-list"
	}
	return site + "sanctions/" + committee + "/materials"
}

// clean trims the text of an element and makes one blank of each run of white
// space in it: the publisher breaks long lines and indents the rest.
func clean(text string) string { return strings.Join(strings.Fields(text), " ") }
