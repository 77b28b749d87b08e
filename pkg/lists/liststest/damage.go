package liststest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/sanction"
)

// Parser is the function with which a publisher's package reads a file.
type Parser func(io.Reader) (sanction.List, error)

// seed makes the damage random and yet the same in every run.
const seed = 833

// Read reads a compressed list whole, see [Open].
func Read(t testing.TB, path string) []byte {
	t.Helper()
	text, err := io.ReadAll(Open(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Records returns the records of a file. Each begins with the text open and ends
// with the text end, and holds no other.
func Records(t testing.TB, text []byte, open, end string) []string {
	t.Helper()
	var records []string
	for {
		_, record, rest := cutRecord(t, text, open, end)
		switch {
		case record == nil && len(records) == 0:
			t.Fatalf("there are no records %q", open)
		case record == nil:
			return records
		}
		records = append(records, string(record))
		text = rest
	}
}

// Excerpt returns a file with every nth of its records, from the first on, see
// [Records]. Counting begins anew where anything stands between two records, so
// that the first row of each table stays.
func Excerpt(t testing.TB, text []byte, open, end string, n int) []byte {
	t.Helper()
	if !bytes.Contains(text, []byte(open)) {
		t.Fatalf("there are no records %q", open)
	}
	var kept []byte
	for run := 0; ; run++ {
		before, record, rest := cutRecord(t, text, open, end)
		if len(bytes.TrimSpace(before)) > 0 {
			run = 0
		}
		if record == nil {
			return append(kept, before...)
		}
		if run%n == 0 {
			kept = append(append(kept, before...), record...)
		}
		text = rest
	}
}

// cutRecord cuts a text around its first record; without one all of it is before.
func cutRecord(t testing.TB, text []byte, open, end string) (before, record, rest []byte) {
	t.Helper()
	from := bytes.Index(text, []byte(open))
	if from < 0 {
		return text, nil, nil
	}
	length := bytes.Index(text[from:], []byte(end))
	if length < 0 {
		t.Fatalf("a record has no end: %.200s", text[from:])
	}
	to := from + length + len(end)
	return text[:from], text[from:to], text[to:]
}

// CheckCuts cuts a file at n random places. Each time the parser must refuse what
// is left, for the reason, and return nothing of it.
func CheckCuts(t *testing.T, parse Parser, text []byte, n int, reason error) {
	t.Helper()
	text = bytes.TrimSpace(text) // without its last line break a file is whole
	random := rand.New(rand.NewPCG(seed, 0))
	for range n {
		length := random.IntN(len(text))
		list, err := parse(bytes.NewReader(text[:length]))
		if !errors.Is(err, reason) || !reflect.DeepEqual(list, sanction.List{}) {
			t.Errorf("cut after %d of %d bytes: %d entries and error %v, want none and %v",
				length, len(text), len(list.Entries), err, reason)
		}
	}
}

// Rename is another name for an element or attribute, everywhere in a file, and
// what comes of it.
type Rename struct {
	// Path is the name: "names"; of an element within another, "feature/value"; of
	// an attribute of an element, "entity/@id"; or, without a name, any text that is
	// to be spelt otherwise, "'Vessel name'".
	Path string
	// Reason is the one for which the file must be refused, naming Says or, where
	// that is empty, the name.
	Reason error
	Says   string
	// Harmless says why the file may be accepted where there is no Reason. It must
	// then give as many entries as before, and nothing more may be rejected.
	Harmless string
}

// CheckRenames renames one after another in a file that the parser accepts.
func CheckRenames(t *testing.T, parse Parser, text []byte, renames []Rename) {
	t.Helper()
	whole := accepted(t, parse, text)
	for _, r := range renames {
		t.Run(strings.ReplaceAll(r.Path, "/", " "), func(t *testing.T) {
			damaged := r.apply(text)
			if bytes.Equal(damaged, text) {
				t.Fatalf("%s is not in the file", r.Path)
			}
			list, err := parse(bytes.NewReader(damaged))
			if r.Reason == nil {
				if err != nil || len(list.Entries) != len(whole.Entries) || len(list.Rejected) != len(whole.Rejected) {
					t.Errorf("%d entries, %d rejected and error %v, want %d, %d and none: %s", len(list.Entries),
						len(list.Rejected), err, len(whole.Entries), len(whole.Rejected), r.Harmless)
				}
				return
			}
			if !errors.Is(err, r.Reason) || !strings.Contains(fmt.Sprint(err), r.says()) {
				t.Errorf("error %v, want %v with %q", err, r.Reason, r.says())
			}
		})
	}
}

func (r Rename) says() string {
	if r.Says != "" {
		return r.Says
	}
	return strings.Trim(r.Path[strings.LastIndexByte(r.Path, '/')+1:], "'@")
}

func (r Rename) apply(text []byte) []byte {
	if quoted := strings.Trim(r.Path, "'"); quoted != r.Path {
		return bytes.ReplaceAll(text, []byte(quoted), []byte("Renamed"))
	}
	within, name, scoped := strings.Cut(r.Path, "/")
	if !scoped {
		return renameElement(text, r.Path)
	}
	if attribute, ok := strings.CutPrefix(name, "@"); ok {
		tag := regexp.MustCompile(`<` + within + `\s[^>]*>`)
		return tag.ReplaceAllFunc(text, func(tag []byte) []byte {
			return regexp.MustCompile(`(\s)`+attribute+`=`).ReplaceAll(tag, []byte("${1}renamed="))
		})
	}
	element := regexp.MustCompile(`(?s)<` + within + `[\s>].*?</` + within + `>`)
	return element.ReplaceAllFunc(text, func(element []byte) []byte { return renameElement(element, name) })
}

func renameElement(text []byte, name string) []byte {
	return regexp.MustCompile(`(</?)`+name+`([\s/>])`).ReplaceAll(text, []byte("${1}renamed$2"))
}

// CheckFlips changes a single byte of a file, n times, each time another one. What
// comes of it must be refused, or differ in at most one record, and have no entry
// less than the list rejects more.
func CheckFlips(t *testing.T, parse Parser, text []byte, n int) {
	t.Helper()
	whole := accepted(t, parse, text)
	random := rand.New(rand.NewPCG(seed, 0))
	damaged := bytes.Clone(text)
	outcomes := map[string]int{}
	for range n {
		at, by := random.IntN(len(text)), byte(1+random.IntN(255))
		damaged[at] ^= by
		list, err := parse(bytes.NewReader(damaged))
		damaged[at] ^= by
		if err != nil {
			outcomes["refused"]++
			if !reflect.DeepEqual(list, sanction.List{}) {
				t.Errorf("byte %d as %q: %d entries beside the error %v", at, text[at]^by, len(list.Entries), err)
			}
			continue
		}
		d := compare(whole, list)
		outcomes[d.outcome()]++
		if d.tooMuch() {
			line := text[max(0, at-60):min(len(text), at+60)]
			t.Errorf("byte %d as %q in %q: %+v, want at most one record different; rejected %v",
				at, text[at]^by, line, d, list.Rejected)
		}
	}
	t.Logf("%d flips in %d bytes with %d entries: %v", n, len(text), len(whole.Entries), outcomes)
}

// accepted parses a file that is to be damaged. It must be whole.
func accepted(t *testing.T, parse Parser, text []byte) sanction.List {
	t.Helper()
	list, err := parse(bytes.NewReader(text))
	if err != nil || len(list.Entries) < 10 || len(list.Rejected) != 0 {
		t.Fatalf("the file before the damage: %d entries, rejected %v and error %v, want 10 or more and no other",
			len(list.Entries), list.Rejected, err)
	}
	return list
}

// difference is how far a list is from another, by ids.
type difference struct {
	Gone, New, Changed int
	Reported           int // how many more were rejected
}

func (d difference) outcome() string {
	switch {
	case d.Gone+d.New+d.Changed == 0:
		return "unchanged"
	case d.Reported > 0:
		return "one different and reported"
	}
	return "one different"
}

// tooMuch reports whether more than one record differs, or one is gone unreported.
// One that has another id now is gone and new; one that has the id of another is
// gone and the other changed.
func (d difference) tooMuch() bool {
	united := d.Gone == 1 && d.Changed == 1 && d.New == 0
	return d.Gone-d.New > d.Reported || max(d.Gone, d.New)+d.Changed > 1 && !united
}

func compare(before, after sanction.List) difference {
	d := difference{Reported: len(after.Rejected) - len(before.Rejected)}
	was := map[string]sanction.Entry{}
	for _, e := range before.Entries {
		was[e.ID] = e
	}
	for _, e := range after.Entries {
		old, known := was[e.ID]
		delete(was, e.ID)
		if before.Date != after.Date {
			old, e = undated(old), undated(e)
		}
		switch {
		case !known:
			d.New++
		case !reflect.DeepEqual(old, e):
			d.Changed++
		}
	}
	d.Gone = len(was)
	return d
}

// undated returns an entry without what follows from the date of its list, which
// is one fact however many entries repeat it: the link to the text of that day, and
// whether the day of application lies ahead (EUX).
func undated(e sanction.Entry) sanction.Entry {
	e.URL = ""
	programs := e.Programs
	e.Programs = nil
	for _, p := range programs {
		p, _, _ = strings.Cut(p, " (applies from ")
		e.Programs = append(e.Programs, p)
	}
	return e
}
