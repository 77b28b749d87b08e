package cn

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/listward/listward/pkg/lists"
)

// page is the text of a notice in its parts.
type page struct {
	document
	title   string
	numbers []Number // by which the text calls itself, the surest first
	issued  string   // the date at the head; empty, as the others, where there is none
	closing string   // the date at the end
	posted  string   // the date of the web page
	urls    []string // found in front of the title
	body    []string // lines between title and annex
	annex   []string // lines of the annex
}

// divide finds the parts of a notice.
func divide(d document) (page, error) {
	title, at, end := findTitle(d.lines)
	if title == "" {
		return page{}, fmt.Errorf("%w: it has no title about a list or measures", ErrNotice)
	}
	head := d.lines[:at]
	p := page{document: d, title: title, body: d.lines[end:]}
	if i := slices.IndexFunc(p.body, annexForm.MatchString); i >= 0 {
		p.body, p.annex = p.body[:i], p.body[i+1:]
	}
	for _, line := range head {
		if strings.HasPrefix(line, "https://") {
			p.urls = append(p.urls, line)
		}
	}
	p.findDates(slices.Concat(head, p.body))
	p.numbers = p.ownNumbers(head)
	switch {
	case p.published() == "":
		return page{}, fmt.Errorf("%w: %.90q has no date", ErrNotice, p.title)
	case p.number() == "" && !isAnswer(p.title):
		return page{}, fmt.Errorf("%w: %.90q has no number", ErrNotice, p.title)
	}
	return p, nil
}

var (
	titleForm    = regexp.MustCompile(`(列入|采取|启动|移出|恢复|停止|暂停|取消|撤销|调整).*(公告|名单|清单|措施|答记者问|决定)`)
	beginForm    = regexp.MustCompile(`(?:关于|公布)(?:[将对]|继续|` + changeForm.String() + `)|发言人就`)
	noTitleForm  = regexp.MustCompile(`^【|[。；>]|[：:]$|决定[将对]`)
	annexForm    = regexp.MustCompile(`^附(?: ?件 ?\d*)?[:：]?$`)
	issuedForm   = regexp.MustCompile(`^【发文日期】(` + dateDigits + `)`)
	closingForm  = regexp.MustCompile(`^` + dateDigits + `$`)
	postedForm   = regexp.MustCompile(`(\d{4}-\d{2}-\d{2}) \d{2}:\d{2}`)
	sequenceForm = regexp.MustCompile(`^(` + yearDigits + `)年 ?第(\d{1,4})号$`)
)

// maxTitle is over how many lines a page may spread the title.
const maxTitle = 3

// findTitle finds the title and the lines [at, end) that it takes: it may be
// broken in its middle, and its parts may look whole.
func findTitle(lines []string) (title string, at, end int) {
	for at := range lines {
		title := ""
		for end := at; end < min(at+maxTitle, len(lines)); end++ {
			line := lines[end]
			if noTitleForm.MatchString(line) || end > at && beginForm.MatchString(line) {
				break
			}
			if title += line; titleForm.MatchString(title) {
				return title, at, end + 1
			}
			if !beginForm.MatchString(title) {
				break
			}
		}
	}
	return "", 0, 0
}

// isAnswer reports whether a title is that of an answer to the press, which has no
// number of its own and no date at its end, and repeats whom notices list.
func isAnswer(title string) bool { return strings.Contains(title, "答记者问") }

func (p *page) findDates(lines []string) {
	for _, line := range lines {
		if m := issuedForm.FindStringSubmatch(line); m != nil {
			p.issued = day(m[1])
		}
		if closingForm.MatchString(line) {
			p.closing = day(line)
		}
		if m := postedForm.FindStringSubmatch(line); m != nil && p.posted == "" {
			p.posted = lists.Day(m[1])
		}
	}
}

func (p *page) published() string { return cmp.Or(p.issued, p.closing, p.posted) }

// ownNumbers are those of the field for it, of the title and of the line in front
// of it. Elsewhere, numbers are those of other notices.
func (p *page) ownNumbers(head []string) []Number {
	if isAnswer(p.title) {
		return nil
	}
	var own []Number
	for _, line := range slices.Concat(head, p.body) {
		if numbers := numbersIn(line); strings.HasPrefix(line, "【发布文号】") && len(numbers) > 0 {
			own = append(own, numbers[0])
		}
	}
	if number := titleNumber(p.title); number != "" {
		own = append(own, number)
	}
	if len(head) > 0 {
		if number := titleNumber(head[len(head)-1]); number != "" {
			own = append(own, number)
		}
	}
	return own
}

func (p *page) number() Number {
	if len(p.numbers) == 0 {
		return ""
	}
	return p.numbers[0]
}

// sameNumber reports whether the text calls itself by one number throughout, the
// year and number under its heading among them.
func (p *page) sameNumber() bool {
	for _, line := range p.body {
		m := sequenceForm.FindStringSubmatch(line)
		if m != nil && !strings.HasSuffix(string(p.number()), fmt.Sprintf("-%d-%d", count(m[1]), count(m[2]))) {
			return false
		}
	}
	return len(slices.Compact(slices.Clone(p.numbers))) <= 1
}

var countForm = regexp.MustCompile(`(` + countDigits + `)[家名个]`)

// count is the number of parties in the title, 0 where it gives none.
func (p *page) count() int {
	if m := countForm.FindStringSubmatch(p.title); m != nil {
		return count(m[1])
	}
	return 0
}

// program is the list that a title is about.
func (p *page) program() string {
	switch {
	case strings.HasPrefix(string(p.number()), "ORDER-"):
		return Countermeasure
	case strings.Contains(p.title, "关注名单"):
		return Watch
	case strings.Contains(p.title, "出口管制管控名单"):
		return ECL
	case strings.Contains(p.title, "不可靠实体清单"):
		return UEL
	}
	return ""
}
