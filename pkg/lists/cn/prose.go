package cn

import (
	"fmt"
	"regexp"
	"strings"
)

// organisations are the words with which a Chinese name ends. Only behind one of
// them does a name end without a bracket.
const organisations = `(?:公司|集团|实验室|研究院|研究所|大学|学院|银行|联盟|中心|协会|学会|基金会|委员会|论坛|株式会社)`

var (
	organisation     = regexp.MustCompile(`^(.*?` + organisations + `)(?:、|，|以及|和|及|与)(.+)$`)
	endsOrganisation = regexp.MustCompile(organisations + `$`)
	joinForm         = regexp.MustCompile(`^ ?(?:、|，|以及|和|及|与)`)
	// othersForm counts all parties behind the names of some or all of them, and
	// someForm tells that there are others.
	othersForm = regexp.MustCompile(`等(` + countDigits + `)[家名个][^（）()]*$`)
	someForm   = regexp.MustCompile(`等[^（）()、，]*(?:实体|企业)$`)
	// genericForm speaks of parties without naming one; no name ends with 实体.
	genericForm = regexp.MustCompile(`^(?:.*实体)?(?:有关|相关|下列|以下|上述|名单|附件|所列|外国|境外|美国|日本|欧盟|台湾地区|` +
		`企业|公司|组织|机构|个人|[和及与或、的中内]|(?:` + countDigits + `)[家名个]|[（(][^（）()]*[）)])*$`)
	branches = regexp.MustCompile(`及其\p{Han}{0,6}?(?:分支机构|分公司|子公司|附属机构|关联公司|关联企业)`)
)

// proseParties reads names in a sentence:
//
//	参与对台湾地区军售的甲公司（A Inc.）、乙公司（B Inc.）和丙公司（C）等3家实体
//
// What stands in front of the first name ends with 的.
func proseParties(clause string) (parties []Party, doubts []string) {
	if !balanced(clause) {
		doubts = append(doubts, fmt.Sprintf("a bracket is open in %.60q", clause))
	}
	clause = branches.ReplaceAllString(othersForm.ReplaceAllString(clause, ""), "")
	if whole := someForm.ReplaceAllString(clause, ""); whole != clause {
		clause, doubts = whole, append(doubts, "its sentence names only some of the parties")
	}
	clause = strings.TrimSpace(withoutLead(clause))
	for clause != "" {
		party, rest := parseParty(clause)
		unnamed, last := splitUnnamed(party.Native)
		for _, native := range unnamed {
			parties = append(parties, Party{Ordinal: len(parties) + 1, Native: native})
		}
		party.Ordinal, party.Native = len(parties)+1, last
		parties = append(parties, party)
		clause = strings.TrimSpace(joinForm.ReplaceAllString(rest, ""))
		if strings.Contains(party.Name, "、") {
			doubts = append(doubts, fmt.Sprintf("there may be two names in %.60q", party.Name))
		}
		if rest != "" && (clause == rest || strings.HasPrefix(clause, "其")) {
			doubts = append(doubts, fmt.Sprintf("name %d is followed by %.60q", party.Ordinal, rest))
		}
	}
	parties, generic := withoutGeneric(parties)
	return parties, append(doubts, generic...)
}

// withoutGeneric leaves out what names nobody, such as 有关外国实体.
func withoutGeneric(parties []Party) (named []Party, doubts []string) {
	for _, party := range parties {
		if !hasLetter(party.Name) && genericForm.MatchString(party.Native) {
			doubts = append(doubts, fmt.Sprintf("%.60q is no name", party.Native))
			continue
		}
		party.Ordinal = len(named) + 1
		named = append(named, party)
	}
	return named, doubts
}

// withoutLead takes off what stands in front of the first name.
func withoutLead(clause string) string {
	first, _, _ := strings.Cut(strings.ReplaceAll(clause, "(", "（"), "（")
	lead := strings.LastIndex(first, "的") + len("的")
	if lead < len("的") || organisation.MatchString(first[:lead]) {
		return clause
	}
	return clause[lead:]
}

// splitUnnamed splits off names to which no bracket belongs: 波音防务、空间与安全集团
// is one, 美国PVH集团、因美纳公司 are two.
func splitUnnamed(text string) (unnamed []string, last string) {
	for {
		m := organisation.FindStringSubmatch(text)
		if m == nil {
			return unnamed, text
		}
		unnamed, text = append(unnamed, m[1]), m[2]
	}
}
