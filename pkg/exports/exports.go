// Package exports keeps whole lists as files to download: for each source and for all
// of them together, as csv, xlsx and ndjson. The refresh writes the files of a snapshot
// before that is served ([Write]); the API finds them by the snapshot's id ([Read]).
//
// The files of a snapshot depend on it alone: equal snapshots have equal files.
package exports

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/listward/listward/pkg/listing"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/snapshot"
	"github.com/listward/listward/pkg/table"
)

// All names the file of all sources, where a source's name stands for others.
const All sanction.Source = "all"

// File is one file of a snapshot.
type File struct {
	Bytes int64 `json:"bytes"`
	// SHA256 is in hex.
	SHA256 string `json:"sha256"`
}

// Index is what files a snapshot has, by name, such as "OFAC.csv".
type Index struct {
	// Version is that of the files' layout.
	Version int             `json:"version"`
	Files   map[string]File `json:"files"`
}

// version changes with what Write makes of a snapshot, so that it is made anew.
const version = 2

const indexName = "index.json"

// Name is the object that holds a file of a snapshot.
func Name(snapshot, file string) string { return "exports/" + snapshot + "/" + file }

// Read returns the files of a snapshot. The error is objects.ErrNotFound for one that
// has none, or the store's.
func Read(ctx context.Context, store objects.Store, snapshot string) (Index, error) {
	object, err := store.Get(ctx, Name(snapshot, indexName), "")
	if err != nil {
		return Index{}, fmt.Errorf("read the index of exports: %w", err)
	}
	defer object.Body.Close() // read-only: nothing is lost
	text, err := io.ReadAll(object.Body)
	if err != nil {
		return Index{}, fmt.Errorf("read the index of exports: %w", err)
	}
	var index Index
	if err := json.Unmarshal(text, &index); err != nil {
		return Index{}, fmt.Errorf("read the index of exports: %w", err)
	}
	return index, nil
}

// Write writes the files of a snapshot, the index last, unless they are there. It takes
// the memory of the largest file, which for 30,000 entries is some 20 MB.
func Write(ctx context.Context, store objects.Store, id string, data *snapshot.Snapshot) error {
	if index, err := Read(ctx, store, id); err == nil && index.Version == version {
		return nil // an index that cannot be read is written anew
	}
	index := Index{Version: version, Files: map[string]File{}}
	for _, source := range append(sanction.Sources(), All) {
		for _, format := range table.Formats() {
			name := string(source) + "." + string(format)
			file, err := write(ctx, store, Name(id, name), content{id, data, source}.sheet(), format)
			if err != nil {
				return fmt.Errorf("write export %s: %w", name, err)
			}
			index.Files[name] = file
		}
	}
	text, err := json.Marshal(index)
	if err != nil {
		return fmt.Errorf("write the index of exports: %w", err)
	}
	if _, err := store.Put(ctx, Name(id, indexName), text, objects.Always); err != nil {
		return fmt.Errorf("write the index of exports: %w", err)
	}
	return nil
}

func write(ctx context.Context, store objects.Store, name string, s table.Sheet, format table.Format) (File, error) {
	var body bytes.Buffer
	if err := s.Write(&body, format); err != nil {
		return File{}, err
	}
	if _, err := store.Put(ctx, name, body.Bytes(), objects.Always); err != nil {
		return File{}, err
	}
	sum := sha256.Sum256(body.Bytes())
	return File{Bytes: int64(body.Len()), SHA256: hex.EncodeToString(sum[:])}, nil
}

// content is what a file holds: the entries of a source, or of all.
type content struct {
	snapshot string
	data     *snapshot.Snapshot
	source   sanction.Source
}

// lines yields the entries in the order of browsing.
func (c content) lines(yield func(table.Line) bool) {
	for i := range c.data.Entries() {
		if e := c.data.Browsed(i); c.has(e) && !yield(listing.CopyOf(c.data.Entry(e))) {
			return
		}
	}
}

func (c content) has(entry int) bool { return c.source == All || c.source == c.data.Source(entry) }

// entries is the number of lines. List dates are not noted beside it: they are of the
// run that published the snapshot.
func (c content) entries() int {
	n := 0
	for e := range c.data.Entries() {
		if c.has(e) {
			n++
		}
	}
	return n
}

func (c content) sheet() table.Sheet {
	return table.Sheet{
		Columns: listing.CopyColumns(),
		Lines:   c.lines,
		Notes: []table.Note{
			{English: "Snapshot", Chinese: "快照", Value: c.snapshot},
			{English: "Lists", Chinese: "名单来源", Value: string(c.source)},
			{English: "Entries", Chinese: "条目数", Value: strconv.Itoa(c.entries())},
			listing.Notice(),
		},
	}
}
