package refresh_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/archive"
	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/fetch"
	"github.com/listward/listward/pkg/lists/sample"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/refresh"
	"github.com/listward/listward/pkg/sanction"
)

// conditional is a publisher that supports conditional requests: it has one version
// of every file, which it sends to whoever does not know it.
type conditional struct {
	fetch.Origin
	etag string
	sent map[string]int
}

func (c *conditional) Fetch(ctx context.Context, f fetch.File, known fetch.Version, read func(fetch.Body) error) error {
	if f.Path != un {
		return c.Origin.Fetch(ctx, f, known, read)
	}
	if known == (fetch.Version{URL: f.URL, ETag: c.etag, LastModified: "Mon"}) {
		return fetch.ErrUnchanged
	}
	c.sent[f.Path]++
	return c.Origin.Fetch(ctx, f, known, func(b fetch.Body) error {
		b.Version = fetch.Version{URL: f.URL, ETag: c.etag, LastModified: "Mon"}
		return read(b)
	})
}

// TestUnchangedFileIsReadFromTheArchive: what the publisher did not send again is
// accepted again all the same, from the file that was archived.
func TestUnchangedFileIsReadFromTheArchive(t *testing.T) {
	b := newBench(t)
	publisher := &conditional{Origin: fetch.Folder{FS: sample.Files()}, etag: `"1"`, sent: map[string]int{}}
	run := func() edition.State {
		t.Helper()
		b.now = b.now.AddDate(0, 0, 1)
		p, err := b.refresher(publisher).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return p.State(sanction.UN)
	}
	first := run()
	ids := b.served()
	second := run()
	if publisher.sent[un] != 1 || second.Status != edition.OK || !second.AcceptedAt.Equal(b.now) || !second.LastUpdated.Equal(first.LastUpdated) {
		t.Errorf("the file was sent %d times; state %+v", publisher.sent[un], second)
	}
	if diff := cmp.Diff(first.Files, second.Files); diff != "" {
		t.Errorf("files (-first +second):\n%s", diff)
	}
	if diff := cmp.Diff(ids, b.served()); diff != "" {
		t.Errorf("what is served (-first +second):\n%s", diff)
	}
	publisher.etag = `"2"`
	if run(); publisher.sent[un] != 2 {
		t.Errorf("a new version was sent %d times in all, want 2", publisher.sent[un])
	}
	// An archive that lost the file is no reason to go without.
	if _, err := b.store.Put(t.Context(), archive.Name("raw", second.Files[0].SHA256), []byte("rubbish"), objects.Always); err != nil {
		t.Fatal(err)
	}
	if s := run(); publisher.sent[un] != 3 || s.Status != edition.OK {
		t.Errorf("with a damaged archive the file was sent %d times in all, want 3; state %+v", publisher.sent[un], s)
	}
}

// TestDamagedEntriesOfBefore: they are taken from the snapshot then, for a source that
// is refused and for the comparison with one that is accepted, which says so.
func TestDamagedEntriesOfBefore(t *testing.T) {
	b := newBench(t)
	before := b.mustRun(sample.Files())
	ids := b.served()
	if _, err := b.store.Put(t.Context(), before.State(sanction.UN).Files[0].Entries, []byte("rubbish"), objects.Always); err != nil {
		t.Fatal(err)
	}
	if s := b.mustRun(files(t, map[string]string{un: "<html>"})).State(sanction.UN); s.Status != edition.Stale {
		t.Errorf("refused with damaged entries of before: %s, %q, want stale", s.Status, s.Detail)
	}
	if diff := cmp.Diff(ids, b.served()); diff != "" {
		t.Errorf("what is served (-before +after):\n%s", diff)
	}
	p := b.mustRun(sample.Files())
	s := p.State(sanction.UN)
	if s.Status != edition.Review || !strings.Contains(s.Detail, "taken from the snapshot") {
		t.Errorf("accepted with damaged entries of before: %s, %q, want review", s.Status, s.Detail)
	}
	if n := len(b.publications(p)); n != 1 || !s.LastUpdated.Equal(before.State(sanction.UN).LastUpdated) {
		t.Errorf("%d publications and last_updated %v, want the first of each: nothing changed", n, s.LastUpdated)
	}
	if s := b.mustRun(sample.Files()).State(sanction.UN); s.Status != edition.OK {
		t.Errorf("the run after: %s, %s", s.Status, s.Detail)
	}
}

// TestStateWithoutFiles: an older program's state names no files.
func TestStateWithoutFiles(t *testing.T) {
	b := newBench(t)
	p := b.mustRun(sample.Files())
	ids := b.served()
	for i := range p.Sources {
		p.Sources[i].Files = nil
	}
	_, etag, err := edition.Read(t.Context(), b.store, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := edition.Write(t.Context(), b.store, p, etag); err != nil {
		t.Fatal(err)
	}
	s := b.mustRun(files(t, map[string]string{un: "<html>"})).State(sanction.UN)
	if s.Status != edition.Stale || s.Entries == 0 {
		t.Errorf("UN: %+v, want stale with its entries", s)
	}
	if diff := cmp.Diff(ids, b.served()); diff != "" {
		t.Errorf("what is served (-before +after):\n%s", diff)
	}
}

// TestDamagedHistory: it begins anew, with all that is served.
func TestDamagedHistory(t *testing.T) {
	b := newBench(t)
	p := b.mustRun(sample.Files())
	if _, err := b.store.Put(t.Context(), p.History, []byte("rubbish"), objects.Always); err != nil {
		t.Fatal(err)
	}
	p = b.mustRun(files(t, map[string]string{un: withoutFirstEntity(t)}))
	if index := b.publications(p); len(index) != 1 || len(b.lastChanges(p)) != len(b.served()) {
		t.Errorf("%d publications, the last with %d changes, want one with the %d entries", len(index), len(b.lastChanges(p)), len(b.served()))
	}
}

// TestListThatGoesBack: a mirror that is behind un-lists the newest parties.
func TestListThatGoesBack(t *testing.T) {
	b := newBench(t)
	b.mustRun(sample.Files())
	text, err := fs.ReadFile(sample.Files(), un)
	if err != nil {
		t.Fatal(err)
	}
	const date = `dateGenerated="`
	at := strings.Index(string(text), date) + len(date)
	s := b.mustRun(files(t, map[string]string{un: string(text[:at]) + "1999" + string(text[at+4:])})).State(sanction.UN)
	if s.Status != edition.Review || !strings.Contains(s.Detail, "the list is of 1999-") {
		t.Errorf("%s, %q, want review", s.Status, s.Detail)
	}
}

// TestSwollenFileIsRefused: it must not swell the snapshot beyond what is loaded.
func TestSwollenFileIsRefused(t *testing.T) {
	b := newBench(t)
	b.mustRun(sample.Files())
	swollen := unList(func(_ string, i int, record string) string {
		return strings.ReplaceAll(record, "ALIAS ", strings.Repeat("X", 1900)+" ") + strings.Repeat(" ", i%2)
	})
	// 130 records of two kilobytes are not enough; their aliases are repeated.
	const alias = "</ALIAS_NAME>"
	name := swollen[strings.Index(swollen, "<ALIAS_NAME>")+len("<ALIAS_NAME>"):]
	name = name[:strings.Index(name, alias)]
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, "<INDIVIDUAL_ALIAS><QUALITY>Good</QUALITY><ALIAS_NAME>%s %d</ALIAS_NAME></INDIVIDUAL_ALIAS>", name, i)
		if i%500 == 499 {
			swollen = strings.Replace(swollen, "<INDIVIDUAL><", fmt.Sprintf("<INDIVIDUAL>%s <", many.String()), 1)
			swollen = strings.Replace(swollen, "<INDIVIDUAL><INDIVIDUAL_ALIAS>", "<INDIVIDUAL> <INDIVIDUAL_ALIAS>", 1)
			many.Reset()
		}
	}
	s := b.mustRun(files(t, map[string]string{un: swollen})).State(sanction.UN)
	if s.Status != edition.Stale || !strings.Contains(s.Detail, "too large") {
		t.Errorf("%s, %q, want stale because it is too large", s.Status, s.Detail)
	}
}

// volatile is a publisher that never sends the same bytes twice.
type volatile struct {
	fetch.Origin
	text string
	sent *int
}

func (v volatile) Fetch(ctx context.Context, f fetch.File, known fetch.Version, read func(fetch.Body) error) error {
	if f.Path != un {
		return v.Origin.Fetch(ctx, f, known, read)
	}
	*v.sent++
	return read(fetch.Body{Reader: strings.NewReader(v.text + fmt.Sprintf("<!-- %d -->", *v.sent))})
}

// TestAcceptedFileIsTheOneLookedAt: the file that an operator names is accepted as it
// was refused, from the archive.
func TestAcceptedFileIsTheOneLookedAt(t *testing.T) {
	b := newBench(t)
	b.mustRun(files(t, map[string]string{un: unList(whole)}))
	v := volatile{fetch.Folder{FS: sample.Files()}, unList(without("ENTITY", 30)), new(int)}
	run := func(accept string) edition.State {
		t.Helper()
		r := b.refresher(v)
		r.AcceptLoss = accept
		p, err := r.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return p.State(sanction.UN)
	}
	refused := run("")
	if refused.Status != edition.Stale || refused.Refused.Path != un || !strings.Contains(refused.Detail, refused.Refused.SHA256) {
		t.Fatalf("state %+v, want a refusal that names the file", refused)
	}
	s := run(refused.Refused.SHA256)
	if s.Status != edition.OK || s.Entries != 100 || s.Files[0].SHA256 != refused.Refused.SHA256 || s.Refused.Path != "" {
		t.Errorf("state %+v, want the refused file accepted", s)
	}
}

// TestAcceptOneFile: accepting one file of a source lifts no refusal of the other.
func TestAcceptOneFile(t *testing.T) {
	b := newBench(t)
	b.mustRun(files(t, map[string]string{sdn: entities(t, sdn, 30), cons: entities(t, cons, 30)}))
	lessSDN, lessCons := entities(t, sdn, 20), entities(t, cons, 20)
	for _, tt := range []struct {
		accept string
		files  map[string]string
		detail string // empty for an accepted source
		err    error
	}{
		{sumOf(lessSDN), map[string]string{sdn: lessSDN, cons: lessCons}, cons, nil},
		{sumOf(lessCons), map[string]string{sdn: lessSDN, cons: lessCons}, sdn, refresh.ErrNotRead}, // a source is read up to the first refusal
		{sumOf(lessSDN), map[string]string{sdn: lessSDN, cons: entities(t, cons, 30)}, "", nil},
	} {
		r := b.refresher(fetch.Folder{FS: files(t, tt.files)})
		r.AcceptLoss = tt.accept
		p, err := r.Run(t.Context())
		if !errors.Is(err, tt.err) {
			t.Errorf("accepting %.8s…: error %v, want %v", tt.accept, err, tt.err)
		}
		s := p.State(sanction.OFAC)
		if refused := s.Status == edition.Stale; refused != (tt.detail != "") || !strings.HasPrefix(s.Detail, tt.detail) {
			t.Errorf("%s, %q, want a refusal of %q", s.Status, s.Detail, tt.detail)
		}
	}
}

// entities is a file of the sample with n entities, which differ in nothing but
// their ids.
func entities(t *testing.T, path string, n int) string {
	t.Helper()
	text, err := fs.ReadFile(sample.Files(), path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = `<entity id="`, "</entity>"
	first, last := strings.Index(string(text), begin), strings.LastIndex(string(text), end)+len(end)
	_, one, _ := strings.Cut(string(text[first:last]), begin)
	_, one, _ = strings.Cut(one, `"`)
	one, _, _ = strings.Cut(one, end)
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, `%s%d"%s%s`, begin, len(path)*1000+i, one, end)
	}
	return string(text[:first]) + all.String() + string(text[last:])
}
