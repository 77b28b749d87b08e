package cn

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Certain reports whether a newly discovered notice may take effect before a
// person has read it. It may when nothing about it is in doubt, and
//
//   - the parties that it lists are as many as its title counts, and its number
//     and list are known;
//   - each change names the earlier notice, one of the same series, and is no
//     adjustment, of which the text alone tells what changes;
//   - it takes parties of one notice at most off the list, and is no answer then: an
//     error there would be a delisting;
//   - one without parties or changes, such as an investigation, announces none.
//
// Subsidiaries, which no title counts, are taken with the party that they stand
// under. An answer to the press repeats whom a notice lists, so its title
// announces only changes.
func (n Notice) Certain() bool {
	switch {
	case len(n.Doubts) > 0,
		n.announcesParties() && len(n.Parties) == 0,
		n.announcesChange() && len(n.Effects) == 0:
		return false
	case len(n.Parties) > 0 && (n.Number == "" || n.Program == "" || n.Count != listed(n.Parties)):
		return false
	}
	return !slices.ContainsFunc(n.Effects, n.uncertain)
}

// uncertain reports whether an effect of the notice takes a person.
func (n Notice) uncertain(e Effect) bool {
	switch {
	case e.Of == "", e.Action == Adjust, n.Number != "" && n.Number.series() != e.Of.series():
		return true
	case !e.delists():
		return false
	}
	return n.Number == "" || slices.ContainsFunc(n.Effects, func(other Effect) bool { return other.delists() && other.Of != e.Of })
}

func (n Notice) announcesChange() bool { return changeForm.MatchString(n.Title) }

// announcesParties reports whether a title promises parties. One about a change
// repeats what was listed, by count or as countermeasures.
func (n Notice) announcesParties() bool {
	return !isAnswer(n.Title) && (strings.Contains(n.Title, "列入") ||
		!n.announcesChange() && (n.Count > 0 || counterTitle.MatchString(n.Title)))
}

var (
	counterTitle  = regexp.MustCompile(`采取.*反制`)
	measuresTitle = regexp.MustCompile(`采取.*清单.*措施`)
	// earlierForm is a listing that the text dates, so an earlier one.
	earlierForm = regexp.MustCompile(`于` + dateDigits + `将[^。；]*列入`)
	// namedForm is what a title says of whom the notice is about.
	namedForm = regexp.MustCompile(`关于[将对](.+?)(?:列入|采取)`)
)

// doubts compares what was read with what the text says of itself.
func (p *page) doubts(n Notice) []string {
	doubts := p.damage()
	change, listed := n.announcesChange(), listed(n.Parties)
	if change && len(n.Effects) == 0 {
		doubts = append(doubts, "the title announces a change, and no earlier notice could be read")
	}
	switch named := p.namesInTitle(); {
	case listed == 0 && (n.announcesParties() || !change && p.takesMeasures()):
		doubts = append(doubts, "the names could not be read")
	case change || listed == 0:
	case n.Count > 0 && n.Count != listed:
		doubts = append(doubts, fmt.Sprintf("the title counts %d parties, the text names %d", n.Count, listed))
	case n.Count == 0 && named > 0 && named != listed:
		doubts = append(doubts, fmt.Sprintf("the title names %d parties, the text %d", named, listed))
	}
	return doubts
}

// damage is what shows that the text is not whole, or not as it was published.
func (p *page) damage() []string {
	var doubts []string
	if p.web && !p.ended {
		doubts = append(doubts, "the page has no end and may be cut off")
	}
	if p.damaged {
		doubts = append(doubts, "the text is damaged")
	}
	if isAnswer(p.title) {
		return doubts
	}
	if p.closing == "" {
		doubts = append(doubts, "the text has no closing date and may be cut off")
	} else if p.closing != p.published() {
		doubts = append(doubts, fmt.Sprintf("the text is of %s at its head and of %s at its end", p.published(), p.closing))
	}
	if !p.sameNumber() {
		doubts = append(doubts, "the text gives itself two numbers")
	}
	return doubts
}

// takesMeasures reports whether the title is about measures against parties that
// the text does not call listed already.
func (p *page) takesMeasures() bool {
	return measuresTitle.MatchString(p.title) && !isAnswer(p.title) && !earlierForm.MatchString(strings.Join(p.body, "\n"))
}

// namesInTitle is the number of names in a title that names the parties, and 0 for
// one that names only the first or none.
func (p *page) namesInTitle() int {
	m := namedForm.FindStringSubmatch(p.title)
	if m == nil || strings.Contains(m[1], "等") || !endsOrganisation.MatchString(m[1]) {
		return 0
	}
	unnamed, _ := splitUnnamed(m[1])
	return len(unnamed) + 1
}
