package un_test

import (
	"bytes"
	"io/fs"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/lists/sample"
	"github.com/listward/listward/pkg/lists/un"
)

// FuzzParse starts from the records of the sample one by one: the engine takes a
// minute to shrink each finding that grew from the whole file.
func FuzzParse(f *testing.F) {
	records := sampleRecords(f, string(readSample(f)))
	for _, record := range records {
		f.Add([]byte(file(record, "")))
	}
	f.Add([]byte(file(records[0], "")[:800]))
	f.Add([]byte(file(records[0]+records[0], records[0])))
	f.Add([]byte(file("", "<ENTITY/>")))
	f.Add([]byte("<html></html>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		list, err := un.Parse(bytes.NewReader(body))
		checkLaw(t, list, err)
	})
}

func readSample(tb testing.TB) []byte {
	tb.Helper()
	text, err := fs.ReadFile(sample.Files(), "un/consolidated.xml")
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// sampleRecords cuts the sample into the texts of its records.
func sampleRecords(tb testing.TB, text string) []string {
	tb.Helper()
	var records []string
	for _, element := range []string{"INDIVIDUAL>", "ENTITY>"} {
		for _, part := range strings.Split(text, "<"+element)[1:] {
			record, _, found := strings.Cut(part, "</"+element)
			if !found {
				tb.Fatalf("a record of the sample has no end: %.200s", part)
			}
			records = append(records, "<"+element+record+"</"+element)
		}
	}
	if len(records) < 30 {
		tb.Fatalf("the sample was cut into %d records, want 30 or more", len(records))
	}
	return records
}
