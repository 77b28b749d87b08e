package main

import (
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden table anew, to be read before it is committed")

// TestScreeningTable screens queries of each class in the sample lists. The table of
// what they meet, by which rule and in which order, is committed, so that a change of
// matching shows in the diff.
func TestScreeningTable(t *testing.T) {
	const golden = "testdata/screening.txt"
	s := startStack(t, testConfig(t, sampleLists), time.Now, slog.New(slog.DiscardHandler))
	key, err := s.createDemo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	for _, class := range screeningClasses() {
		fmt.Fprintf(&table, "# %s\n", class[0])
		for _, query := range class[1:] {
			table.WriteString(s.screened(t, key.Reveal(), query))
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(table.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(filepath.FromSlash(golden))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(table.String(), "\n")); diff != "" {
		t.Errorf("%s (-committed +now), to be read and written anew with -update:\n%s", golden, diff)
	}
}

// screeningClasses are the classes of queries, each with its name first.
func screeningClasses() [][]string {
	return [][]string{
		{"exact", "MADURO MOROS, Nicolas", "Hizballah", "Lazarus Group", "Belavia", "Rosoboronexport"},
		{"word order", "Nicolas Maduro Moros", "Vladimir Putin", "Group Lazarus", "Ramzan Kadyrov"},
		{"diacritics", "Nicolás Maduro Moros", "Hizbállah", "NICOLÁS MADURO MOROS"},
		{"case and width", "hizballah", "ＨＩＺＢＡＬＬＡＨ", "lAzArUs gRoUp"},
		{"script", "Газпромбанк", "Путин", "김정은", "سپاه پاسداران", "صدام", "洛克希德·马丁公司", "Group W公司"},
		{"punctuation", "Hizb-Allah", "LAZARUS.GROUP", "Group  W", "M/V ADRIAN DARYA 1", "MV ADRIAN DARYA 1"},
		{"apostrophe", "AL-QA'IDA", "AL-QA`IDA", "AL QAIDA", "AL-QA’IDA"},
		{"legal forms", "JSC Gazprombank", "Gazprombank PJSC", "Shield AI Ltd", "Hudson Technologies"},
		{"joined", "Minaung Hlaing", "Alqaida", "LazarusGroup"},
		{"contained", "Nicolas Alejandro Maduro Moros", "Vladimir Vladimirovich Vasiljevich Putin"},
		{"partial", "Lazarus Gro", "Gazprom", "azprombank", "Kadyr", "al"},
		{"identifiers", "IMO 9116412", "9116412", "IMO 9116413", "n200-vr", "EP-IBC"},
		{"misses", "Jane Doe", "Zorblatt Quuxington", "Lazarus Holding Bank Group of Nowhere", "Putinov", "Maduro Nicolas Moroso", "0000000"},
	}
}

// screened is the block of one query: how many entries it meets, and the first of them
// with the rule and the name of each.
func (s *stack) screened(t *testing.T, key, name string) string {
	t.Helper()
	answer := s.ask(t, key, name)
	const shown = 8
	block := fmt.Sprintf("%q %d\n", name, answer.Count)
	for i, row := range answer.Rows[:min(shown, len(answer.Rows))] {
		block += fmt.Sprintf("\t%d. %s %s %s %q\n", i+1, row.Match, row.ID, row.MatchedKind, row.MatchedName)
	}
	return block
}
