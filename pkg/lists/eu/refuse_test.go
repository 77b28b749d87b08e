package eu_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/lists/eu"
	"github.com/listward/listward/pkg/lists/liststest"
	"github.com/listward/listward/pkg/sanction"
)

// refused fails the test unless Parse refuses the file for the reason and
// returns nothing of it.
func refused(t *testing.T, file string, reason error) {
	t.Helper()
	got, err := eu.Parse(strings.NewReader(file))
	if !errors.Is(err, reason) {
		t.Errorf("Parse(%.200s) = error %v, want %v", file, err, reason)
	}
	if diff := cmp.Diff(sanction.List{}, got); diff != "" {
		t.Errorf("Parse(%.200s) returned a list beside the error %v (-want +got):\n%s", file, err, diff)
	}
}

func TestParseRefuses(t *testing.T) {
	whole := file(entity("EU.1.1", "person", alias("A", "")))
	const date = ` generationDate="2026-02-23T23:19:20.000+01:00"`
	for _, tt := range []struct {
		name, file string
		want       error
	}{
		{"nothing", "", lists.ErrEmpty},
		{"web page", "<!DOCTYPE html><html><body>Scheduled maintenance</body></html>", lists.ErrHTML},
		{"text", "Internal Server Error", lists.ErrSyntax},
		{"broken inside a record", strings.Replace(whole, "</sanctionEntity>", "</sanction>", 1), lists.ErrSyntax},
		{"second root element", whole + whole, lists.ErrSyntax},
		{"cut after a record", strings.TrimSuffix(whole, "</export>"), lists.ErrTruncated},
		{"cut inside a record", whole[:strings.Index(whole, "<nameAlias")], lists.ErrTruncated},
		{"format 1.0", strings.Replace(whole, "/fsd/export", "/fsd/", 1), lists.ErrRoot},
		{"other root element", strings.ReplaceAll(whole, "export", "WHOLE"), lists.ErrRoot},
		{"a huge record", file(entity("EU.1.1", "person", alias(strings.Repeat("A", 3<<20), ""))), lists.ErrTooLarge},
		{"no record", file(), lists.ErrNoEntries},
		{"no date", strings.Replace(whole, date, "", 1), lists.ErrSchema},
		{"partial date", strings.Replace(whole, date, ` generationDate="2026-02"`, 1), lists.ErrSchema},
		{"no record has a name", file(entity("EU.1.1", "person", ""), entity("EU.2.2", "person", "")), lists.ErrSchema},
		{"records in another namespace", strings.Replace(whole, "<sanctionEntity ", `<sanctionEntity xmlns="urn:x" `, 1), lists.ErrSchema},
	} {
		t.Run(tt.name, func(t *testing.T) { refused(t, tt.file, tt.want) })
	}
}

func TestParseReturnsTheReadersError(t *testing.T) {
	lost := errors.New("connection lost")
	whole := file(entity("EU.1.1", "person", alias("A", "")))
	for _, kept := range []int{0, len(whole) / 2, len(whole)} {
		download := io.MultiReader(strings.NewReader(whole[:kept]), iotest.ErrReader(lost))
		if _, err := eu.Parse(download); !errors.Is(err, lost) {
			t.Errorf("Parse of a download lost after %d bytes = error %v, want %v", kept, err, lost)
		}
	}
}

func TestFullBadFiles(t *testing.T) {
	liststest.CheckBadFiles(t, eu.Parse, "*eu_*", map[string]error{
		"eu_zero_entities.xml":              lists.ErrNoEntries,
		"html_status_200.html":              lists.ErrHTML,
		"ofac_enhanced_wrong_namespace.xml": lists.ErrRoot,
	})
}
