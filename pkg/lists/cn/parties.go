package cn

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Party is one party as a notice names it; at least one of the names is there.
type Party struct {
	// Ordinal is its place in the notice, from 1.
	Ordinal int `json:"ordinal"`
	// Sub is the place, from 1, among the branches and subsidiaries that stand
	// under the party of this ordinal; 0 for that party itself.
	Sub int `json:"sub,omitempty"`
	// Name is the name in Latin script, in most notices the one in brackets.
	Name string `json:"name,omitempty"`
	// Native is the Chinese name.
	Native     string `json:"native,omitempty"`
	Individual bool   `json:"individual,omitempty"`
}

// same reports whether two notices name the same party.
func (p Party) same(other Party) bool {
	return p.Name != "" && strings.EqualFold(p.Name, other.Name) || p.Native != "" && p.Native == other.Native
}

var (
	// listForm is the sentence that lists. One about an earlier listing has a date
	// between 决定 and 将 ("decided on 4 February to list").
	listForm    = regexp.MustCompile(`决定将([^。；]*?)列入([^。；]*)`)
	counterForm = regexp.MustCompile(`决定对([^。；]*?)采取[^。；]*?反制措施()`)
	furtherForm = regexp.MustCompile(`将[^。；]*列入`)
	mentionForm = regexp.MustCompile(`见附件?|附件 ?\d*所列|附后|附(?: ?件 ?\d*)?[:：]`)
	executives  = regexp.MustCompile(`高级管理人员|高管`)
	// bracketForm is a Latin name in brackets behind a Chinese one.
	bracketForm = regexp.MustCompile(`\p{Han}[（(][^（）()\p{Han}]*[A-Za-z]{2}[^（）()\p{Han}]*[）)]`)
)

// parties are those that the notice lists. What is not understood is a doubt. An
// answer to the press lists nobody: it repeats, without names.
func (p *page) parties() (parties []Party, doubts []string) {
	if isAnswer(p.title) {
		for _, line := range p.body {
			if bracketForm.MatchString(removeForm.ReplaceAllString(line, "")) && !questionForm.MatchString(line) {
				doubts = append(doubts, fmt.Sprintf("an answer names parties: %.90q", line))
			}
		}
		return nil, doubts
	}
	text := strings.Join(p.body, "\n")
	sentences := listForm.FindAllStringSubmatch(text, -1)
	if sentences == nil && p.program() == Countermeasure {
		sentences = counterForm.FindAllStringSubmatch(text, -1)
	}
	if sentences == nil {
		return nil, nil
	}
	parties, doubts = p.named(sentences[0][1])
	for i := range parties {
		parties[i].Individual = executives.MatchString(p.title)
	}
	if len(sentences) > 1 || furtherForm.MatchString(sentences[0][2]) {
		doubts = append(doubts, "it lists more than once; the first counts")
	}
	return parties, doubts
}

// named reads the parties of a sentence: the items of the annex, where the text
// speaks of one, since its sentence then names the first party only, or else the
// names in the sentence.
func (p *page) named(clause string) (parties []Party, doubts []string) {
	counted := 0
	if m := othersForm.FindStringSubmatch(clause); m != nil {
		counted = count(m[1])
	}
	if p.annexed() {
		a := readAnnex(p.annex)
		parties, doubts = a.parties, a.doubts
		if !p.web && (a.open || counted+p.count() == 0) {
			doubts = append(doubts, "nothing shows that the annex is whole")
		}
	} else {
		parties, doubts = proseParties(clause)
	}
	if listed := listed(parties); counted > 0 && counted != listed {
		doubts = append(doubts, fmt.Sprintf("its sentence counts %d parties, %d were read", counted, listed))
	}
	return parties, doubts
}

func (p *page) annexed() bool {
	return len(p.annex) > 0 || slices.ContainsFunc(p.body, mentionForm.MatchString)
}

// listed is the number of parties without the subsidiaries under them.
func listed(parties []Party) int {
	n := 0
	for _, party := range parties {
		if party.Sub == 0 {
			n++
		}
	}
	return n
}

// parseParty reads the first party in a text: a Chinese name and the bracket with
// the Latin one behind it, or one of the two alone. The rest is what follows.
func parseParty(text string) (party Party, rest string) {
	runes := []rune(text)
	depth, begin := 0, 0
	for i, r := range runes {
		switch r {
		case '(', '（':
			if depth++; depth == 1 {
				begin = i
			}
		case ')', '）':
			depth--
			before, inside := strings.TrimSpace(string(runes[:begin])), strings.TrimSpace(string(runes[min(begin+1, i):i]))
			if depth == 0 && hasHan(before) && inside != "" && !hasHan(inside) {
				return Party{Name: inside, Native: before}, strings.TrimSpace(string(runes[i+1:]))
			}
			depth = max(depth, 0)
		}
	}
	if hasHan(text) {
		return Party{Native: strings.TrimSpace(text)}, ""
	}
	return Party{Name: strings.TrimSpace(text)}, ""
}

// balanced reports whether each bracket of a text is closed. In one that is not,
// the end of a name is lost.
func balanced(text string) bool {
	depth := 0
	for _, r := range text {
		switch r {
		case '(', '（':
			depth++
		case ')', '）':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}
