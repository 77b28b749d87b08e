package api

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/screen"
	"github.com/listward/listward/pkg/table"
)

// The limits of spec section 8.
const (
	maxName  = 200 // Unicode code points, as sent
	maxNames = 100
)

// scope is the part of the lists that a call is about; empty fields mean all.
type scope struct {
	source sanction.Source
	kind   sanction.Type
}

// states returns the evidence on the sources in scope, in table order.
func (s scope) states(e *edition.Edition, now time.Time) []sourceState {
	var states []sourceState
	for _, source := range sanction.Sources() {
		if s.source == "" || s.source == source {
			state := e.State(source)
			states = append(states, sourceState{
				Source: source, ListDate: state.ListDate, AcceptedAt: timeOf(state.AcceptedAt), Status: state.StatusAt(now),
			})
		}
	}
	return states
}

// param is a parameter of the query string and what takes its value. An absent
// parameter is taken as an empty value.
type param struct {
	name string
	take func(value string) *Error
}

// decode is the one decoder of query strings. A parameter that is unknown or
// repeated is refused, for a typo must never read as "clear".
func decode(query url.Values, known ...param) error {
	for _, name := range slices.Sorted(maps.Keys(query)) {
		switch values := query[name]; {
		case !slices.ContainsFunc(known, func(p param) bool { return p.name == name }):
			return &Error{Code: InvalidParameter, Param: name, Message: "This endpoint knows no such parameter. " + errorTable[InvalidParameter].advice}
		case len(values) > 1:
			return &Error{Code: InvalidParameter, Param: name, Message: "The parameter is there more than once. " + errorTable[InvalidParameter].advice}
		case !isText(values[0]):
			return &Error{Code: InvalidParameter, Param: name, Message: "The value is not UTF-8. Encode it as UTF-8, then percent-encode it."}
		}
	}
	for _, p := range known {
		if err := p.take(query.Get(p.name)); err != nil {
			err.Param = p.name
			return err
		}
	}
	return nil
}

// isText reports whether a value arrived whole. API Gateway and JSON decoders put
// U+FFFD in the place of bytes that are not UTF-8; a name in another encoding
// would lose its letters and read as "clear".
func isText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, utf8.RuneError) }

// formatParam is the parameter that says in which format a query endpoint answers.
func (c *call) formatParam() param {
	return param{"format", func(v string) *Error {
		c.format = table.Format(cmp.Or(v, string(formatJSON)))
		if !slices.Contains(formats(), c.format) {
			return &Error{Code: invalidFormat}
		}
		return nil
	}}
}

// scopeParams are the parameters that all endpoints have which answer with entries.
func (c *call) scopeParams(s *scope) []param {
	return []param{
		c.formatParam(),
		{"source", func(v string) *Error {
			s.source = sanction.Source(v)
			if v != "" && !slices.Contains(sanction.Sources(), s.source) {
				return &Error{Code: invalidSource}
			}
			return nil
		}},
		{"type", func(v string) *Error {
			s.kind = sanction.Type(v)
			if v != "" && !slices.Contains(sanction.Types(), s.kind) {
				return &Error{Code: invalidType}
			}
			return nil
		}},
	}
}

// paging is which part of the rows a call asks for.
type paging struct {
	limit, offset int
	// snapshot is what the page before was of, if the caller says so.
	snapshot string
}

// The limits of spec section 8.
const (
	defaultLimit = 100
	maxLimit     = 500
)

func (p *paging) params() []param {
	p.limit = defaultLimit
	return []param{
		{"limit", func(v string) *Error { return number(v, &p.limit, 1, maxLimit, invalidLimit) }},
		{"offset", func(v string) *Error { return number(v, &p.offset, 0, math.MaxInt32, invalidOffset) }},
		{"snapshot", func(v string) *Error {
			if p.snapshot = v; v != "" && !isSnapshot(v) {
				return &Error{Code: InvalidParameter, Message: "snapshot is the value that an earlier page gave, of 64 hexadecimal digits."}
			}
			return nil
		}},
	}
}

// number reads a decimal integer between two bounds; absent leaves what is there.
func number(v string, into *int, least, most int, code string) *Error {
	if v == "" {
		return nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < least || n > most || v != strconv.Itoa(n) {
		return &Error{Code: code}
	}
	*into = n
	return nil
}

// isSnapshot reports whether a text has the form of a snapshot's id.
func isSnapshot(v string) bool {
	return len(v) == 64 && strings.Trim(v, "0123456789abcdef") == ""
}

// checkName applies the rules for a name to be screened.
func checkName(name string) *Error {
	switch {
	case name == "":
		return &Error{Code: missingName}
	case utf8.RuneCountInString(name) > maxName:
		return &Error{Code: nameTooLong, Message: fmt.Sprintf("The name has %d characters. %s", utf8.RuneCountInString(name), errorTable[nameTooLong].advice)}
	case !screen.Searchable(name):
		return &Error{Code: missingName}
	}
	return nil
}
