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
func (rec *record) entry(countries map[string]string) (sanction.Entry, error) {
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

func (rec *record) countryCodes(byName map[string]string) []string {
	named := rec.values("Nationality Country", "Citizenship Country",
		"Vessel Flag", "Nationality of Registration")
	codes := make([]string, len(named))
	for i, country := range named {
		codes[i] = byName[country]
		if codes[i] == "" {
			codes[i] = unlistedCountry(country)
		}
	}
	return distinct(codes)
}

// unlistedCountry gives the codes of names that OFAC's country table has without
// a code, and of flags, which OFAC writes as free text in a spelling of their
// own. It returns "" for what is no country ("undetermined").
func unlistedCountry(name string) string {
	switch name {
	case "West Bank", "Region: Gaza":
		return "PS"
	case "Kosovo":
		return "XK" // assigned by users of ISO 3166-1, not by the standard
	case "Democratic People's Republic of Korea":
		return "KP"
	case "St. Kitts and Nevis":
		return "KN"
	case "St. Vincent and the Grenadines":
		return "VC"
	case "British Virgin Islands":
		return "VG"
	}
	return ""
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
