package archive_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/listward/listward/pkg/archive"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/objects/dir"
)

func newStore(t *testing.T) objects.Store {
	t.Helper()
	store, err := dir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func save(t *testing.T, store objects.Store, content string) string {
	t.Helper()
	d := archive.NewDraft()
	if _, err := d.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	sum := d.Sum()
	name, err := d.Save(t.Context(), store, "raw")
	if err != nil || name != archive.Name("raw", sum) {
		t.Fatalf("Save: %q, %v, want the name of the sum %s", name, err, sum)
	}
	return name
}

func TestWhatIsSavedIsFoundByItsHash(t *testing.T) {
	store := newStore(t)
	const hello = "raw/2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824.gz" // SHA-256 of "hello"
	if name := save(t, store, "hello"); name != hello {
		t.Errorf("name %s, want %s", name, hello)
	}
	if again := save(t, store, "hello"); again != hello {
		t.Errorf("the same content again is %s", again)
	}
	r, err := archive.Open(t.Context(), store, hello)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if content, err := io.ReadAll(r); err != nil || string(content) != "hello" {
		t.Errorf("read %q, %v", content, err)
	}
}

func TestDamageIsFound(t *testing.T) {
	store := newStore(t)
	name := save(t, store, "hello")
	object, err := store.Get(t.Context(), name, "")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := io.ReadAll(object.Body)
	if err := errors.Join(err, object.Body.Close()); err != nil {
		t.Fatal(err)
	}
	other := save(t, store, "something else")
	stolen, err := store.Get(t.Context(), other, "")
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(stolen.Body)
	if err := errors.Join(err, stolen.Body.Close()); err != nil {
		t.Fatal(err)
	}
	damaged := map[string][]byte{"empty": {}, "another object": content}
	for n := range whole {
		damaged["cut at "+string(rune('a'+n))] = whole[:n]
	}
	for what, body := range damaged {
		if _, err := store.Put(t.Context(), name, body, objects.Always); err != nil {
			t.Fatal(err)
		}
		if err := readAll(t, store, name); !errors.Is(err, archive.ErrDamaged) {
			t.Errorf("%s: error %v, want ErrDamaged", what, err)
		}
	}
	if err := readAll(t, store, archive.Name("raw", "none")); !errors.Is(err, archive.ErrDamaged) {
		t.Errorf("an object that is not there: error %v, want ErrDamaged", err)
	}
}

func readAll(t *testing.T, store objects.Store, name string) error {
	t.Helper()
	r, err := archive.Open(t.Context(), store, name)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(io.Discard, r)
	return err
}

func TestLines(t *testing.T) {
	store := newStore(t)
	rapid.Check(t, func(r *rapid.T) {
		want := rapid.SliceOf(rapid.String()).Draw(r, "values")
		for i, s := range want { // JSON is Unicode
			want[i] = string(bytes.ToValidUTF8([]byte(s), nil))
		}
		name, err := archive.SaveLines(t.Context(), store, "lines", slices.Values(want))
		if err != nil {
			r.Fatal(err)
		}
		got := []string{}
		for s, err := range archive.Lines[string](t.Context(), store, name) {
			if err != nil {
				r.Fatal(err)
			}
			got = append(got, s)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			r.Fatalf("lines (-saved +read):\n%s", diff)
		}
	})
}

func TestLinesOfWhatIsNoJSON(t *testing.T) {
	store := newStore(t)
	name := save(t, store, "\"one\"\n{broken")
	var errs []error
	for _, err := range archive.Lines[string](t.Context(), store, name) {
		errs = append(errs, err)
	}
	if len(errs) != 2 || errs[0] != nil || !errors.Is(errs[1], archive.ErrDamaged) {
		t.Errorf("errors %v, want none and ErrDamaged", errs)
	}
}
