package cn

import (
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

var (
	changeForm   = regexp.MustCompile(`停止|暂停|恢复|移出|取消|撤销|调整`)
	questionForm = regexp.MustCompile(`^(?:有?记者)?问[:：]`)
	sentenceForm = regexp.MustCompile(`[。；]`)
	fromForm     = regexp.MustCompile(`^(?:答[:：] ?)?(?:现?决定)?自(\d{4}年\d{1,2}月\d{1,2}日)(?:\d+时(?:\d+分)?)?起`)
	removeForm   = regexp.MustCompile(`决定将([^。；]*?)移出`)
	untilForm    = regexp.MustCompile(`至(\d{4}年\d{1,2}月\d{1,2}日)`)
	daysForm     = regexp.MustCompile(`(\d{1,3})天`)
	yearsForm    = regexp.MustCompile(`(?:^|\D)(\d|一)年$`)
)

// effects are the changes to earlier notices. One begins from the last date in
// front of it in its sentence ("from 14 May 2025, ..."), else from publication. A
// question of the press only repeats what was said before.
func (p *page) effects() []Effect {
	var effects []Effect
	for _, line := range p.body {
		if questionForm.MatchString(line) {
			continue
		}
		for _, sentence := range sentenceForm.Split(line, -1) {
			if m := removeForm.FindStringSubmatch(sentence); m != nil {
				effects = append(effects, p.removal(sentence, m[1]))
				continue
			}
			effects = append(effects, p.changes(sentence)...)
		}
	}
	return effects
}

// changes reads the clauses that name both an action and earlier notices.
func (p *page) changes(sentence string) []Effect {
	var effects []Effect
	from := p.published
	for clause := range strings.SplitSeq(sentence, "，") {
		if m := fromForm.FindStringSubmatch(clause); m != nil {
			from = day(m[1])
		}
		action := actionOf(changeForm.FindString(clause))
		if action == "" {
			continue
		}
		for _, number := range numbersIn(clause) {
			e := Effect{Action: action, Of: number, From: from}
			if action == Suspend {
				e.Until = until(clause, from)
			}
			effects = append(effects, e)
		}
	}
	return effects
}

func actionOf(verb string) Action {
	return map[string]Action{
		"停止": Stop, "暂停": Suspend, "恢复": Resume, "移出": Remove, "取消": Cancel, "撤销": Cancel, "调整": Adjust,
	}[verb]
}

// removal takes the parties of the annex or of the sentence off the list.
func (p *page) removal(sentence, clause string) Effect {
	e := Effect{Action: Remove, Program: p.program(), From: p.published}
	e.Parties, _ = p.named(clause)
	if numbers := numbersIn(sentence); len(numbers) > 0 {
		e.Of = numbers[0]
	}
	return e
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
