package refresh_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/fetch"
	"github.com/listward/listward/pkg/refresh"
	"github.com/listward/listward/pkg/sanction"
)

// unList is a UN list of 100 persons and 30 entities, all with a native name and a
// date; edit changes the records.
func unList(edit func(kind string, number int, record string) string) string {
	section := func(kind string, n int) string {
		var all strings.Builder
		for i := range n {
			all.WriteString(edit(kind, i, fmt.Sprintf("<%[1]s><FIRST_NAME>NAME %[1]s %[2]d</FIRST_NAME><SECOND_NAME>X</SECOND_NAME><THIRD_NAME>Y</THIRD_NAME><FOURTH_NAME>Z</FOURTH_NAME>"+
				"<UN_LIST_TYPE>DRC</UN_LIST_TYPE><REFERENCE_NUMBER>%.1[1]s%03[2]d</REFERENCE_NUMBER><LISTED_ON>2001-02-03</LISTED_ON>"+
				"<NAME_ORIGINAL_SCRIPT>اسم %[2]d</NAME_ORIGINAL_SCRIPT><NATIONALITY><VALUE>Iraq</VALUE></NATIONALITY>"+
				"<%[1]s_ALIAS><QUALITY>Good</QUALITY><ALIAS_NAME>ALIAS %[2]d</ALIAS_NAME></%[1]s_ALIAS>"+
				"<%[1]s_DATE_OF_BIRTH><TYPE_OF_DATE>EXACT</TYPE_OF_DATE><DATE>1970-01-02</DATE></%[1]s_DATE_OF_BIRTH></%[1]s>", kind, i)))
		}
		return all.String()
	}
	return `<CONSOLIDATED_LIST dateGenerated="2026-01-02T00:00:00Z"><INDIVIDUALS>` + section("INDIVIDUAL", 100) +
		"</INDIVIDUALS><ENTITIES>" + section("ENTITY", 30) + "</ENTITIES></CONSOLIDATED_LIST>"
}

func whole(_ string, _ int, record string) string { return record }

// without leaves out the first n records of a kind.
func without(kind string, n int) func(string, int, string) string {
	return func(k string, i int, record string) string {
		if k == kind && i < n {
			return ""
		}
		return record
	}
}

// cut takes an element out of the first n records of each kind.
func cut(element string, n int) func(string, int, string) string {
	return func(_ string, i int, record string) string {
		before, rest, _ := strings.Cut(record, "<"+element+">")
		_, after, _ := strings.Cut(rest, "</"+element+">")
		if i < n {
			return before + after
		}
		return record
	}
}

// TestLosses: more than a tenth of a group, or of what is counted in it, is
// refused, and what was accepted before is served on.
func TestLosses(t *testing.T) {
	for what, tt := range map[string]struct {
		edit func(string, int, string) string
		lost string // empty for a list that is accepted
	}{
		"nothing":                  {whole, ""},
		"a tenth of the persons":   {without("INDIVIDUAL", 10), ""},
		"more than a tenth":        {without("INDIVIDUAL", 11), "of the 100 entries of type individual 11 are gone"},
		"a tenth of the entities":  {without("ENTITY", 3), ""},
		"more of a small group":    {without("ENTITY", 4), "of the 30 entries of type entity 4 are gone"},
		"every entity":             {without("ENTITY", 30), "30 are gone"},
		"some dates":               {cut("LISTED_ON", 3), ""},
		"too many dates":           {cut("LISTED_ON", 15), "dates of listing"},
		"too many native names":    {cut("NAME_ORIGINAL_SCRIPT", 15), "native-script names"},
		"every id of the entities": {func(k string, _ int, r string) string { return strings.Replace(r, ">E", ">X", 1) }, "30 are gone"},
	} {
		b := newBench(t)
		b.mustRun(files(t, map[string]string{un: unList(whole)}))
		s := b.mustRun(files(t, map[string]string{un: unList(tt.edit)})).State(sanction.UN)
		if tt.lost == "" {
			if s.Status != edition.OK {
				t.Errorf("%s: %s, %s", what, s.Status, s.Detail)
			}
			continue
		}
		if s.Status != edition.Stale || !strings.Contains(s.Detail, tt.lost) || s.Entries != 130 {
			t.Errorf("%s: %s with %d entries, %q, want stale with 130 for %q", what, s.Status, s.Entries, s.Detail, tt.lost)
		}
	}
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// TestAcceptLoss: an operator can accept one file, named by its SHA-256. That of no file
// that was read is an error beside what was published.
func TestAcceptLoss(t *testing.T) {
	shrunk := unList(without("ENTITY", 30))
	named := sumOf(shrunk)
	b := newBench(t)
	b.mustRun(files(t, map[string]string{un: unList(whole)}))
	if s := b.mustRun(files(t, map[string]string{un: shrunk})).State(sanction.UN); !strings.Contains(s.Detail, named) {
		t.Errorf("detail %q does not name the file, %s", s.Detail, named)
	}
	for _, tt := range []struct {
		accept, text string
		want         edition.Status
		err          error
	}{
		{strings.Repeat("0", 64), shrunk, edition.Stale, refresh.ErrNotRead},
		{strings.Repeat("0", 64), "<html>", edition.Stale, refresh.ErrNotRead},
		{sumOf(shrunk[:len(shrunk)-10]), shrunk[:len(shrunk)-10], edition.Stale, refresh.ErrNotRead}, // lifts no other refusal
		{named, shrunk, edition.OK, nil},
		{named, shrunk, edition.OK, nil}, // it is accepted already
		{strings.Repeat("0", 64), shrunk, edition.OK, refresh.ErrNotRead},
	} {
		r := b.refresher(nil)
		r.AcceptLoss = tt.accept
		r.Origin = fetch.Folder{FS: files(t, map[string]string{un: tt.text})}
		p, err := r.Run(t.Context())
		if !errors.Is(err, tt.err) || err != nil && !strings.Contains(err.Error(), tt.accept) {
			t.Errorf("accepting %.8s…: error %v, want %v that names it", tt.accept, err, tt.err)
		}
		if s := p.State(sanction.UN); s.Status != tt.want {
			t.Errorf("accepting %.8s…: %s, %s, want %s", tt.accept, s.Status, s.Detail, tt.want)
		}
	}
}

// TestNothingToAccept: nothing is published, and the file to be accepted is named.
func TestNothingToAccept(t *testing.T) {
	r := newBench(t).refresher(fetch.Folder{FS: fstest.MapFS{}})
	r.AcceptLoss = strings.Repeat("0", 64)
	if p, err := r.Run(t.Context()); !errors.Is(err, refresh.ErrNothing) || !errors.Is(err, refresh.ErrNotRead) || p.Snapshot != "" {
		t.Errorf("an empty folder: %+v, error %v, want ErrNothing and ErrNotRead", p, err)
	}
}

// TestAnew: lists of another kind are not compared with what was there, and a
// source that they lack does not keep it.
func TestAnew(t *testing.T) {
	b := newBench(t)
	b.mustRun(files(t, map[string]string{un: unList(whole)}))
	r := b.refresher(fetch.Folder{FS: files(t, map[string]string{un: unList(without("INDIVIDUAL", 100)), cons: ""})})
	r.Anew = true
	p, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s := p.State(sanction.UN); s.Status != edition.OK || s.Entries != 30 {
		t.Errorf("UN: %+v, want the 30 entries of the new list", s)
	}
	if s := p.State(sanction.OFAC); s.Status != edition.Missing || s.Entries != 0 {
		t.Errorf("OFAC: %+v, want missing: its file is empty", s)
	}
}
