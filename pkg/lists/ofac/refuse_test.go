package ofac_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/lists/liststest"
	"github.com/listward/listward/pkg/lists/ofac"
	"github.com/listward/listward/pkg/sanction"
)

// refused fails the test unless Parse refuses the file for the reason and
// returns nothing of it.
func refused(t *testing.T, file string, reason error) {
	t.Helper()
	got, err := ofac.Parse(strings.NewReader(file))
	if !errors.Is(err, reason) {
		t.Errorf("Parse(%.200s) = error %v, want %v", file, err, reason)
	}
	if diff := cmp.Diff(sanction.List{}, got); diff != "" {
		t.Errorf("Parse(%.200s) returned a list beside the error %v (-want +got):\n%s", file, err, diff)
	}
}

func TestParseRefuses(t *testing.T) {
	whole := file(party{}.String())
	const date = "<dataAsOf>2026-01-02T00:00:00</dataAsOf>"
	for _, tt := range []struct {
		name, file string
		want       error
	}{
		{"nothing", "", lists.ErrEmpty},
		{"white space", " \r\n", lists.ErrEmpty},
		{"web page", "<!DOCTYPE html><html><body>Scheduled maintenance</body></html>", lists.ErrHTML},
		{"JSON", `{"entities": []}`, lists.ErrSyntax},
		{"broken inside an entity", strings.Replace(whole, "</names>", "</name>", 1), lists.ErrSyntax},
		{"broken between entities", strings.Replace(whole, "<entities>", "<entities><&>", 1), lists.ErrSyntax},
		{"second root element", whole + whole, lists.ErrSyntax},
		{"cut after an entity", strings.TrimSuffix(whole, "</entities></sanctionsData>"), lists.ErrTruncated},
		{"cut inside an entity", whole[:strings.Index(whole, "<names>")], lists.ErrTruncated},
		{"cut before the root element", `<?xml version="1.0"?>`, lists.ErrTruncated},
		{"classic format", strings.Replace(whole, "ENHANCED_XML", "XML", 1), lists.ErrRoot},
		{"no namespace", strings.Replace(whole, root, "<sanctionsData>", 1), lists.ErrRoot},
		{"other root element", strings.ReplaceAll(whole, "sanctionsData", "sdnList"), lists.ErrRoot},
		{"no entity", file(), lists.ErrNoEntries},
		{"no date", strings.Replace(whole, date, "", 1), lists.ErrSchema},
		{"partial date", strings.Replace(whole, date, "<dataAsOf>2026-01</dataAsOf>", 1), lists.ErrSchema},
		{"no such day", strings.Replace(whole, date, "<dataAsOf>2026-02-30T00:00:00</dataAsOf>", 1), lists.ErrSchema},
		{"no entity has a type", file(party{kind: "-"}.String(), party{kind: "-"}.String()), lists.ErrSchema},
	} {
		t.Run(tt.name, func(t *testing.T) { refused(t, tt.file, tt.want) })
	}
}

// An operator needs to know which element vanished.
func TestParseNamesTheCommonestReason(t *testing.T) {
	in := file(party{kind: "-"}.String(), party{names: "-"}.String(), party{names: "-"}.String())
	_, err := ofac.Parse(strings.NewReader(in))
	if !errors.Is(err, lists.ErrSchema) || !strings.Contains(err.Error(), "all 3 records") || !strings.Contains(err.Error(), "no name") {
		t.Errorf("Parse(%s) = error %v, want %v for all 3 records with the reason %q", in, err, lists.ErrSchema, "no name")
	}
}

func TestParseReturnsTheReadersError(t *testing.T) {
	lost := errors.New("connection lost")
	whole := file(party{}.String())
	for _, kept := range []int{0, len(whole) / 2, len(whole)} {
		download := io.MultiReader(strings.NewReader(whole[:kept]), iotest.ErrReader(lost))
		if _, err := ofac.Parse(download); !errors.Is(err, lost) {
			t.Errorf("Parse of a download lost after %d bytes = error %v, want %v", kept, err, lost)
		}
	}
}

func TestFullBadFiles(t *testing.T) {
	liststest.CheckBadFiles(t, ofac.Parse, "*ofac*", map[string]error{
		"ofac_enhanced_truncated.xml":       lists.ErrTruncated,
		"ofac_enhanced_wrong_namespace.xml": lists.ErrRoot,
		"html_status_200.html":              lists.ErrHTML,
	})
}
