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
	// named says that a file that was read is the one that an operator accepts.
	named bool
}

// reading is what a source's files say now.
type reading struct {
	date     string
	files    []readFile
	entries  []sanction.Entry // of all files, united
	rejected []sanction.Rejection
	// doubts are what a person must look at, besides what was rejected.
	doubts []string
	// blind says that nothing of the publisher's was reached: the list is ours.
	blind bool
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
func (r *Refresher) source(ctx context.Context, s Source, last edition.Pointer) (outcome, error) {
	before := last.State(s.Name)
	served, err := r.served(ctx, s, last)
	if err != nil {
		return outcome{}, err
	}
	list, refusal := r.read(ctx, s, before, served)
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	before.CheckedAt = r.Now().UTC()
	var o outcome
	if refusal != nil {
		r.Log.WarnContext(ctx, "source refused", "source", s.Name, "reason", refusal)
		o, err = r.refused(ctx, before, refusal, served.united())
	} else {
		o, err = r.accept(ctx, before, list, served.united())
	}
	o.named = r.names(list, refusal)
	return o, err
}

// names reports whether a file that was read, if it was accepted or not, is the one that
// an operator accepts.
func (r *Refresher) names(list reading, refusal error) bool {
	var lost lossError
	return errors.As(refusal, &lost) && lost.file.SHA256 == r.AcceptLoss ||
		slices.ContainsFunc(list.files, func(f readFile) bool { return f.SHA256 == r.AcceptLoss })
}

// refused keeps the entries that the source had before. A file that lost too much is
// archived, so that an operator who accepts it accepts what was looked at.
func (r *Refresher) refused(ctx context.Context, state edition.State, reason error, entries []sanction.Entry) (outcome, error) {
	var lost lossError
	if errors.As(reason, &lost) {
		state.Refused = lost.file.File
		if lost.file.raw != nil {
			if _, err := lost.file.raw.Save(ctx, r.Store, rawFolder); err != nil {
				return outcome{}, err
			}
		}
	}
	return refusal(state, reason, entries), nil
}

func refusal(state edition.State, reason error, entries []sanction.Entry) outcome {
	state.Detail, state.Entries = shortened(reason.Error()), len(entries)
	state.Status = edition.Stale
	if len(entries) == 0 {
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
	if !list.blind || state.AcceptedAt.IsZero() {
		state.AcceptedAt = state.CheckedAt
	}
	state.ListDate = list.date
	state.Entries, state.Files, state.Refused = len(list.entries), files, edition.File{}
	r.Log.InfoContext(ctx, "source accepted", "source", state.Source, "list_date", list.date,
		"entries", len(list.entries), "changes", len(changes), "rejected", list.rejected, "doubts", list.doubts)
	return outcome{state: state, entries: list.entries, changes: changes}, nil
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

// accepted is what a source has been served from: the entries of its files.
type accepted struct {
	files  []string // paths, in the order in which their entries are united
	byFile map[string][]sanction.Entry
	// doubt says that the entries could not be had as they were accepted.
	doubt string
}

// served loads what was accepted before. What is damaged is taken from the snapshot,
// which lacks the reading order of names and the numbers of companies: better a
// source with less than none.
func (r *Refresher) served(ctx context.Context, s Source, last edition.Pointer) (accepted, error) {
	all := accepted{byFile: map[string][]sanction.Entry{}}
	state := last.State(s.Name)
	for _, f := range state.Files {
		if f.Entries == "" {
			continue
		}
		entries, err := r.load(ctx, f.Entries)
		switch {
		case errors.Is(err, archive.ErrDamaged):
			return r.servedBySnapshot(ctx, s, err)
		case err != nil:
			return accepted{}, fmt.Errorf("load what was accepted of %s: %w", f.Path, err)
		}
		all.files, all.byFile[f.Path] = append(all.files, f.Path), entries
	}
	if len(all.files) == 0 && state.Entries > 0 {
		return r.servedBySnapshot(ctx, s, errNoFiles)
	}
	return all, nil
}

var errNoFiles = errors.New("the state names no files")

func (r *Refresher) load(ctx context.Context, name string) ([]sanction.Entry, error) {
	var entries []sanction.Entry
	for e, err := range archive.Lines[sanction.Entry](ctx, r.Store, name) {
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// servedBySnapshot takes a source's entries for those of its first file.
func (r *Refresher) servedBySnapshot(ctx context.Context, s Source, damage error) (accepted, error) {
	current, err := edition.NewFollower(r.Store, 0, r.Now, r.Log).Current(ctx)
	if err != nil {
		return accepted{}, fmt.Errorf("%w; and the snapshot: %w", damage, err)
	}
	path := noticesPath
	if len(s.Files) > 0 {
		path = s.Files[0].Path
	}
	var entries []sanction.Entry
	for i := range current.Data.Entries() {
		if current.Data.Source(i) == s.Name {
			entries = append(entries, current.Data.Entry(i))
		}
	}
	return accepted{files: []string{path}, byFile: map[string][]sanction.Entry{path: entries},
		doubt: "what was accepted before was taken from the snapshot: " + damage.Error()}, nil
}

func (a accepted) united() []sanction.Entry {
	var files [][]sanction.Entry
	for _, path := range a.files {
		files = append(files, a.byFile[path])
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
			e.Names = slices.Clone(e.Names) // the file's stay as they are
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
// the source's main one. It takes readingTime at most. Beside an error stand the files
// that were read before it.
func (r *Refresher) read(ctx context.Context, s Source, before edition.State, served accepted) (reading, error) {
	ctx, cancel := context.WithTimeout(ctx, readingTime)
	defer cancel()
	whole, err := r.readFiles(ctx, s, before, served)
	if err != nil {
		return whole, err
	}
	if served.doubt != "" {
		whole.doubts = append(whole.doubts, served.doubt)
	}
	if whole.date < before.ListDate {
		whole.doubts = append(whole.doubts, fmt.Sprintf("the list is of %s, the one before it was of %s", whole.date, before.ListDate))
	}
	return whole, nil
}

func (r *Refresher) readFiles(ctx context.Context, s Source, before edition.State, served accepted) (reading, error) {
	if len(s.Files) == 0 {
		return r.readNotices(ctx, before)
	}
	var whole reading
	var entries [][]sanction.Entry
	for _, file := range s.Files {
		one, err := r.file(ctx, file, before, served.byFile[file.Path])
		if err != nil {
			return whole, fmt.Errorf("%s: %w", file.Path, err)
		}
		whole.files = append(whole.files, one)
		whole.rejected = append(whole.rejected, one.list.Rejected...)
		entries = append(entries, one.list.Entries)
	}
	whole.date = whole.files[0].list.Date
	whole.entries = united(entries...)
	return whole, nil
}

// file reads one file and compares it with what was accepted of it before. One that
// was refused and is accepted by an operator is read from the archive: some
// publishers never send the same bytes twice.
func (r *Refresher) file(ctx context.Context, f File, before edition.State, served []sanction.Entry) (readFile, error) {
	if before.Refused.Path == f.Path && before.Refused.SHA256 == r.AcceptLoss {
		one, err := r.again(ctx, f, before.Refused)
		if err == nil && f.KeepIDs {
			keepIDs(one.list.Entries, served)
		}
		return one, err
	}
	one, err := r.newest(ctx, f, lastAccepted(before, f.Path))
	if err != nil {
		return readFile{}, err
	}
	if f.KeepIDs {
		keepIDs(one.list.Entries, served)
	}
	if err := checkLoss(served, one.list.Entries); err != nil && one.SHA256 != r.AcceptLoss {
		return readFile{}, lossError{fmt.Errorf("%w (SHA-256 %s)", err, one.SHA256), one}
	}
	return one, nil
}

// lossError is an ErrLoss with the file that it is about.
type lossError struct {
	error
	file readFile
}

func (e lossError) Unwrap() error { return e.error }

// newest reads what the publisher has now, which may be the file accepted last.
func (r *Refresher) newest(ctx context.Context, f File, last edition.File) (readFile, error) {
	one, err := r.fetch(ctx, f, fetch.Version{URL: last.URL, ETag: last.ETag, LastModified: last.LastModified})
	if errors.Is(err, fetch.ErrUnchanged) {
		one, err = r.again(ctx, f, last)
		if errors.Is(err, archive.ErrDamaged) {
			one, err = r.fetch(ctx, f, fetch.Version{})
		}
	}
	return one, err
}

// lastAccepted returns a file as it was last accepted, if it ever was.
func lastAccepted(state edition.State, path string) edition.File {
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
		if err := checkSize(one.list.Entries); err != nil {
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

// mostText is the text of names in bytes that one file may bring; the SDN file has 2
// MB. A file that swells beyond is refused, so that it does not swell the snapshot
// beyond what functions load, which would refuse all sources.
const mostText = 8 << 20

func checkSize(entries []sanction.Entry) error {
	size := 0
	for i := range entries {
		for _, n := range entries[i].Names {
			size += len(n.Text) + len(n.Reading)
		}
	}
	if size > mostText {
		return fmt.Errorf("%w: its names have %d bytes", ErrTooLarge, size)
	}
	return nil
}
