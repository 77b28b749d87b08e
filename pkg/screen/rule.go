package screen

// Rule says how a query met an entry; callers see it as "match" (decisions
// section 2). Lower is better, and rows come in this order.
type Rule uint8

// The rules. The first two are about identifiers and never stand beside others:
// a number is looked up, not searched.
const (
	// IMO: the query is the vessel's IMO number.
	IMO Rule = iota
	// Registration: the query's letters and digits are an aircraft's tail number.
	Registration
	// Equal: the folded forms are equal.
	Equal
	// Core: the names are equal but for legal forms and the order of words.
	Core
	// Phrase: every word of the query is a word of the name, in any order.
	Phrase
	// Joined: as Phrase or Equal, with words written together on either side.
	Joined
	// Contained: every word of a person's name is a word of the query.
	Contained
	// Start: the query is a part of the name that begins where a word does.
	Start
	// Inside: a query of one word is a part of the name.
	Inside
	noRule
)

// Rules returns all rules, best first.
func Rules() []Rule {
	return []Rule{IMO, Registration, Equal, Core, Phrase, Joined, Contained, Start, Inside}
}

func (r Rule) String() string {
	return [...]string{"imo", "registration", "equal", "core", "phrase", "joined", "contained", "start", "inside", ""}[r]
}
