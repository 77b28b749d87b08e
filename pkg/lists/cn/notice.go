// Package cn reads the notices of China's Ministry of Commerce and works out
// which parties they leave listed: on the unreliable entity list (UEL), the
// export control list (ECL), the watch list (WATCH) and by countermeasure orders
// (COUNTERMEASURE).
//
// The Ministry publishes no list. It publishes numbered notices that list
// parties, and later notices or answers to the press that stop, suspend, resume,
// remove or cancel them. So the list is folded from notices: those of a folder
// ([ReadFolder]) or, where the Ministry's sites cannot be reached, those that we
// have written down ([Register]); [Fold] makes the list of either and names what
// a person must look at. Whoever misses a party begins at parties.go, whoever
// misses a stop or suspension at effects.go.
package cn

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/listward/listward/pkg/lists"
)

// ErrNotice is returned by ParseNotice for a text that is no notice, or lacks
// what it takes to place one: a title, a date and, but for answers to the press,
// a number.
var ErrNotice = errors.New("the text cannot be read as a notice")

// Number identifies a notice across the Ministry's addresses, which publish each
// under several: the series, the year and the number in it.
//
//	UEL-2025-7      notice of the unreliable entity list mechanism
//	MOFCOM-2025-13  announcement of the Ministry, on the export control or watch list
//	ORDER-2025-5    order of the Ministry, with countermeasures
type Number string

// The programme codes of an entry (decisions section 1).
const (
	UEL            = "UEL"
	ECL            = "ECL"
	Watch          = "WATCH"
	Countermeasure = "COUNTERMEASURE"
)

// Notice is one notice or answer to the press, as far as it bears on the lists.
// Dates are YYYY-MM-DD. Whoever is given a Notice must not change its slices.
type Notice struct {
	// Number is empty for an answer to the press.
	Number Number `json:"number,omitempty"`
	Title  string `json:"title"`
	// Program is the list that the title is about; empty where it names none.
	Program   string `json:"program,omitempty"`
	Published string `json:"published"`
	// Effective is the day that the text gives; empty where it is that of publication.
	Effective string `json:"effective,omitempty"`
	// Count is the number of parties in the title, 0 where it gives none.
	Count int `json:"count,omitempty"`
	// URLs are the known addresses of the notice, the best first.
	URLs    []string `json:"urls,omitempty"`
	Parties []Party  `json:"parties,omitempty"`
	Effects []Effect `json:"effects,omitempty"`
	// Doubts say why a person must read the notice; [Fold] passes them on.
	Doubts []string `json:"doubts,omitempty"`
}

// ParseNotice reads one notice as UTF-8 text or as the HTML of its page. What
// makes a reading doubtful without making it impossible, such as a title that
// counts other than the text, stands in Notice.Doubts. The caller owns the
// result; concurrent calls share nothing. Errors are ErrNotice, lists.ErrTooLarge
// for more than 2 MiB, or what r returned.
func ParseNotice(r io.Reader) (Notice, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxNotice+1))
	switch {
	case err != nil:
		return Notice{}, fmt.Errorf("read a notice: %w", err)
	case len(body) > maxNotice:
		return Notice{}, fmt.Errorf("%w: a notice of more than %d bytes", lists.ErrTooLarge, maxNotice)
	case !utf8.Valid(body):
		return Notice{}, fmt.Errorf("%w: it is not UTF-8", ErrNotice)
	}
	p, err := divide(textLines(string(body)))
	if err != nil {
		return Notice{}, err
	}
	return p.notice(), nil
}

// maxNotice is the size of a notice in bytes; the longest page has about 100 kB.
const maxNotice = 2 << 20

// page is the text of a notice in its parts.
type page struct {
	title     string
	number    Number
	published string
	closed    bool     // the text ends with its date
	urls      []string // found in front of the title
	body      []string // lines between title and annex
	annex     []string // lines of the annex
}

var (
	titleForm  = regexp.MustCompile(`(列入|采取|启动|移出|恢复|停止|暂停|取消|调整).*(公告|名单|清单|措施|答记者问|决定)`)
	annexForm  = regexp.MustCompile(`^附件\d*[:：]?$`)
	dateForm   = regexp.MustCompile(`^\d{4}年\d{1,2}月\d{1,2}日$`)
	issuedForm = regexp.MustCompile(`^【发文日期】(\d{4}年\d{1,2}月\d{1,2}日)`)
	metaForm   = regexp.MustCompile(`(\d{4}-\d{2}-\d{2}) \d{2}:\d{2}`)
)

// divide finds the parts of a notice.
func divide(lines []string) (page, error) {
	at := slices.IndexFunc(lines, func(l string) bool { return !strings.HasPrefix(l, "【") && titleForm.MatchString(l) })
	if at < 0 {
		return page{}, fmt.Errorf("%w: it has no title about a list or measures", ErrNotice)
	}
	p := page{title: lines[at], body: lines[at+1:]}
	if i := slices.IndexFunc(p.body, annexForm.MatchString); i >= 0 {
		p.body, p.annex = p.body[:i], p.body[i+1:]
	}
	for _, line := range lines[:at] {
		if strings.HasPrefix(line, "https://") {
			p.urls = append(p.urls, line)
		}
	}
	p.date(lines[:at])
	p.findNumber(lines[:at])
	switch {
	case p.published == "":
		return page{}, fmt.Errorf("%w: %.90q has no date", ErrNotice, p.title)
	case p.number == "" && !p.answer():
		return page{}, fmt.Errorf("%w: %.90q has no number", ErrNotice, p.title)
	}
	return p, nil
}

// answer reports whether the text is an answer to the press, which has no number
// of its own and no date at its end.
func (p *page) answer() bool { return strings.Contains(p.title, "答记者问") }

// date takes the date of issue, else that at the end, else that of the web page.
func (p *page) date(before []string) {
	issued, closing, meta := "", "", ""
	for _, line := range slices.Concat(before, p.body) {
		if m := issuedForm.FindStringSubmatch(line); m != nil {
			issued = day(m[1])
		}
		if dateForm.MatchString(line) {
			closing = day(line)
		}
		if m := metaForm.FindStringSubmatch(line); m != nil && meta == "" {
			meta = lists.Day(m[1])
		}
	}
	p.closed = closing != ""
	for _, d := range []string{issued, closing, meta} {
		if p.published == "" {
			p.published = d
		}
	}
}

// findNumber takes the number from its field, else from the title or the line in
// front of it: elsewhere, numbers are those of other notices.
func (p *page) findNumber(before []string) {
	if p.answer() {
		return
	}
	var places []string
	for _, line := range slices.Concat(before, p.body) {
		if strings.HasPrefix(line, "【发布文号】") {
			places = append(places, line)
		}
	}
	places = append(places, p.title)
	if len(before) > 0 {
		places = append(places, before[len(before)-1])
	}
	for _, line := range places {
		if numbers := numbersIn(line); len(numbers) > 0 && p.number == "" {
			p.number = numbers[0]
		}
	}
}

var (
	numberForm = regexp.MustCompile(`(不可靠实体清单工作机制(?:公告)?|商务部公告|商务部令)[〔\[（(]?(\d{4})[〕\]）)]?年?第?(\d{1,4})号((?:[、和及]第?\d{1,4}号)*)`)
	digitsForm = regexp.MustCompile(`\d+`)
)

// numbersIn returns the notices that a text names, "〔2025〕5号、6号" being two.
func numbersIn(text string) []Number {
	series := map[string]string{"不可靠实体清单工作机制": "UEL", "不可靠实体清单工作机制公告": "UEL", "商务部公告": "MOFCOM", "商务部令": "ORDER"}
	var numbers []Number
	for _, m := range numberForm.FindAllStringSubmatch(text, -1) {
		for _, digits := range append([]string{m[3]}, digitsForm.FindAllString(m[4], -1)...) {
			numbers = append(numbers, Number(series[m[1]]+"-"+m[2]+"-"+strings.TrimLeft(digits, "0")))
		}
	}
	return numbers
}

// program is the list that a title is about.
func (p *page) program() string {
	switch {
	case strings.HasPrefix(string(p.number), "ORDER-"):
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

var (
	effectiveForm = regexp.MustCompile(`^本(?:公告|决定|令)自(\d{4}年\d{1,2}月\d{1,2}日)(?:\d+时(?:\d+分)?)?起`)
	countForm     = regexp.MustCompile(`(\d+|[一二两三四五六七八九十]+)[家名个]`)
)

func (p *page) notice() Notice {
	n := Notice{Number: p.number, Title: p.title, Program: p.program(), Published: p.published, URLs: p.urls}
	for _, line := range p.body {
		if m := effectiveForm.FindStringSubmatch(line); m != nil {
			n.Effective = day(m[1])
		}
	}
	if m := countForm.FindStringSubmatch(p.title); m != nil {
		n.Count = count(m[1])
	}
	n.Parties, n.Doubts = p.parties()
	n.Effects = p.effects()
	n.Doubts = append(n.Doubts, p.doubts(n)...)
	return n
}

// doubts compares what was read with what the title announces. A notice that
// opens an investigation or adds measures announces neither party nor change.
func (p *page) doubts(n Notice) []string {
	var doubts []string
	listed := len(slices.DeleteFunc(slices.Clone(n.Parties), func(party Party) bool { return party.Sub > 0 }))
	announced := n.Count > 0 || strings.Contains(p.title, "列入")
	changes := changeForm.MatchString(p.title)
	switch {
	case changes && len(n.Effects) == 0:
		doubts = append(doubts, "the title announces a change, and no earlier notice could be read")
	case !changes && announced && listed == 0:
		doubts = append(doubts, "the names could not be read")
	case !changes && n.Count > 0 && n.Count != listed:
		doubts = append(doubts, fmt.Sprintf("the title counts %d parties, the text names %d", n.Count, listed))
	}
	if !p.closed && !p.answer() {
		doubts = append(doubts, "the text has no closing date and may be cut off")
	}
	return doubts
}

// count reads a number of up to 99 in digits or Chinese numerals.
func count(text string) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	total, digit := 0, 0
	for _, r := range text {
		switch i := strings.IndexRune("一二三四五六七八九", r); {
		case r == '十':
			total, digit = max(digit, 1)*10, 0
		case r == '两':
			digit = 2
		default:
			digit = i/len("一") + 1
		}
	}
	return total + digit
}

// day turns 2025年4月10日 into 2025-04-10, and what is no real day into nothing.
func day(text string) string {
	t, err := time.Parse("2006年1月2日", text)
	if err != nil {
		return ""
	}
	return t.Format(time.DateOnly)
}
