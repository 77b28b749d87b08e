// Package objectstest is the conformance suite of the object stores: one call of
// [Run] in the tests of a store shows that it keeps the rules of
// [objects.Store], alone and under concurrency, and that leases work on it.
// [RunDownloads] does the same for an [objects.Downloader].
package objectstest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/objects"
)

// Run runs the suite. open returns an empty store, which is used by one subtest
// only; it may stop the test with a reason why there is none. The suite leaves
// its objects behind.
func Run(t *testing.T, open func(t *testing.T) objects.Store) {
	for _, rule := range []struct {
		name string
		test func(*testing.T, objects.Store)
	}{
		{"names", testNames},
		{"contents", testContents},
		{"missing objects", testMissing},
		{"if none match", testIfNoneMatch},
		{"always", testAlways},
		{"if absent", testIfAbsent},
		{"if match", testIfMatch},
		{"open body survives a put", testOpenBody},
		{"body stays the caller's", testCallersBody},
		{"ended context", testContext},
		{"racers for an absent object", testRaceIfAbsent},
		{"racers for a counter", testRaceCounter},
		{"readers during writes", testReadersDuringWrites},
		{"model", testModel},
		{"lease excludes", testLeaseExcludes},
		{"lease expires", testLeaseExpires},
		{"lease is released", testLeaseRelease},
		{"lost lease", testLeaseLost},
		{"lease beside other objects", testNotLease},
		{"racers for a lease", testRaceLease},
		{"racers for an expired lease", testRaceExpiredLease},
		{"racers for a lease, by turns", testLeaseTurns},
	} {
		t.Run(rule.name, func(t *testing.T) { rule.test(t, open(t)) })
	}
}

func testNames(t *testing.T, store objects.Store) {
	for _, name := range []string{
		"a", "current.json", "snapshots/0a1b.bin", "a-b_c/d~e/f g", "名单/制裁", "x..y", "z.",
		strings.Repeat("n", 200), strings.Repeat("d/", 511) + "n",
	} {
		put(t, store, name, "content of "+name, objects.Always)
		if got, want := read(t, store, name), "content of "+name; got != want {
			t.Errorf("Get(%q) = %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{
		"", ".", "..", "/", "/a", "a/", "a//b", "a/.", "a/../b", "../a", ".hidden", "a/.hidden/b",
		`a\b`, "a\x00", "a\nb", "a\u0085", "\xff",
		strings.Repeat("n", 201), strings.Repeat("d/", 512) + "n",
	} {
		if _, err := store.Get(t.Context(), name, ""); !errors.Is(err, objects.ErrName) {
			t.Errorf("Get(%q) = %v, want ErrName", name, err)
		}
		if _, err := store.Put(t.Context(), name, nil, objects.Always); !errors.Is(err, objects.ErrName) {
			t.Errorf("Put(%q) = %v, want ErrName", name, err)
		}
		if err := objects.CheckName(name); !errors.Is(err, objects.ErrName) {
			t.Errorf("CheckName(%q) = %v, want ErrName", name, err)
		}
	}
}

func testContents(t *testing.T, store objects.Store) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	etags := map[string]string{}
	for what, content := range map[string][]byte{
		"empty":      {},
		"nil":        nil,
		"one byte":   {0},
		"every byte": every,
		"large":      bytes.Repeat(every, 20<<20/len(every)),
	} {
		etag, err := store.Put(t.Context(), "contents/"+what, content, objects.Always)
		if err != nil {
			t.Errorf("Put of %s content: %v", what, err)
			continue
		}
		if other, met := etags[etag]; met && len(content) > 0 {
			t.Errorf("%s and %s content have the same ETag %q", what, other, etag)
		}
		etags[etag] = what
		object, err := store.Get(t.Context(), "contents/"+what, "")
		if err != nil {
			t.Errorf("Get of %s content: %v", what, err)
			continue
		}
		if got := drain(t, object); got != string(content) {
			t.Errorf("%s content came back as %d bytes that differ, want %d", what, len(got), len(content))
		}
		if object.Size != int64(len(content)) || object.ETag != etag || etag == "" {
			t.Errorf("%s content: size %d and ETag %q, want %d and Put's %q", what, object.Size, object.ETag, len(content), etag)
		}
	}
}

func testMissing(t *testing.T, store objects.Store) {
	put(t, store, "folder/object", "x", objects.Always)
	for _, name := range []string{"nothing", "folder", "folder/nothing", "folder/object/below"} {
		for _, etag := range []string{"", "some etag"} {
			if _, err := store.Get(t.Context(), name, etag); !errors.Is(err, objects.ErrNotFound) {
				t.Errorf("Get(%q, ifNoneMatch %q) = %v, want ErrNotFound", name, etag, err)
			}
		}
	}
}

func testIfNoneMatch(t *testing.T, store objects.Store) {
	first := put(t, store, "pointer", "1", objects.Always)
	if _, err := store.Get(t.Context(), "pointer", first); !errors.Is(err, objects.ErrNotModified) {
		t.Errorf("Get with the current ETag = %v, want ErrNotModified", err)
	}
	put(t, store, "pointer", "2", objects.Always)
	for _, etag := range []string{first, "never an etag", ""} {
		object, err := store.Get(t.Context(), "pointer", etag)
		if err != nil {
			t.Errorf("Get with ifNoneMatch %q = %v, want the object", etag, err)
			continue
		}
		if got := drain(t, object); got != "2" {
			t.Errorf("Get with ifNoneMatch %q = %q, want %q", etag, got, "2")
		}
	}
}

func testAlways(t *testing.T, store objects.Store) {
	for _, content := range []string{"a", "bb", "", "a"} {
		put(t, store, "object", content, objects.Always)
		if got := read(t, store, "object"); got != content {
			t.Errorf("after Put of %q: %q", content, got)
		}
	}
}

func testIfAbsent(t *testing.T, store objects.Store) {
	put(t, store, "object", "", objects.IfAbsent)
	for _, content := range []string{"", "other"} {
		refuse(t, store, "object", content, objects.IfAbsent)
	}
	if got := read(t, store, "object"); got != "" {
		t.Errorf("after a refused Put: %q, want the first content, which is empty", got)
	}
}

func testIfMatch(t *testing.T, store objects.Store) {
	refuse(t, store, "object", "x", objects.IfMatch(""))
	refuse(t, store, "object", "x", objects.IfMatch("no object has this"))
	first := put(t, store, "object", "1", objects.IfAbsent)
	second := put(t, store, "object", "2", objects.IfMatch(first))
	refuse(t, store, "object", "x", objects.IfMatch(first))
	refuse(t, store, "object", "x", objects.IfMatch(""))
	refuse(t, store, "object", "x", objects.IfMatch("absent"))
	if got := read(t, store, "object"); got != "2" {
		t.Errorf("after refused Puts: %q, want %q", got, "2")
	}
	put(t, store, "object", "3", objects.IfMatch(second))
}

func testOpenBody(t *testing.T, store objects.Store) {
	old := strings.Repeat("old ", 1<<16)
	put(t, store, "object", old, objects.Always)
	object, err := store.Get(t.Context(), "object", "")
	if err != nil {
		t.Fatalf("Get: %v", err)
	}
	put(t, store, "object", "new", objects.Always)
	if got := drain(t, object); got != old {
		t.Errorf("a body opened before a Put has %d bytes that differ from the %d of its version", len(got), len(old))
	}
}

func testCallersBody(t *testing.T, store objects.Store) {
	body := []byte("first")
	if _, err := store.Put(t.Context(), "object", body, objects.Always); err != nil {
		t.Fatalf("Put: %v", err)
	}
	copy(body, "other")
	if got := read(t, store, "object"); got != "first" {
		t.Errorf("after the caller changed its slice: %q, want %q", got, "first")
	}
}

func testContext(t *testing.T, store objects.Store) {
	put(t, store, "object", "1", objects.Always)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := store.Get(ended, "object", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("Get with an ended context = %v, want context.Canceled", err)
	}
	if _, err := store.Put(ended, "object", []byte("2"), objects.Always); !errors.Is(err, context.Canceled) {
		t.Errorf("Put with an ended context = %v, want context.Canceled", err)
	}
	lease := acquire(t, store, "first", noon)
	if err := lease.Release(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("Release with an ended context = %v, want context.Canceled", err)
	}
	if _, err := objects.Acquire(ended, store, leaseName, "second", ttl, noon); !errors.Is(err, context.Canceled) {
		t.Errorf("Acquire with an ended context = %v, want context.Canceled", err)
	}
	if got := read(t, store, "object"); got != "1" {
		t.Errorf("after a Put with an ended context: %q, want %q", got, "1")
	}
}

// put writes an object and stops the test when that fails.
func put(t *testing.T, store objects.Store, name, content string, when objects.Condition) string {
	t.Helper()
	etag, err := store.Put(t.Context(), name, []byte(content), when)
	if err != nil {
		t.Fatalf("Put(%q, %q): %v", name, when, err)
	}
	return etag
}

func refuse(t *testing.T, store objects.Store, name, content string, when objects.Condition) {
	t.Helper()
	if _, err := store.Put(t.Context(), name, []byte(content), when); !errors.Is(err, objects.ErrPrecondition) {
		t.Errorf("Put(%q, %q) = %v, want ErrPrecondition", name, when, err)
	}
}

func read(t *testing.T, store objects.Store, name string) string {
	t.Helper()
	object, err := store.Get(t.Context(), name, "")
	if err != nil {
		t.Fatalf("Get(%q): %v", name, err)
	}
	return drain(t, object)
}

func drain(t *testing.T, object objects.Object) string {
	t.Helper()
	content, err := readAll(object)
	if err != nil {
		t.Fatalf("read a body: %v", err)
	}
	return content
}

func readAll(object objects.Object) (string, error) {
	body, err := io.ReadAll(object.Body)
	return string(body), errors.Join(err, object.Body.Close())
}
