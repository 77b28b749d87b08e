package snapshot

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/listward/listward/pkg/fold"
	"github.com/listward/listward/pkg/sanction"
)

// Check walks every reference of the file and returns ErrDamaged, naming the first
// that is wrong. Open is enough for a file that Build made, for its check sums show
// any change since; Check is for tests and for whoever suspects a program that makes
// files: a file that passes answers every query without a fault, and its index knows
// every word of every form.
func (s *Snapshot) Check() error {
	for _, part := range []struct {
		sec   section
		check func(*Snapshot) error
	}{
		{strs, (*Snapshot).checkStrings}, {entries, (*Snapshot).checkEntries}, {ids, (*Snapshot).checkIDs}, {names, (*Snapshot).checkNames},
		{forms, (*Snapshot).checkForms}, {numbers, (*Snapshot).checkNumbers}, {tails, (*Snapshot).checkTails},
		{words, (*Snapshot).checkWords}, {slots, (*Snapshot).checkSlots}, {blocks, (*Snapshot).checkBlocks},
		{suffixes, (*Snapshot).checkSuffixes}, {samples, (*Snapshot).checkSamples}, {lists, (*Snapshot).checkLists}, {cores, (*Snapshot).checkCores},
		{filter, (*Snapshot).checkFilter},
	} {
		if err := part.check(s); err != nil {
			return fmt.Errorf("%w: section %s: %w", ErrDamaged, part.sec, err)
		}
	}
	return nil
}

// checkStrings finds the strings one behind the other, to the section's end.
func (s *Snapshot) checkStrings() error {
	all := s.sections[strs]
	for at := 0; at < len(all); {
		length, n := binary.Uvarint(all[at:])
		if n <= 0 || length > uint64(len(all)-at-n) {
			return fmt.Errorf("the string at %d goes beyond the end", at)
		}
		at += n + int(length)
	}
	return nil
}

// hasString reports whether a string fits at an offset.
func (s *Snapshot) hasString(offset int) bool {
	all := s.sections[strs]
	if offset >= len(all) {
		return false
	}
	length, n := binary.Uvarint(all[offset:])
	return n > 0 && length <= uint64(len(all)-offset-n)
}

// checkRanges looks at the field with which each record says where its part of
// another section begins: at 0, then further on, and at the end behind the last.
func (s *Snapshot) checkRanges(sec section, field, end int) error {
	last := s.records(sec) - 1
	if last < 0 || s.field(sec, 0, field) != 0 || s.field(sec, last, field) != end {
		return fmt.Errorf("its records do not reach from 0 to %d", end)
	}
	for i := range last {
		if s.field(sec, i, field) > s.field(sec, i+1, field) {
			return fmt.Errorf("record %d begins behind the next", i)
		}
	}
	return nil
}

func (s *Snapshot) checkEntries() error {
	if err := s.checkRanges(entries, 9, s.records(names)-1); err != nil {
		return err
	}
	for e := range s.Entries() {
		r := s.record(entries, e)
		if int(r[40]) >= len(sanction.Sources()) || int(r[41]) >= len(sanction.Types()) || r[42] != 0 || r[43] != 0 {
			return fmt.Errorf("entry %d has the source %d and type %d", e, r[40], r[41])
		}
		if from, to := s.EntryNames(e); from >= to {
			return fmt.Errorf("entry %d has no name", e)
		}
		for n := range 9 {
			if !s.hasString(s.field(entries, e, n)) {
				return fmt.Errorf("entry %d refers to no string", e)
			}
		}
	}
	return nil
}

// checkIDs finds every entry once, in order.
func (s *Snapshot) checkIDs() error {
	if s.records(ids) != s.Entries() {
		return fmt.Errorf("%d of %d entries", s.records(ids), s.Entries())
	}
	for i := range s.Entries() {
		switch e := s.Browsed(i); {
		case e >= s.Entries():
			return fmt.Errorf("record %d refers to no entry", i)
		case i > 0 && !s.browsedBefore(s.Browsed(i-1), e):
			return fmt.Errorf("record %d is not behind the one before", i)
		}
	}
	return nil
}

// browsedBefore orders entries by source, id and, should two have one id, name.
func (s *Snapshot) browsedBefore(a, b int) bool {
	return cmp.Or(cmp.Compare(s.sourceNumber(a), s.sourceNumber(b)), cmp.Compare(s.ID(a), s.ID(b)), cmp.Compare(a, b)) < 0
}

func (s *Snapshot) checkNames() error {
	if err := s.checkRanges(names, 1, s.records(forms)-1); err != nil {
		return err
	}
	for n := range s.Names() {
		if r := s.record(names, n); int(r[8]) >= len(kinds()) || r[9] > 1 || r[10] != 0 || r[11] != 0 || !s.hasString(s.field(names, n, 0)) {
			return fmt.Errorf("name %d has the kind %d or no text", n, r[8])
		}
	}
	return nil
}

func (s *Snapshot) checkForms() error {
	if err := s.checkRanges(forms, 0, len(s.sections[folded])); err != nil {
		return err
	}
	for e := range s.Entries() {
		for n := range between(s.EntryNames(e)) {
			for f := range between(s.NameForms(n)) {
				entry, name := s.FormOf(f)
				if entry != e || name != n {
					return fmt.Errorf("form %d is of name %d of entry %d, and says %d of %d", f, n, e, name, entry)
				}
				if s.field(forms, f, 0) == s.field(forms, f+1, 0) {
					return fmt.Errorf("form %d is empty", f)
				}
				if text := s.Text(f); text == "" || s.Folded()[s.field(forms, f+1, 0)-1] != '\n' || strings.Contains(text, "\n") {
					return fmt.Errorf("form %d is no line", f)
				}
				if s.Form(f).Distinctive && (!severalWords(s.Text(f)) || s.Type(e) != sanction.Individual || s.Name(n).Weak) {
					return fmt.Errorf("form %d is to be looked for inside queries, and tells nothing there", f)
				}
			}
		}
	}
	return nil
}

func between(from, to int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := from; i < to && yield(i); i++ {
		}
	}
}

func (s *Snapshot) checkNumbers() error {
	return s.checkPairs(numbers, func(a, b int) bool { return a < b })
}

func (s *Snapshot) checkTails() error {
	for i := range s.records(tails) {
		if !s.hasString(s.field(tails, i, 0)) {
			return fmt.Errorf("pair %d refers to no string", i)
		}
	}
	return s.checkPairs(tails, func(a, b int) bool { return s.stringAt(a) < s.stringAt(b) })
}

// checkPairs looks at pairs of a key and an entry, sorted by both.
func (s *Snapshot) checkPairs(sec section, less func(a, b int) bool) error {
	for i := range s.records(sec) {
		key, entry := s.field(sec, i, 0), s.field(sec, i, 1)
		if entry >= s.Entries() {
			return fmt.Errorf("pair %d refers to no entry", i)
		}
		if i > 0 && !less(s.field(sec, i-1, 0), key) && (less(key, s.field(sec, i-1, 0)) || s.field(sec, i-1, 1) >= entry) {
			return fmt.Errorf("pair %d is not behind the one before", i)
		}
	}
	return nil
}

func (s *Snapshot) wordCount() int { return s.records(words) - 1 }

func (s *Snapshot) checkWords() error {
	if err := s.checkRanges(words, 0, len(s.sections[vocabulary])); err != nil {
		return err
	}
	if err := s.checkRanges(words, 1, len(s.sections[lists])); err != nil {
		return err
	}
	for w := range s.wordCount() {
		if s.field(words, w, 0) == s.field(words, w+1, 0) {
			return fmt.Errorf("word %d is empty", w)
		}
		switch text := s.word(w); {
		case text == "" || strings.ContainsAny(text, " \n") || s.sections[vocabulary][s.field(words, w+1, 0)-1] != '\n':
			return fmt.Errorf("word %d is no word", w)
		case w > 0 && s.word(w-1) >= text:
			return fmt.Errorf("word %d is not behind the one before", w)
		}
	}
	return nil
}

// checkSlots finds every word by its slot, and no slot beyond.
func (s *Snapshot) checkSlots() error {
	if s.records(slots) != slotsFor(s.wordCount()) {
		return fmt.Errorf("%d slots for %d words", s.records(slots), s.wordCount())
	}
	used := 0
	for i := range s.records(slots) {
		switch slot := s.field(slots, i, 0); {
		case slot == 0:
		case slot&slotMask == 0 || slot&slotMask > s.wordCount():
			return fmt.Errorf("slot %d refers to no word", i)
		default:
			used++
		}
	}
	if used != s.wordCount() {
		return fmt.Errorf("%d of %d words have a slot", used, s.wordCount())
	}
	for w := range s.wordCount() {
		if found, ok := s.Word(s.word(w)); !ok || found != w {
			return fmt.Errorf("word %d is not found", w)
		}
	}
	return nil
}

func (s *Snapshot) checkBlocks() error {
	size := len(s.sections[vocabulary])
	if s.records(blocks) != (size+blockSize-1)/blockSize {
		return fmt.Errorf("%d blocks for %d bytes", s.records(blocks), size)
	}
	for i := range s.records(blocks) {
		w := s.field(blocks, i, 0)
		if at := i * blockSize; w >= s.wordCount() || at < s.field(words, w, 0) || at >= s.field(words, w+1, 0) {
			return fmt.Errorf("block %d does not begin in word %d", i, w)
		}
	}
	return nil
}

// checkSuffixes finds every letter of the vocabulary once, in order.
func (s *Snapshot) checkSuffixes() error {
	all := s.sections[vocabulary]
	letters := 0
	for _, b := range all {
		if b != '\n' && utf8.RuneStart(b) {
			letters++
		}
	}
	if s.records(suffixes) != letters {
		return fmt.Errorf("%d suffixes of %d letters", s.records(suffixes), letters)
	}
	last, lastAt := "", -1
	for i := range letters {
		at := s.field(suffixes, i, 0)
		if at >= len(all) || all[at] == '\n' || !utf8.RuneStart(all[at]) {
			return fmt.Errorf("suffix %d does not begin at a letter", i)
		}
		w := s.wordAt(at)
		rest := s.word(w)[at-s.field(words, w, 0):]
		if rest < last || rest == last && at <= lastAt {
			return fmt.Errorf("suffix %d is not behind the one before", i)
		}
		last, lastAt = rest, at
	}
	return nil
}

// checkSamples compares every sample with its suffix.
func (s *Snapshot) checkSamples() error {
	if s.records(samples) != (s.records(suffixes)+sampleStep-1)/sampleStep {
		return fmt.Errorf("%d samples of %d suffixes", s.records(samples), s.records(suffixes))
	}
	for i := range s.records(samples) {
		at := s.field(suffixes, i*sampleStep, 0)
		w := s.wordAt(at)
		if rest := s.word(w)[at-s.field(words, w, 0):]; binary.LittleEndian.Uint64(s.record(samples, i)) != sampleKey(rest) {
			return fmt.Errorf("sample %d is not of its suffix", i)
		}
	}
	return nil
}

// checkLists finds every word of every form in its list, and nothing else there. It
// wants the suffixes to be right.
func (s *Snapshot) checkLists() error {
	sorted := make([]uint32, s.records(suffixes))
	for i := range sorted {
		sorted[i] = uint32(s.field(suffixes, i, 0))
	}
	alone := aloneIn(s.sections[vocabulary], sorted)
	uses := 0
	for w := range s.wordCount() {
		forms, err := s.readList(w)
		if err != nil {
			return fmt.Errorf("the list of word %d: %w", w, err)
		}
		if s.alone(w) != alone[s.field(words, w, 0)] {
			return fmt.Errorf("word %d says falsely whether it stands in others", w)
		}
		for _, f := range forms {
			if f >= s.Forms() || !slices.Contains(strings.Split(s.Text(f), " "), s.word(w)) {
				return fmt.Errorf("form %d does not have word %d", f, w)
			}
		}
		uses += len(forms)
	}
	for f := range s.Forms() {
		distinct := strings.Split(s.Text(f), " ")
		slices.Sort(distinct)
		uses -= len(slices.Compact(distinct))
	}
	if uses != 0 {
		return fmt.Errorf("the lists and the forms differ by %d words", uses)
	}
	return nil
}

// readList decodes a list that fills its bytes and ascends.
func (s *Snapshot) readList(word int) ([]int, error) {
	list := s.sections[lists][s.field(words, word, 1):s.field(words, word+1, 1)]
	length, n := binary.Uvarint(list)
	count := length / 2
	if n <= 0 || count > uint64(len(list)) {
		return nil, errors.New("it has no length")
	}
	forms := make([]int, 0, count)
	form := uint64(0)
	for list = list[n:]; len(list) > 0; list = list[n:] {
		var step uint64
		if step, n = binary.Uvarint(list); n <= 0 || step > uint64(s.Forms()) || step == 0 && len(forms) > 0 {
			return nil, errors.New("it does not ascend")
		}
		form += step
		forms = append(forms, int(form))
	}
	if uint64(len(forms)) != count {
		return nil, fmt.Errorf("it has %d forms and says %d", len(forms), count)
	}
	return forms, nil
}

// checkCores finds every form that has a core, sorted by its hash.
func (s *Snapshot) checkCores() error {
	with := 0
	for f := range s.Forms() {
		if s.coreOf(f) != "" {
			with++
		}
	}
	if s.records(cores) != with {
		return fmt.Errorf("%d of %d forms", s.records(cores), with)
	}
	lastHash, lastForm := uint32(0), -1
	for i := range with {
		hash, f := uint32(s.field(cores, i, 0)), s.field(cores, i, 1)
		if f >= s.Forms() || s.coreOf(f) == "" || uint32(textHash(s.coreOf(f))>>32) != hash {
			return fmt.Errorf("record %d refers to no form with its core", i)
		}
		if hash < lastHash || hash == lastHash && f <= lastForm {
			return fmt.Errorf("record %d is not behind the one before", i)
		}
		lastHash, lastForm = hash, f
	}
	return nil
}

// coreOf returns a form's core, which is empty if the rule is not for the form.
func (s *Snapshot) coreOf(f int) string {
	entry, _ := s.FormOf(f)
	form := s.Form(f)
	if form.Split || s.Type(entry) == sanction.Individual {
		return ""
	}
	return fold.Core(fold.Words(form.Text))
}

// checkFilter finds every run of words, core, pair and tail in the filter.
func (s *Snapshot) checkFilter() error {
	if len(s.sections[filter])%filterBlock != 0 {
		return fmt.Errorf("%d bytes are no whole number of blocks", len(s.sections[filter]))
	}
	for f := range s.Forms() {
		var hashes []uint64
		if core := s.coreOf(f); core != "" {
			hashes = append(hashes, textHash(core))
		}
		form := s.Form(f)
		if !form.Split {
			hashes = appendRuns(hashes, form.Text)
		}
		if form.Distinctive {
			hashes = append(hashes, pairHash(rarestTwo(form.Text, s.usesOf)))
		}
		for _, hash := range hashes {
			if !s.mayHave(hash) {
				return fmt.Errorf("form %d has a run, a core or a pair that is not there", f)
			}
		}
	}
	for i := range s.records(tails) {
		if !s.mayHave(textHash(s.text(tails, i, 0))) {
			return fmt.Errorf("tail %d is not there", i)
		}
	}
	return nil
}

func (s *Snapshot) usesOf(text string) int {
	word, known := s.Word(text)
	if !known {
		return 0
	}
	return s.Uses(word)
}
