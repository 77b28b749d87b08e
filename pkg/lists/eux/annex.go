package eux

import (
	"fmt"
	"regexp"

	"github.com/listward/listward/pkg/lists"
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
	// annexDivision is the id of the division that an annex is: title and id both
	// tell its number.
	annexDivision = regexp.MustCompile(`^anx_([IVXLC]+)$`)
	partLabel     = regexp.MustCompile(`^(?i:PART) ([A-Z])$`)
	// damagedLabel is the label of a part in which one character is another.
	damagedLabel = regexp.MustCompile(`^(?:(?i:.?ART|P.?RT|PA.?T|PAR.?) [A-Z]|(?i:PART).[A-Z]|(?i:PART)(?: .)?)$`)
)

// numberIn returns the Roman number in the title or in the id of the division of an
// annex, and nothing for another text.
func numberIn(text string, form *regexp.Regexp) string {
	if match := form.FindStringSubmatch(text); match != nil {
		return match[1]
	}
	return ""
}

// annexOf returns the annex of a number, the zero value for one that names nobody
// (decisions section 1, table of sources).
func annexOf(number string) annex {
	switch number {
	case "IV", "XIV", "XLII", "XLIV", "XLV", "XLIX":
		return annex{number: number, dated: true}
	case "III", "V", "VI", "XII", "XIII", "XV", "XIX":
		return annex{number: number}
	}
	return annex{}
}

// enterPart reports whether a line is the label of a part, which then begins. Parts
// begin with A and follow in order. With a label that is damaged or missing the
// parties below would count as those of another part, so that is ErrSchema.
func (a *annex) enterPart(line string) (entered bool, err error) {
	match := partLabel.FindStringSubmatch(line)
	switch {
	case match == nil && !damagedLabel.MatchString(line):
		return false, nil
	case match == nil || match[1] != a.nextPart():
		return false, fmt.Errorf("%w: the label of Part %s in Annex %s, found %q", lists.ErrSchema, a.nextPart(), a.number, line)
	}
	a.part = match[1]
	return true, nil
}

func (a annex) nextPart() string {
	if a.part == "" {
		return "A"
	}
	return string(rune(a.part[0] + 1))
}

// missing returns the column that rows of the annex cannot be read without, besides
// the name, and that a header does not have: what else a header has differs.
func (a annex) missing(header columns) column {
	var need []column
	if a.dated {
		need = append(need, dateColumn)
	}
	switch a.number {
	case "IV":
		need = append(need, informationColumn) // it tells parties of one name apart
	case "XLII":
		need = append(need, imoColumn)
	}
	for _, c := range need {
		if _, found := header[c]; !found {
			return c
		}
	}
	return ""
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
