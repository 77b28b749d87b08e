package fetch_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/listward/listward/pkg/fetch"
)

func gzipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// zipped returns a ZIP file that holds texts; of are pairs of name and text.
func zipped(t testing.TB, of ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(of); i += 2 {
		w, err := z.Create(of[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, of[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// changed returns the text with one more than the byte that stands before the end.
func changed(text string, beforeEnd int) string {
	b := []byte(text)
	b[len(b)-beforeEnd]++
	return string(b)
}

func folder(files map[string]string) fetch.Folder {
	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fetch.Folder{FS: all}
}

func TestFolder(t *testing.T) {
	long := "[" + strings.Repeat("a long list, ", 1000) + "]"
	packed, z := gzipped(t, long), zipped(t, "list.xml", long)
	other := zipped(t, "list.xml", "[another]")
	local := strings.Index(z, "list.xml") + len("list.xml")
	for name, tt := range map[string]struct {
		files map[string]string
		kind  error // nil for a folder of which long is read
		words []string
	}{
		"plain":                {map[string]string{"x/list": long, "x/list.gz": "[", "x/list.zip": "["}, nil, nil},
		"gzip":                 {map[string]string{"x/list.gz": packed, "x/list.zip": other}, nil, nil},
		"zip":                  {map[string]string{"x/list.zip": z, "x/list.xml": "["}, nil, nil},
		"gzip by another name": {map[string]string{"x/list": packed}, nil, nil},
		"gzip in two parts":    {map[string]string{"x/list": gzipped(t, long[:50]) + gzipped(t, long[50:])}, nil, nil},
		"zip by another name":  {map[string]string{"x/list.gz": z}, nil, nil},
		"none":                 {map[string]string{"list": long}, fs.ErrNotExist, []string{"open x/list: "}},
		"folder":               {map[string]string{"x/list/1": long}, fetch.ErrFetch, []string{"x/list"}},
		"empty":                {map[string]string{"x/list": ""}, fetch.ErrFetch, []string{"x/list", "the file is empty"}},
		"empty gzip":           {map[string]string{"x/list.gz": gzipped(t, "")}, errTruncated, nil},
		"refused by read":      {map[string]string{"x/list": "<html>"}, errPage, nil},
		"gzip, checksum":       {map[string]string{"x/list.gz": changed(packed, 8)}, gzip.ErrChecksum, []string{"x/list", "is damaged"}},
		"gzip, length":         {map[string]string{"x/list.gz": changed(packed, 4)}, gzip.ErrChecksum, []string{"x/list", "is damaged"}},
		"gzip, cut off":        {map[string]string{"x/list.gz": packed[:len(packed)/2]}, io.ErrUnexpectedEOF, []string{"x/list", "cut off"}},
		"gzip, header cut off": {map[string]string{"x/list.gz": packed[:5]}, io.ErrUnexpectedEOF, []string{"x/list", "cut off"}},
		"gzip, trailer absent": {map[string]string{"x/list.gz": packed[:len(packed)-8]}, io.ErrUnexpectedEOF, []string{"x/list", "cut off"}},
		"gzip, garbage behind": {map[string]string{"x/list.gz": packed + "something else"}, gzip.ErrHeader, []string{"x/list", "is damaged"}},
		"gzip, byte behind":    {map[string]string{"x/list.gz": packed + "\n"}, io.ErrUnexpectedEOF, []string{"x/list", "is damaged"}},
		"zip, checksum":        {map[string]string{"x/list.zip": changed(z, len(z)-bytes.Index([]byte(z), []byte("PK\x01\x02"))-16)}, zip.ErrChecksum, []string{"x/list", "is damaged"}},
		"zip, content":         {map[string]string{"x/list.zip": changed(z, len(z)-local-20)}, fetch.ErrFetch, []string{"x/list", "is damaged"}},
		"zip, cut off":         {map[string]string{"x/list.zip": z[:len(z)-30]}, zip.ErrFormat, []string{"x/list", "cut off"}},
		"zip with two":         {map[string]string{"x/list.zip": zipped(t, "a.xml", long, "b.xml", "")}, fetch.ErrFetch, []string{"x/list", "exactly one file but 2", "a.xml, b.xml"}},
		"zip with a folder":    {map[string]string{"x/list.zip": zipped(t, "folder/", "")}, fetch.ErrFetch, []string{"x/list", "exactly one file", "folder/"}},
	} {
		t.Run(name, func(t *testing.T) {
			var r reader
			err := folder(tt.files).Fetch(t.Context(), fetch.File{Path: "x/list"}, fetch.Version{}, r.read)
			want(t, err, tt.kind, tt.words...)
			if tt.words != nil {
				want(t, err, fetch.ErrFetch)
			} else if tt.kind != nil && err != tt.kind {
				t.Errorf("the reader's error is wrapped: %v", err)
			}
			if tt.kind == nil && (r.list != long || r.calls != 1 || r.version != fetch.Version{}) {
				t.Errorf("read %.40q in %d calls, version %v", r.list, r.calls, r.version)
			}
		})
	}
}

func TestFolderLimit(t *testing.T) {
	d := folder(map[string]string{
		"just": "[2345678]", "more": "[23456789]", "bomb.gz": gzipped(t, strings.Repeat("0", 1<<20)),
		"zip": "PK\x03\x04" + strings.Repeat("0", 64<<20), // which is held in memory
	})
	for path, kind := range map[string]error{"just": nil, "more": fetch.ErrTooLarge, "bomb": fetch.ErrTooLarge, "zip": fetch.ErrTooLarge} {
		var r reader
		err := d.Fetch(t.Context(), fetch.File{Path: path, Limit: 9}, fetch.Version{}, r.read)
		want(t, err, kind)
		if errors.Is(err, fetch.ErrFetch) || r.bytes > 9 {
			t.Errorf("%s: error %v after %d bytes", path, err, r.bytes)
		}
	}
}

func TestFolderProgress(t *testing.T) {
	packed := gzipped(t, "[list]")
	d := folder(map[string]string{"list.gz": packed})
	var seen bytes.Buffer
	d.Progress = func(path string, size int64, raw io.Reader) io.Reader {
		if path != "list" || size != int64(len(packed)) {
			t.Errorf("progress of %q with %d bytes", path, size)
		}
		return io.TeeReader(raw, &seen)
	}
	var r reader
	want(t, d.Fetch(t.Context(), fetch.File{Path: "list"}, fetch.Version{}, r.read), nil)
	if seen.String() != packed || d.Folder() == nil {
		t.Errorf("saw %q, want the file as it is packed", seen.String())
	}
}

// FuzzDamage: a packed file with a byte changed and its end cut off is read as it was
// or not at all.
func FuzzDamage(f *testing.F) {
	f.Add("[list]", false, 12, byte(1), 0)
	f.Add("[list]", true, 40, byte(0), 3)
	f.Add(strings.Repeat("[", 5000), false, 30, byte(255), 0)
	f.Fuzz(func(t *testing.T, text string, z bool, at int, change byte, cut int) {
		packed := []byte(gzipped(t, text))
		if z {
			packed = []byte(zipped(t, "list", text))
		}
		// The first bytes tell how it is packed: without them it is another file.
		at, cut = 4+abs(at)%(len(packed)-4), abs(cut)%(len(packed)-4)
		packed[at] ^= change
		packed = packed[:len(packed)-cut]
		var read string
		err := folder(map[string]string{"list": string(packed)}).Fetch(t.Context(), fetch.File{Path: "list"}, fetch.Version{}, func(b fetch.Body) error {
			got, err := io.ReadAll(b)
			read = string(got)
			return err
		})
		if err == nil && read != text {
			t.Errorf("read %q of a damaged file that held %q", read, text)
		}
		if err == nil && cut > 0 {
			t.Errorf("a file without its last %d bytes was read", cut)
		}
	})
}

func abs(n int) int { return int(uint(n) >> 1) }
