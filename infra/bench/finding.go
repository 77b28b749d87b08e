package main

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/fold"
	"github.com/listward/listward/pkg/screen"
	"github.com/listward/listward/pkg/snapshot"
)

const (
	seed     = 1
	ofEach   = 500 // queries of each kind
	maxRows  = 500 // as the API returns at most
	longest  = 200 // characters of a name, as the API takes them
	reruns   = 5   // of each query, of which the median counts
	tenTimes = 10
)

// mix are the queries: whole names, distinct words, inner pieces, and misses.
func mix(s *snapshot.Snapshot) []string {
	r := rand.New(rand.NewSource(seed))
	words := distinctWords(s)
	var queries []string
	for len(queries) < ofEach {
		if name := s.Name(r.Intn(s.Names())).Text; utf8.RuneCountInString(name) <= longest {
			queries = append(queries, name)
		}
	}
	for range ofEach {
		queries = append(queries, words[r.Intn(len(words))])
	}
	for len(queries) < 3*ofEach {
		if piece := innerPiece(r, fold.Fold(s.Name(r.Intn(s.Names())).Text)); utf8.RuneCountInString(piece) >= shortest {
			queries = append(queries, piece)
		}
	}
	for len(queries) < 4*ofEach {
		missed := miss(r, fold.Fold(s.Name(r.Intn(s.Names())).Text))
		if screen.Searchable(missed) && utf8.RuneCountInString(missed) <= longest && screen.Find(s, screen.Query{Name: missed}, 0).Count == 0 {
			queries = append(queries, missed)
		}
	}
	r.Shuffle(len(queries), func(i, j int) { queries[i], queries[j] = queries[j], queries[i] })
	return queries
}

func distinctWords(s *snapshot.Snapshot) []string {
	seen := map[string]bool{}
	var words []string
	for f := range s.Forms() {
		for _, w := range fold.Words(s.Form(f).Text) {
			if !seen[w] {
				seen[w] = true
				words = append(words, w)
			}
		}
	}
	return words
}

const shortest = 4 // characters of a piece

// innerPiece cuts 4 to 11 characters out of a name, not from its beginning.
func innerPiece(r *rand.Rand, name string) string {
	letters := []rune(name)
	length := 4 + r.Intn(8)
	if len(letters) < length+1 {
		return ""
	}
	from := 1 + r.Intn(len(letters)-length)
	return strings.TrimSpace(string(letters[from : from+length]))
}

// miss exchanges a letter in each word of a name.
func miss(r *rand.Rand, name string) string {
	words := fold.Words(name)
	for i, w := range words {
		letters := []rune(w)
		letters[r.Intn(len(letters))] = rune("qxz"[r.Intn(3)])
		words[i] = string(letters)
	}
	return strings.Join(words, " ")
}

func measureFinding(s *snapshot.Snapshot, queries []string) error {
	for _, name := range queries {
		q := screen.Query{Name: name}
		if diff := cmp.Diff(screen.Scan(s, q, maxRows), screen.Find(s, q, maxRows)); diff != "" {
			return fmt.Errorf("%w on %q (-scan +index):\n%s", errDiffer, name, diff)
		}
	}
	index := timed(queries, func(name string) { screen.Find(s, screen.Query{Name: name}, maxRows) })
	scan := timed(queries, func(name string) { occurrences(s.Folded(), fold.Fold(name)) })
	var worst time.Duration
	for _, name := range []string{"a", "al", "limited", "company"} {
		worst = max(worst, median(name, func(name string) { screen.Find(s, screen.Query{Name: name}, maxRows) }))
	}
	var hostile time.Duration
	for _, name := range hostileQueries() {
		hostile = max(hostile, median(name, func(name string) { screen.Find(s, screen.Query{Name: name}, maxRows) }))
	}
	report("index_vs_scan_ratio", micros(mean(scan))/micros(mean(index)), "times")
	report("index_mean_us", micros(mean(index)), "us")
	report("index_p50_us", micros(percentile(index, 50)), "us")
	report("index_p99_us", micros(percentile(index, 99)), "us")
	report("scan_mean_us", micros(mean(scan)), "us")
	report("worst_us", micros(worst), "us")
	report("hostile_us", micros(hostile), "us")
	report("entries", float64(s.Entries()), "entries")
	report("names", float64(s.Names()), "names")
	return nil
}

// hostileQueries are as long as the API takes them, of short and of common words again
// and again, as no name is.
func hostileQueries() []string {
	var queries []string
	for _, unit := range []string{"a ", "al ", "a b c ", "co al ", "l a ", "al ali ", "muhammad ahmad ", "an na li na ", "a'l ", "ali muhammad hassan ahmad "} {
		for _, before := range []string{"", "M/V ö'x ", "a' "} {
			queries = append(queries, strings.TrimSpace(string([]rune(before + strings.Repeat(unit, longest))[:longest])))
		}
	}
	return queries
}

// occurrences finds all places where a text stands in the names: the substring part
// of a scan, which cannot end with the first.
func occurrences(names []byte, text string) int {
	found, sought := 0, []byte(text)
	for {
		i := bytes.Index(names, sought)
		if i < 0 {
			return found
		}
		found, names = found+1, names[i+1:]
	}
}

// timed runs all queries several times in turn, so that none finds in the processor's
// caches what it left there itself, and returns the median of each.
func timed(queries []string, run func(string)) []time.Duration {
	all := make([][]time.Duration, len(queries))
	for range reruns {
		for i, name := range queries {
			begin := time.Now()
			run(name)
			all[i] = append(all[i], time.Since(begin))
		}
	}
	times := make([]time.Duration, len(queries))
	for i := range times {
		times[i] = percentile(all[i], 50)
	}
	return times
}

func median(name string, run func(string)) time.Duration {
	times := make([]time.Duration, reruns)
	for i := range times {
		begin := time.Now()
		run(name)
		times[i] = time.Since(begin)
	}
	return percentile(times, 50)
}

func mean(times []time.Duration) time.Duration {
	var sum time.Duration
	for _, t := range times {
		sum += t
	}
	return sum / time.Duration(len(times))
}

func percentile(times []time.Duration, p int) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[min(len(sorted)*p/100, len(sorted)-1)]
}
