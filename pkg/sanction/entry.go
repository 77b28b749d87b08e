// Package sanction is the vocabulary that every other package speaks: the
// sources, the entries that they list, and the names of an entry.
//
// Parsers (pkg/lists) produce a [List] of [Entry] values; refresh unites and
// publishes them; screening finds them again. The package holds no behaviour
// beyond what all of them must agree on, and imports nothing of ours.
package sanction

import (
	"slices"
	"strings"
)

// Type says what kind of party an entry is (spec section 2.1).
type Type string

// The types of spec section 2.1.
const (
	Entity     Type = "entity"
	Individual Type = "individual"
	Vessel     Type = "vessel"
	Aircraft   Type = "aircraft"
)

// Types returns the types in the order in which they are documented.
func Types() []Type { return []Type{Entity, Individual, Vessel, Aircraft} }

// Source is a publisher's list as callers name it (spec section 1).
type Source string

// The sources of spec section 1.
const (
	OFAC Source = "OFAC" // US Treasury: SDN and non-SDN Consolidated lists
	UN   Source = "UN"   // UN Security Council consolidated list
	EU   Source = "EU"   // European Commission financial sanctions file
	EUX  Source = "EUX"  // annexes of Regulation (EU) 833/2014
	CN   Source = "CN"   // China's Ministry of Commerce
)

// Sources returns the sources in table order, which is also the order of rows
// in every answer (decisions section 2).
func Sources() []Source { return []Source{OFAC, UN, EU, EUX, CN} }

// Kind says how a name stands in the publisher's list.
type Kind string

// The kinds of a name. Weak is not a kind of its own for a publisher: it is the
// strength of a primary, alias or former name (see [Name.Shown]).
const (
	Primary Kind = "primary"
	Alias   Kind = "alias"
	Former  Kind = "former"
	Native  Kind = "native" // in another script than the primary name
	Weak    Kind = "weak"
)

// Name is one name of an entry, as published.
type Name struct {
	// Text is the publisher's wording with white space collapsed, never empty.
	Text string `json:"text"`
	Kind Kind   `json:"kind"`
	// Weak marks what the publisher calls a low-quality alias.
	Weak bool `json:"weak,omitempty"`
	// Reading is the same name in reading order ("First LAST" for a published
	// "LAST, First"), searched but never shown; empty where it would not differ.
	Reading string `json:"reading,omitempty"`
}

// Shown is the kind that callers see as matched_kind (decisions section 2):
// a weak name says so, unless it is in a native script.
func (n Name) Shown() Kind {
	if n.Weak && n.Kind != Native {
		return Weak
	}
	return n.Kind
}

// Entry is one listed party. Parsers own its slices until they hand it over;
// nobody changes it afterwards, so entries may be read concurrently.
type Entry struct {
	// ID is "<source>-<publisher's own id>", stable over time.
	ID     string `json:"id"`
	Source Source `json:"source"`
	Type   Type   `json:"type"`
	// Names holds the primary name first, then the others in the publisher's
	// order. No two have the same text.
	Names []Name `json:"names"`
	// Programs are the publisher's programme codes in its order.
	Programs []string `json:"programs,omitempty"`
	// Lists are the publisher's names of the lists on which the party stands.
	Lists []string `json:"lists,omitempty"`
	// ListedOn is YYYY-MM-DD, or empty where the publisher gives no full day.
	ListedOn string `json:"listed_on,omitempty"`
	// URL is the official record, never empty.
	URL string `json:"url"`
	// IMOs are ship identification numbers of seven digits. Only vessels have
	// them: a company's IMO number has the same look and is not kept here.
	IMOs []string `json:"imos,omitempty"`
	// Registrations are tail numbers of aircraft, as published.
	Registrations []string `json:"registrations,omitempty"`
	// CompanyNumbers are numbers in registers of companies, by which a party whose
	// name changes is known again; they are not searched.
	CompanyNumbers []string `json:"company_numbers,omitempty"`
	// BirthDates are as published; partial and approximate ones are allowed.
	BirthDates []string `json:"birth_dates,omitempty"`
	// Countries are ISO 3166-1 alpha-2 codes: nationality, registration, flag.
	Countries []string `json:"countries,omitempty"`
}

// Name returns the primary name as published.
func (e *Entry) Name() string { return e.Names[0].Text }

// AddName appends a name unless one of the same text is there already; then the
// stronger of the two stays in the place of the first. Blank text is ignored,
// since an empty alias would match everything.
func (e *Entry) AddName(n Name) {
	n.Text = strings.Join(strings.Fields(n.Text), " ")
	if n.Text == "" {
		return
	}
	if n.Reading == n.Text {
		n.Reading = ""
	}
	for i := range e.Names {
		if e.Names[i].Text == n.Text {
			e.Names[i].Weak = e.Names[i].Weak && n.Weak
			return
		}
	}
	e.Names = append(e.Names, n)
}

// Unite adds what another record of the same ID holds and this one lacks: names,
// programmes, lists, identifiers, dates of birth and countries. What an entry
// has only one of (type, URL, date of listing) stays as it is here, so the
// record that decides must come first (decisions section 1).
func (e *Entry) Unite(other Entry) {
	for _, n := range other.Names {
		if n.Kind == Primary {
			n.Kind = Alias
		}
		e.AddName(n)
	}
	e.Programs = union(e.Programs, other.Programs)
	e.Lists = union(e.Lists, other.Lists)
	e.IMOs = union(e.IMOs, other.IMOs)
	e.Registrations = union(e.Registrations, other.Registrations)
	e.CompanyNumbers = union(e.CompanyNumbers, other.CompanyNumbers)
	e.BirthDates = union(e.BirthDates, other.BirthDates)
	e.Countries = union(e.Countries, other.Countries)
	if e.ListedOn == "" {
		e.ListedOn = other.ListedOn
	}
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// List is one publisher's file, read.
type List struct {
	// Date is the day of which the publisher dates the file, YYYY-MM-DD.
	Date    string
	Entries []Entry
	// Rejected names what was left out: records that could not become an entry,
	// and names that could not be taken over.
	Rejected []Rejection
}

// Rejection is a record, or a part of one, that a parser left out, and why.
type Rejection struct {
	ID     string `json:"id"` // the publisher's id, or the record's position as "#17"
	Reason string `json:"reason"`
}
