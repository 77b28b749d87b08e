package lists_test

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/sanction"
)

// read collects the text of <item> elements, of whatever stands in <all>, and the
// attributes that root and section are called with.
func read(text string) (got []string, err error) {
	take := func(d *xml.Decoder, start xml.StartElement) error {
		var value string
		err := d.DecodeElement(&value, &start)
		got = append(got, start.Name.Local+"="+value)
		return err
	}
	enter := func(_ *xml.Decoder, start xml.StartElement) error {
		got = append(got, start.Name.Local)
		return nil
	}
	err = lists.ReadXML(strings.NewReader(text), xml.Name{Space: "urn:x", Local: "list"}, lists.Handlers{
		"list/": enter, "item": take, "all/": enter, "all/*": take,
	})
	return got, err
}

func TestReadXML(t *testing.T) {
	got, err := read("\uFEFF <?xml version='1.0'?><!-- c --><list xmlns='urn:x'><a><item>1</item></a>" +
		"<all><item>2</item><other>3</other></all><item>4</item></list>\n<!-- end -->")
	want := []string{"list", "item=1", "all", "item=2", "other=3", "item=4"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("read %q and error %v, want %q", got, err, want)
	}
}

func TestReadXMLRefuses(t *testing.T) {
	const root = "<list xmlns='urn:x'>"
	for what, tt := range map[string]struct {
		text string
		want error
	}{
		"nothing":             {"", lists.ErrEmpty},
		"blanks":              {" \n\t", lists.ErrEmpty},
		"text":                {"Service unavailable", lists.ErrSyntax},
		"JSON":                {`{"error": 1}`, lists.ErrSyntax},
		"a web page":          {"\n<!DOCTYPE HTML><p>", lists.ErrHTML},
		"half a web page":     {"<head><body>", lists.ErrHTML},
		"another root":        {"<lists xmlns='urn:x'/>", lists.ErrRoot},
		"another namespace":   {"<list xmlns='urn:y'/>", lists.ErrRoot},
		"no namespace":        {"<list/>", lists.ErrRoot},
		"cut in the prolog":   {"<?xml version='1.0'?>", lists.ErrTruncated},
		"cut in a record":     {root + "<item>1", lists.ErrTruncated},
		"cut between":         {root + "<item>1</item>", lists.ErrTruncated},
		"cut in a character":  {root + "<item>\xd8", lists.ErrTruncated},
		"cut in an attribute": {root + "<item a='\xe2\x96", lists.ErrTruncated},
		"broken characters":   {root + "<item>\xd8</item></list>", lists.ErrSyntax},
		"another encoding":    {"<?xml version='1.0' encoding='UTF-16'?>" + root + "</list>", lists.ErrSyntax},
		"another version":     {"<?xml version='2.0'?>" + root + "</list>", lists.ErrSyntax},
		"crossing tags":       {root + "<a><b></a></b></list>", lists.ErrSyntax},
		"a second root":       {root + "</list>" + root + "</list>", lists.ErrSyntax},
		"an entity bomb":      {"<!DOCTYPE list [<!ENTITY a 'x'>]>" + root + "<item>&a;</item></list>", lists.ErrSyntax},
		"a huge record":       {root + "<item>" + strings.Repeat("x", 3<<20) + "</item></list>", lists.ErrTooLarge},
		"a huge attribute":    {root + "<item a='" + strings.Repeat("x", 3<<20) + "'/></list>", lists.ErrTooLarge},
		"a huge root":         {"<list a='" + strings.Repeat("x", 3<<20) + "'/>", lists.ErrTooLarge},
		"a well of elements":  {root + strings.Repeat("<a>", 1000), lists.ErrSyntax},
	} {
		if _, err := read(tt.text); !errors.Is(err, tt.want) {
			t.Errorf("%s: error %.200v, want %v", what, err, tt.want)
		}
	}
}

// TestReadXMLStreams reads more than a record may have, in records that are small.
func TestReadXMLStreams(t *testing.T) {
	text := "<list xmlns='urn:x'>" + strings.Repeat("<item>"+strings.Repeat("x", 1000)+"</item>", 5000) + "</list>"
	if got, err := read(text); err != nil || len(got) != 5001 {
		t.Errorf("%d records and error %v, want 5000 and the root", len(got), err)
	}
}

func TestReadXMLPassesOnErrors(t *testing.T) {
	lost := errors.New("connection lost")
	for _, text := range []string{"", "<list xmlns='urn:x'>", "<list xmlns='urn:x'></list>"} {
		body := io.MultiReader(strings.NewReader(text), failing{lost})
		if err := lists.ReadXML(body, xml.Name{Space: "urn:x", Local: "list"}, nil); !errors.Is(err, lost) {
			t.Errorf("after %q: error %v, want %v", text, err, lost)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestBuilder(t *testing.T) {
	entry := func(id, name string) sanction.Entry {
		return sanction.Entry{ID: id, Names: []sanction.Name{{Text: name, Kind: sanction.Primary}}}
	}
	var b lists.Builder
	b.Add(entry("X-1", "ONE"))
	b.Reject(" 2 ", "no name")
	b.Add(entry("X-1", "UNO"))
	b.Reject("", "no id")
	again := entry("X-5", "FIVE")
	b.Add(again)
	again.Programs, again.ListedOn = []string{"P"}, "2026-01-01"
	b.Add(again)
	b.Add(entry("X-3", strings.Repeat("é", 2001)))
	both := entry("X-4", strings.Repeat("é", 2001))
	both.Names = append(both.Names, sanction.Name{Text: strings.Repeat("é", 2000), Kind: sanction.Alias})
	b.Add(both)
	if _, err := b.List(); !errors.Is(err, lists.ErrSchema) {
		t.Errorf("without a date: error %v, want ErrSchema", err)
	}
	b.Date = "2026-01-02"
	got, err := b.List()
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Entries) != 3 || len(got.Entries[0].Names) != 2 || len(got.Entries[1].Programs) != 1 ||
		len(got.Entries[2].Names) != 1 || got.Entries[2].Names[0].Kind != sanction.Primary {
		t.Errorf("entries %v, want X-1 with both names, X-5 with the programme and X-4 with the one name as its primary", got.Entries)
	}
	want := []sanction.Rejection{
		{ID: "2", Reason: "no name"},
		{ID: "X-1", Reason: `a second record of this id, "UNO", was united with the first`},
		{ID: "#4", Reason: "no id"},
		{ID: "X-3", Reason: "a name of 2001 characters"},
		{ID: "X-4", Reason: "a name of 2001 characters"},
	}
	if diff := cmp.Diff(want, got.Rejected); diff != "" {
		t.Errorf("rejected (-want +got):\n%s", diff)
	}
}

// TestBuilderExpects looks for as many as 20 things before it misses one.
func TestBuilderExpects(t *testing.T) {
	for _, tt := range []struct {
		places  int
		missing bool // from all of them, not from all but one
		refused bool
	}{
		{places: 19, missing: true},
		{places: 20, missing: true, refused: true},
		{places: 20},
		{places: 2000},
	} {
		b := lists.Builder{Date: "2026-01-02"}
		b.Add(sanction.Entry{ID: "X-1", Names: []sanction.Name{{Text: "ONE"}}})
		for i := range tt.places {
			b.Expect("list/@date", !tt.missing && i == 7)
			b.Expect("name", true)
		}
		list, err := b.List()
		if want := "list/@date is in none of 20 places"; tt.refused && (!errors.Is(err, lists.ErrSchema) || !strings.HasSuffix(err.Error(), want)) {
			t.Errorf("%+v: error %v, want %v: %s", tt, err, lists.ErrSchema, want)
		}
		if !tt.refused && (err != nil || len(list.Entries) != 1) {
			t.Errorf("%+v: %d entries and error %v, want one", tt, len(list.Entries), err)
		}
	}
}

func TestBuilderRefuses(t *testing.T) {
	b := lists.Builder{Date: "2026-01-02"}
	if _, err := b.List(); !errors.Is(err, lists.ErrNoEntries) {
		t.Errorf("without records: error %v, want ErrNoEntries", err)
	}
	b.Reject("1", "no name")
	b.Reject("2", "no type")
	b.Reject("3", "no type")
	if _, err := b.List(); !errors.Is(err, lists.ErrSchema) || !strings.Contains(err.Error(), "all 3 records") || !strings.Contains(err.Error(), "no type") {
		t.Errorf("with rejected records alone: error %v, want ErrSchema with the commonest reason", err)
	}
}

func TestDay(t *testing.T) {
	for in, want := range map[string]string{
		"2026-01-02": "2026-01-02", " 2026-01-02T03:04:05Z": "2026-01-02", "2015-07-01-04:00": "2015-07-01",
		"2026-02-30": "", "2026-01": "", "2026": "", "": "", "02-01-2026": "", "2026-1-2": "",
	} {
		if got := lists.Day(in); got != want {
			t.Errorf("Day(%q) = %q, want %q", in, got, want)
		}
	}
}
