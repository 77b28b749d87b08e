// Package cn reads the notices of China's Ministry of Commerce and works out
// which parties they leave listed: on the unreliable entity list (UEL), the
// export control list (ECL), the watch list (WATCH) and by countermeasure orders
// (COUNTERMEASURE).
//
// The Ministry publishes no list. It publishes numbered notices that list
// parties, and later notices or answers to the press that stop, suspend, resume,
// remove or cancel them. So the list is folded from notices: those of a folder
// ([ParseNotice]) or, where the Ministry's sites cannot be reached, those that we
// have written down ([Register]); [Fold] makes the list of either and names what
// a person must look at. New notices are found on the Ministry's index pages
// ([Indexes], [ParseIndex]); [Notice.Certain] tells which of them may take effect
// before a person has read them. Whoever misses a party begins at parties.go,
// whoever misses a stop or suspension at effects.go.
package cn

import (
	"errors"
	"io"
	"regexp"
)

// ErrNotice is returned by ParseNotice for a text that is no notice, or lacks
// what it takes to place one: a title, a date and, but for answers to the press,
// a number.
var ErrNotice = errors.New("the text cannot be read as a notice")

// The programme codes of an entry (decisions section 1).
const (
	UEL            = "UEL"
	ECL            = "ECL"
	Watch          = "WATCH"
	Countermeasure = "COUNTERMEASURE"
)

// Notice is one notice or answer to the press, as far as it bears on the lists.
// Dates are YYYY-MM-DD. Whoever is given a Notice must not change its slices.
type Notice struct {
	// Number is empty for an answer to the press.
	Number Number `json:"number,omitempty"`
	Title  string `json:"title"`
	// Program is the list that the title is about; empty where it names none.
	Program   string `json:"program,omitempty"`
	Published string `json:"published"`
	// Effective is the day that the text gives; empty where it is that of publication.
	Effective string `json:"effective,omitempty"`
	// Count is the number of parties in the title, 0 where it gives none.
	Count int `json:"count,omitempty"`
	// URLs are the known addresses of the notice, the best first.
	URLs    []string `json:"urls,omitempty"`
	Parties []Party  `json:"parties,omitempty"`
	Effects []Effect `json:"effects,omitempty"`
	// Doubts say why a person must read the notice; [Fold] passes them on.
	Doubts []string `json:"doubts,omitempty"`
}

// ParseNotice reads one notice as UTF-8 text or as the HTML of its page. What
// makes a reading doubtful without making it impossible, such as a title that
// counts other than the text, stands in Notice.Doubts.
//
// A notice that was cut, or of which a byte was changed, gives an error, a doubt,
// or all parties, one of them perhaps misspelt. Only the rows of branches are not
// counted by anything: a plain text cut exactly in front of the first of them, at
// its end, cannot be told from a whole one; a page can, by its end tag.
//
// The caller owns the result; concurrent calls share nothing. Errors are ErrNotice,
// lists.ErrTooLarge for more than 2 MiB, or what r returned.
func ParseNotice(r io.Reader) (Notice, error) {
	body, err := readText(r, ErrNotice)
	if err != nil {
		return Notice{}, err
	}
	p, err := divide(readDocument(body))
	if err != nil {
		return Notice{}, err
	}
	return p.notice(), nil
}

var effectiveForm = regexp.MustCompile(`^本(?:公告|决定|令)自(` + dateDigits + `)(?:\d+时(?:\d+分)?)?起`)

func (p *page) notice() Notice {
	n := Notice{Number: p.number(), Title: p.title, Program: p.program(), Published: p.published(), Count: p.count(), URLs: p.urls}
	for _, line := range p.body {
		if m := effectiveForm.FindStringSubmatch(line); m != nil {
			n.Effective = day(m[1])
		}
	}
	var unread []string
	n.Parties, n.Doubts = p.parties()
	n.Effects, unread = p.effects()
	n.Doubts = append(n.Doubts, unread...)
	n.Doubts = append(n.Doubts, p.doubts(n)...)
	return n
}
