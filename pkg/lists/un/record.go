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
func (rec *record) entry(codes map[string]string) sanction.Entry {
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
		Countries:  rec.countries(codes),
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
func (rec *record) countries(codes map[string]string) []string {
	var countries []string
	for _, n := range rec.Nationalities {
		if code := codes[countryKey(n)]; code != "" && !slices.Contains(countries, code) {
			countries = append(countries, code)
		}
	}
	return countries
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
