package refresh_test

import (
	"context"
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

// TestDamagedEntriesOfBefore: a good list is accepted although it cannot be compared,
// and says so; a refused one cannot be served, so that nothing is published.
func TestDamagedEntriesOfBefore(t *testing.T) {
	b := newBench(t)
	before := b.mustRun(sample.Files())
	damage := func() {
		t.Helper()
		if _, err := b.store.Put(t.Context(), before.State(sanction.UN).Files[0].Entries, []byte("rubbish"), objects.Always); err != nil {
			t.Fatal(err)
		}
	}
	damage()
	if _, err := b.run(files(t, map[string]string{un: "<html>"})); err == nil || !strings.Contains(err.Error(), archive.ErrDamaged.Error()) {
		t.Errorf("refused with damaged entries of before: error %v, want ErrDamaged", err)
	}
	s := b.mustRun(sample.Files()).State(sanction.UN)
	if s.Status != edition.Review || !strings.Contains(s.Detail, "no comparison") {
		t.Errorf("accepted with damaged entries of before: %s, %q, want review", s.Status, s.Detail)
	}
	if s := b.mustRun(sample.Files()).State(sanction.UN); s.Status != edition.OK {
		t.Errorf("the run after: %s, %s", s.Status, s.Detail)
	}
}

// TestAcceptOneFile: accepting one file of a source lifts no refusal of the other.
func TestAcceptOneFile(t *testing.T) {
	b := newBench(t)
	b.mustRun(files(t, map[string]string{sdn: entities(t, sdn, 30), cons: entities(t, cons, 30)}))
	lessSDN, lessCons := entities(t, sdn, 20), entities(t, cons, 20)
	sum := func(text string) string {
		d := archive.NewDraft()
		if _, err := d.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		return d.Sum()
	}
	for _, tt := range []struct {
		accept string
		files  map[string]string
		detail string // empty for an accepted source
	}{
		{sum(lessSDN), map[string]string{sdn: lessSDN, cons: lessCons}, cons},
		{sum(lessCons), map[string]string{sdn: lessSDN, cons: lessCons}, sdn},
		{sum(lessSDN), map[string]string{sdn: lessSDN, cons: entities(t, cons, 30)}, ""},
	} {
		r := b.refresher(fetch.Folder{FS: files(t, tt.files)})
		r.AcceptLoss = tt.accept
		p, err := r.Run(t.Context())
		if err != nil {
			t.Fatal(err)
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
