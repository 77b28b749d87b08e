package main

import (
	"fmt"
	"strings"

	"github.com/listward/listward/pkg/fold"
	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/screen"
	"github.com/listward/listward/pkg/snapshot"
)

// measureGrowth screens the same queries in a snapshot of ten times the names, which
// are those of the lists with the letters of each word moved on.
func measureGrowth(s *snapshot.Snapshot, queries []string) error {
	var entries []sanction.Entry
	for e := range s.Entries() {
		entry := s.Entry(e)
		entries = append(entries, entry)
		for n := 1; n < tenTimes; n++ {
			entries = append(entries, moved(entry, n))
		}
	}
	file, err := snapshot.Build(entries)
	if err != nil {
		return err
	}
	grown, err := snapshot.Open(file)
	if err != nil {
		return err
	}
	times := timed(queries, func(name string) { screen.Find(grown, screen.Query{Name: name}, maxRows) })
	report("tenfold_names", float64(grown.Names()), "names")
	report("tenfold_p50_us", micros(percentile(times, 50)), "us")
	return nil
}

// moved is an entry with other names of the same shape: each letter of a word is n
// letters further. Latin words of the queries stay as rare as they were; words of other
// scripts, and digits, become ten times as common.
func moved(e sanction.Entry, n int) sanction.Entry {
	e.ID = fmt.Sprintf("%s-%d", e.ID, n)
	names := make([]sanction.Name, len(e.Names))
	for i, name := range e.Names {
		words := fold.Words(fold.Fold(name.Text))
		for j, w := range words {
			words[j] = strings.Map(func(r rune) rune {
				if r >= 'a' && r <= 'z' {
					return 'a' + (r-'a'+rune(n))%26
				}
				return r
			}, w)
		}
		names[i] = sanction.Name{Text: strings.Join(words, " "), Kind: name.Kind, Weak: name.Weak}
	}
	e.Names = names
	return e
}
