package cn

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
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
	listForm     = regexp.MustCompile(`决定将([^。；]*?)列入`)
	counterForm  = regexp.MustCompile(`决定对([^。；]*?)采取[^。；]*?反制措施`)
	itemForm     = regexp.MustCompile(`^(\d{1,4}) ?[.．、] ?(.*)$`)
	subForm      = regexp.MustCompile(`^[-－—–‐] ?(.+)$`)
	othersForm   = regexp.MustCompile(`等(?:\d+|[一二两三四五六七八九十]+)[家名个][^（）()]*$`)
	joinForm     = regexp.MustCompile(`^ ?(?:、|，|以及|和|及|与)`)
	executives   = regexp.MustCompile(`高级管理人员|高管`)
	organisation = regexp.MustCompile(`^(.*?(?:公司|集团|实验室|研究院|研究所|大学|银行|联盟|中心|协会|基金会|株式会社))(?:、|和|及)(.+)$`)
)

// parties are those that the notice lists: the items of its annex or, where it
// has none, the names in the sentence that lists. What in an item is not
// understood is a doubt. An answer to the press lists nobody, it only repeats.
func (p *page) parties() (parties []Party, doubts []string) {
	if p.answer() {
		return nil, nil
	}
	text := strings.Join(p.body, "\n")
	m := listForm.FindStringSubmatch(text)
	if m == nil && p.program() == Countermeasure {
		m = counterForm.FindStringSubmatch(text)
	}
	if m == nil {
		return nil, nil
	}
	parties, doubts = p.named(m[1])
	for i := range parties {
		parties[i].Individual = executives.MatchString(p.title)
	}
	return parties, doubts
}

// named reads the annex where the text speaks of one, since its sentence then
// names the first party only.
func (p *page) named(clause string) ([]Party, []string) {
	if len(p.annex) > 0 || strings.Contains(strings.Join(p.body, "\n"), "附件") {
		return annexParties(p.annex)
	}
	return proseParties(clause), nil
}

// annexParties reads the numbered items of an annex and the rows under them, the
// first of which may repeat the item. An item without text is a stray number.
func annexParties(lines []string) (parties []Party, doubts []string) {
	var item Party
	sub := 0
	for _, line := range lines {
		if m := itemForm.FindStringSubmatch(line); m != nil && m[2] != "" {
			party, rest := parseParty(m[2])
			party.Ordinal, sub = item.Ordinal+1, 0
			item = party
			parties = append(parties, item)
			if m[1] != strconv.Itoa(item.Ordinal) {
				doubts = append(doubts, fmt.Sprintf("item %d has the number %s", item.Ordinal, m[1]))
			}
			if rest != "" && !strings.HasPrefix(rest, "及其") {
				doubts = append(doubts, fmt.Sprintf("item %d ends with %.60q", item.Ordinal, rest))
			}
		}
		if m := subForm.FindStringSubmatch(line); m != nil && item.Ordinal > 0 {
			sub++
			party, _ := parseParty(m[1])
			party.Ordinal, party.Sub = item.Ordinal, sub
			if !party.same(item) {
				parties = append(parties, party)
			}
		}
	}
	return parties, doubts
}

// proseParties reads names in a sentence:
//
//	参与对台湾地区军售的甲公司（A Inc.）、乙公司（B Inc.）和丙公司（C）等3家实体
//
// What stands in front of the first name ends with 的.
func proseParties(clause string) []Party {
	clause = othersForm.ReplaceAllString(clause, "")
	first, _, _ := strings.Cut(strings.ReplaceAll(clause, "(", "（"), "（")
	if i := strings.LastIndex(first, "的"); i >= 0 {
		clause = clause[i+len("的"):]
	}
	var parties []Party
	for clause != "" {
		party, rest := parseParty(clause)
		unnamed, last := splitUnnamed(party.Native)
		for _, native := range unnamed {
			parties = append(parties, Party{Ordinal: len(parties) + 1, Native: native})
		}
		party.Ordinal, party.Native = len(parties)+1, last
		parties = append(parties, party)
		clause = strings.TrimSpace(joinForm.ReplaceAllString(rest, ""))
		if strings.HasPrefix(rest, "及其") {
			break
		}
	}
	return parties
}

// splitUnnamed splits off names to which no bracket belongs. Only behind a word
// for an organisation does a name end: 波音防务、空间与安全集团 is one,
// 美国PVH集团、因美纳公司 are two.
func splitUnnamed(text string) (unnamed []string, last string) {
	for {
		m := organisation.FindStringSubmatch(text)
		if m == nil {
			return unnamed, text
		}
		unnamed, text = append(unnamed, m[1]), m[2]
	}
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

// hasHan tells Chinese and Japanese names from those in Latin script.
func hasHan(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	})
}
