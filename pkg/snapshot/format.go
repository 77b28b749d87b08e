// Package snapshot is the file in which a set of listed entries is served.
//
// [Build] makes the file from entries; [Open] makes a [Snapshot] of its bytes.
// The bytes are the memory structure: Open checks and slices them and allocates
// nothing for an entry, so a cold function answers at once. A Snapshot is
// immutable and safe for concurrent use; to serve newer lists, open another one
// and swap it in (pkg/edition).
//
// # Format
//
// All integers are little-endian; u32 is four bytes, u8 one. A file is a header
// and seventeen sections, in this order and without gaps:
//
//	header      "LISTWARD", u32 format version, u32 content version (fold.Version),
//	            u32 CRC-32C of the section table, then the table: for each section
//	            u32 offset, u32 length in bytes, u32 CRC-32C              (224 bytes)
//	entries     44 bytes each, sorted by source (table order), name, id — the order
//	            of rows that decisions section 2 wants within one rule:
//	              u32 strings: id, url, programmes, lists, IMOs, registrations,
//	                  birth dates, countries, date of listing (0 = none)
//	              u32 first name, u8 source, u8 type, two zero bytes
//	ids         4 bytes each: u32 entry, sorted by source (table order), id — the order
//	            in which lists are browsed (decisions section 3)
//	names       12 bytes each, those of an entry together, primary first:
//	              u32 string: text, u32 first form, u8 kind, u8 weak, two zero bytes
//	forms       12 bytes each, those of a name together:
//	              u32 offset into folded, u32 name and flags, u32 entry
//	            flags: the highest bit says that apostrophes stand as blanks, the
//	            next that the form may be looked for inside a longer query
//	            (fold.Distinctive; a person's name, not weak, with two words or
//	            more in the form).
//	folded      the forms' text, each ended by a line feed
//	strings     each a uvarint length and that many bytes; equal strings are stored
//	            once. Offset 0 is the empty string. Lists of strings are joined by
//	            line feeds; white space within a string is a single blank.
//	numbers     8 bytes each, sorted: u32 IMO number, u32 entry
//	tails       8 bytes each, sorted by string: u32 string (a registration or name of
//	            an aircraft, letters and digits only), u32 entry
//	cores       8 bytes each, sorted: u32 hash of the core (fold.Core), u32 form; for
//	            forms that are no individual's, have no apostrophes as blanks and a
//	            core. Equal hashes are a candidate, not proof
//	words       8 bytes each, the distinct words of all forms, sorted by bytes:
//	              u32 offset into vocabulary, u32 offset into lists
//	vocabulary  the words' text, each ended by a line feed
//	lists       for each word the forms in which it stands, ascending: uvarint twice
//	            their number, and one if the word stands in no other word; uvarint
//	            first form, uvarint difference of each further one
//	slots       4 bytes each, a hash table: the word + 1 and in the highest eight bits
//	            those of its hash, or 0. A word is in the slot of its hash, modulo
//	            their number, or in the next free one. They are a power of two, at
//	            least twice the words
//	blocks      4 bytes each: u32 word that the first of 64 bytes of vocabulary
//	            belongs to
//	suffixes    4 bytes each: the offsets into vocabulary of all letters, sorted by
//	            what stands from there to the end of the word: u32 offset
//	samples     8 bytes each: u64, the first eight bytes of every eighth suffix, the
//	            first of them highest
//	filter      a Bloom filter of what is looked up beside words: two and three words
//	            in a row of a form without apostrophes as blanks, written together;
//	            cores; tails; of each form to be looked for in queries, the two
//	            different words that stand in the fewest forms, in the order of texts,
//	            with a blank between. In whole blocks of 64 bytes, at least a byte for
//	            each text, none without any: the upper half of its hash says the block,
//	            nine and nine and nine of the lowest bits three bits in it
//
// A last record, one past the real ones, ends entries, names, forms and words: its
// offsets close the ranges of the record before it.
//
// The hash of a text is the number whose digits, to the base 0x9e3779b97f4a7c15, are its
// bytes, modulo 2^64, put through MurmurHash3's finalizer. Where it has 32 bits, these
// are the upper ones.
//
// # The index
//
// The rules of decisions section 2 ask for whole words, so the index is over words: the
// forms in which a word stands are its list, and a slot finds the word. But the last
// word of a query may begin a word (rule start), and a query of one word may be a piece
// of one (rule inside); such words are found by binary search among the words and among
// the suffixes. These are of the vocabulary and not of the names, since most words stand
// in many names: the full lists have 373,000 words, of which 57,000 differ. Words written
// together (rule joined) are taken apart in every way that gives words, unless the filter
// tells at once that no name has them.
//
// The alternatives: a suffix array over all names would take 12 MB, four bytes for each
// of folded, where all sections of the index take 5.0 MB; trigrams leave names to be
// looked at that have all trigrams of a query in other places. Measured on the five full
// lists, the sections take, in kB: entries 1251, ids 114, names 980, forms 1219, folded 2939, strings
// 4209, numbers 10, tails 3, cores 360, words 459, vocabulary 557, lists 629, slots
// 524, blocks 35, suffixes 1730, samples 432, filter 304.
//
// What costs time is memory that the processor has not at hand. Samples are for that: a
// search among them reads a few lines of a small section before any of suffixes. The
// filter answers most questions with one line.
//
// # Limits and example
//
// A file is at most 4 GiB, for offsets are u32, and has at most 16,777,214 words. The
// smallest file with an entry stands byte by byte in example_test.go: the only form of the
// only name of the only entry, "Uno" of source UN.
package snapshot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/listward/listward/pkg/fold"
)

// FormatVersion is the version of the layout. History: 1, the first, without an
// index; 2, with the index and the entry of a form; 3, with ids, samples, the
// filter of texts, and the hash beside a core and in a slot.
const FormatVersion = 3

// What Open returns for a file that it cannot serve.
var (
	// ErrFormat is returned for bytes that are no snapshot at all.
	ErrFormat = errors.New("not a snapshot")
	// ErrVersion is returned for a snapshot of another layout or other folding
	// rules than this program's: it must be built again from the lists.
	ErrVersion = errors.New("snapshot of another version")
	// ErrDamaged is returned when a part is missing or fails its check sum.
	ErrDamaged = errors.New("damaged snapshot")
)

// section numbers the sections in the order of the file.
type section int

const (
	entries section = iota
	ids
	names
	forms
	folded
	strs
	numbers
	tails
	cores
	words
	vocabulary
	lists
	slots
	blocks
	suffixes
	samples
	filter
	sectionCount
)

func (s section) String() string {
	return [...]string{"entries", "ids", "names", "forms", "folded", "strings", "numbers", "tails",
		"cores", "words", "vocabulary", "lists", "slots", "blocks", "suffixes", "samples", "filter"}[s]
}

const (
	magic      = "LISTWARD"
	tableStart = len(magic) + 3*4
	tableEntry = 3 * 4
	headerSize = tableStart + int(sectionCount)*tableEntry

	entrySize = 44
	nameSize  = 12
	formSize  = 12
	pairSize  = 8
	wordSize  = 8

	numberSize = 4
	sampleSize = 8
)

// recordSize is the width of a section's records, or 1 for text.
func (s section) recordSize() int {
	return [...]int{entrySize, numberSize, nameSize, formSize, 1, 1, pairSize, pairSize,
		pairSize, wordSize, 1, 1, numberSize, numberSize, numberSize, sampleSize, 1}[s]
}

const (
	flagSplit       = 1 << 31
	flagDistinctive = 1 << 30
	numberMask      = flagDistinctive - 1
	slotMask        = 1<<24 - 1
)

func castagnoli(b []byte) uint32 {
	return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
}

// Open verifies data and returns the snapshot that it is. The snapshot refers to
// data, which must not change afterwards.
func Open(data []byte) (*Snapshot, error) {
	if len(data) < headerSize || string(data[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: %d bytes without the mark %q", ErrFormat, len(data), magic)
	}
	field := func(i int) uint32 { return binary.LittleEndian.Uint32(data[len(magic)+4*i:]) }
	if format, content := field(0), field(1); format != FormatVersion || content != fold.Version {
		return nil, fmt.Errorf("%w: layout %d and rules %d, want %d and %d",
			ErrVersion, format, content, FormatVersion, fold.Version)
	}
	if castagnoli(data[tableStart:headerSize]) != field(2) {
		return nil, fmt.Errorf("%w: section table: check sum", ErrDamaged)
	}
	s := &Snapshot{}
	end := headerSize
	for i := range sectionCount {
		body, err := slice(data, i, end)
		if err != nil {
			return nil, fmt.Errorf("%w: section %s: %w", ErrDamaged, i, err)
		}
		s.sections[i] = body
		end += len(body)
	}
	if end != len(data) {
		return nil, fmt.Errorf("%w: %d bytes behind the last section", ErrDamaged, len(data)-end)
	}
	return s, nil
}

// slice cuts one section out, which must begin where the one before it ended.
func slice(data []byte, i section, start int) ([]byte, error) {
	row := data[tableStart+int(i)*tableEntry:]
	offset, length, sum := binary.LittleEndian.Uint32(row), binary.LittleEndian.Uint32(row[4:]), binary.LittleEndian.Uint32(row[8:])
	switch {
	case uint64(offset) != uint64(start):
		return nil, fmt.Errorf("begins at %d, want %d", offset, start)
	case uint64(length) > uint64(len(data)-start):
		return nil, fmt.Errorf("%d bytes long, %d are there", length, len(data)-start)
	case int(length)%i.recordSize() != 0:
		return nil, fmt.Errorf("%d bytes are no whole number of records", length)
	}
	body := data[start : start+int(length) : start+int(length)]
	if castagnoli(body) != sum {
		return nil, errors.New("check sum")
	}
	return body, nil
}
