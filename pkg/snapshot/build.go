package snapshot

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/listward/listward/pkg/fold"
	"github.com/listward/listward/pkg/sanction"
)

// ErrBuild is returned for entries that a file cannot hold: an unknown source,
// type or kind, a malformed IMO number, an entry without a name, more than 4 GiB of
// them, or more than 16,777,214 words in their names.
var ErrBuild = errors.New("build snapshot")

// Build returns the file for the entries, no two of which have one id. Equal entries in
// any order give equal bytes. It reads the entries and keeps nothing of them.
func Build(list []sanction.Entry) ([]byte, error) {
	sorted := slices.Clone(list)
	slices.SortFunc(sorted, func(a, b sanction.Entry) int {
		return cmp.Or(
			cmp.Compare(slices.Index(sanction.Sources(), a.Source), slices.Index(sanction.Sources(), b.Source)),
			cmp.Compare(a.Name(), b.Name()),
			cmp.Compare(a.ID, b.ID),
		)
	})
	b := builder{refs: map[string]uint32{}}
	b.ref("")
	for i := range sorted {
		if err := b.entry(i, &sorted[i]); err != nil {
			return nil, fmt.Errorf("%w: entry %s: %w", ErrBuild, sorted[i].ID, err)
		}
	}
	b.ids(sorted)
	b.close()
	return b.file()
}

type builder struct {
	sections [sectionCount][]byte
	texts    []string // of the forms
	persons  []string // the distinctive ones of the texts
	found    []uint64 // the hashes of the texts by which something is found, but for words
	cores    []cored
	refs     map[string]uint32 // offsets of the strings stored so far
	numbers  []numbered
	tails    []tailed
}

type cored struct{ hash, form uint32 }

type numbered struct{ number, entry uint32 }

type tailed struct {
	tail  string
	entry uint32
}

func (b *builder) entry(i int, e *sanction.Entry) error {
	source, kind := slices.Index(sanction.Sources(), e.Source), slices.Index(sanction.Types(), e.Type)
	if source < 0 || kind < 0 || len(e.Names) == 0 {
		return fmt.Errorf("source %q, type %q, %d names", e.Source, e.Type, len(e.Names))
	}
	b.put(entries, b.ref(e.ID), b.ref(e.URL), b.list(e.Programs), b.list(e.Lists), b.list(e.IMOs),
		b.list(e.Registrations), b.list(e.BirthDates), b.list(e.Countries), b.ref(e.ListedOn), b.count(names))
	b.sections[entries] = append(b.sections[entries], byte(source), byte(kind), 0, 0)
	for _, n := range e.Names {
		if err := b.name(uint32(i), e.Type, n); err != nil {
			return err
		}
	}
	if e.Type == sanction.Aircraft {
		b.registrations(uint32(i), e)
	}
	return b.imos(uint32(i), e)
}

// ids puts the entries into the order of source and id.
func (b *builder) ids(sorted []sanction.Entry) {
	byID := make([]uint32, len(sorted))
	for i := range byID {
		byID[i] = uint32(i)
	}
	slices.SortFunc(byID, func(x, y uint32) int {
		a, b := &sorted[x], &sorted[y]
		return cmp.Or(
			cmp.Compare(slices.Index(sanction.Sources(), a.Source), slices.Index(sanction.Sources(), b.Source)),
			cmp.Compare(a.ID, b.ID),
			cmp.Compare(x, y),
		)
	})
	b.put(ids, byID...)
}

// imos notes under which numbers a vessel is found; other numbers of its look are a
// company's (decisions section 2).
func (b *builder) imos(i uint32, e *sanction.Entry) error {
	from := len(b.numbers)
	for _, imo := range e.IMOs {
		number, err := strconv.ParseUint(imo, 10, 32)
		if err != nil || len(imo) != 7 {
			return fmt.Errorf("IMO number %q", imo)
		}
		if n := (numbered{uint32(number), i}); e.Type == sanction.Vessel && !slices.Contains(b.numbers[from:], n) {
			b.numbers = append(b.numbers, n)
		}
	}
	return nil
}

// registrations notes under which tail numbers an aircraft is found: its
// registrations and, since an aircraft's name mostly is its registration, names.
func (b *builder) registrations(i uint32, e *sanction.Entry) {
	texts := slices.Clone(e.Registrations)
	for _, n := range e.Names {
		texts = append(texts, n.Text)
	}
	for _, text := range texts {
		tail := tailed{strings.ReplaceAll(fold.Fold(text), " ", ""), i}
		if tail.tail != "" && !slices.Contains(b.tails, tail) {
			b.tails = append(b.tails, tail)
		}
	}
}

func (b *builder) name(entry uint32, kind sanction.Type, n sanction.Name) error {
	i := slices.Index(kinds(), n.Kind)
	if i < 0 {
		return fmt.Errorf("name %q: kind %q", n.Text, n.Kind)
	}
	weak := byte(0)
	if n.Weak {
		weak = 1
	}
	number := b.count(names)
	b.put(names, b.ref(n.Text), b.count(forms))
	b.sections[names] = append(b.sections[names], byte(i), weak, 0, 0)
	plain, split := foldName(kind, n)
	person := kind == sanction.Individual
	distinctive := person && !n.Weak && len(plain) > 0 && fold.Distinctive(plain[0])
	for _, form := range plain {
		if !person {
			b.core(form)
		}
		b.form(form, number|flags(false, distinctive && severalWords(form)), entry)
	}
	for _, form := range split {
		b.form(form, number|flags(true, distinctive && severalWords(form)), entry)
	}
	return nil
}

// foldName returns the forms of a name and of its reading, each once.
func foldName(kind sanction.Type, n sanction.Name) (plain, split []string) {
	for _, text := range []string{n.Text, n.Reading} {
		if kind == sanction.Vessel {
			text = fold.VesselName(text)
		}
		f := fold.Of(text)
		plain = append(plain, f.Plain...)
		split = append(split, f.Split...)
	}
	return distinct(plain, nil), distinct(split, plain)
}

// distinct drops what was met before and what stands in other.
func distinct(list, other []string) []string {
	var kept []string
	for _, s := range list {
		if !slices.Contains(kept, s) && !slices.Contains(other, s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// severalWords reports whether a form has two different words or more. One that has
// not tells nothing inside a longer query, even if the other forms of its name do.
func severalWords(form string) bool {
	first, rest, _ := strings.Cut(form, " ")
	return slices.ContainsFunc(fold.Words(rest), func(w string) bool { return w != first })
}

func flags(split, distinctive bool) uint32 {
	var f uint32
	if split {
		f |= flagSplit
	}
	if distinctive {
		f |= flagDistinctive
	}
	return f
}

// core notes the core, if there is one, of the form that comes next.
func (b *builder) core(form string) {
	if core := fold.Core(fold.Words(form)); core != "" {
		hash := textHash(core)
		b.cores = append(b.cores, cored{uint32(hash >> 32), b.count(forms)})
		b.found = append(b.found, hash)
	}
}

func (b *builder) form(text string, name, entry uint32) {
	if name&flagDistinctive != 0 {
		b.persons = append(b.persons, text)
	}
	if name&flagSplit == 0 {
		b.found = appendRuns(b.found, text)
	}
	b.put(forms, uint32(len(b.sections[folded])), name, entry)
	b.sections[folded] = append(append(b.sections[folded], text...), '\n')
	b.texts = append(b.texts, text)
}

// close appends the records that end the ranges of the last ones, and the sorted
// tables.
func (b *builder) close() {
	firstName, firstForm := b.count(names), b.count(forms)
	b.put(entries, 0, 0, 0, 0, 0, 0, 0, 0, 0, firstName, 0)
	b.put(names, 0, firstForm, 0)
	b.put(forms, uint32(len(b.sections[folded])), 0, 0)
	slices.SortFunc(b.numbers, func(x, y numbered) int {
		return cmp.Or(cmp.Compare(x.number, y.number), cmp.Compare(x.entry, y.entry))
	})
	for _, n := range b.numbers {
		b.put(numbers, n.number, n.entry)
	}
	slices.SortFunc(b.tails, func(x, y tailed) int {
		return cmp.Or(cmp.Compare(x.tail, y.tail), cmp.Compare(x.entry, y.entry))
	})
	for _, t := range b.tails {
		b.put(tails, b.ref(t.tail), t.entry)
		b.found = append(b.found, textHash(t.tail))
	}
	slices.SortFunc(b.cores, func(x, y cored) int {
		return cmp.Or(cmp.Compare(x.hash, y.hash), cmp.Compare(x.form, y.form))
	})
	for _, c := range b.cores {
		b.put(cores, c.hash, c.form)
	}
	b.index()
}

func (b *builder) index() {
	ix := newIndexer(b.texts)
	text := ix.vocabulary()
	sorted := sortedSuffixes(text)
	b.sections[vocabulary] = text
	b.sections[words], b.sections[lists] = ix.lists(aloneIn(text, sorted))
	b.sections[slots] = ix.slots()
	b.sections[blocks] = ix.blocks(len(text))
	b.sections[suffixes], b.sections[samples] = appendFields(nil, sorted...), samplesOf(text, sorted)
	for _, text := range b.persons {
		b.found = append(b.found, pairHash(rarestTwo(text, func(word string) int { return len(ix.uses[word]) })))
	}
	b.sections[filter] = filterOf(b.found)
}

func (b *builder) file() ([]byte, error) {
	size := headerSize
	for _, body := range b.sections {
		size += len(body)
	}
	if size > math.MaxUint32 {
		return nil, fmt.Errorf("%w: %d bytes are more than offsets can reach", ErrBuild, size)
	}
	if n := b.count(words) - 1; n >= slotMask {
		return nil, fmt.Errorf("%w: %d words are more than slots can name", ErrBuild, n)
	}
	var table []byte
	offset := headerSize
	for _, body := range b.sections {
		table = appendFields(table, uint32(offset), uint32(len(body)), castagnoli(body))
		offset += len(body)
	}
	data := make([]byte, 0, size)
	data = append(data, magic...)
	data = appendFields(data, FormatVersion, fold.Version, castagnoli(table))
	data = append(data, table...)
	for _, body := range b.sections {
		data = append(data, body...)
	}
	return data, nil
}

func (b *builder) put(sec section, fields ...uint32) {
	b.sections[sec] = appendFields(b.sections[sec], fields...)
}

func appendFields(to []byte, fields ...uint32) []byte {
	for _, f := range fields {
		to = binary.LittleEndian.AppendUint32(to, f)
	}
	return to
}

func (b *builder) count(sec section) uint32 {
	return uint32(len(b.sections[sec]) / sec.recordSize())
}

// ref stores a string once and returns its offset.
func (b *builder) ref(s string) uint32 {
	offset, ok := b.refs[s]
	if !ok {
		offset = uint32(len(b.sections[strs]))
		b.refs[s] = offset
		b.sections[strs] = append(binary.AppendUvarint(b.sections[strs], uint64(len(s))), s...)
	}
	return offset
}

// list stores strings joined by line feeds, which are white space within each.
func (b *builder) list(list []string) uint32 {
	joined := make([]string, len(list))
	for i, s := range list {
		joined[i] = strings.Join(strings.Fields(s), " ")
	}
	return b.ref(strings.Join(joined, "\n"))
}
