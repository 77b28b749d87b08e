package eux

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/listward/listward/pkg/sanction"
)

var (
	// formerBracket is a former name in a bracket, which may be left open at the end
	// of the line and may hold one bracket more. "(Ex-Im Bank)" is none.
	formerBracket = regexp.MustCompile(`\(\s*(?i:formerly(?: known as)?[\s:]+|ex\.?\s+)((?:[^()]|\([^()]*\))*)\)?`)
	aliasLabel    = regexp.MustCompile(`^(?i:local name|a\. ?k\. ?a\.?|alias(?:es|\(es\))?|also known as|chinese company name)(?: ?: ?| |$)`)
	// joinedName is one of the names that ";" joins, where a ";" in brackets joins
	// none. A bracket that nobody closes is text.
	joinedName = regexp.MustCompile(`(?:[^;()]|\([^()]*\)|[()])+`)
	bracket    = regexp.MustCompile(`\(([^()]*)\)`)
)

// names are the names in a cell: the first line is the primary name, never split
// whatever is in it, and each further one holds aliases, with a label or, continuing
// the line before, without. A cell without a primary name has none.
//
//	Lake Plant JSC (formerly Hill Plant)     primary and former name
//	Local name: АО «Озеро»                   native
//	A.k.a.: Lake Works; Ozero (Озеро)        two aliases, a native
func names(cell []string) []sanction.Name {
	var e sanction.Entry
	for i, line := range cell {
		if i == 0 {
			text, former := cutFormer(line)
			addLine(&e, sanction.Primary, []string{text}, former)
			continue
		}
		text, former := cutFormer(aliasLabel.ReplaceAllString(line, ""))
		addLine(&e, sanction.Alias, joinedName.FindAllString(text, -1), former)
	}
	if len(e.Names) == 0 || e.Names[0].Kind != sanction.Primary {
		return nil
	}
	markNative(e.Names)
	return e.Names
}

func addLine(e *sanction.Entry, kind sanction.Kind, texts, former []string) {
	add(e, kind, texts)
	add(e, sanction.Former, former)
	for _, text := range texts {
		add(e, sanction.Native, nativeBrackets(text))
	}
}

// add passes over texts without a letter or digit, such as the rest of a line from
// which a former name was cut.
func add(e *sanction.Entry, kind sanction.Kind, texts []string) {
	for _, text := range texts {
		if strings.TrimFunc(text, notLetterOrDigit) != "" {
			e.AddName(sanction.Name{Text: text, Kind: kind})
		}
	}
}

// cutFormer takes the former names out of a line.
func cutFormer(line string) (rest string, former []string) {
	for _, match := range formerBracket.FindAllStringSubmatch(line, -1) {
		former = append(former, joinedName.FindAllString(match[1], -1)...)
	}
	return formerBracket.ReplaceAllString(line, " "), former
}

// nativeBrackets returns the names in another script that stand in brackets behind
// a Latin one. The bracket stays in that name too, which is given as published.
func nativeBrackets(text string) []string {
	if native(bracket.ReplaceAllString(text, "")) {
		return nil
	}
	var inside []string
	for _, match := range bracket.FindAllStringSubmatch(text, -1) {
		if native(match[1]) {
			inside = append(inside, match[1])
		}
	}
	return inside
}

// markNative makes native names of the aliases in another script than a primary
// name in Latin.
func markNative(names []sanction.Name) {
	if native(names[0].Text) {
		return
	}
	for i, n := range names {
		if n.Kind == sanction.Alias && native(n.Text) {
			names[i].Kind = sanction.Native
		}
	}
}

// native reports whether more letters of a text are of another script than Latin.
// The annexes mix the two within a name, by mistake or in legal forms.
func native(text string) bool {
	surplus := 0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Latin, r):
			surplus--
		case unicode.IsLetter(r):
			surplus++
		}
	}
	return surplus > 0
}
