package ofac

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/sanction"
)

// recordURL, followed by an entity's id, is the official record of an entry.
const recordURL = "https://sanctionssearch.ofac.treas.gov/Details.aspx?id="

// record is an <entity> as published, as far as we read it. Addresses,
// relationships and the parts of names are skipped while decoding.
type record struct {
	ID        string     `xml:"id,attr"`
	Type      string     `xml:"generalInfo>entityType"`
	Standings []standing `xml:"sanctionsLists>sanctionsList"`
	Programs  []string   `xml:"sanctionsPrograms>sanctionsProgram"`
	Names     []name     `xml:"names>name"`
	Features  []feature  `xml:"features>feature"`
	Documents []document `xml:"identityDocuments>identityDocument"`
}

// feature is a typed fact, such as a date of birth.
type feature struct {
	Type  string `xml:"type"`
	Value string `xml:"value"`
}

type document struct {
	Type   string `xml:"type"`
	Number string `xml:"documentNumber"`
}

// entry turns a record into an entry, or says why it cannot become one.
func (rec *record) entry(countries lists.Countries) (sanction.Entry, error) {
	kind, err := rec.entryType()
	if err != nil {
		return sanction.Entry{}, err
	}
	names := rec.names()
	switch {
	case rec.ID == "":
		return sanction.Entry{}, errors.New("no id")
	case len(names) == 0:
		return sanction.Entry{}, errors.New("no name")
	case len(rec.Standings) == 0:
		return sanction.Entry{}, errors.New("on no sanctions list")
	}
	entry := sanction.Entry{
		ID:         "OFAC-" + rec.ID,
		Source:     sanction.OFAC,
		Type:       kind,
		Programs:   distinct(rec.Programs),
		Lists:      listNames(rec.Standings),
		ListedOn:   listedOn(rec.Standings),
		URL:        recordURL + rec.ID,
		BirthDates: rec.values("Birthdate"),
		Countries:  rec.countryCodes(countries),
	}
	switch kind {
	case sanction.Vessel:
		entry.IMOs = rec.imos()
	case sanction.Aircraft:
		entry.Registrations = rec.values("Aircraft Tail Number", "Previous Aircraft Tail Number")
	}
	for _, n := range names {
		entry.AddName(n)
	}
	return entry, nil
}

// expect tells the builder what the record has of all that we read. The schema
// (ENHANCED_XML.xsd) requires it, but for aliasType, which only primary names are
// without, first names, features and documents: nearly every individual on the
// lists has a first name and a date of birth, and every second vessel a register
// number. Other features are rarer and of the same elements.
func (rec *record) expect(b *lists.Builder) {
	b.Expect("entity/@id", rec.ID != "")
	b.Expect("generalInfo/entityType", rec.Type != "")
	b.Expect("sanctionsLists/sanctionsList/@datePublished", listedOn(rec.Standings) != "")
	b.Expect("sanctionsPrograms/sanctionsProgram", len(rec.Programs) > 0)
	b.Expect("names/name", len(rec.Names) > 0)
	individual := rec.Type == "Individual"
	for _, n := range rec.Names {
		n.expect(b, individual)
	}
	if individual {
		b.Expect("features/feature/type and value of a Birthdate", len(rec.values("Birthdate")) > 0)
	}
	if rec.Type == "Vessel" {
		b.Expect("identityDocuments/identityDocument/type and documentNumber of a vessel", len(rec.imos()) > 0)
	}
}

func (rec *record) entryType() (sanction.Type, error) {
	switch rec.Type {
	case "Entity":
		return sanction.Entity, nil
	case "Individual":
		return sanction.Individual, nil
	case "Vessel":
		return sanction.Vessel, nil
	case "Aircraft":
		return sanction.Aircraft, nil
	case "":
		return "", errors.New("no type")
	}
	return "", fmt.Errorf("unknown type %.40q", rec.Type)
}

// values returns the distinct values of the features of the given types.
func (rec *record) values(types ...string) []string {
	var values []string
	for _, f := range rec.Features {
		if slices.Contains(types, f.Type) {
			values = append(values, f.Value)
		}
	}
	return distinct(values)
}

// countryCodes leaves out what names no present state ("undetermined"). The codes
// in the file's own table are not used: flags are free text that the table does not
// spell alike, and one damaged byte of it would change hundreds of entries.
func (rec *record) countryCodes(known lists.Countries) []string {
	named := rec.values("Nationality Country", "Citizenship Country",
		"Vessel Flag", "Nationality of Registration")
	codes := make([]string, len(named))
	for i, country := range named {
		codes[i] = known.Code(country)
	}
	return distinct(codes)
}

// taggedIMO matches a number that OFAC itself calls an IMO number.
var taggedIMO = regexp.MustCompile(`(?i)IMO[\s\p{Zs}]*0*([0-9]{7})\b`)

// imos returns ship identification numbers. What is written with "IMO" is kept
// even if its check digit is wrong, since about ten are misprinted on the list
// and callers search for what is printed. The documents hold national register
// numbers too, so a bare number has to pass.
func (rec *record) imos() []string {
	var numbers []string
	for _, d := range rec.Documents {
		if d.Type != "Vessel Registration Identification" {
			continue
		}
		if tagged := taggedIMO.FindStringSubmatch(d.Number); tagged != nil {
			numbers = append(numbers, tagged[1])
		} else if bare := strings.TrimSpace(d.Number); lists.ShipIMO(bare) {
			numbers = append(numbers, bare)
		}
	}
	return distinct(numbers)
}

// distinct drops blanks and repetitions and keeps the order.
func distinct(values []string) []string {
	var kept []string
	for _, v := range values {
		v = strings.TrimSpace(v)
		if v != "" && !slices.Contains(kept, v) {
			kept = append(kept, v)
		}
	}
	return kept
}
