package eux

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/listward/listward/pkg/sanction"
)

// row is a row of a table or an item of a list, as published, as far as we read it.
type row struct {
	name         []string // the lines of the cell
	imo          string
	registration string // number of a company, letters and digits only, may be empty
	date         string
}

// columns are the positions of the cells that we read, by what they hold. The
// header row is an ordinary one and is not repeated where an amendment begins a new
// table, so it holds until the annex ends.
type columns map[column]int

type column string

const (
	nameColumn        column = "name"
	imoColumn         column = "IMO number"
	informationColumn column = "identifying information"
	dateColumn        column = "date"
)

// headerOf returns the columns of a header row, and nothing for any other row. Only
// the heading of the names makes it one: the others differ between annexes.
func headerOf(cells [][]string) columns {
	header := columns{}
	for i, cell := range cells {
		if c := columnOf(strings.ToLower(strings.Join(cell, " "))); c != "" {
			header[c] = i
		}
	}
	if _, named := header[nameColumn]; !named {
		return nil
	}
	return header
}

func columnOf(heading string) column {
	switch {
	case heading == "name", heading == "vessel name", strings.HasPrefix(heading, "name of the "),
		strings.HasPrefix(heading, "name of legal person"):
		return nameColumn
	case strings.HasPrefix(heading, "imo number"):
		return imoColumn
	case heading == "identifying information":
		return informationColumn
	case strings.HasPrefix(heading, "date of "), heading == "entry into force":
		return dateColumn
	}
	return ""
}

// row picks the cells of a row below the header.
func (c columns) row(cells [][]string) row {
	lines := func(of column) []string {
		i, known := c[of]
		if !known || i >= len(cells) {
			return nil
		}
		return cells[i]
	}
	return row{
		name:         lines(nameColumn),
		imo:          strings.TrimPrefix(strings.Join(lines(imoColumn), " "), "IMO "),
		registration: registration(lines(informationColumn)),
		date:         strings.Join(lines(dateColumn), " "),
	}
}

var (
	sevenDigits = regexp.MustCompile(`^[0-9]{7}$`)
	// registrationLine ends before the name of the register: "7702715348 (INN)".
	registrationLine = regexp.MustCompile(`^(?i:registration number)[ :]*([^(]+)`)
)

// registration returns the first registration number in the identifying
// information, without the blanks and dashes in which two writings differ.
func registration(information []string) string {
	for _, line := range information {
		if match := registrationLine.FindStringSubmatch(line); match != nil {
			return strings.Join(strings.FieldsFunc(match[1], notLetterOrDigit), "")
		}
	}
	return ""
}

// flaw says why a row of the annex cannot become an entry; it is empty where it can.
// The check digit of an IMO number is not asked for: a wrong one is the publisher's
// to correct, and the vessel is listed all the same.
func (r row) flaw(a annex, names []sanction.Name) string {
	_, dated := day(r.date)
	switch {
	case len(names) == 0:
		return "there is no name"
	case a.typ() == sanction.Vessel && !sevenDigits.MatchString(r.imo):
		return fmt.Sprintf("the IMO number %.40q has not seven digits", r.imo)
	case a.dated && !dated:
		return fmt.Sprintf("the date %.40q is none", r.date)
	}
	return ""
}

// day returns a published date as YYYY-MM-DD, and whether it is one at all. A month
// or a year is a date without a day: days are never padded (decisions section 1).
// The annexes write one and the same day as 25.2.2025, 25.2. 2025., 25/2/2025,
// 25 February 2025, 25 Feb.2025 or February 25, 2025, so only the words count.
func day(published string) (date string, ok bool) {
	words := strings.Join(strings.FieldsFunc(published, notLetterOrDigit), " ")
	for _, layout := range []string{"2 1 2006", "2 January 2006", "2 Jan 2006", "January 2 2006", "Jan 2 2006"} {
		if t, err := time.Parse(layout, words); err == nil {
			return t.Format(time.DateOnly), true
		}
	}
	for _, partial := range []string{"January 2006", "Jan 2006", "2006"} {
		if _, err := time.Parse(partial, words); err == nil {
			return "", true
		}
	}
	return "", false
}

func notLetterOrDigit(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

func hasLetter(text string) bool { return strings.ContainsFunc(text, unicode.IsLetter) }
