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

// slotsFor is the number of slots for n words: a power of two that leaves at least
// half of them empty.
func slotsFor(n int) int { return 1 << bits.Len(uint(2*n)) }

// indexer builds the sections of the index from the forms.
type indexer struct {
	uses  map[string][]uint32 // the forms in which a word stands, ascending
	words []string            // sorted
}

func newIndexer(texts []string) *indexer {
	ix := &indexer{uses: map[string][]uint32{}}
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

// vocabulary returns the text of all words.
func (ix *indexer) vocabulary() (text []byte) {
	for _, word := range ix.words {
		text = append(append(text, word...), '\n')
	}
	return text
}

// lists returns the records of the section words, and the lists of forms.
func (ix *indexer) lists(alone map[int]bool) (records, lists []byte) {
	at := 0
	for _, word := range ix.words {
		records = appendFields(records, uint32(at), uint32(len(lists)))
		lists = appendList(lists, ix.uses[word], alone[at])
		at += len(word) + 1
	}
	return appendFields(records, uint32(at), uint32(len(lists))), lists
}

// appendList appends twice the length of an ascending list, and one if the word stands
// alone, the list's first number, and the difference of each further one to the one
// before, as uvarints.
func appendList(to []byte, list []uint32, alone bool) []byte {
	length := 2 * uint64(len(list))
	if alone {
		length++
	}
	to = binary.AppendUvarint(to, length)
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
		hash := wordHash(word)
		at := hash & uint32(len(table)-1)
		for table[at] != 0 {
			at = (at + 1) & uint32(len(table)-1)
		}
		table[at] = hash&^slotMask | uint32(i+1)
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

// sortedSuffixes returns the positions of all letters, in the order of what stands from
// there to the end of the word.
func sortedSuffixes(text []byte) []uint32 {
	var at []uint32
	for i, b := range text {
		if b != '\n' && utf8.RuneStart(b) {
			at = append(at, uint32(i))
		}
	}
	slices.SortFunc(at, func(a, b uint32) int {
		return cmp.Or(bytes.Compare(restOf(text, a), restOf(text, b)), cmp.Compare(a, b))
	})
	return at
}

// restOf is what stands from a position to the end of its word.
func restOf(text []byte, at uint32) []byte {
	return text[at : int(at)+bytes.IndexByte(text[at:], '\n')]
}

// aloneIn returns the positions of the words that stand in no other word, and once in
// themselves: no suffix before or behind them begins with them.
func aloneIn(text []byte, sorted []uint32) map[int]bool {
	alone := map[int]bool{}
	for i, at := range sorted {
		if at > 0 && text[at-1] != '\n' {
			continue
		}
		word := restOf(text, at)
		before := i > 0 && bytes.Equal(restOf(text, sorted[i-1]), word)
		behind := i+1 < len(sorted) && bytes.HasPrefix(restOf(text, sorted[i+1]), word)
		if !before && !behind {
			alone[int(at)] = true
		}
	}
	return alone
}

// samplesOf returns the keys of every eighth suffix.
func samplesOf(text []byte, sorted []uint32) (samples []byte) {
	for i := 0; i < len(sorted); i += sampleStep {
		samples = binary.LittleEndian.AppendUint64(samples, sampleKey(restOf(text, sorted[i])))
	}
	return samples
}

// sampleStep is how many suffixes there are to a sample.
const sampleStep = 8

// sampleKey is the first eight bytes of a text, the first highest, so that keys are in
// the order of texts.
func sampleKey[T []byte | string](text T) uint64 {
	var first [8]byte
	copy(first[:], text)
	return binary.BigEndian.Uint64(first[:])
}
