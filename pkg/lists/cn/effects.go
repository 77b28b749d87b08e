package cn

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Action is what a notice does to an earlier one.
type Action string

// The actions. A removed or cancelled listing leaves the list, a stopped or
// suspended one stays, marked; what Adjust changes a person must read.
const (
	Stop    Action = "stop"    // 停止
	Suspend Action = "suspend" // 暂停, 继续暂停
	Resume  Action = "resume"  // 恢复
	Remove  Action = "remove"  // 移出
	Cancel  Action = "cancel"  // 取消, 撤销
	Adjust  Action = "adjust"  // 调整
)

// Effect is what one notice does to an earlier one.
type Effect struct {
	Action Action `json:"action"`
	// Of is the earlier notice. It may be empty for Parties that are removed from
	// all of Program.
	Of      Number `json:"of,omitempty"`
	Program string `json:"program,omitempty"`
	// Parties are those meant; none means all of the notice.
	Parties []Party `json:"parties,omitempty"`
	// From is the day from which it holds.
	From string `json:"from"`
	// Until is the day on which a suspension ends; empty without an end.
	Until string `json:"until,omitempty"`
}

// delists reports whether the listings that an effect means leave the list.
func (e Effect) delists() bool { return e.Action == Remove || e.Action == Cancel }

func (e Effect) name() string {
	return fmt.Sprintf("%s of %s", e.Action, cmp.Or(string(e.Of), e.Program))
}

var (
	changeForm   = regexp.MustCompile(`停止|暂停|恢复|移出|取消|撤销|调整`)
	measuresForm = regexp.MustCompile(`措施|名单|清单|公告|商务部令`)
	partlyForm   = regexp.MustCompile(`其中|部分`)
	questionForm = regexp.MustCompile(`^(?:有?记者)?问[:：]`)
	quotedForm   = regexp.MustCompile(`《[^》]*(?:` + changeForm.String() + `)[^》]*》`) // a title about a change
	sentenceForm = regexp.MustCompile(`[^。；]+[。；]?`)
	fromForm     = regexp.MustCompile(`^[^停恢移取撤调]*自(` + dateDigits + `)(?:\d+时(?:\d+分)?)?[起至]`)
	removeForm   = regexp.MustCompile(`决定将([^。；]*?)移出`)
	untilForm    = regexp.MustCompile(`至(` + dateDigits + `)`)
	daysForm     = regexp.MustCompile(`(\d{1,3})天`)
	yearsForm    = regexp.MustCompile(`(?:^|\D)(\d|一)年[。；]?$`)
	lastingForm  = regexp.MustCompile(`至|期限|为期|个月|天|年[。；]?$`)
)

// effects are the changes to earlier notices, and doubts what of a change is not
// understood. A question of the press only repeats what was said before, and a
// title what is said below it.
func (p *page) effects() (effects []Effect, doubts []string) {
	for _, line := range p.body {
		if questionForm.MatchString(line) || strings.Contains(p.title, line) {
			continue
		}
		for _, sentence := range sentenceForm.FindAllString(quotedForm.ReplaceAllString(line, ""), -1) {
			read, unread := p.changes(sentence)
			if m := removeForm.FindStringSubmatch(sentence); m != nil {
				read, unread = p.removal(sentence, m[1])
			}
			if len(read) > 0 && !strings.HasSuffix(sentence, "。") && !strings.HasSuffix(sentence, "；") {
				unread = append(unread, fmt.Sprintf("a change ends in mid-sentence: %.60q", sentence))
			}
			effects, doubts = append(effects, read...), append(doubts, unread...)
		}
	}
	return effects, doubts
}

// changes reads the clauses of a sentence that name both an action and earlier
// notices. They take effect from the last date in front of them in the sentence
// ("from 14 May 2025, ..."), else from publication.
func (p *page) changes(sentence string) (effects []Effect, doubts []string) {
	from, end := p.published(), ""
	for clause := range strings.SplitSeq(sentence, "，") {
		if m := fromForm.FindStringSubmatch(clause); m != nil {
			from, end = day(m[1]), until(clause, "")
		}
		actions := changeForm.FindAllString(clause, -1)
		if len(actions) == 0 {
			continue
		}
		e := Effect{Action: actionOf(actions[0]), From: from}
		if e.Action == Suspend {
			e.Until = cmp.Or(until(clause, from), end)
		}
		numbers := slices.DeleteFunc(numbersIn(clause), func(n Number) bool { return n == p.number() })
		if p.unclear(clause, e, actions, numbers) {
			doubts = append(doubts, fmt.Sprintf("a change is unclear: %.90q", clause))
		}
		for _, e.Of = range numbers {
			effects = append(effects, e)
		}
	}
	return effects, doubts
}

// unclear reports whether a clause says more of a change than its effect does.
func (p *page) unclear(clause string, e Effect, actions []string, numbers []Number) bool {
	if len(numbers) == 0 {
		about := isAnswer(p.title) || changeForm.MatchString(p.title)
		return about && measuresForm.MatchString(clause)
	}
	return e.From == "" || len(slices.Compact(actions)) > 1 || partlyForm.MatchString(clause) ||
		e.Action == Suspend && e.Until == "" && lastingForm.MatchString(clause)
}

func actionOf(verb string) Action {
	return map[string]Action{
		"停止": Stop, "暂停": Suspend, "恢复": Resume, "移出": Remove, "取消": Cancel, "撤销": Cancel, "调整": Adjust,
	}[verb]
}

// removal takes the parties of the annex or of the sentence off the list. Without
// any it would take off all of the earlier notice.
func (p *page) removal(sentence, clause string) (effects []Effect, doubts []string) {
	e := Effect{Action: Remove, Program: p.program(), From: p.published()}
	e.Parties, doubts = p.named(clause)
	if numbers := numbersIn(sentence); len(numbers) > 0 {
		e.Of = numbers[0]
	}
	if p.annexed() && listForm.MatchString(strings.Join(p.body, "\n")) {
		doubts = append(doubts, "the annex may be of those listed or of those removed")
	}
	if len(e.Parties) == 0 {
		return nil, append(doubts, "the names of those removed could not be read")
	}
	return []Effect{e}, doubts
}

// until is the day on which a suspension ends: the one given, or as many days or
// years after its beginning.
func until(clause, from string) string {
	if m := untilForm.FindStringSubmatch(clause); m != nil {
		return day(m[1])
	}
	begin, err := time.Parse(time.DateOnly, from)
	if err != nil {
		return ""
	}
	if m := daysForm.FindStringSubmatch(clause); m != nil {
		return begin.AddDate(0, 0, count(m[1])).Format(time.DateOnly)
	}
	if m := yearsForm.FindStringSubmatch(clause); m != nil {
		return begin.AddDate(count(m[1]), 0, 0).Format(time.DateOnly)
	}
	return ""
}

func (e Effect) equal(other Effect) bool {
	same := e.Action == other.Action && e.Of == other.Of && e.Program == other.Program &&
		e.From == other.From && e.Until == other.Until
	return same && slices.Equal(e.Parties, other.Parties)
}
