package snapshot

import (
	"cmp"
	"slices"
	"strings"
)

// Texts are found by their hashes. The hash of any piece of a query costs the same, and
// one line of the filter tells most pieces that stand in no name.

// textHash is the hash of words and of runs of words: the bytes as the digits of a
// number, mixed. Being of a number, the hash of any piece of a text comes from sums
// over the text (see [Letters]).
func textHash(text string) uint64 { return mixed(sumOf(0, text)) }

// sumOf goes on with a sum by a text.
func sumOf(sum uint64, text string) uint64 {
	for i := range len(text) {
		sum = sum*hashBase + uint64(text[i])
	}
	return sum
}

// wordHash is the hash by which a word has its slot.
func wordHash(word string) uint32 { return uint32(textHash(word) >> 32) }

// hashBase is the odd number nearest to 2^64 divided by the golden ratio.
const hashBase = 0x9e3779b97f4a7c15

// mixed is what the finalizer of MurmurHash3 makes of a number: every bit of the result
// depends on all of the number's.
func mixed(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// Letters is a text of which many pieces are looked up as words: each costs the same,
// however long. It is immutable.
type Letters struct {
	text string
	sums []beginning // by length
}

// beginning is the sum over the first bytes of a text (see textHash), and the power of
// hashBase that goes with their number.
type beginning struct{ sum, power uint64 }

// NewLetters prepares a text.
func NewLetters(text string) Letters {
	sums := make([]beginning, len(text)+1)
	sums[0].power = 1
	for i := range len(text) {
		sums[i+1] = beginning{sums[i].sum*hashBase + uint64(text[i]), sums[i].power * hashBase}
	}
	return Letters{text, sums}
}

// Text returns the text.
func (l Letters) Text() string { return l.text }

// hash is the textHash of a piece.
func (l Letters) hash(from, to int) uint64 {
	return mixed(l.sums[to].sum - l.sums[from].sum*l.sums[to-from].power)
}

// WordIn returns the number of the word that stands in the text from one byte to
// another, as [Snapshot.Word] does.
func (s *Snapshot) WordIn(l Letters, from, to int) (word int, ok bool) {
	return s.hashed(uint32(l.hash(from, to)>>32), l.text[from:to])
}

// RunIn reports whether what stands in the text from one byte to another may be two or
// three words in a row of a form without apostrophes as blanks, written together. It
// errs in one of thirty cases, and never by denying it.
func (s *Snapshot) RunIn(l Letters, from, to int) bool {
	return s.mayHave(l.hash(from, to))
}

// Telling reports whether two words, in the order of texts, may be the two of a
// distinctive form that stand in the fewest forms; of words as rare as each other it is
// the first in the order of texts. It errs in one of thirty cases, and never by denying.
func (s *Snapshot) Telling(a, b string) bool { return s.mayHave(pairHash(a, b)) }

// mayHave asks the filter for a text.
func (s *Snapshot) mayHave(hash uint64) bool {
	all := s.sections[filter]
	if len(all) == 0 {
		return false
	}
	block, bits := filterBits(hash, len(all)/filterBlock)
	for _, bit := range bits {
		if all[block*filterBlock+bit/8]>>(bit%8)&1 == 0 {
			return false
		}
	}
	return true
}

// filterBlock is how many bytes of the filter hold all bits of a text: what a processor
// reads at once.
const filterBlock = 64

// filterBits are the block and the three bits in it of a text, in a filter of so many
// blocks.
func filterBits(hash uint64, blocks int) (block int, bits [3]int) {
	block = int(hash >> 32 * uint64(blocks) >> 32)
	for i := range bits {
		bits[i] = int(hash >> (9 * i) & (8*filterBlock - 1))
	}
	return block, bits
}

// LongestRun is how many words in a row are looked for written together (decisions
// section 2, joined).
const LongestRun = 3

// appendRuns appends the hashes of two and three words in a row of a form, written
// together.
func appendRuns(to []uint64, form string) []uint64 {
	words := strings.Split(form, " ")
	for i := range words {
		for n := 2; n <= min(LongestRun, len(words)-i); n++ {
			to = append(to, textHash(strings.Join(words[i:i+n], "")))
		}
	}
	return to
}

// rarestTwo returns the two words of a form, which has two different ones, that stand in
// the fewest forms, in the order of texts.
func rarestTwo(form string, uses func(word string) int) (string, string) {
	words := strings.Split(form, " ")
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(uses(a), uses(b)), cmp.Compare(a, b)) })
	words = slices.Compact(words)[:2]
	return min(words[0], words[1]), max(words[0], words[1])
}

// pairHash is the hash of two words. The blank keeps it from being that of a run.
func pairHash(a, b string) uint64 { return mixed(sumOf(sumOf(sumOf(0, a), " "), b)) }

// filterOf returns the filter of texts by their hashes: a byte for each, in whole blocks.
func filterOf(hashes []uint64) []byte {
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	blocks := (len(hashes) + filterBlock - 1) / filterBlock
	filter := make([]byte, blocks*filterBlock)
	for _, hash := range hashes {
		block, bits := filterBits(hash, blocks)
		for _, bit := range bits {
			filter[block*filterBlock+bit/8] |= 1 << (bit % 8)
		}
	}
	return filter
}
