package screen_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/screen"
	"github.com/listward/listward/pkg/snapshot"
	"github.com/listward/listward/pkg/snapshot/snapshottest"
)

// pieces are words, legal forms, particles and marks of which names are made that
// have much in common, in several scripts.
var pieces = []string{
	"al", "ali", "alia", "a", "b", "ben", "abu", "omar", "mo", "hamed", "mohamed", "kim", "jong", "un", "kimjong",
	"bank", "ltd", "limited", "company", "jsc", "and", "the", "sea", "star", "m/v", "mv", "7", "1234567", "imo",
	"d'arc", "sa'ad", "o’neil", "müller", "mueller", "søren", "банк", "ооо", "аль", "минск",
	"بنك", "علي", "中国", "有限公司", "中国银行", "银行", "ไทย", "김", "정은",
}

// text draws a name or a query: pieces, written together, apart or with punctuation.
func text() *rapid.Generator[string] {
	joint := rapid.SampledFrom([]string{" ", " ", " ", "", "-", ", ", "  "})
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for i := range rapid.IntRange(1, 5).Draw(t, "pieces") {
			if i > 0 {
				b.WriteString(joint.Draw(t, "joint"))
			}
			b.WriteString(rapid.SampledFrom(pieces).Draw(t, "piece"))
		}
		return b.String()
	})
}

func entries() *rapid.Generator[[]sanction.Entry] {
	name := rapid.Custom(func(t *rapid.T) sanction.Name {
		n := sanction.Name{Text: text().Draw(t, "name"), Kind: sanction.Alias, Weak: rapid.Bool().Draw(t, "weak")}
		if rapid.Bool().Draw(t, "reading") {
			n.Reading = text().Draw(t, "reading order")
		}
		return n
	})
	entry := rapid.Custom(func(t *rapid.T) sanction.Entry {
		e := sanction.Entry{
			Source: rapid.SampledFrom(sanction.Sources()).Draw(t, "source"),
			Type:   rapid.SampledFrom(sanction.Types()).Draw(t, "type"), URL: "u",
			Names: []sanction.Name{{Text: text().Draw(t, "primary"), Kind: sanction.Primary}},
		}
		for _, n := range rapid.SliceOfN(name, 0, 3).Draw(t, "names") {
			e.AddName(n)
		}
		if e.Type == sanction.Aircraft {
			e.Registrations = []string{rapid.SampledFrom([]string{"EP-ABC", "ali7", "bank"}).Draw(t, "tail")}
		}
		return e
	})
	return rapid.Custom(func(t *rapid.T) []sanction.Entry {
		all := rapid.SliceOfN(entry, 0, 12).Draw(t, "entries")
		for i := range all {
			all[i].ID = strings.Repeat("x", i+1)
		}
		return all
	})
}

// TestIndexGivesWhatTheScanGives: for any names and queries, filters and limits, the
// index gives the plain scan's entries in the plain scan's order.
func TestIndexGivesWhatTheScanGives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := entries().Draw(t, "list")
		file, err := snapshot.Build(list)
		if err != nil {
			t.Fatal(err)
		}
		s, err := snapshot.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			q := screen.Query{Name: query(list).Draw(t, "query")}
			if rapid.Bool().Draw(t, "filtered") {
				q.Source = rapid.SampledFrom(sanction.Sources()).Draw(t, "source")
				q.Type = rapid.SampledFrom(sanction.Types()).Draw(t, "type")
			}
			limit := rapid.IntRange(0, 5).Draw(t, "limit")
			if diff := cmp.Diff(screen.Scan(s, q, limit), screen.Find(s, q, limit)); diff != "" {
				t.Fatalf("query %+v, limit %d (-scan +index):\n%s", q, limit, diff)
			}
		}
	})
}

// query draws any text, a listed name, or a piece of one.
func query(list []sanction.Entry) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		how := rapid.IntRange(0, 3).Draw(t, "how")
		if how == 0 || len(list) == 0 {
			return text().Draw(t, "text")
		}
		e := rapid.SampledFrom(list).Draw(t, "entry")
		name := []rune(rapid.SampledFrom(e.Names).Draw(t, "name").Text)
		if how == 1 {
			return string(name)
		}
		from := rapid.IntRange(0, len(name)-1).Draw(t, "from")
		to := rapid.IntRange(from+1, len(name)).Draw(t, "to")
		return string(name[from:to])
	})
}

// TestIndexOfManyNames: where words are common the index takes other ways, which few
// names do not show.
func TestIndexOfManyNames(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	common := []string{"al", "bank", "limited", "company", "ali", "mohamed", "of"}
	word := func() string {
		if r.IntN(3) > 0 {
			return common[r.IntN(len(common))]
		}
		return fmt.Sprintf("%c%co%d", 'a'+rune(r.IntN(26)), 'a'+rune(r.IntN(26)), r.IntN(40))
	}
	name := func() string {
		words := make([]string, 1+r.IntN(4))
		for i := range words {
			words[i] = word()
		}
		return strings.Join(words, " ")
	}
	var list []sanction.Entry
	for i := range 2000 {
		e := sanction.Entry{ID: fmt.Sprint("UN-", i), Source: sanction.UN, Type: sanction.Types()[r.IntN(3)], URL: "u",
			Names: []sanction.Name{{Text: name(), Kind: sanction.Primary}}}
		e.AddName(sanction.Name{Text: name(), Kind: sanction.Alias})
		list = append(list, e)
	}
	file, err := snapshot.Build(list)
	if err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	queries := append([]string{"a", "al", "o", "limited", "al limi", "bank o", "company of", "banklimited"}, common...)
	for range 300 {
		full := list[r.IntN(len(list))].Names[0].Text
		queries = append(queries, full, full[:1+r.IntN(len(full))], full[r.IntN(len(full)):], name(), strings.ReplaceAll(full, " ", ""))
	}
	for _, text := range queries {
		q := screen.Query{Name: text}
		if diff := cmp.Diff(screen.Scan(s, q, 50), screen.Find(s, q, 50)); diff != "" {
			t.Fatalf("query %q (-scan +index):\n%s", text, diff)
		}
	}
}

// FuzzFindInDamagedFile puts two bytes anywhere into a file and seals it again, so that no
// check sum tells. The law: where Open and Check find nothing, index and scan agree.
func FuzzFindInDamagedFile(f *testing.F) {
	var list []sanction.Entry
	for i, name := range []string{"Kim Jong-un", "Al Qaida", "M/V Sea Star", "Sa'ad Ben Ali", "Общество Урал", "中国银行有限公司"} {
		kind := sanction.Types()[i%len(sanction.Types())]
		list = append(list, sanction.Entry{ID: fmt.Sprint("UN-", i), Source: sanction.UN, Type: kind, URL: "u",
			Names: []sanction.Name{{Text: name, Kind: sanction.Primary}, {Text: name + " Bank", Kind: sanction.Alias}}})
	}
	whole, err := snapshot.Build(list)
	if err != nil {
		f.Fatal(err)
	}
	for section := range snapshottest.Sections {
		f.Add("kim jongun", uint8(section), uint16(3), byte(1), uint8(section+1), uint16(5), byte(0x80))
		f.Add("bank", uint8(section), uint16(0), byte(0), uint8(section), uint16(section), byte(1))
	}
	f.Fuzz(func(t *testing.T, name string, first uint8, at uint16, mask byte, second uint8, other uint16, otherMask byte) {
		sections := snapshottest.Split(whole)
		damage(sections[int(first)%len(sections)], int(at), mask)
		damage(sections[int(second)%len(sections)], int(other), otherMask)
		s, err := snapshot.Open(snapshottest.Seal(sections))
		if err == nil {
			err = s.Check()
		}
		if err != nil {
			if !errors.Is(err, snapshot.ErrDamaged) {
				t.Errorf("error %v, want ErrDamaged", err)
			}
			return
		}
		q := screen.Query{Name: name}
		if diff := cmp.Diff(screen.Scan(s, q, 10), screen.Find(s, q, 10)); diff != "" {
			t.Errorf("query %q (-scan +index):\n%s", name, diff)
		}
	})
}

func damage(section []byte, at int, mask byte) {
	if len(section) > 0 {
		section[at%len(section)] ^= mask
	}
}
