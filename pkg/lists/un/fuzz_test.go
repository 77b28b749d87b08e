package un_test

import (
	"bytes"
	"io/fs"
	"testing"

	"github.com/listward/listward/pkg/lists/liststest"
	"github.com/listward/listward/pkg/lists/sample"
	"github.com/listward/listward/pkg/lists/un"
)

// FuzzParse starts from the records of the sample one by one: the engine takes a
// minute to shrink each finding that grew from the whole file.
func FuzzParse(f *testing.F) {
	persons := liststest.Records(f, readSample(f), "<INDIVIDUAL>", "</INDIVIDUAL>")
	for _, record := range persons {
		f.Add([]byte(file(record, "")))
	}
	for _, record := range liststest.Records(f, readSample(f), "<ENTITY>", "</ENTITY>") {
		f.Add([]byte(file("", record)))
	}
	f.Add([]byte(file(persons[0], "")[:800]))
	f.Add([]byte(file(persons[0]+persons[0], persons[0])))
	f.Add([]byte(file("", "<ENTITY/>")))
	f.Add([]byte("<html></html>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		list, err := un.Parse(bytes.NewReader(body))
		law.Check(t, list, err)
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
