package screen

import (
	"slices"
	"strings"

	"github.com/listward/listward/pkg/fold"
	"github.com/listward/listward/pkg/snapshot"
)

// match returns the best rule by which one form of a query meets one form of a
// name, or noRule.
func match(q *qform, f *snapshot.Form, person bool) Rule {
	switch {
	case q.text == f.Text:
		return Equal
	case !person && !q.split && !f.Split && isCore(q, f.Text):
		return Core
	case q.several && isPhrase(q.distinct, f.Text):
		return Phrase
	case !q.split && !f.Split && isJoined(q, f.Text):
		return Joined
	case q.within && f.Distinctive && isContained(f.Text, q.distinct):
		return Contained
	case startsWord(f.Text, q.text):
		return Start
	case q.single && !q.split && strings.Contains(f.Text, q.text):
		return Inside
	}
	return noRule
}

// isCore reports whether something is left of the query without its legal forms, and
// the same of the name.
func isCore(q *qform, name string) bool {
	first, _, _ := strings.Cut(q.core, " ")
	return first != "" && strings.Contains(name, first) && fold.Core(fold.Words(name)) == q.core
}

// isPhrase reports whether each word is a word of the name.
func isPhrase(words []string, name string) bool {
	for _, w := range words {
		if !hasWord(name, w) {
			return false
		}
	}
	return true
}

func hasWord(name, word string) bool {
	for from := 0; ; {
		i := strings.Index(name[from:], word)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(word)
		if (i == 0 || name[i-1] == ' ') && (end == len(name) || name[end] == ' ') {
			return true
		}
		from = i + 1
	}
}

// startsWord reports whether text stands in the name from the start of a word.
func startsWord(name, text string) bool {
	for from := 0; ; {
		i := strings.Index(name[from:], text)
		if i < 0 {
			return false
		}
		i += from
		if i == 0 || name[i-1] == ' ' {
			return true
		}
		from = i + 1
	}
}

// isContained reports whether every word of the name is one of the query's words
// and the query's first word is among them.
func isContained(name string, words []string) bool {
	first := false
	for w := range strings.SplitSeq(name, " ") {
		i := slices.Index(words, w)
		if i < 0 {
			return false
		}
		first = first || i == 0
	}
	return first
}

// maxRun is how many adjacent words may be written together (rule "joined").
const maxRun = snapshot.LongestRun

// isJoined reports whether the words of the query, some of them written together
// or not, are words of the name, some of those written together or not. It is
// asked after Equal and Phrase, so at least one join is in what it finds.
func isJoined(q *qform, name string) bool {
	if len(q.words) == 1 {
		return q.long && hasRun(name, q.text, 2)
	}
	return q.several && coverable(q, name) || equalJoined(q.text, name)
}

// coverable reports whether the words of the query can be cut into runs each of
// which, written together, is a run of the name. A cut into one run only counts
// when that run is long enough to be telling.
func coverable(q *qform, name string) bool {
	// Bit i of reach says that the first done+i words can be cut so. A cut is
	// never tried twice, so hostile queries cost no more than words × maxRun.
	reach := uint(1)
	for done := range q.words {
		if reach == 0 {
			return false
		}
		for n := 1; reach&1 != 0 && n <= q.longest(done); n++ {
			whole := n == len(q.words)
			if (!whole || q.long) && hasRun(name, q.together(done, n), 1) {
				reach |= 1 << n
			}
		}
		reach >>= 1
	}
	return reach&1 != 0
}

// equalJoined reports whether two forms are equal with words written together on
// either side: their letters are equal, and between two places where a word ends
// in both there are at most maxRun words of each.
func equalJoined(a, b string) bool {
	i, j, inA, inB := 0, 0, 1, 1
	for i < len(a) && j < len(b) {
		switch endA, endB := a[i] == ' ', b[j] == ' '; {
		case endA && endB:
			i, j, inA, inB = i+1, j+1, 1, 1
		case endA:
			i, inA = i+1, inA+1
		case endB:
			j, inB = j+1, inB+1
		case a[i] != b[j]:
			return false
		default:
			i, j = i+1, j+1
		}
		if inA > maxRun || inB > maxRun {
			return false
		}
	}
	return i == len(a) && j == len(b)
}

// hasRun reports whether a run of least to maxRun adjacent words of the name,
// written together, is text.
func hasRun(name, text string, least int) bool {
	for start := 0; start < len(name); {
		if name[start] == text[0] && runLength(name[start:], text) >= least {
			return true
		}
		next := strings.IndexByte(name[start:], ' ')
		if next < 0 {
			return false
		}
		start += next + 1
	}
	return false
}

// runLength returns the number of words, at most maxRun, with which name begins
// and that are text when written together; 0 if there are none.
func runLength(name, text string) int {
	words, done := 1, 0
	for i := range len(name) {
		switch {
		case name[i] == ' ' && done == len(text):
			return words
		case name[i] == ' ':
			if words++; words > maxRun {
				return 0
			}
		case done == len(text) || name[i] != text[done]:
			return 0
		default:
			done++
		}
	}
	if done < len(text) {
		return 0
	}
	return words
}
