package eux

import (
	"encoding/xml"
	"regexp"
	"strings"
)

// marker is what consolidation puts around amended text: a line "▼M37", with or
// without the dashes of deleted text behind it, and "►M58 … ◄" within a line or
// over several cells.
var marker = regexp.MustCompile(`▼[A-Z][0-9]*[\s\p{Pd}─]*|►[A-Z][0-9]*|◄`)

// readLines reads to the end of an element and returns the lines of its text,
// without amendment markers and blank lines.
func readLines(d *xml.Decoder) ([]string, error) {
	var text strings.Builder
	for depth := 1; depth > 0; {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
			text.WriteString(lineBreak(t.Name))
		case xml.EndElement:
			depth--
			text.WriteString(lineBreak(t.Name))
		case xml.CharData:
			text.WriteString(strings.ReplaceAll(string(t), "\n", " "))
		}
	}
	var lines []string
	for line := range strings.Lines(text.String()) {
		if line = clean(marker.ReplaceAllString(line, " ")); line != "" {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// lineBreak is what an element makes of the text before and behind it.
func lineBreak(element xml.Name) string {
	switch element.Local {
	case "p", "br", "div":
		return "\n"
	}
	return ""
}

// readCells reads to the end of a table row and returns the lines of each cell.
func readCells(d *xml.Decoder) ([][]string, error) {
	var cells [][]string
	for {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		switch token.(type) {
		case xml.StartElement:
			lines, err := readLines(d)
			if err != nil {
				return nil, err
			}
			cells = append(cells, lines)
		case xml.EndElement:
			return cells, nil
		}
	}
}

// nonBlank returns the text of the cells with a letter or digit in them, which
// those of deleted rows have not.
func nonBlank(cells [][]string) []string {
	var texts []string
	for _, cell := range cells {
		text := strings.Join(cell, " ")
		if strings.TrimFunc(text, notLetterOrDigit) != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

func attribute(element xml.StartElement, name string) string {
	for _, a := range element.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// clean trims a text and makes one blank of each run of white space in it.
func clean(text string) string { return strings.Join(strings.Fields(text), " ") }
