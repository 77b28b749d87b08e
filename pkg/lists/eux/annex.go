package eux

import (
	"regexp"

	"github.com/listward/listward/pkg/sanction"
)

// annex is an annex that names parties or vessels, or a part of one. The zero value
// is any other place in the text.
type annex struct {
	number string // Roman
	part   string // a letter, empty in an annex without parts
	dated  bool   // every row has a date; otherwise the annex is a plain list
}

var (
	annexTitle = regexp.MustCompile(`^(?i:ANNEX) ([IVXLC]+)$`)
	partLabel  = regexp.MustCompile(`^(?i:PART) ([A-Z])$`)
)

// annexOf returns the annex of a title, the zero value for one that names nobody
// (decisions section 1, table of sources).
func annexOf(title string) annex {
	match := annexTitle.FindStringSubmatch(title)
	if match == nil {
		return annex{}
	}
	switch number := match[1]; number {
	case "IV", "XIV", "XLII", "XLIV", "XLV", "XLIX":
		return annex{number: number, dated: true}
	case "III", "V", "VI", "XII", "XIII", "XV", "XIX":
		return annex{number: number}
	}
	return annex{}
}

// enterPart reports whether a line is the label of a part, which then begins.
func (a *annex) enterPart(line string) bool {
	match := partLabel.FindStringSubmatch(line)
	if match == nil {
		return false
	}
	a.part = match[1]
	return true
}

// list reports whether the parties stand in paragraphs rather than in a table.
func (a annex) list() bool { return a.number != "" && !a.dated }

func (a annex) typ() sanction.Type {
	if a.number == "XLII" {
		return sanction.Vessel
	}
	return sanction.Entity
}

// id is the annex as entry ids have it: "XLV-A".
func (a annex) id() string {
	if a.part == "" {
		return a.number
	}
	return a.number + "-" + a.part
}

// String is the annex as the regulation words it: "Annex XLV Part A".
func (a annex) String() string {
	if a.part == "" {
		return "Annex " + a.number
	}
	return "Annex " + a.number + " Part " + a.part
}
