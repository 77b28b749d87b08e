package objects_test

import (
	"errors"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/listward/listward/pkg/objects"
)

func TestCondition(t *testing.T) {
	for _, c := range []struct {
		condition objects.Condition
		etag      string
		match     bool
	}{
		{"", "", false}, // the zero value
		{objects.Always, "", false},
		{objects.IfAbsent, "", false},
		{objects.IfMatch("etag"), "etag", true},
		{objects.IfMatch(""), "", true},
		{objects.IfMatch(string(objects.IfAbsent)), string(objects.IfAbsent), true},
	} {
		etag, match := c.condition.ETag()
		if match != c.match || match && etag != c.etag {
			t.Errorf("ETag of %q = %q, %v; want %q, %v", c.condition, etag, match, c.etag, c.match)
		}
	}
}

func TestCheckTTL(t *testing.T) {
	for ttl, want := range map[time.Duration]error{
		-time.Second:                objects.ErrTTL,
		0:                           objects.ErrTTL,
		time.Second - 1:             objects.ErrTTL,
		time.Second:                 nil,
		1500 * time.Millisecond:     objects.ErrTTL,
		5 * time.Minute:             nil,
		5*time.Minute + 1:           objects.ErrTTL,
		5*time.Minute + time.Second: objects.ErrTTL,
	} {
		if err := objects.CheckTTL(ttl); !errors.Is(err, want) {
			t.Errorf("CheckTTL(%s) = %v, want %v", ttl, err, want)
		}
	}
}

// FuzzCheckName holds that a name which passes stays inside its folder and means
// one object only. Which names pass is a table of objectstest.
func FuzzCheckName(f *testing.F) {
	for _, name := range []string{"current.json", "snapshots/0a1b", "a/../b", "/a", `a\b`, ".lock", "名单"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if objects.CheckName(name) != nil {
			return
		}
		if !filepath.IsLocal(name) || path.Clean(name) != name {
			t.Errorf("CheckName accepts %q, which is %q below its folder", name, path.Clean(name))
		}
		if below := path.Join("folder", name); !strings.HasPrefix(below, "folder/") || strings.Contains(below, "/.") {
			t.Errorf("CheckName accepts %q, whose file would be %q", name, below)
		}
	})
}
