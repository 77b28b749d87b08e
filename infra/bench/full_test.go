package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/lists/liststest"
	"github.com/listward/listward/pkg/screen"
	"github.com/listward/listward/pkg/snapshot"
)

// openFull is the file of the newer lists, and it opened.
func openFull(t *testing.T) ([]byte, *snapshot.Snapshot) {
	t.Helper()
	lists := filepath.Join(liststest.Folder(t), "newer")
	store, err := publish(t.Context(), t.TempDir(), lists)
	if err != nil {
		t.Fatal(err)
	}
	pointer, _, err := edition.Read(t.Context(), store, "")
	if err != nil {
		t.Fatal(err)
	}
	file, err := snapshotFile(t.Context(), store, pointer.Snapshot)
	if err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	return file, s
}

// TestFullSnapshot checks every reference of the full lists' file, the numbers of the
// format comment, and that index and scan agree on a sample of the benchmark's mix.
func TestFullSnapshot(t *testing.T) {
	file, s := openFull(t)
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	checkSizes(t, file)
	queries := append(mix(s), "a", "al", "limited", "company", "ал", "银行", "中国", "ال", "M/V", "公司", "ООО", "и")
	for i, name := range queries {
		if i%8 > 0 && i < 4*ofEach {
			continue
		}
		q := screen.Query{Name: name}
		if diff := cmp.Diff(screen.Scan(s, q, maxRows), screen.Find(s, q, maxRows)); diff != "" {
			t.Errorf("query %q (-scan +index):\n%s", name, diff)
		}
	}
}

// checkSizes compares the sizes of the sections with those that the format comment
// gives in kB, which are of these lists.
func checkSizes(t *testing.T, file []byte) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("..", "..", "pkg", "snapshot", "format.go"))
	if err != nil {
		t.Fatal(err)
	}
	comment := strings.ReplaceAll(string(source), "\n// ", " ")
	order := []string{"entries", "ids", "names", "forms", "folded", "strings", "numbers", "tails", "cores", "words", "vocabulary", "lists", "slots", "blocks", "suffixes", "samples", "filter"}
	for i, name := range order {
		size := float64(binary.LittleEndian.Uint32(file[20+12*i+4:]))
		given := regexp.MustCompile(`kB: .*\b` + name + ` (\d+)`).FindStringSubmatch(comment)
		if given == nil {
			t.Errorf("the format comment does not give the size of %s", name)
			continue
		}
		if kB, err := strconv.ParseFloat(given[1], 64); err != nil || size < (kB-1)*1e3 || size > (kB+1)*1e3 {
			t.Errorf("%s has %.0f bytes, the format comment says %s kB", name, size, given[1])
		}
	}
}
