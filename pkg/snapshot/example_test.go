package snapshot_test

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/fold"
	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/snapshot"
	"github.com/listward/listward/pkg/snapshot/snapshottest"
)

// smallest is the file of one entry with one name of one form, section by section in
// the order of the format comment, in hexadecimal digits.
func smallest() [][]string {
	const none = "00000000"
	return [][]string{
		{ // entries
			"01000000", "06000000", // id and url are the strings at 1 and 6
			none, none, none, none, // no programmes, lists, IMOs, registrations,
			none, none, none, // birth dates, countries, date of listing
			"00000000",             // name 0 is its first
			"01", "00", "00", "00", // source 1 (UN), type 0 (entity)
			none, none, none, none, none, none, none, none, none, "01000000", none, // the names end at 1
		},
		{"00000000"}, // ids: entry 0
		{ // names
			"08000000", "00000000", "00", "00", "00", "00", // text at 8, form 0 is its first; primary, not weak
			none, "01000000", none, // the forms end at 1
		},
		{ // forms
			"00000000", "00000000", "00000000", // folded at 0, name 0, no flags, entry 0
			"04000000", none, none, // folded ends at 4
		},
		{hex.EncodeToString([]byte("uno\n"))},                             // folded
		{"00", "04", hexed("UN-1"), "01", hexed("u"), "03", hexed("Uno")}, // strings
		{},                                   // numbers
		{},                                   // tails
		{"0fe4d8db", "00000000"},             // cores: the hash, form 0
		{none, none, "04000000", "02000000"}, // words: vocabulary and lists from 0, to 4 and 2
		{hexed("uno\n")},                     // vocabulary
		{"03", "00"},                         // lists: one form, of a word that stands alone: 0
		{none, none, none, "010000db"},       // slots: word 0 in the last of four, with its hash's highest byte
		{"00000000"},                         // blocks: the first begins in word 0
		{"01000000", "02000000", "00000000"}, // suffixes: "no", "o", "uno"
		{"0000000000006f6e"},                 // samples: "no", the first of the three
		{"00000000000000000000000000000000", "00100000000000000000000400000000", "00002000000000000000000000000000", "00000000000000000000000000000000"}, // filter: bits 140, 218 and 277, of the core "uno"
	}
}

func hexed(s string) string { return hex.EncodeToString([]byte(s)) }

func TestSmallestFile(t *testing.T) {
	var sections [][]byte
	for i, digits := range smallest() {
		s, err := hex.DecodeString(strings.Join(digits, ""))
		if err != nil {
			t.Fatalf("section %d: %v", i, err)
		}
		sections = append(sections, s)
	}
	want := snapshottest.Seal(sections)
	got, err := snapshot.Build([]sanction.Entry{{
		ID: "UN-1", Source: sanction.UN, Type: sanction.Entity, URL: "u",
		Names: []sanction.Name{{Text: "Uno", Kind: sanction.Primary}},
	}})
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("Build gave, error %v,\n%s\nwant\n%s", err, hex.Dump(got), hex.Dump(want))
	}
	s, err := snapshot.Open(want)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

// TestCheckFindsWrongReferences flips every bit of every section and seals the file
// again, so that no check sum tells: Check finds it, or every query is answered.
func TestCheckFindsWrongReferences(t *testing.T) {
	whole, err := snapshot.Build(sample())
	if err != nil {
		t.Fatal(err)
	}
	found := map[int]int{}
	for i, section := range snapshottest.Split(whole) {
		for at := range section {
			for bit := range 8 {
				sections := snapshottest.Split(whole)
				sections[i][at] ^= 1 << bit
				found[i] += checkOrUse(t, snapshottest.Seal(sections))
			}
		}
		if len(section) > 0 && i != 4 && i != 5 && found[i] == 0 { // any text is a text
			t.Errorf("no flip in section %d was found", i)
		}
	}
}

// checkOrUse returns 1 for a file that Open or Check refuses, and uses any other.
func checkOrUse(t *testing.T, file []byte) int {
	t.Helper()
	s, err := snapshot.Open(file)
	if err == nil {
		err = s.Check()
	}
	if err != nil {
		return 1
	}
	for e := range s.Entries() {
		s.Entry(e)
	}
	for f := range s.Forms() {
		for _, word := range strings.Fields(s.Form(f).Text) {
			for w := range s.WordsWith(word) {
				for range s.FormsWith(w) {
				}
			}
		}
		for range s.FormsOfCore(fold.Core(fold.Words(s.Form(f).Text))) {
		}
	}
	return 0
}

func FuzzOpen(f *testing.F) {
	whole, err := snapshot.Build(sample())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint8(0), []byte{})
	for i, section := range snapshottest.Split(whole) {
		f.Add(uint8(i), section)
	}
	// The law: whatever stands in a section, a file that Open and Check pass is
	// used without a fault.
	f.Fuzz(func(t *testing.T, i uint8, section []byte) {
		sections := snapshottest.Split(whole)
		sections[int(i)%len(sections)] = section
		checkOrUse(t, snapshottest.Seal(sections))
	})
}
