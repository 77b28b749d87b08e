package watch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/metrics"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/objects/dir"
	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/watch"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func ago(hours float64) time.Time { return noon.Add(-time.Duration(hours * float64(time.Hour))) }

// desk is a store with a watcher.
type desk struct {
	*testing.T
	store objects.Store
}

func newDesk(t *testing.T) desk {
	t.Helper()
	store, err := dir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return desk{t, store}
}

func (d desk) publish(sources ...edition.State) {
	d.Helper()
	p := edition.Pointer{Snapshot: strings.Repeat("a", 64), PublishedAt: ago(1000), Sources: sources}
	if err := edition.Write(d.Context(), d.store, p, ""); err != nil {
		d.Fatal(err)
	}
}

func (d desk) watcher(out io.Writer) *watch.Watcher {
	now := func() time.Time { return noon }
	return &watch.Watcher{Store: d.store, Metrics: metrics.NewWriter(watch.Namespace, out, now), Stack: "stack", Now: now}
}

// measured are the values by metric and, where it has one, source. Everything on a line
// must be a metric, and of this stack.
func (d desk) measured() (map[string]float64, error) {
	d.Helper()
	var out bytes.Buffer
	failure := d.watcher(&out).Watch(d.Context())
	values := map[string]float64{}
	for line := range strings.Lines(out.String()) {
		var root map[string]any
		if err := json.Unmarshal([]byte(line), &root); err != nil {
			d.Fatal(err)
		}
		source, _ := root["Source"].(string)
		if root["Stack"] != "stack" {
			d.Errorf("a line of stack %v, want stack", root["Stack"])
		}
		for _, name := range []string{"_aws", "Stack", "Source"} {
			delete(root, name)
		}
		for name, value := range root {
			values[strings.TrimSpace(name+" "+source)] = value.(float64)
		}
	}
	return values, failure
}

// missing are the metrics of sources that the pointer does not have.
func missing(sources ...sanction.Source) map[string]float64 {
	values := map[string]float64{}
	for _, s := range sources {
		values["InReview "+string(s)], values["Missing "+string(s)], values["Entries "+string(s)] = 0, 1, 0
	}
	return values
}

func TestWatch(t *testing.T) {
	for what, c := range map[string]struct {
		sources []edition.State
		want    map[string]float64
		missing []sanction.Source
	}{
		"every state": {
			[]edition.State{
				{Source: sanction.OFAC, Status: edition.OK, Entries: 18000, AcceptedAt: ago(7.5), CheckedAt: ago(7.5)},
				{Source: sanction.UN, Status: edition.Stale, Entries: 1000, AcceptedAt: ago(55.5), CheckedAt: ago(7.25)},
				{Source: sanction.EU, Status: edition.Review, Entries: 6000, AcceptedAt: ago(7.5), CheckedAt: ago(7.5)},
				{Source: sanction.EUX, Status: edition.Missing, CheckedAt: ago(7.5)},
			},
			map[string]float64{
				"PointerUnreadable": 0, "SnapshotAgeHours": 7.25,
				"StaleHours OFAC": 7.5, "InReview OFAC": 0, "Missing OFAC": 0, "Entries OFAC": 18000,
				"StaleHours UN": 55.5, "InReview UN": 0, "Missing UN": 0, "Entries UN": 1000,
				"StaleHours EU": 7.5, "InReview EU": 1, "Missing EU": 0, "Entries EU": 6000,
			},
			[]sanction.Source{sanction.EUX, sanction.CN},
		},
		"a run that did not take place": {
			[]edition.State{{Source: sanction.CN, Status: edition.OK, Entries: 3, AcceptedAt: ago(60), CheckedAt: ago(60)}},
			map[string]float64{
				"PointerUnreadable": 0, "SnapshotAgeHours": 60, "StaleHours CN": 60, "InReview CN": 0, "Missing CN": 0, "Entries CN": 3,
			},
			[]sanction.Source{sanction.OFAC, sanction.UN, sanction.EU, sanction.EUX},
		},
		"nothing that ever happened": {
			[]edition.State{{Source: sanction.UN, Status: edition.Missing}},
			map[string]float64{"PointerUnreadable": 0},
			sanction.Sources(),
		},
	} {
		d := newDesk(t)
		d.publish(c.sources...)
		got, err := d.measured()
		maps.Copy(c.want, missing(c.missing...))
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: error %v, metrics differ (-want +got):\n%s", what, err, diff)
		}
	}
}

// broken is a store that fails, and tells how long a look may take.
type broken struct {
	objects.Store
	fail  error
	bound time.Duration
}

func (b *broken) Get(ctx context.Context, _, _ string) (objects.Object, error) {
	if deadline, bounded := ctx.Deadline(); bounded {
		b.bound = time.Until(deadline)
	}
	return objects.Object{}, b.fail
}

func TestUnreadable(t *testing.T) {
	down := errors.New("the store is down")
	for what, c := range map[string]struct {
		prepare func(*desk)
		want    error
	}{
		"nothing published": {func(*desk) {}, edition.ErrNone},
		"a damaged pointer": {func(d *desk) {
			if _, err := d.store.Put(d.Context(), "current.json", []byte("{"), objects.Always); err != nil {
				d.Fatal(err)
			}
		}, edition.ErrDamaged},
		"a store that is down": {func(d *desk) { d.store = &broken{fail: down} }, down},
	} {
		d := newDesk(t)
		c.prepare(&d)
		got, err := d.measured()
		if diff := cmp.Diff(map[string]float64{"PointerUnreadable": 1}, got); diff != "" || !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v; metrics differ (-want +got):\n%s", what, err, c.want, diff)
		}
	}
}

// TestLookIsBounded: a store that hangs ends the look before Lambda ends the function,
// after 30 seconds.
func TestLookIsBounded(t *testing.T) {
	store := &broken{fail: edition.ErrNone}
	d := desk{t, store}
	if _, err := d.measured(); !errors.Is(err, edition.ErrNone) {
		t.Errorf("error %v, want ErrNone", err)
	}
	if store.bound <= 0 || store.bound > 20*time.Second {
		t.Errorf("a look at the store may take %v", store.bound)
	}
}

func TestOutputFails(t *testing.T) {
	d := newDesk(t)
	d.publish(edition.State{Source: sanction.UN, Status: edition.OK})
	reader, full := io.Pipe()
	reader.CloseWithError(io.ErrShortWrite)
	if err := d.watcher(full).Watch(t.Context()); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("error %v, want the output's", err)
	}
}
