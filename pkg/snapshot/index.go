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
	return s.hashed(wordHash(text), text)
}

// hashed returns the word of a text whose hash is known. Most texts that are no word
// are known for it by the slot.
func (s *Snapshot) hashed(hash uint32, text string) (word int, ok bool) {
	table := s.sections[slots]
	mask := uint32(len(table)/numberSize - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		slot := binary.LittleEndian.Uint32(table[numberSize*at:])
		if slot == 0 {
			return 0, false
		}
		if word = int(slot&slotMask) - 1; (slot^hash)&^slotMask == 0 && s.word(word) == text {
			return word, true
		}
	}
}

func (s *Snapshot) word(n int) string {
	return str(s.sections[vocabulary][s.field(words, n, 0) : s.field(words, n+1, 0)-1])
}

// Uses returns in how many forms a word stands.
func (s *Snapshot) Uses(word int) int {
	n, _ := binary.Uvarint(s.list(word))
	return int(n / 2)
}

// alone reports whether a word stands in no other word.
func (s *Snapshot) alone(word int) bool { return s.list(word)[0]&1 != 0 }

func (s *Snapshot) list(word int) []byte { return s.sections[lists][s.field(words, word, 1):] }

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
// their order, each once. It may yield others too: a word is left out of account if its
// list takes longer to read than the texts of the forms with the rarest to look at.
func (s *Snapshot) FormsWithAll(words ...int) iter.Seq[int] {
	return func(yield func(int) bool) { s.intersect(words, yield) }
}

func (s *Snapshot) intersect(words []int, yield func(int) bool) {
	var room [8]cursor
	cursors := append(room[:0], s.cursor(words[0]))
	for _, word := range words[1:] {
		c := s.cursor(word)
		if c.left < cursors[0].left {
			c, cursors[0] = cursors[0], c
		}
		cursors = append(cursors, c)
	}
	most := cursors[0].left * TextFactor
	cursors = slices.DeleteFunc(cursors, func(c cursor) bool { return c.left > most })
	for cursors[0].next() {
		form := cursors[0].form
		for i := 1; i < len(cursors); i++ {
			if !cursors[i].seek(form) {
				return
			}
			if later := cursors[i].form; later > form { // from the first on again
				if form, i = later, 0; !cursors[0].seek(form) {
					return
				}
				form = cursors[0].form
			}
		}
		if !yield(form) {
			return
		}
	}
}

// TextFactor is how many forms of a list are read in the time in which the text of
// one form is looked at.
const TextFactor = 16

// cursor walks the list of a word.
type cursor struct {
	list []byte // what is left of it
	left uint64
	form int // -1 before the first
}

func (s *Snapshot) cursor(word int) cursor {
	list := s.list(word)
	length, n := binary.Uvarint(list)
	return cursor{list: list[n:], left: length / 2, form: -1}
}

func (c *cursor) next() bool {
	if c.left == 0 {
		return false
	}
	step, n := binary.Uvarint(c.list)
	c.list, c.left, c.form = c.list[n:], c.left-1, max(c.form, 0)+int(step)
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
		if word, known := s.Word(text); known && s.alone(word) {
			yield(word, text)
			return
		}
		all, count := s.sections[vocabulary], s.records(suffixes)
		rest := func(i int) string {
			from := s.field(suffixes, i, 0)
			return str(all[from:min(len(all), from+len(text))])
		}
		// What ends a word, a line feed, sorts before every letter.
		from, to := s.sampled(text)
		first := from + sort.Search(to-from, func(i int) bool { return rest(from+i) >= text })
		for i := first; i < count && rest(i) == text; i++ {
			word := s.wordAt(s.field(suffixes, i, 0))
			if !yield(word, s.word(word)) {
				return
			}
		}
	}
}

// sampled returns between which suffixes is the first that is not before text. The
// samples take fewer pages of memory than the suffixes and the words that they are of.
func (s *Snapshot) sampled(text string) (from, to int) {
	key, count := sampleKey(text), s.records(samples)
	sample := func(i int) uint64 { return binary.LittleEndian.Uint64(s.record(samples, i)) }
	first := sort.Search(count, func(i int) bool { return sample(i) >= key })
	last := first
	for last < count && sample(last) == key {
		last++
	}
	return max(0, first-1) * sampleStep, min(last*sampleStep, s.records(suffixes))
}

// wordAt returns the word that a position in the vocabulary belongs to.
func (s *Snapshot) wordAt(position int) int {
	word := s.field(blocks, position/blockSize, 0)
	for s.field(words, word+1, 0) <= position {
		word++
	}
	return word
}

// FormsOfCore yields the forms that may have a core (fold.Core): equal hashes are no
// proof. They come in their order.
func (s *Snapshot) FormsOfCore(core string) iter.Seq[int] {
	return func(yield func(int) bool) {
		hash := textHash(core)
		if !s.mayHave(hash) {
			return
		}
		count, short := s.records(cores), uint32(hash>>32)
		at := func(i int) uint32 { return uint32(s.field(cores, i, 0)) }
		for i := sort.Search(count, func(i int) bool { return at(i) >= short }); i < count && at(i) == short; i++ {
			if !yield(s.field(cores, i, 1)) {
				return
			}
		}
	}
}
