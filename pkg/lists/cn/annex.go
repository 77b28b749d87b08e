package cn

import (
	"fmt"
	"regexp"
	"strconv"
)

// annex is what was read of a numbered list of parties and the rows under them:
//
//  1. 甲公司（Alpha Inc.）及其分支机构
//     -Alpha Inc.
//     -Alpha Europe
//  2. 乙公司（Beta）
type annex struct {
	parties []Party
	doubts  []string
	// open is set where what was read last may have gone on: a subsidiary may be
	// followed by others, and a name alone by the other one.
	open bool

	item   Party  // that was read last
	subs   int    // rows under it
	unread string // a line after it that was not understood
}

var (
	itemForm    = regexp.MustCompile(`^(\d{1,4}) ?[.．、] ?(.*\pL.*)$`)
	subForm     = regexp.MustCompile(`^[-－—–‐−] ?(.*\pL.*)$`)
	addressForm = regexp.MustCompile(`^(?:注册)?(?:地址|邮编|邮政编码|电话|传真|电子邮箱|网址|国家|地区)[^（(]*[:：]`)
	// branchForm may stand behind a party, with or without rows for its branches.
	branchForm = regexp.MustCompile(branches.String() + `$`)
	// hiddenNative and hiddenLatin are what a row looks like in the middle of a name.
	hiddenNative = regexp.MustCompile(`\d ?[.．、] ?\p{Han}|.[-－—–‐−] ?\p{Han}`)
	hiddenLatin  = regexp.MustCompile(`.[-－—–‐−] ?\p{Lu}`)
)

// readAnnex reads the lines of an annex. A number without a name is a stray one.
func readAnnex(lines []string) annex {
	var a annex
	for _, line := range lines {
		if m := itemForm.FindStringSubmatch(line); m != nil {
			a.readItem(m[1], m[2])
		} else if m := subForm.FindStringSubmatch(line); m != nil && a.item.Ordinal > 0 {
			a.readSub(m[1])
		} else {
			a.readOther(line)
		}
	}
	return a
}

func (a *annex) doubt(format string, args ...any) {
	a.doubts = append(a.doubts, fmt.Sprintf(format, args...))
}

func (a *annex) readItem(number, text string) {
	party, rest := a.readParty(text)
	party.Ordinal = a.item.Ordinal + 1
	a.item, a.subs = party, 0
	a.parties = append(a.parties, party)
	a.open = party.Name == "" || party.Native == "" || branchForm.MatchString(text)
	if number != strconv.Itoa(party.Ordinal) {
		a.doubt("item %d has the number %s", party.Ordinal, number)
	}
	if rest != "" {
		a.doubt("item %d ends with %.60q", party.Ordinal, rest)
	}
}

// readSub reads a row under an item, the first of which may repeat it.
func (a *annex) readSub(text string) {
	party, rest := a.readParty(text)
	a.subs++
	party.Ordinal, party.Sub = a.item.Ordinal, a.subs
	a.open = true
	if !party.same(a.item) {
		a.parties = append(a.parties, party)
	}
	if rest != "" {
		a.doubt("a row under item %d ends with %.60q", party.Ordinal, rest)
	}
}

func (a *annex) readParty(text string) (party Party, rest string) {
	if a.unread != "" {
		a.doubt("between the items stands %.60q", a.unread)
		a.unread = ""
	}
	party, rest = parseParty(branchForm.ReplaceAllString(text, ""))
	if !balanced(text) {
		a.doubt("a bracket is open in %.60q", text)
	}
	if hiddenNative.MatchString(party.Native) || party.Native == "" && hiddenLatin.MatchString(party.Name) {
		a.doubt("there may be two names in %.60q", text)
	}
	return party, rest
}

// readOther keeps a line that is no row, to report it if another row follows. What
// looks like a party is reported at once: behind the last row stands the foot of
// the page, in front of the first the heading.
func (a *annex) readOther(line string) {
	party, _ := parseParty(line)
	both := party.Name != "" && party.Native != "" && hasLetter(party.Name)
	latin := party.Native == "" && hasLetter(line) && a.item.Ordinal > 0 && a.unread == ""
	switch {
	case addressForm.MatchString(line):
	case both || latin:
		a.doubt("a name may stand in %.60q", line)
	case a.unread == "" && a.item.Ordinal > 0 && hasLetter(line):
		a.unread = line
	}
}
