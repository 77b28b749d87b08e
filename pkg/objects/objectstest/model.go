package objectstest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/listward/listward/pkg/objects"
	"pgregory.net/rapid"
)

// version is what the model knows of an object.
type version struct{ etag, content string }

// testModel compares the store with a map under random sequences of operations.
// All runs share the store; each has names of its own.
func testModel(t *testing.T, store objects.Store) {
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		m := &model{store: store, run: runs, current: map[string]version{}, etags: []string{"", "never an etag"}}
		rt.Repeat(map[string]func(*rapid.T){"put": m.put, "get": m.get})
	})
}

type model struct {
	store   objects.Store
	run     int
	current map[string]version
	etags   []string // every ETag seen in this run, and two that are none
}

func (m *model) name(t *rapid.T) string {
	name := rapid.SampledFrom([]string{"a", "b", "folder/a"}).Draw(t, "name")
	return fmt.Sprintf("model-%d/%s", m.run, name)
}

func (m *model) put(t *rapid.T) {
	name := m.name(t)
	content := rapid.StringN(0, 3, -1).Draw(t, "content")
	condition := rapid.SampledFrom([]objects.Condition{
		objects.Always, objects.IfAbsent, objects.IfMatch(rapid.SampledFrom(m.etags).Draw(t, "etag")),
		objects.IfMatch(m.current[name].etag),
	}).Draw(t, "condition")

	etag, err := m.store.Put(t.Context(), name, []byte(content), condition)
	if !m.holds(name, condition) {
		if !errors.Is(err, objects.ErrPrecondition) {
			t.Fatalf("Put(%q, %q) = %v, want ErrPrecondition", name, condition, err)
		}
		return
	}
	if err != nil {
		t.Fatalf("Put(%q, %q) = %v, want success", name, condition, err)
	}
	if old, ok := m.current[name]; ok && old.etag == etag && old.content != content {
		t.Fatalf("Put(%q) kept the ETag %q while %q became %q", name, etag, old.content, content)
	}
	m.current[name] = version{etag: etag, content: content}
	m.etags = append(m.etags, etag)
}

func (m *model) holds(name string, condition objects.Condition) bool {
	now, exists := m.current[name]
	if etag, match := condition.ETag(); match {
		return exists && etag == now.etag
	}
	return condition == objects.Always || !exists
}

func (m *model) get(t *rapid.T) {
	name := m.name(t)
	ifNoneMatch := rapid.SampledFrom(append(m.etags, m.current[name].etag)).Draw(t, "ifNoneMatch")
	object, err := m.store.Get(t.Context(), name, ifNoneMatch)
	now, exists := m.current[name]
	switch {
	case !exists:
		if !errors.Is(err, objects.ErrNotFound) {
			t.Fatalf("Get(%q) = %v, want ErrNotFound", name, err)
		}
	case ifNoneMatch == now.etag:
		if !errors.Is(err, objects.ErrNotModified) {
			t.Fatalf("Get(%q, %q) = %v, want ErrNotModified", name, ifNoneMatch, err)
		}
	case err != nil:
		t.Fatalf("Get(%q, %q) = %v, want the object", name, ifNoneMatch, err)
	default:
		m.compare(t, name, object)
	}
}

func (m *model) compare(t *rapid.T, name string, object objects.Object) {
	content, err := readAll(object)
	if err != nil {
		t.Fatalf("read %q: %v", name, err)
	}
	if got, want := (version{object.ETag, content}), m.current[name]; got != want {
		t.Fatalf("Get(%q) = %+v, want %+v", name, got, want)
	}
	if object.Size != int64(len(content)) {
		t.Fatalf("Get(%q) has size %d and %d bytes", name, object.Size, len(content))
	}
}
