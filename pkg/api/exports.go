package api

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/listward/listward/pkg/exports"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/table"
)

// downloadTime is how long the address of an export can be used.
const downloadTime = objects.MaxTTL

// download is the answer of GET /api/v1/exports with redirect=false.
type download struct {
	URL       string `json:"url"`
	ExpiresAt string `json:"expires_at"`
	exports.File
	Snapshot string `json:"snapshot"`
}

// redirect is the answer that sends a caller to another address.
type redirect struct{ to string }

// Exports answers GET /api/v1/exports/{file}.
func (e *Edge) Exports() http.Handler { return e.guarded("exports", e.exports) }

func (e *Edge) exports(c *call) (any, error) {
	follow := true
	if err := decode(c.URL.Query(), param{"redirect", func(v string) *Error {
		follow = v != "false"
		if v != "" && v != "true" && v != "false" {
			return &Error{Code: InvalidParameter, Message: "redirect is true or false; leave it out to be redirected."}
		}
		return nil
	}}); err != nil {
		return nil, err
	}
	name := strings.TrimPrefix(c.URL.Path, "/api/v1/exports/")
	about, err := exportScope(name)
	if err != nil {
		return nil, err
	}
	current, err := e.current(c, about)
	if err != nil {
		return nil, err
	}
	made, err := e.download(c, current.Snapshot, name)
	if err != nil || !follow {
		return made, err
	}
	return redirect{made.URL}, nil
}

// exportScope checks the name of an export and returns what is in it.
func exportScope(name string) (scope, error) {
	source, ending, _ := strings.Cut(name, ".")
	switch {
	case source != string(exports.All) && !slices.Contains(sanction.Sources(), sanction.Source(source)):
		return scope{}, &Error{Code: invalidSource, Param: "file", Message: "An export is of one of OFAC, UN, EU, EUX, CN, or of all."}
	case !slices.Contains(table.Formats(), table.Format(ending)):
		return scope{}, &Error{Code: invalidFormat, Param: "file", Message: "An export is a file of csv, xlsx or ndjson: its name ends so, as all.csv does."}
	case source == string(exports.All):
		return scope{}, nil
	}
	return scope{source: sanction.Source(source)}, nil
}

// download signs an address of a snapshot's file. A file that is named as it should be
// and is not there has not been written: that is a fault of ours.
func (e *Edge) download(c *call, snapshot, name string) (download, error) {
	index, err := exports.Read(c.Context(), e.Store, snapshot)
	if err != nil {
		return download{}, err
	}
	file, ok := index.Files[name]
	if !ok {
		return download{}, errNoExport
	}
	source, ending, _ := strings.Cut(name, ".")
	address, expires, err := e.Downloads.Download(c.Context(), exports.Name(snapshot, name), downloadTime, objects.Attachment{
		Disposition: attachment(fmt.Sprintf("listward-%s-%.8s.%s", strings.ToLower(source), snapshot, ending)),
		Type:        table.Format(ending).MediaType(),
	})
	if err != nil {
		return download{}, err
	}
	return download{address, timeOf(expires), file, snapshot}, nil
}

var errNoExport = errors.New("the snapshot has no such export")
