package eu

import (
	"regexp"
	"strings"

	"github.com/listward/listward/pkg/lists"
)

// act is a legal act by its dates.
type act struct {
	Published string `xml:"publicationDate,attr"`
	InForce   string `xml:"entryIntoForceDate,attr"`
}

// cited is what every part of a record has: the acts by which it was put there.
type cited struct {
	Acts []act `xml:"regulationSummary"`
}

// regulation is the act by which a record stands as it does, the last that
// changed it.
type regulation struct {
	act
	Title     string `xml:"numberTitle,attr"` // "2019/555 (OJ L97)"
	Programme string `xml:"programme,attr"`
	URL       string `xml:"publicationUrl"`
}

// acts returns every act that a record or a part of it cites.
func (rec *record) acts() []act {
	var acts []act
	for _, r := range rec.Regulations {
		acts = append(acts, r.act)
	}
	for _, a := range rec.Aliases {
		acts = append(acts, a.Acts...)
	}
	for _, b := range rec.Births {
		acts = append(acts, b.Acts...)
	}
	for _, c := range rec.Citizenships {
		acts = append(acts, c.Acts...)
	}
	for _, id := range rec.Identifications {
		acts = append(acts, id.Acts...)
	}
	for _, a := range rec.Addresses {
		acts = append(acts, a.Acts...)
	}
	return acts
}

// listPage is the page of the whole list.
const listPage = "https://data.europa.eu/data/datasets/consolidated-list-of-persons-groups-and-entities-subject-to-eu-financial-sanctions"

// url is the page of the first regulation that has one, or that of the whole list.
func (rec *record) url() string {
	for _, r := range rec.Regulations {
		if page := r.page(); page != "" {
			return page
		}
	}
	return listPage
}

func (r regulation) expect(b *lists.Builder) {
	b.Expect("regulation/@publicationDate", r.Published != "")
	b.Expect("regulation/@entryIntoForceDate", r.InForce != "")
	b.Expect("regulation/@numberTitle", r.Title != "")
	b.Expect("regulation/@programme", r.Programme != "")
	b.Expect("regulation/publicationUrl", r.URL != "")
}

// page is the English text of a regulation by its CELEX number. Where none is
// known, as for corrigenda and resolutions of the United Nations, it is the link
// as published; it is empty where that is no web address.
func (r regulation) page() string {
	if celex := r.celex(); celex != "" {
		return "https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:" + celex
	}
	link := clean(r.URL)
	if strings.HasPrefix(link, "https://") || strings.HasPrefix(link, "http://") {
		return link
	}
	return ""
}

var (
	linkedCELEX = regexp.MustCompile(`CELEX(?::|%3A)(3[0-9]{4}R[0-9]{4})\b`)
	// numberedTitle matches the number of a regulation alone: corrigenda have five
	// digits, other acts an ending ("2005/848/EC").
	numberedTitle = regexp.MustCompile(`^([0-9]{1,4})/{1,2}([0-9]{1,4}) *(?:\(OJ|\(L |$)`)
)

// celex is the number under which EUR-Lex files a regulation: 3, year, R, number
// (EUR-Lex, "How CELEX numbers are composed"). It is empty where neither link nor
// title tells it for sure.
func (r regulation) celex() string {
	if linked := linkedCELEX.FindStringSubmatch(r.URL); linked != nil {
		return linked[1]
	}
	title := numberedTitle.FindStringSubmatch(clean(r.Title))
	if title == nil || len(r.Published) < 4 {
		return ""
	}
	year, number := title[1], title[2]
	published := r.Published[:4]
	if published < "2015" { // when the Official Journal put the year first
		year, number = number, year
	}
	if year != published { // some titles have the year misprinted
		return ""
	}
	return "3" + year + "R" + strings.Repeat("0", 4-len(number)) + number
}
