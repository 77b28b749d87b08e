package refresh_test

import (
	"context"
	"io/fs"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/lists/sample"
	"github.com/listward/listward/pkg/refresh"
	"github.com/listward/listward/pkg/sanction"
)

// TestRegister: without a folder the register is served, so that CN does not depend
// on the Ministry's sites; what it lacks is named.
func TestRegister(t *testing.T) {
	b := newBench(t)
	p, err := b.refresher(webOf{refresh.Folder{FS: sample.Files()}}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := p.State(sanction.CN)
	if s.Status != edition.Review || s.Entries < 100 || !strings.Contains(s.Detail, "to be looked at") || s.ListDate == "" {
		t.Errorf("state %+v, want the register's entries in review", s)
	}
}

// webOf is an origin that has the files and is no folder.
type webOf struct{ files refresh.Folder }

func (w webOf) Open(ctx context.Context, f refresh.File) (refresh.Body, error) {
	return w.files.Open(ctx, f)
}

func (w webOf) Folder() fs.FS { return nil }
