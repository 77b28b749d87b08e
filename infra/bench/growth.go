package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/listward/listward/pkg/fold"
	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/screen"
	"github.com/listward/listward/pkg/snapshot"
)

// measureGrowth screens the same queries in a snapshot of ten times the names.
func measureGrowth(s *snapshot.Snapshot, queries []string) error {
	grown, err := grow(s)
	if err != nil {
		return err
	}
	times := timed(queries, func(name string) { screen.Find(grown, screen.Query{Name: name}, maxRows) })
	report("tenfold_names", float64(grown.Names()), "names")
	report("tenfold_p50_us", micros(percentile(times, 50)), "us")
	return nil
}

// grow builds a snapshot with nine strangers to every entry, who have as many names of as
// many words, but others. So the answers stay what they are: what is measured is the size
// of the list, and not that of an answer.
func grow(s *snapshot.Snapshot) (*snapshot.Snapshot, error) {
	var entries []sanction.Entry
	for e := range s.Entries() {
		entries = append(entries, s.Entry(e))
		for n := 1; n < tenTimes; n++ {
			entries = append(entries, stranger(s, e, n))
		}
	}
	file, err := snapshot.Build(entries)
	if err != nil {
		return nil, err
	}
	return snapshot.Open(file)
}

// stranger is the n-th entry like e with other words.
func stranger(s *snapshot.Snapshot, e, n int) sanction.Entry {
	entry := s.Entry(e)
	entry.ID = fmt.Sprintf("%s-%d", entry.ID, n)
	first, _ := s.EntryNames(e)
	for i := range entry.Names {
		name := &entry.Names[i]
		from, to := s.NameForms(first + i)
		if from < to {
			name.Text = otherWords(s.Text(from), n)
		}
		if from+1 < to { // as a rule the reading
			name.Reading = otherWords(s.Text(from+1), n)
		}
	}
	return entry
}

// otherWords exchanges the words of a form. Those that are short get longer: all short
// ones are taken, and a longer list has no more of them.
func otherWords(form string, n int) string {
	words := fold.Words(form)
	for i, w := range words {
		words[i] = further(w, n)
		for more := n + 1; len(words[i]) < shortWord; more++ {
			words[i] += further(w, more)
		}
	}
	return strings.Join(words, " ")
}

// shortWord is how many bytes a word of a stranger has at least.
const shortWord = 6

// further moves the letters of a word on in their alphabet, of those that fold to
// themselves; Han is one too.
func further(word string, n int) string {
	alphabets := [][]rune{
		[]rune("abcdefghijklmnopqrstuvwxyz"), []rune("0123456789"),
		[]rune("абвгдежзиклмнопрстуфхцчшщъыьэюя"), []rune("ابتثجحخدذرزسشصضطظعغفقكلمنهوي"),
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Han, r) && unicode.Is(unicode.Han, r+rune(n)) {
			return r + rune(n)
		}
		for _, letters := range alphabets {
			if i := slices.Index(letters, r); i >= 0 {
				return letters[(i+n)%len(letters)]
			}
		}
		return r
	}, word)
}
