package table

import (
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// maxDigits is how many digits of a number Excel keeps.
	maxDigits = 15
	// maxURL is what Excel takes as the address of a hyperlink.
	maxURL = 2_079

	secondsOfDay = 86_400
	// epoch is 1970-01-01 as a serial day of Excel.
	epoch = 25_569
	// firstDay is 1900-03-01. The days before count differently from program to
	// program, since Excel has a 29 February in 1900.
	firstDay = 61
)

// number returns how a cell is stored when it is one of the kinds that Excel
// counts with.
func (k Kind) number(cell string) (stored string, format style, ok bool) {
	switch k {
	case Date:
		stored, ok = serial(time.DateOnly, cell)
		return stored, day, ok
	case Time:
		stored, ok = serial("2006-01-02T15:04:05Z", cell)
		return stored, second, ok
	case Number:
		return cell, plain, isInteger(cell) && len(strings.TrimPrefix(cell, "-")) <= maxDigits
	}
	return "", plain, false
}

// serial returns a time as days since the end of 1899.
func serial(layout, cell string) (string, bool) {
	at, err := time.Parse(layout, cell)
	// Parse also takes fractions of a second, which the format would not show.
	if err != nil || len(cell) != len(layout) {
		return "", false
	}
	days := float64(at.Unix()+epoch*secondsOfDay) / secondsOfDay
	return strconv.FormatFloat(days, 'f', -1, 64), days >= firstDay
}

// splitLink returns the address of a link and its fragment, which Excel wants
// apart. It takes no link that Excel could find faulty: then it would offer to
// repair the file.
func splitLink(cell string) (address, fragment string, ok bool) {
	if len(cell) > maxURL || strings.ContainsFunc(cell, foreignToURL) {
		return "", "", false
	}
	u, err := url.Parse(cell)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", "", false
	}
	if _, err := url.QueryUnescape(u.RawQuery); err != nil {
		return "", "", false
	}
	address, fragment, _ = strings.Cut(cell, "#")
	return address, fragment, !strings.Contains(fragment, "#")
}

func foreignToURL(r rune) bool {
	return r <= ' ' || r >= 0x7F || strings.ContainsRune("\"<>\\^`{|}", r)
}
