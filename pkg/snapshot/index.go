package snapshot

import (
	"encoding/binary"
	"iter"
	"slices"
	"sort"
	"strings"
)

// Word returns the number of a word that stands in a form, and whether any does.
func (s *Snapshot) Word(text string) (word int, ok bool) {
	mask := uint32(s.records(slots) - 1)
	for at := wordHash(text) & mask; ; at = (at + 1) & mask {
		n := s.field(slots, int(at), 0)
		if n == 0 {
			return 0, false
		}
		if s.word(n-1) == text {
			return n - 1, true
		}
	}
}

func (s *Snapshot) word(n int) string {
	return str(s.sections[vocabulary][s.field(words, n, 0) : s.field(words, n+1, 0)-1])
}

// Uses returns in how many forms a word stands.
func (s *Snapshot) Uses(word int) int {
	n, _ := binary.Uvarint(s.list(word))
	return int(n)
}

func (s *Snapshot) list(word int) []byte { return s.sections[lists][s.field(words, word, 1):] }

// Beside reports whether the first word may stand right in front of the second in a
// form. It errs in one of fifty cases, and never by denying it.
func (s *Snapshot) Beside(first, second int) bool {
	filter := s.sections[pairs]
	a, b := pairBits(first, second, 8*len(filter))
	return filter[a/8]>>(a%8)&1 != 0 && filter[b/8]>>(b%8)&1 != 0
}

// WordsFrom yields the words that begin with text, in their order.
func (s *Snapshot) WordsFrom(text string) iter.Seq[int] {
	return func(yield func(int) bool) {
		count := s.records(words) - 1
		first := sort.Search(count, func(w int) bool { return s.word(w) >= text })
		for w := first; w < count && strings.HasPrefix(s.word(w), text); w++ {
			if !yield(w) {
				return
			}
		}
	}
}

// FormsWith yields the forms in which a word stands, in their order, each once.
func (s *Snapshot) FormsWith(word int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for c := s.cursor(word); c.next(); {
			if !yield(c.form) {
				return
			}
		}
	}
}

// FormsWithAll yields the forms in which all of some words stand, at least one, in
// their order, each once. It may yield others too, if one of the words is so rare
// that those with it are fewer than the others take to read.
func (s *Snapshot) FormsWithAll(words ...int) iter.Seq[int] {
	rarest := slices.MinFunc(words, func(a, b int) int { return s.Uses(a) - s.Uses(b) })
	all := 0
	for _, w := range words {
		all += s.Uses(w)
	}
	if s.Uses(rarest)*textFactor < all {
		return s.FormsWith(rarest)
	}
	return func(yield func(int) bool) {
		cursors := make([]cursor, len(words))
		for i, word := range words {
			cursors[i] = s.cursor(word)
			if !cursors[i].next() {
				return
			}
		}
		for {
			form := cursors[0].form
			for i := range cursors {
				if !cursors[i].seek(form) {
					return
				}
				form = max(form, cursors[i].form)
			}
			if form > cursors[0].form {
				if !cursors[0].seek(form) {
					return
				}
				continue
			}
			if !yield(form) || !cursors[0].next() {
				return
			}
		}
	}
}

// textFactor is how many forms of a list are read in the time in which the text of
// one form is looked at.
const textFactor = 16

// cursor walks the list of a word.
type cursor struct {
	list []byte // what is left of it
	left uint64
	form int
}

func (s *Snapshot) cursor(word int) cursor {
	list := s.list(word)
	left, n := binary.Uvarint(list)
	return cursor{list: list[n:], left: left}
}

func (c *cursor) next() bool {
	if c.left == 0 {
		return false
	}
	step, n := binary.Uvarint(c.list)
	c.list, c.left, c.form = c.list[n:], c.left-1, c.form+int(step)
	return true
}

// seek goes on to the first form that is not before form.
func (c *cursor) seek(form int) bool {
	for c.form < form {
		if !c.next() {
			return false
		}
	}
	return true
}

// WordsWith yields the words in which text stands, each with its text; one that has
// it twice comes twice. The text is a piece of a folded word and not empty.
func (s *Snapshot) WordsWith(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		all, count := s.sections[vocabulary], s.records(suffixes)
		rest := func(i int) string {
			from := s.field(suffixes, i, 0)
			return str(all[from:min(len(all), from+len(text))])
		}
		// What ends a word, a line feed, sorts before every letter.
		first := sort.Search(count, func(i int) bool { return rest(i) >= text })
		for i := first; i < count && rest(i) == text; i++ {
			word := s.wordAt(s.field(suffixes, i, 0))
			if !yield(word, s.word(word)) {
				return
			}
		}
	}
}

// wordAt returns the word that a position in the vocabulary belongs to.
func (s *Snapshot) wordAt(position int) int {
	word := s.field(blocks, position/blockSize, 0)
	for s.field(words, word+1, 0) <= position {
		word++
	}
	return word
}

// FormsOfCore yields the forms with a core hash (see [CoreHash]), in their order.
func (s *Snapshot) FormsOfCore(hash uint32) iter.Seq[int] {
	return func(yield func(int) bool) {
		count := s.records(cores)
		core := func(i int) uint32 { return uint32(s.field(forms, s.field(cores, i, 0), 3)) }
		first := sort.Search(count, func(i int) bool { return core(i) >= hash })
		for i := first; i < count && core(i) == hash; i++ {
			if !yield(s.field(cores, i, 0)) {
				return
			}
		}
	}
}
