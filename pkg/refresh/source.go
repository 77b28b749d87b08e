package refresh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/listward/listward/pkg/archive"
	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/fetch"
	"github.com/listward/listward/pkg/history"
	"github.com/listward/listward/pkg/sanction"
)

// The folders of the archive.
const (
	rawFolder     = "raw"     // publishers' files, as evidence
	entriesFolder = "entries" // what was read from them: refused sources are served from it
)

// readingTime is what reading the sources may take, tries again included. It
// leaves the rest of the 12 minutes of a run for publishing.
const readingTime = 10 * time.Minute

// outcome is what a run makes of one source.
type outcome struct {
	state   edition.State
	entries []sanction.Entry
	changes []history.Change
}

// reading is what a source's files say now.
type reading struct {
	date     string
	files    []readFile
	entries  []sanction.Entry // of all files, united
	rejected []sanction.Rejection
	// doubts are what a person must look at, besides what was rejected.
	doubts []string
}

// readFile is one file, read.
type readFile struct {
	edition.File
	list sanction.List
	// raw is the file itself; nil for one that the archive has.
	raw *archive.Draft
}

// source reads one source and returns what is served of it after this run. The
// error is one of our own store; the publisher's faults are in the state.
func (r *Refresher) source(ctx context.Context, s Source, before edition.State) (outcome, error) {
	served, damage := r.served(ctx, before)
	if damage != nil && !errors.Is(damage, archive.ErrDamaged) {
		return outcome{}, damage
	}
	inTime, cancel := context.WithTimeout(ctx, readingTime)
	defer cancel()
	list, refusal := r.read(inTime, s, before, served)
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	before.CheckedAt = r.Now().UTC()
	if refusal != nil {
		r.Log.WarnContext(ctx, "source refused", "source", s.Name, "reason", refusal)
		return refused(before, refusal, served.united(before)), damage
	}
	if damage != nil {
		list.doubts = append(list.doubts, "no comparison with what was accepted before: "+damage.Error())
	}
	return r.accept(ctx, before, list, served.united(before))
}

// refused keeps the entries that the source had before.
func refused(state edition.State, reason error, entries []sanction.Entry) outcome {
	state.Detail = shortened(reason.Error())
	state.Status = edition.Stale
	if len(state.Files) == 0 {
		state.Status = edition.Missing
	}
	return outcome{state: state, entries: entries}
}

// accept puts a reading in the place of what was served before.
func (r *Refresher) accept(ctx context.Context, state edition.State, list reading, before []sanction.Entry) (outcome, error) {
	files, err := r.save(ctx, list.files)
	if err != nil {
		return outcome{}, err
	}
	changes := history.Diff(before, list.entries)
	if len(changes) > 0 {
		state.LastUpdated = state.CheckedAt
	}
	state.Status, state.Detail = list.judged()
	state.AcceptedAt, state.ListDate = state.CheckedAt, list.date
	state.Entries, state.Files = len(list.entries), files
	r.Log.InfoContext(ctx, "source accepted", "source", state.Source, "list_date", list.date,
		"entries", len(list.entries), "changes", len(changes), "rejected", list.rejected)
	return outcome{state, list.entries, changes}, nil
}

// save archives the files and what was read from them.
func (r *Refresher) save(ctx context.Context, files []readFile) ([]edition.File, error) {
	var saved []edition.File
	for _, f := range files {
		if f.raw != nil {
			if _, err := f.raw.Save(ctx, r.Store, rawFolder); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Path, err)
			}
		}
		if len(f.list.Entries) > 0 {
			name, err := archive.SaveLines(ctx, r.Store, entriesFolder, slices.Values(f.list.Entries))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.Path, err)
			}
			f.Entries = name
		}
		saved = append(saved, f.File)
	}
	return saved, nil
}

// judged is the status of an accepted list. Records that were left out may be
// parties that are missed now, so somebody must look at them.
func (l reading) judged() (edition.Status, string) {
	doubts := slices.Clone(l.doubts)
	for _, rejected := range l.rejected {
		doubts = append(doubts, fmt.Sprintf("left out %s (%s)", rejected.ID, rejected.Reason))
	}
	if len(doubts) == 0 {
		return edition.OK, ""
	}
	return edition.Review, shortened(fmt.Sprintf("%d to be looked at: %s", len(doubts), strings.Join(doubts, "; ")))
}

// maxDetail is the length of a state's detail in bytes: what it is made of comes
// from publishers, and the pointer must stay small.
const maxDetail = 500

func shortened(s string) string {
	if len(s) <= maxDetail {
		return s
	}
	return strings.ToValidUTF8(s[:maxDetail], "") + "…"
}

// entriesByFile are the entries last accepted of each file of a source.
type entriesByFile map[string][]sanction.Entry

// served loads them. The error is archive.ErrDamaged or the store's.
func (r *Refresher) served(ctx context.Context, before edition.State) (entriesByFile, error) {
	all := entriesByFile{}
	for _, f := range before.Files {
		if f.Entries == "" {
			continue
		}
		for e, err := range archive.Lines[sanction.Entry](ctx, r.Store, f.Entries) {
			if err != nil {
				return nil, fmt.Errorf("load what was accepted of %s: %w", f.Path, err)
			}
			all[f.Path] = append(all[f.Path], e)
		}
	}
	return all, nil
}

func (all entriesByFile) united(state edition.State) []sanction.Entry {
	var files [][]sanction.Entry
	for _, f := range state.Files {
		files = append(files, all[f.Path])
	}
	return united(files...)
}

// united makes one entry of those of an id, and sorts them by it.
func united(files ...[]sanction.Entry) []sanction.Entry {
	first := map[string]*sanction.Entry{}
	for _, e := range slices.Concat(files...) {
		if there := first[e.ID]; there != nil {
			there.Unite(e)
		} else {
			first[e.ID] = &e
		}
	}
	entries := make([]sanction.Entry, 0, len(first))
	for _, id := range slices.Sorted(maps.Keys(first)) {
		entries = append(entries, *first[id])
	}
	return entries
}

// read reads the files of a source. The date is that of the first file, which is
// the source's main one.
func (r *Refresher) read(ctx context.Context, s Source, before edition.State, served entriesByFile) (reading, error) {
	if len(s.Files) == 0 {
		return r.readNotices(ctx, before)
	}
	var whole reading
	var entries [][]sanction.Entry
	for _, file := range s.Files {
		one, err := r.file(ctx, file, before, served[file.Path])
		if err != nil {
			return reading{}, fmt.Errorf("%s: %w", file.Path, err)
		}
		whole.files = append(whole.files, one)
		whole.rejected = append(whole.rejected, one.list.Rejected...)
		entries = append(entries, one.list.Entries)
	}
	whole.date = whole.files[0].list.Date
	whole.entries = united(entries...)
	return whole, nil
}

// file reads one file and compares it with what was accepted of it before.
func (r *Refresher) file(ctx context.Context, f File, before edition.State, served []sanction.Entry) (readFile, error) {
	last := accepted(before, f.Path)
	one, err := r.fetch(ctx, f, fetch.Version{URL: last.URL, ETag: last.ETag, LastModified: last.LastModified})
	if errors.Is(err, fetch.ErrUnchanged) {
		one, err = r.again(ctx, f, last)
		if errors.Is(err, archive.ErrDamaged) {
			one, err = r.fetch(ctx, f, fetch.Version{})
		}
	}
	if err != nil {
		return readFile{}, err
	}
	if f.KeepIDs {
		keepIDs(one.list.Entries, served)
	}
	if err := checkLoss(served, one.list.Entries); err != nil && one.SHA256 != r.AcceptLoss {
		return readFile{}, fmt.Errorf("%w (SHA-256 %s)", err, one.SHA256)
	}
	return one, nil
}

// accepted returns a file as it was last accepted, if it ever was.
func accepted(state edition.State, path string) edition.File {
	if i := slices.IndexFunc(state.Files, func(f edition.File) bool { return f.Path == path }); i >= 0 {
		return state.Files[i]
	}
	return edition.File{}
}

// fetch reads a file of the origin while it arrives.
func (r *Refresher) fetch(ctx context.Context, f File, known fetch.Version) (readFile, error) {
	var one readFile
	err := r.Origin.Fetch(ctx, f.File, known, func(body fetch.Body) error {
		one = readFile{raw: archive.NewDraft()}
		text := io.TeeReader(body, one.raw)
		var err error
		if one.list, err = f.Parse(text); err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, text) // what stands behind the last element
		one.File = edition.File{Path: f.Path, SHA256: one.raw.Sum(),
			URL: body.Version.URL, ETag: body.Version.ETag, LastModified: body.Version.LastModified}
		return err
	})
	return one, err
}

// again reads a file that is still as it was accepted: the parser may be a newer one.
func (r *Refresher) again(ctx context.Context, f File, last edition.File) (readFile, error) {
	raw, err := archive.Open(ctx, r.Store, archive.Name(rawFolder, last.SHA256))
	if err != nil {
		return readFile{}, err
	}
	defer raw.Close() // read-only: nothing is lost
	list, err := f.Parse(raw)
	if err == nil {
		_, err = io.Copy(io.Discard, raw)
	}
	return readFile{File: last, list: list}, err
}
