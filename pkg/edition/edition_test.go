package edition_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/objects/dir"
	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/snapshot"
)

var morning = time.Date(2026, 11, 20, 4, 30, 0, 0, time.UTC)

// shelf is a store that counts reads and can fail, with a clock.
type shelf struct {
	objects.Store
	now time.Time

	mu   sync.Mutex
	gets map[string]int
	// bodies counts the objects that were sent rather than "not modified".
	bodies int
	// bound is how long the last Get may take; 0 is for ever.
	bound time.Duration
	// wrap replaces the bodies of objects.
	wrap func(io.ReadCloser) io.ReadCloser
	fail error
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	store, err := dir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &shelf{Store: store, now: morning, gets: map[string]int{}}
}

func (s *shelf) Get(ctx context.Context, name, ifNoneMatch string) (objects.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gets[name]++
	if deadline, ok := ctx.Deadline(); ok {
		s.bound = time.Until(deadline)
	}
	if s.fail != nil {
		return objects.Object{}, s.fail
	}
	object, err := s.Store.Get(ctx, name, ifNoneMatch)
	if err == nil {
		s.bodies++
	}
	if err == nil && s.wrap != nil {
		object.Body = s.wrap(object.Body)
	}
	return object, err
}

func (s *shelf) follower(maxAge time.Duration) *edition.Follower {
	return edition.NewFollower(s, maxAge, func() time.Time { return s.now }, slog.New(slog.DiscardHandler))
}

// publish writes an edition with one entry and returns its pointer.
func (s *shelf) publish(t *testing.T, name string) edition.Pointer {
	t.Helper()
	file, err := snapshot.Build([]sanction.Entry{{
		ID: "UN-1", Source: sanction.UN, Type: sanction.Entity, URL: "https://un.example",
		Names: []sanction.Name{{Text: name, Kind: sanction.Primary}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	id := edition.ID(file)
	if _, err := s.Put(t.Context(), edition.SnapshotName(id), file, objects.Always); err != nil {
		t.Fatal(err)
	}
	p := edition.Pointer{Snapshot: id, PublishedAt: s.now, Sources: []edition.State{{
		Source: sanction.UN, Status: edition.OK, Entries: 1, AcceptedAt: s.now, CheckedAt: s.now,
	}}}
	s.point(t, p)
	return p
}

func (s *shelf) point(t *testing.T, p edition.Pointer) {
	t.Helper()
	_, etag, err := edition.Read(t.Context(), s.Store, "")
	if err != nil && !errors.Is(err, edition.ErrNone) {
		t.Fatal(err)
	}
	if err := edition.Write(t.Context(), s.Store, p, etag); err != nil {
		t.Fatal(err)
	}
}

func TestPointerRoundTrip(t *testing.T) {
	s := newShelf(t)
	want := s.publish(t, "ALPHA")
	got, etag, err := edition.Read(t.Context(), s, "")
	if diff := cmp.Diff(want, got); diff != "" || err != nil || etag == "" {
		t.Errorf("Read: error %v, ETag %q, (-want +got):\n%s", err, etag, diff)
	}
	if _, _, err := edition.Read(t.Context(), s, etag); !errors.Is(err, objects.ErrNotModified) {
		t.Errorf("Read with the ETag: error %v, want ErrNotModified", err)
	}
}

// TestWriteRefusesWhatReadWould: a pointer that nobody could read again is not
// written.
func TestWriteRefusesWhatReadWould(t *testing.T) {
	s := newShelf(t)
	p := s.publish(t, "ALPHA")
	_, etag, err := edition.Read(t.Context(), s, "")
	if err != nil {
		t.Fatal(err)
	}
	p.Sources[0].Detail = strings.Repeat("x", 2<<20)
	if err := edition.Write(t.Context(), s, p, etag); !errors.Is(err, edition.ErrDamaged) {
		t.Errorf("Write of 2 MB: error %v, want ErrDamaged", err)
	}
}

func TestWriteConflicts(t *testing.T) {
	s := newShelf(t)
	p := s.publish(t, "ALPHA")
	for what, etag := range map[string]string{"another ETag": "other", "none": ""} {
		if err := edition.Write(t.Context(), s, p, etag); !errors.Is(err, edition.ErrConflict) {
			t.Errorf("Write with %s over a pointer: error %v, want ErrConflict", what, err)
		}
	}
}

func TestNothingPublished(t *testing.T) {
	s := newShelf(t)
	if e, err := s.follower(0).Current(t.Context()); !errors.Is(err, edition.ErrNone) || e != nil {
		t.Errorf("Current of an empty store: %v and error %v, want ErrNone", e, err)
	}
}

func TestDamagedEditionIsNotServed(t *testing.T) {
	for what, damage := range map[string]func(*testing.T, *shelf, edition.Pointer){
		"pointer is no JSON": func(t *testing.T, s *shelf, _ edition.Pointer) {
			put(t, s, "current.json", "{")
		},
		"pointer too large": func(t *testing.T, s *shelf, _ edition.Pointer) {
			put(t, s, "current.json", strings.Repeat(" ", 2<<20))
		},
		"pointer is an empty object": func(t *testing.T, s *shelf, _ edition.Pointer) {
			put(t, s, "current.json", "{}")
		},
		"pointer is null": func(t *testing.T, s *shelf, _ edition.Pointer) {
			put(t, s, "current.json", "null")
		},
		"another snapshot under its name": func(t *testing.T, s *shelf, p edition.Pointer) {
			other := s.publish(t, "BETA")
			object, err := s.Store.Get(t.Context(), edition.SnapshotName(other.Snapshot), "")
			if err != nil {
				t.Fatal(err)
			}
			file, err := io.ReadAll(object.Body)
			if err != nil {
				t.Fatal(err)
			}
			put(t, s, edition.SnapshotName(p.Snapshot), string(file))
			s.point(t, p)
		},
		"snapshot missing": func(t *testing.T, s *shelf, p edition.Pointer) {
			p.Snapshot = strings.Repeat("0", 64)
			s.point(t, p)
		},
		"snapshot named by no hash": func(t *testing.T, s *shelf, p edition.Pointer) {
			p.Snapshot = "../../etc"
			s.point(t, p)
		},
		"snapshot of other bytes": func(t *testing.T, s *shelf, p edition.Pointer) {
			put(t, s, edition.SnapshotName(p.Snapshot), "LISTWARD and something else")
		},
		"no snapshot under its name": func(t *testing.T, s *shelf, p edition.Pointer) {
			p.Snapshot = edition.ID([]byte("rubbish"))
			put(t, s, edition.SnapshotName(p.Snapshot), "rubbish")
			s.point(t, p)
		},
	} {
		s := newShelf(t)
		damage(t, s, s.publish(t, "ALPHA"))
		if e, err := s.follower(0).Current(t.Context()); !errors.Is(err, edition.ErrDamaged) || e != nil {
			t.Errorf("%s: Current gave %v and error %v, want ErrDamaged", what, e, err)
		}
	}
}

func put(t *testing.T, s *shelf, name, body string) {
	t.Helper()
	if _, err := s.Put(t.Context(), name, []byte(body), objects.Always); err != nil {
		t.Fatal(err)
	}
}

// name returns the one name that is served.
func name(t *testing.T, f *edition.Follower) string {
	t.Helper()
	e, err := f.Current(t.Context())
	if err != nil {
		t.Fatalf("Current: %v", err)
	}
	return e.Data.Name(0).Text
}

func TestFollowerSeesANewEditionAfterMaxAge(t *testing.T) {
	s := newShelf(t)
	s.publish(t, "ALPHA")
	f := s.follower(time.Minute)
	if got := name(t, f); got != "ALPHA" {
		t.Fatalf("served %s, want ALPHA", got)
	}
	s.publish(t, "BETA")
	s.now = s.now.Add(59 * time.Second)
	if got := name(t, f); got != "ALPHA" {
		t.Errorf("after 59 s: served %s, want ALPHA still", got)
	}
	s.now = s.now.Add(time.Second)
	if got := name(t, f); got != "BETA" {
		t.Errorf("after 60 s: served %s, want BETA", got)
	}
}

func TestFollowerReadsAnUnchangedSnapshotOnce(t *testing.T) {
	s := newShelf(t)
	p := s.publish(t, "ALPHA")
	f := s.follower(time.Minute)
	for range 5 {
		name(t, f)
		s.now = s.now.Add(time.Minute)
		p.PublishedAt = s.now
		s.point(t, p)
	}
	if got := s.gets[edition.SnapshotName(p.Snapshot)]; got != 1 {
		t.Errorf("the snapshot was read %d times, want once", got)
	}
	bodies := s.bodies
	s.now = s.now.Add(time.Minute)
	name(t, f) // takes the pointer written last
	s.now = s.now.Add(time.Minute)
	if name(t, f); s.bodies != bodies+1 {
		t.Errorf("an unchanged pointer was sent whole: %d bodies, want %d", s.bodies, bodies+1)
	}
	e, err := f.Current(t.Context())
	if err != nil || !e.PublishedAt.Equal(p.PublishedAt) {
		t.Errorf("published_at %v, error %v, want the newest pointer's %v", e.PublishedAt, err, p.PublishedAt)
	}
}

func TestFollowerServesOnWhenTheCheckFails(t *testing.T) {
	s := newShelf(t)
	s.publish(t, "ALPHA")
	f := s.follower(time.Minute)
	name(t, f)
	s.fail = errors.New("the store is down")
	s.now = s.now.Add(time.Hour)
	before := s.gets["current.json"]
	for range 10 {
		if got := name(t, f); got != "ALPHA" {
			t.Errorf("served %s with the store down, want ALPHA", got)
		}
	}
	if asked := s.gets["current.json"] - before; asked != 1 {
		t.Errorf("a store in trouble was asked %d times within maxAge, want once", asked)
	}
	s.fail = nil
	s.publish(t, "BETA")
	s.now = s.now.Add(time.Minute)
	if got := name(t, f); got != "BETA" {
		t.Errorf("served %s with the store back, want BETA", got)
	}
	put(t, s, "current.json", "{")
	s.now = s.now.Add(time.Minute)
	if got := name(t, f); got != "BETA" {
		t.Errorf("served %s with a damaged pointer, want BETA", got)
	}
}

// TestAlteredPointerIsNotServed: a store tells with the last bytes that they are
// not those that were written.
func TestAlteredPointerIsNotServed(t *testing.T) {
	s := newShelf(t)
	s.publish(t, "ALPHA")
	altered := errors.New("checksum did not match")
	s.wrap = func(body io.ReadCloser) io.ReadCloser { return endsWith{body, altered} }
	if _, _, err := edition.Read(t.Context(), s, ""); !errors.Is(err, altered) {
		t.Errorf("Read: error %v, want %v", err, altered)
	}
	s.wrap = func(io.ReadCloser) io.ReadCloser { return io.NopCloser(strings.NewReader("{}")) }
	if _, _, err := edition.Read(t.Context(), s, ""); !errors.Is(err, edition.ErrDamaged) {
		t.Errorf("Read of another length: error %v, want ErrDamaged", err)
	}
}

// endsWith gives an error together with the last bytes.
type endsWith struct {
	io.ReadCloser
	err error
}

func (e endsWith) Read(b []byte) (int, error) {
	n, err := e.ReadCloser.Read(b)
	if n < len(b) || errors.Is(err, io.EOF) {
		return n, e.err
	}
	return n, err
}

// TestFollowerBoundsItsLooks: each look at the store ends by itself, long before
// Lambda ends the function.
func TestFollowerBoundsItsLooks(t *testing.T) {
	s := newShelf(t)
	s.publish(t, "ALPHA")
	f := s.follower(time.Minute)
	for range 3 {
		s.bound = 0
		name(t, f)
		if s.bound <= 0 || s.bound > 5*time.Second {
			t.Errorf("a look at the store may take %v", s.bound)
		}
		s.now = s.now.Add(time.Minute)
	}
}

func TestFollowerRecoversFromAFailedStart(t *testing.T) {
	s := newShelf(t)
	down := errors.New("the store is down")
	s.fail = down
	f := s.follower(time.Minute)
	if _, err := f.Current(t.Context()); !errors.Is(err, down) {
		t.Errorf("error %v, want the store's", err)
	}
	s.fail = nil
	s.publish(t, "ALPHA")
	if got := name(t, f); got != "ALPHA" {
		t.Errorf("served %s, want ALPHA", got)
	}
}

func TestFollowerConcurrently(t *testing.T) {
	s := newShelf(t)
	p := s.publish(t, "ALPHA")
	f := s.follower(0)
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for range 50 {
				if _, err := f.Current(t.Context()); err != nil {
					t.Errorf("Current: %v", err)
				}
			}
		})
	}
	callers.Wait()
	if got := s.gets[edition.SnapshotName(p.Snapshot)]; got != 1 {
		t.Errorf("the snapshot was read %d times, want once", got)
	}
}

func TestStatusAt(t *testing.T) {
	s := edition.State{Status: edition.OK, AcceptedAt: morning}
	for after, want := range map[time.Duration]edition.Status{
		0: edition.OK, 48 * time.Hour: edition.OK, 48*time.Hour + time.Second: edition.Stale,
	} {
		if got := s.StatusAt(morning.Add(after)); got != want {
			t.Errorf("%v after acceptance: %s, want %s", after, got, want)
		}
	}
	s.Status = edition.Review
	if got := s.StatusAt(morning.Add(72 * time.Hour)); got != edition.Review {
		t.Errorf("a source in review after three days: %s, want review", got)
	}
	if got := (edition.Pointer{}).State(sanction.CN).Status; got != edition.Missing {
		t.Errorf("a source that the pointer lacks: %s, want missing", got)
	}
}
