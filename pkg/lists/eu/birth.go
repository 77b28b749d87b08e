package eu

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/listward/listward/pkg/lists"
)

// birth is a date or place of birth; one that has only a place gives no date.
type birth struct {
	cited
	Date     string `xml:"birthdate,attr"` // Gregorian, whatever the calendar
	Year     string `xml:"year,attr"`
	Month    string `xml:"monthOfYear,attr"`
	Day      string `xml:"dayOfMonth,attr"`
	FromYear string `xml:"yearRangeFrom,attr"`
	ToYear   string `xml:"yearRangeTo,attr"`
	Circa    string `xml:"circa,attr"`
	Calendar string `xml:"calendarType,attr"`
}

func (b birth) expect(list *lists.Builder) {
	list.Expect("birthdate/@birthdate", b.Date != "")
	if b.Date == "" {
		list.Expect("birthdate/@year", b.Year != "")
	}
	list.Expect("birthdate/@circa", b.Circa != "")
	list.Expect("birthdate/@calendarType", b.Calendar != "")
}

// date words a date of birth: "1972-06-25", "circa 1958", "1953 to 1958",
// "1343 (ISLAMIC calendar)"; it is empty without one.
func (b birth) date() string {
	date := clean(b.Date)
	if date == "" {
		date = cmp.Or(b.inYear(), b.inRange())
		if date != "" && b.Calendar != "" && b.Calendar != "GREGORIAN" {
			date += " (" + b.Calendar + " calendar)"
		}
	}
	if date != "" && b.Circa == "true" {
		return "circa " + date
	}
	return date
}

// inYear is a year with as much of month and day as is given.
func (b birth) inYear() string {
	year := clean(b.Year)
	month, day := twoDigits(b.Month), twoDigits(b.Day)
	switch {
	case year == "" || month == "":
		return year
	case day == "":
		return year + "-" + month
	}
	return year + "-" + month + "-" + day
}

// inRange is a span of years, of which either end may be open.
func (b birth) inRange() string {
	from, to := clean(b.FromYear), clean(b.ToYear)
	switch {
	case from != "" && to != "":
		return from + " to " + to
	case from != "":
		return "from " + from
	case to != "":
		return "to " + to
	}
	return ""
}

func twoDigits(published string) string {
	n, err := strconv.Atoi(clean(published))
	if err != nil || n < 1 || n > 99 {
		return ""
	}
	return fmt.Sprintf("%02d", n)
}
