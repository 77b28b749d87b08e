package snapshot

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// The index is over words, not over names: a name is searched by its words, and
// most of the 373,000 words of the full lists are among 57,000 distinct ones. That
// makes it small enough to know every place in a word at which a query could begin.

// blockSize is how many bytes of vocabulary share one entry of the section blocks.
const blockSize = 64

// wordHash is FNV-1a, by which a word has its slot.
func wordHash(word string) uint32 {
	h := uint32(2166136261)
	for i := range len(word) {
		h = (h ^ uint32(word[i])) * 16777619
	}
	return h
}

// slotsFor is the number of slots for n words: a power of two that leaves at least
// half of them empty.
func slotsFor(n int) int { return 1 << bits.Len(uint(2*n)) }

// pairBits are the two bits of a pair of words in a filter of so many bits, which is a
// power of two. The mixing is the finalizer of MurmurHash3: every bit of the result
// depends on both numbers.
func pairBits(first, second, bits int) (int, int) {
	h := uint64(first)<<32 | uint64(second)
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	h ^= h >> 33
	return int(h>>32) & (bits - 1), int(h&0xffffffff) & (bits - 1)
}

// indexer builds the sections of the index from the forms.
type indexer struct {
	texts []string
	uses  map[string][]uint32 // the forms in which a word stands, ascending
	words []string            // sorted
}

func newIndexer(texts []string) *indexer {
	ix := &indexer{texts: texts, uses: map[string][]uint32{}}
	for form, text := range texts {
		for word := range strings.SplitSeq(text, " ") {
			if list := ix.uses[word]; len(list) == 0 || list[len(list)-1] != uint32(form) {
				ix.uses[word] = append(list, uint32(form))
			}
		}
	}
	for word := range ix.uses {
		ix.words = append(ix.words, word)
	}
	slices.Sort(ix.words)
	return ix
}

// vocabulary returns the text of all words, and the records of the section words
// with the posting lists.
func (ix *indexer) vocabulary() (text, records, lists []byte) {
	for _, word := range ix.words {
		records = appendFields(records, uint32(len(text)), uint32(len(lists)))
		text = append(append(text, word...), '\n')
		lists = appendList(lists, ix.uses[word])
	}
	return text, appendFields(records, uint32(len(text)), uint32(len(lists))), lists
}

// appendList appends the length of an ascending list, its first number, and the
// difference of each further one to the one before, as uvarints.
func appendList(to []byte, list []uint32) []byte {
	to = binary.AppendUvarint(to, uint64(len(list)))
	last := uint32(0)
	for _, n := range list {
		to = binary.AppendUvarint(to, uint64(n-last))
		last = n
	}
	return to
}

// slots returns the hash table of the words.
func (ix *indexer) slots() []byte {
	table := make([]uint32, slotsFor(len(ix.words)))
	for i, word := range ix.words {
		at := wordHash(word) & uint32(len(table)-1)
		for table[at] != 0 {
			at = (at + 1) & uint32(len(table)-1)
		}
		table[at] = uint32(i) + 1
	}
	return appendFields(nil, table...)
}

// blocks returns for each block of the text the word that its first byte belongs to.
func (ix *indexer) blocks(size int) []byte {
	var table []uint32
	end := 0
	for i, word := range ix.words {
		end += len(word) + 1
		for len(table)*blockSize < end && len(table)*blockSize < size {
			table = append(table, uint32(i))
		}
	}
	return appendFields(nil, table...)
}

// pairs returns the filter of the words that stand side by side.
func (ix *indexer) pairs() []byte {
	numbers := make(map[string]int, len(ix.words))
	for i, word := range ix.words {
		numbers[word] = i
	}
	var beside []uint64 // the numbers of both; a set of them would take ten times the memory
	for _, text := range ix.texts {
		last := -1
		for word := range strings.SplitSeq(text, " ") {
			n := numbers[word]
			if last >= 0 {
				beside = append(beside, uint64(last)<<32|uint64(n))
			}
			last = n
		}
	}
	slices.Sort(beside)
	beside = slices.Compact(beside)
	filter := make([]byte, max(1, slotsFor(len(beside))/2))
	for _, pair := range beside {
		a, b := pairBits(int(pair>>32), int(pair&0xffffffff), 8*len(filter))
		filter[a/8] |= 1 << (a % 8)
		filter[b/8] |= 1 << (b % 8)
	}
	return filter
}

// suffixesOf returns the positions of all letters, in the order of what stands from
// there to the end of the word.
func suffixesOf(text []byte) []byte {
	var at []uint32
	for i, b := range text {
		if b != '\n' && utf8.RuneStart(b) {
			at = append(at, uint32(i))
		}
	}
	rest := func(i uint32) []byte { return text[i : int(i)+bytes.IndexByte(text[i:], '\n')] }
	slices.SortFunc(at, func(a, b uint32) int {
		return cmp.Or(bytes.Compare(rest(a), rest(b)), cmp.Compare(a, b))
	})
	return appendFields(nil, at...)
}
