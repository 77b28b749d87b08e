package refresh_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/fetch"
	"github.com/listward/listward/pkg/lists/sample"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/objects/dir"
	"github.com/listward/listward/pkg/refresh"
	"github.com/listward/listward/pkg/sanction"
)

// bench is a store with a clock, on which refreshes are run.
type bench struct {
	t     *testing.T
	store objects.Store
	now   time.Time
	log   bytes.Buffer
}

func newBench(t *testing.T) *bench {
	t.Helper()
	store, err := dir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t: t, store: store, now: time.Date(2026, 11, 20, 4, 30, 0, 0, time.UTC)}
}

func (b *bench) refresher(origin fetch.Origin) *refresh.Refresher {
	return &refresh.Refresher{
		Store:  b.store,
		Origin: origin,
		Now:    func() time.Time { return b.now },
		Log:    slog.New(slog.NewTextHandler(&b.log, nil)),
		Guard:  refresh.Lease(b.store, "test", func() time.Time { return b.now }),
	}
}

// run refreshes an hour after the last time.
func (b *bench) run(files fs.FS) (edition.Pointer, error) {
	b.now = b.now.Add(time.Hour)
	return b.refresher(fetch.Folder{FS: files}).Run(b.t.Context())
}

func (b *bench) mustRun(files fs.FS) edition.Pointer {
	b.t.Helper()
	p, err := b.run(files)
	if err != nil {
		b.t.Fatalf("refresh: %v", err)
	}
	return p
}

// served returns the ids that a function serves now.
func (b *bench) served() []string {
	b.t.Helper()
	e, err := edition.NewFollower(b.store, 0, func() time.Time { return b.now }, slog.New(slog.DiscardHandler)).Current(b.t.Context())
	if err != nil {
		b.t.Fatalf("load what is served: %v", err)
	}
	var ids []string
	for i := range e.Data.Entries() {
		ids = append(ids, e.Data.Entry(i).ID)
	}
	return ids
}

// files is a folder of the sample's files, with some replaced.
func files(t *testing.T, replaced map[string]string) fstest.MapFS {
	t.Helper()
	folder := fstest.MapFS{}
	err := fs.WalkDir(sample.Files(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(sample.Files(), path)
		folder[path] = &fstest.MapFile{Data: text}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range replaced {
		if folder[path] == nil {
			t.Fatalf("%s is no file of a source", path)
		}
		folder[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return folder
}

const (
	sdn  = "ofac/SDN_ENHANCED.XML"
	cons = "ofac/CONS_ENHANCED.XML"
	un   = "un/consolidated.xml"
)

func TestRunPublishes(t *testing.T) {
	b := newBench(t)
	p := b.mustRun(sample.Files())
	if len(p.Snapshot) != 64 || !p.PublishedAt.Equal(b.now) {
		t.Errorf("snapshot %q, published at %v, want 64 hex digits and %v", p.Snapshot, p.PublishedAt, b.now)
	}
	total := 0
	for _, s := range p.Sources {
		total += s.Entries
		if s.Status != edition.OK || s.Detail != "" || s.Entries == 0 || s.ListDate == "" || len(s.Files) == 0 ||
			!s.AcceptedAt.Equal(b.now) || !s.CheckedAt.Equal(b.now) || !s.LastUpdated.Equal(b.now) {
			t.Errorf("state %+v", s)
		}
	}
	if got := len(b.served()); got != total {
		t.Errorf("%d entries are served, the sources have %d", got, total)
	}
}

// TestUnites: an id that stands in both OFAC files is one entry with the SDN
// list's date.
func TestUnites(t *testing.T) {
	b := newBench(t)
	b.mustRun(sample.Files())
	e, err := edition.NewFollower(b.store, 0, time.Now, slog.New(slog.DiscardHandler)).Current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for i := range e.Data.Entries() {
		if entry := e.Data.Entry(i); entry.ID == "OFAC-17018" {
			found++
			if diff := cmp.Diff([]string{"SDN", "SSI"}, slices.Sorted(slices.Values(entry.Lists))); diff != "" {
				t.Errorf("lists of %s (-want +got):\n%s", entry.ID, diff)
			}
		}
	}
	if found != 1 {
		t.Errorf("OFAC-17018 stands in both files and is there %d times, want once", found)
	}
}

func TestSecondRunOfTheSameLists(t *testing.T) {
	b := newBench(t)
	first := b.mustRun(sample.Files())
	second := b.mustRun(sample.Files())
	if second.Snapshot != first.Snapshot {
		t.Errorf("equal lists gave the snapshots %s and %s", first.Snapshot, second.Snapshot)
	}
	for i, s := range second.Sources {
		if before := first.Sources[i]; !s.LastUpdated.Equal(before.LastUpdated) || !s.AcceptedAt.After(before.AcceptedAt) {
			t.Errorf("%s: last_updated %v and accepted_at %v after %v and %v: the first stays, the second moves",
				s.Source, s.LastUpdated, s.AcceptedAt, before.LastUpdated, before.AcceptedAt)
		}
	}
}

func TestDelistedEntriesGo(t *testing.T) {
	b := newBench(t)
	b.mustRun(sample.Files())
	before := b.served()
	p := b.mustRun(files(t, map[string]string{un: withoutFirstEntity(t)}))
	after := b.served()
	if len(after) != len(before)-1 {
		t.Errorf("%d entries before a delisting, %d after", len(before), len(after))
	}
	if state := p.State(sanction.UN); !state.LastUpdated.Equal(b.now) {
		t.Errorf("last_updated %v after a delisting, want %v", state.LastUpdated, b.now)
	}
}

func TestRefusedSourceKeepsItsEntries(t *testing.T) {
	for what, broken := range map[string]string{
		"empty":     "",
		"truncated": "<?xml version=\"1.0\"?><CONSOLIDATED_LIST dateGenerated=\"2026-01-01T00:00:00Z\"><INDIVIDUALS>",
		"HTML":      "<!DOCTYPE html><html><body>maintenance</body></html>",
	} {
		b := newBench(t)
		before := b.mustRun(sample.Files())
		ids := b.served()
		p := b.mustRun(files(t, map[string]string{un: broken}))
		if diff := cmp.Diff(ids, b.served()); diff != "" {
			t.Errorf("%s: what is served changed (-before +after):\n%s", what, diff)
		}
		was, is := before.State(sanction.UN), p.State(sanction.UN)
		if is.Status != edition.Stale || !strings.Contains(is.Detail, un) || is.Entries != was.Entries ||
			!is.AcceptedAt.Equal(was.AcceptedAt) || !is.CheckedAt.Equal(b.now) || is.ListDate != was.ListDate {
			t.Errorf("%s: state %+v after %+v", what, is, was)
		}
		if other := p.State(sanction.OFAC); other.Status != edition.OK || !other.AcceptedAt.Equal(b.now) {
			t.Errorf("%s: the other source is %+v", what, other)
		}
		if healed := b.mustRun(sample.Files()).State(sanction.UN); healed.Status != edition.OK || healed.Detail != "" {
			t.Errorf("%s: after a good file %+v", what, healed)
		}
	}
}

// TestOneBadFileRefusesItsSource: half of OFAC is not OFAC.
func TestOneBadFileRefusesItsSource(t *testing.T) {
	b := newBench(t)
	p := b.mustRun(files(t, map[string]string{cons: "<html></html>"}))
	if s := p.State(sanction.OFAC); s.Status != edition.Missing || s.Entries != 0 || !strings.Contains(s.Detail, cons) {
		t.Errorf("state %+v, want missing because of %s", s, cons)
	}
	if s := p.State(sanction.UN); s.Status != edition.OK {
		t.Errorf("the other source is %+v", s)
	}
}

func TestNothingIsPublishedWithoutEntries(t *testing.T) {
	b := newBench(t)
	if p, err := b.run(fstest.MapFS{}); !errors.Is(err, refresh.ErrNothing) || p.Snapshot != "" {
		t.Errorf("a run on an empty folder gave %+v and error %v, want ErrNothing", p, err)
	}
	if _, _, err := edition.Read(t.Context(), b.store, ""); !errors.Is(err, edition.ErrNone) {
		t.Errorf("the pointer after it: error %v, want ErrNone", err)
	}
	b.mustRun(sample.Files()) // the lease was released
}

func TestOneRunAtATime(t *testing.T) {
	b := newBench(t)
	inside := &blockingOrigin{Origin: fetch.Folder{FS: sample.Files()}, entered: make(chan struct{}), leave: make(chan struct{})}
	done := make(chan error)
	go func() {
		_, err := b.refresher(inside).Run(context.Background())
		done <- err
	}()
	<-inside.entered
	if _, err := b.refresher(fetch.Folder{FS: sample.Files()}).Run(t.Context()); !errors.Is(err, objects.ErrHeld) {
		t.Errorf("a second run beside the first: error %v, want ErrHeld", err)
	}
	close(inside.leave)
	if err := <-done; err != nil {
		t.Errorf("the first run: %v", err)
	}
}

// blockingOrigin holds the first Fetch until it may leave.
type blockingOrigin struct {
	fetch.Origin
	entered, leave chan struct{}
	once           sync.Once
}

func (o *blockingOrigin) Fetch(ctx context.Context, f fetch.File, known fetch.Version, read func(fetch.Body) error) error {
	o.once.Do(func() {
		close(o.entered)
		<-o.leave
	})
	return o.Origin.Fetch(ctx, f, known, read)
}

// TestRecordsLeftOutAreReported: a record that cannot become an entry may be a
// party that is missed now.
func TestRecordsLeftOutAreReported(t *testing.T) {
	text, err := fs.ReadFile(sample.Files(), un)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	whole := b.mustRun(sample.Files()).State(sanction.UN)
	broken := strings.Replace(string(text), "<REFERENCE_NUMBER>", "<REFERENCE_NUMBER/><OLD_NUMBER>", 1)
	broken = strings.Replace(broken, "</REFERENCE_NUMBER>", "</OLD_NUMBER>", 1)
	s := b.mustRun(files(t, map[string]string{un: broken})).State(sanction.UN)
	if s.Status != edition.Review || s.Entries != whole.Entries-1 || !strings.Contains(s.Detail, "1 to be looked at") ||
		!strings.Contains(s.Detail, "REFERENCE_NUMBER is missing") || len(s.Detail) > 600 {
		t.Errorf("state %+v, want review with the reasons", s)
	}
}

// TestDetailIsBounded: what a publisher sends cannot swell the pointer.
func TestDetailIsBounded(t *testing.T) {
	b := newBench(t)
	b.mustRun(sample.Files())
	s := b.mustRun(files(t, map[string]string{un: "<" + strings.Repeat("é", 100_000) + "/>"})).State(sanction.UN)
	if s.Status != edition.Stale || len(s.Detail) > 600 {
		t.Errorf("status %s with a detail of %d bytes, want stale with at most 600", s.Status, len(s.Detail))
	}
}

func TestDateIsTheFirstFiles(t *testing.T) {
	b := newBench(t)
	text, err := fs.ReadFile(sample.Files(), cons)
	if err != nil {
		t.Fatal(err)
	}
	want := b.mustRun(sample.Files()).State(sanction.OFAC).ListDate
	start := strings.Index(string(text), "<dataAsOf>") + len("<dataAsOf>")
	other := string(text[:start]) + "1999" + string(text[start+4:])
	if got := b.mustRun(files(t, map[string]string{cons: other})).State(sanction.OFAC).ListDate; got != want {
		t.Errorf("list date %s with an older Consolidated file, want that of the SDN file, %s", got, want)
	}
}

// TestCancelInTheMiddle: a run that is stopped publishes nothing and lets the next
// one in.
func TestCancelInTheMiddle(t *testing.T) {
	b := newBench(t)
	before := b.mustRun(sample.Files())
	ctx, cancel := context.WithCancel(t.Context())
	stopping := fetch.Folder{FS: sample.Files(), Progress: func(_ string, _ int64, body io.Reader) io.Reader {
		cancel()
		return body
	}}
	if _, err := b.refresher(stopping).Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if after, _, err := edition.Read(t.Context(), b.store, ""); err != nil || !cmp.Equal(before, after) {
		t.Errorf("the pointer changed or is gone: error %v", err)
	}
	b.mustRun(sample.Files())
}

// TestRunMendsADamagedSnapshot: equal lists are written again.
func TestRunMendsADamagedSnapshot(t *testing.T) {
	b := newBench(t)
	p := b.mustRun(sample.Files())
	if _, err := b.store.Put(t.Context(), edition.SnapshotName(p.Snapshot), []byte("rubbish"), objects.Always); err != nil {
		t.Fatal(err)
	}
	b.mustRun(sample.Files())
	if len(b.served()) == 0 {
		t.Error("nothing is served after a damaged snapshot was written again")
	}
}

func TestCancelledRunPublishesNothing(t *testing.T) {
	b := newBench(t)
	before := b.mustRun(sample.Files())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.refresher(fetch.Folder{FS: sample.Files()}).Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	after, _, err := edition.Read(t.Context(), b.store, "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the pointer changed (-before +after):\n%s", diff)
	}
}

func TestProgressSeesTheWholeFile(t *testing.T) {
	b := newBench(t)
	var seen sync.Map
	watched := fetch.Folder{FS: sample.Files(), Progress: func(path string, size int64, body io.Reader) io.Reader {
		c := &counter{}
		seen.Store(path, c)
		return io.TeeReader(body, c)
	}}
	if _, err := b.refresher(watched).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{sdn, cons, un} {
		info, err := fs.Stat(sample.Files(), path)
		if err != nil {
			t.Fatal(err)
		}
		c, there := seen.Load(path)
		if !there || c.(*counter).bytes != info.Size() {
			t.Errorf("%s: %+v went by, the file has %d bytes", path, c, info.Size())
		}
	}
}

type counter struct{ bytes int64 }

func (c *counter) Write(b []byte) (int, error) {
	c.bytes += int64(len(b))
	return len(b), nil
}
