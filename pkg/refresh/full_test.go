package refresh_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/history"
	"github.com/listward/listward/pkg/lists/liststest"
	"github.com/listward/listward/pkg/lists/sample"
	"github.com/listward/listward/pkg/sanction"
)

// TestFullGenerations publishes the older lists and then the newer ones, and compares
// what the history says of the step with independent counts.
func TestFullGenerations(t *testing.T) {
	folder := liststest.Folder(t)
	b := newBench(t)
	b.mustRun(os.DirFS(filepath.Join(folder, "older")))
	p := b.mustRun(os.DirFS(filepath.Join(folder, "newer")))
	for _, s := range p.Sources {
		if s.Status != edition.OK && s.Source != sanction.CN {
			t.Errorf("%s: %s, %s", s.Source, s.Status, s.Detail)
		}
	}
	b.checkNewer(p)
	got, became := map[sanction.Source]map[history.Kind]int{}, map[string]history.Kind{}
	for _, c := range b.lastChanges(p) {
		if got[c.Entry.Source] == nil {
			got[c.Entry.Source] = map[history.Kind]int{}
		}
		got[c.Entry.Source][c.Kind]++
		became[c.Entry.ID] = c.Kind
	}
	for file, id := range map[string]string{"ofac_sdn": "OFAC-", "ofac_cons": "OFAC-", "un": "UN-", "eu": "EU-", "eux": "", "cn": "CN-"} {
		var want struct {
			Added, Removed  int
			AddedExamples   []string `json:"added_examples"`
			RemovedExamples []string `json:"removed_examples"`
		}
		liststest.Expected(t, "delta_older_to_newer", file, &want)
		source := sanction.Source(strings.ToUpper(strings.SplitN(file, "_", 2)[0]))
		got[source][history.Added] -= want.Added
		got[source][history.Removed] -= want.Removed
		if id == "" { // the examples are numbers of rows, which ours are not
			continue
		}
		for _, example := range want.AddedExamples {
			if key := id + strings.ReplaceAll(example, "/", "-"); became[key] != history.Added {
				t.Errorf("%s became %q, want added", key, became[key])
			}
		}
		for _, example := range want.RemovedExamples {
			if key := id + example; became[key] != history.Removed {
				t.Errorf("%s became %q, want removed", key, became[key])
			}
		}
	}
	// What was added and removed beyond the expected is nothing. What changed: 20
	// entries of SDN were altered; two of the UN and two of EUX got further names.
	none := map[history.Kind]int{history.Added: 0, history.Removed: 0}
	changed := func(n int) map[history.Kind]int {
		return map[history.Kind]int{history.Added: 0, history.Removed: 0, history.Changed: n}
	}
	want := map[sanction.Source]map[history.Kind]int{
		sanction.OFAC: changed(20), sanction.UN: changed(2), sanction.EU: none, sanction.EUX: changed(2), sanction.CN: none,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes beyond the expected (-want +got):\n%s", diff)
	}
	for _, id := range []string{"EUX-XLII-9999993", "EUX-XLII-9999981"} { // the invented ships
		if became[id] != history.Removed {
			t.Errorf("%s became %q, want removed", id, became[id])
		}
	}
}

// checkNewer compares what is served of the newer lists with counts that were made
// independently: SDN 19,249 and Consolidated 443 records, 88 ids in both; EUX
// 1,843 rows, two of which repeat an IMO number.
func (b *bench) checkNewer(p edition.Pointer) {
	t := b.t
	t.Helper()
	if state := p.State(sanction.OFAC); state.Entries != 19604 || state.ListDate != "2026-08-20" {
		t.Errorf("OFAC: %d entries of %s", state.Entries, state.ListDate)
	}
	if state := p.State(sanction.UN); state.Entries != 1003 || state.ListDate != "2026-02-27" {
		t.Errorf("UN: %d entries of %s", state.Entries, state.ListDate)
	}
	// The texts leave open whether a suspension to 2026-11-10 was extended.
	if state := p.State(sanction.CN); state.Status != edition.Review || !strings.Contains(state.Detail, "UEL-2025-7") {
		t.Errorf("CN: %s, %s, want review of UEL-2025-7", state.Status, state.Detail)
	}
	e, err := edition.NewFollower(b.store, 0, b.refresher(nil).Now, slog.New(slog.DiscardHandler)).Current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[sanction.Source]map[sanction.Type]int{sanction.OFAC: {}, sanction.UN: {}, sanction.EU: {}, sanction.EUX: {}, sanction.CN: {}}
	for i := range e.Data.Entries() {
		got[e.Data.Source(i)][e.Data.Type(i)]++
	}
	want := map[sanction.Source]map[sanction.Type]int{
		sanction.OFAC: {sanction.Entity: 10148, sanction.Individual: 7580, sanction.Vessel: 1534, sanction.Aircraft: 342},
		sanction.UN:   {sanction.Individual: 730, sanction.Entity: 273},
		sanction.EU:   {sanction.Individual: 4341, sanction.Entity: 1517, sanction.Vessel: 2},
		sanction.EUX:  {sanction.Entity: 1169, sanction.Vessel: 672},
		sanction.CN:   {sanction.Entity: 134},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries by source and type (-want +got):\n%s", diff)
	}
}

// TestFullBadFiles puts each bad file in the place of a good one: the source is
// refused with a reason that names the file, and what was served stays.
func TestFullBadFiles(t *testing.T) {
	bad := filepath.Join(liststest.Folder(t), "samples", "bad")
	found, err := os.ReadDir(bad)
	if err != nil || len(found) == 0 {
		t.Fatalf("bad files: %d found, error %v", len(found), err)
	}
	reasons := map[string]string{
		"eu_zero_entities.xml":              "another root element or namespace",
		"html_status_200.html":              "web page",
		"ofac_enhanced_truncated.xml":       "cut off",
		"ofac_enhanced_wrong_namespace.xml": "another root element or namespace",
		"un_empty_body.bin":                 "empty",
		"un_maintenance_page.html":          "web page",
		"un_nginx_403.html":                 "web page",
	}
	for _, file := range found {
		text, err := os.ReadFile(filepath.Join(bad, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for path, source := range map[string]sanction.Source{sdn: sanction.OFAC, cons: sanction.OFAC, un: sanction.UN} {
			b := newBench(t)
			b.mustRun(sample.Files())
			before := b.served()
			state := b.mustRun(files(t, map[string]string{path: string(text)})).State(source)
			reason := reasons[file.Name()]
			if strings.HasPrefix(file.Name(), "ofac") && path == un {
				reason = "another root element or namespace"
			}
			if reason == "" || state.Status != edition.Stale || !strings.Contains(state.Detail, path) || !strings.Contains(state.Detail, reason) {
				t.Errorf("%s as %s: %s, %q, want stale for %q", file.Name(), path, state.Status, state.Detail, reason)
			}
			if diff := cmp.Diff(before, b.served()); diff != "" {
				t.Errorf("%s as %s: what is served changed:\n%s", file.Name(), path, diff)
			}
		}
	}
}
