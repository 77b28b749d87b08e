package snapshot

import (
	"cmp"
	"encoding/binary"
	"sort"
	"strings"
	"unsafe"

	"github.com/listward/listward/pkg/sanction"
)

// Snapshot is an opened file. Entries, names and forms are numbered from 0 in the
// order of the file; a number out of range is a fault of the caller.
type Snapshot struct {
	sections [sectionCount][]byte
}

// Entries returns the number of entries.
func (s *Snapshot) Entries() int { return s.records(entries) - 1 }

// Names returns the number of names and aliases.
func (s *Snapshot) Names() int { return s.records(names) - 1 }

// Forms returns the number of folded forms.
func (s *Snapshot) Forms() int { return s.records(forms) - 1 }

// Source returns the source of entry e.
func (s *Snapshot) Source(e int) sanction.Source {
	return sanction.Sources()[s.sourceNumber(e)]
}

// Type returns the type of entry e.
func (s *Snapshot) Type(e int) sanction.Type {
	return sanction.Types()[s.record(entries, e)[41]]
}

// ID returns the id of entry e.
func (s *Snapshot) ID(e int) string { return s.text(entries, e, 0) }

// Browsed returns the i-th entry in the order of source (table order) and id, in
// which lists are browsed (decisions section 3); i is below Entries.
func (s *Snapshot) Browsed(i int) int { return s.field(ids, i, 0) }

// ByID returns the entry with an id, and whether there is one.
func (s *Snapshot) ByID(id string) (entry int, ok bool) {
	for i := range sanction.Sources() {
		from := sort.Search(s.Entries(), func(n int) bool { return s.sourceNumber(s.Browsed(n)) >= i })
		n := from + sort.Search(s.Entries()-from, func(n int) bool {
			e := s.Browsed(from + n)
			return s.sourceNumber(e) > i || s.ID(e) >= id
		})
		if n < s.Entries() && s.ID(s.Browsed(n)) == id {
			return s.Browsed(n), true
		}
	}
	return 0, false
}

func (s *Snapshot) sourceNumber(e int) int { return int(s.record(entries, e)[40]) }

// EntryNames returns the range of the names of entry e: from, and one past.
func (s *Snapshot) EntryNames(e int) (from, to int) {
	return s.field(entries, e, 9), s.field(entries, e+1, 9)
}

// NameForms returns the range of the forms of name n: from, and one past.
func (s *Snapshot) NameForms(n int) (from, to int) {
	return s.field(names, n, 1), s.field(names, n+1, 1)
}

// Name returns name n as published, without its reading.
func (s *Snapshot) Name(n int) sanction.Name {
	r := s.record(names, n)
	return sanction.Name{Text: s.text(names, n, 0), Kind: kinds()[r[8]], Weak: r[9] != 0}
}

// Form is one folded form of a name.
type Form struct {
	Text string
	// Split says that apostrophes stand as blanks in it.
	Split bool
	// Distinctive says that it may be looked for inside a longer query.
	Distinctive bool
}

// Form returns form f. Its text shares the memory of the file.
func (s *Snapshot) Form(f int) Form {
	flags := s.field(forms, f, 1)
	return Form{
		Text:        s.Text(f),
		Split:       flags&flagSplit != 0,
		Distinctive: flags&flagDistinctive != 0,
	}
}

// Text returns the text of form f alone.
func (s *Snapshot) Text(f int) string {
	return str(s.sections[folded][s.field(forms, f, 0) : s.field(forms, f+1, 0)-1])
}

// FormOf returns the entry and the name that form f is of.
func (s *Snapshot) FormOf(f int) (entry, name int) {
	return s.field(forms, f, 2), s.field(forms, f, 1) & numberMask
}

// Folded returns the forms' text, each ended by a line feed. It is the file's memory
// and must not be changed.
func (s *Snapshot) Folded() []byte { return s.sections[folded] }

// Entry returns entry e whole, but for the readings of its names, which are only
// searched. The caller owns the slices; the strings share the file's memory.
func (s *Snapshot) Entry(e int) sanction.Entry {
	entry := s.Head(e)
	from, to := s.EntryNames(e)
	for n := from + 1; n < to; n++ {
		entry.Names = append(entry.Names, s.Name(n))
	}
	return entry
}

// Head returns entry e with its primary name alone, for rows that show no other.
func (s *Snapshot) Head(e int) sanction.Entry {
	primary, _ := s.EntryNames(e)
	return sanction.Entry{
		Names:         []sanction.Name{s.Name(primary)},
		ID:            s.text(entries, e, 0),
		Source:        s.Source(e),
		Type:          s.Type(e),
		URL:           s.text(entries, e, 1),
		Programs:      s.strings(e, 2),
		Lists:         s.strings(e, 3),
		IMOs:          s.strings(e, 4),
		Registrations: s.strings(e, 5),
		BirthDates:    s.strings(e, 6),
		Countries:     s.strings(e, 7),
		ListedOn:      s.text(entries, e, 8),
	}
}

// ByIMO returns the vessels with an IMO number of seven digits, in the order of
// entries.
func (s *Snapshot) ByIMO(number uint32) []int {
	return s.pairs(numbers, func(key uint32) int { return cmp.Compare(key, number) })
}

// ByRegistration returns the aircraft whose tail number or name has exactly these
// letters and digits, folded, in the order of entries.
func (s *Snapshot) ByRegistration(tail string) []int {
	if !s.mayHave(textHash(tail)) {
		return nil
	}
	return s.pairs(tails, func(key uint32) int { return strings.Compare(s.stringAt(int(key)), tail) })
}

// pairs returns the entries of the pairs for whose key compare gives 0.
func (s *Snapshot) pairs(sec section, compare func(key uint32) int) []int {
	first := sort.Search(s.records(sec), func(i int) bool { return compare(uint32(s.field(sec, i, 0))) >= 0 })
	var found []int
	for i := first; i < s.records(sec) && compare(uint32(s.field(sec, i, 0))) == 0; i++ {
		found = append(found, s.field(sec, i, 1))
	}
	return found
}

func (s *Snapshot) records(sec section) int { return len(s.sections[sec]) / sec.recordSize() }

func (s *Snapshot) record(sec section, i int) []byte {
	size := sec.recordSize()
	return s.sections[sec][i*size : (i+1)*size]
}

// field returns the n-th u32 of a record.
func (s *Snapshot) field(sec section, i, n int) int {
	return int(binary.LittleEndian.Uint32(s.sections[sec][i*sec.recordSize()+4*n:]))
}

func (s *Snapshot) text(sec section, i, n int) string { return s.stringAt(s.field(sec, i, n)) }

func (s *Snapshot) strings(e, n int) []string {
	joined := s.text(entries, e, n)
	if joined == "" {
		return nil
	}
	return strings.Split(joined, "\n")
}

func (s *Snapshot) stringAt(offset int) string {
	b := s.sections[strs][offset:]
	length, n := binary.Uvarint(b)
	return str(b[n : n+int(length)])
}

// str shares the bytes of the file, which never change, as a string.
func str(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}

func kinds() []sanction.Kind {
	return []sanction.Kind{sanction.Primary, sanction.Alias, sanction.Former, sanction.Native}
}
