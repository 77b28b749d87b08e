package cn

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/listward/listward/pkg/lists"
)

// Number identifies a notice across the Ministry's addresses, which publish each
// under several: the series, the year and the number in it.
//
//	UEL-2025-7      notice of the unreliable entity list mechanism
//	MOFCOM-2025-13  announcement of the Ministry, on the export control or watch list
//	ORDER-2025-5    order of the Ministry, with countermeasures
type Number string

// series is the first part of a number, and empty for none.
func (n Number) series() string {
	series, _, _ := strings.Cut(string(n), "-")
	return series
}

// compare orders numbers by series and year, then as published: 9 before 10.
func (n Number) compare(other Number) int {
	i, j := strings.LastIndex(string(n), "-")+1, strings.LastIndex(string(other), "-")+1
	return cmp.Or(cmp.Compare(n[:i], other[:j]), cmp.Compare(count(string(n[i:])), count(string(other[j:]))))
}

// The numerals of a count of parties, of a year and of a date. Orders write their
// year, and some their date, in Chinese numerals.
const (
	countDigits = `\d{1,4}|[一二两三四五六七八九十]+`
	yearDigits  = `(?:\d{4}|[〇○零一二三四五六七八九]{4})`
	partDigits  = `(?:\d{1,2}|[一二三四五六七八九十]{1,3})`
	dateDigits  = yearDigits + `年` + partDigits + `月` + partDigits + `日`
)

var (
	numberForm = regexp.MustCompile(`(不可靠实体清单工作机制(?:公告)?|商务部公告|商务部令) ?[〔\[（(]?(` + yearDigits +
		`)[〕\]）)]? ?年? ?第?(\d{1,4})号((?:[、和及]第?\d{1,4}号)*)`)
	digitsForm = regexp.MustCompile(`\d+`)
)

// numbersIn returns the notices that a text names, "〔2025〕5号、6号" being two.
func numbersIn(text string) []Number {
	series := map[string]string{"不可靠实体清单工作机制": "UEL", "不可靠实体清单工作机制公告": "UEL", "商务部公告": "MOFCOM", "商务部令": "ORDER"}
	var numbers []Number
	for _, m := range numberForm.FindAllStringSubmatch(text, -1) {
		for _, digits := range append([]string{m[3]}, digitsForm.FindAllString(m[4], -1)...) {
			numbers = append(numbers, Number(fmt.Sprintf("%s-%d-%d", series[m[1]], count(m[2]), count(digits))))
		}
	}
	return numbers
}

// titleNumber is the number that a title gives its own notice. A title about a
// change names the earlier notice too, and an answer to the press has none.
func titleNumber(title string) Number {
	at := numberForm.FindStringIndex(title)
	if at == nil || isAnswer(title) || at[0] > 0 && changeForm.MatchString(title) {
		return ""
	}
	return numbersIn(title[at[0]:])[0]
}

// count reads a number in digits or Chinese numerals: 12, 十二, 二〇二五.
func count(numerals string) int {
	tens, units := 0, 0
	for _, r := range numerals {
		switch i := strings.IndexRune("一二三四五六七八九", r); {
		case '0' <= r && r <= '9':
			units = units*10 + int(r-'0')
		case r == '十':
			tens, units = max(units, 1)*10, 0
		case r == '两':
			units = 2
		case i >= 0:
			units = units*10 + i/len("一") + 1
		default:
			units *= 10
		}
	}
	return tens + units
}

var partsForm = regexp.MustCompile(`[年月日]`)

// day turns a text of dateDigits, such as 2025年4月10日, into 2025-04-10, and what
// is no real day into nothing.
func day(date string) string {
	parts := partsForm.Split(date, -1)
	return lists.Day(fmt.Sprintf("%04d-%02d-%02d", count(parts[0]), count(parts[1]), count(parts[2])))
}
