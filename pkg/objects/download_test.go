package objects_test

import (
	"errors"
	"testing"
	"time"

	"github.com/listward/listward/pkg/objects"
)

func TestCheckAttachment(t *testing.T) {
	for value, want := range map[string]error{
		`attachment; filename="a b.csv"; filename*=UTF-8''%E5%90%8D.csv`: nil,
		"text/csv; charset=utf-8": nil,
		"~!":                      nil,
		"":                        objects.ErrAttachment,
		" ":                       objects.ErrAttachment,
		" inline":                 objects.ErrAttachment,
		"inline ":                 objects.ErrAttachment,
		"a\r\nSet-Cookie: b=c":    objects.ErrAttachment,
		"a\nb":                    objects.ErrAttachment,
		"a\rb":                    objects.ErrAttachment,
		"a\tb":                    objects.ErrAttachment,
		"a\x00b":                  objects.ErrAttachment,
		"a\x7fb":                  objects.ErrAttachment,
		"a\u0085b":                objects.ErrAttachment,
		"名单":                      objects.ErrAttachment,
		"\xff":                    objects.ErrAttachment,
	} {
		for _, as := range []objects.Attachment{{Disposition: value, Type: "text/csv"}, {Disposition: "inline", Type: value}} {
			if err := objects.CheckAttachment(as); !errors.Is(err, want) {
				t.Errorf("CheckAttachment(%q) = %v, want %v", as, err, want)
			}
		}
	}
}

func TestCheckDownload(t *testing.T) {
	good := objects.Attachment{Disposition: "inline", Type: "text/csv"}
	for _, c := range []struct {
		name string
		ttl  time.Duration
		as   objects.Attachment
		want error
	}{
		{"a", time.Minute, good, nil},
		{"", time.Minute, good, objects.ErrName},
		{"a", 0, good, objects.ErrTTL},
		{"a", time.Minute, objects.Attachment{}, objects.ErrAttachment},
	} {
		if err := objects.CheckDownload(c.name, c.ttl, c.as); !errors.Is(err, c.want) {
			t.Errorf("CheckDownload(%q, %s, %q) = %v, want %v", c.name, c.ttl, c.as, err, c.want)
		}
	}
}
