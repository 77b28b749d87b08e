package api

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/listward/listward/pkg/history"
)

// Snapshots answers GET /api/v1/snapshots/{id}: the evidence of what was published when.
func (e *Edge) Snapshots() http.Handler { return e.guarded("snapshots", e.snapshots) }

func (e *Edge) snapshots(c *call) (any, error) {
	if err := decode(c.URL.Query()); err != nil {
		return nil, err
	}
	current, err := e.serving(c)
	if err != nil {
		return nil, err
	}
	index, err := history.ReadIndex(c.Context(), e.Store, current.History)
	if err != nil {
		return nil, err
	}
	id := strings.TrimPrefix(c.URL.Path, "/api/v1/snapshots/")
	// One that came back is told of as it was published first: evidence cites it from then on.
	at := slices.IndexFunc(index, func(r history.Reference) bool { return r.Snapshot == id })
	if at < 0 {
		return nil, &Error{Code: NotFound, Message: "No snapshot of this id is known here. Answers name theirs in snapshot and X-Snapshot."}
	}
	if c.unchanged(index[at].Document) {
		return notModified{}, nil
	}
	publication, err := history.ReadPublication(c.Context(), e.Store, index[at])
	if err != nil {
		return nil, err
	}
	publication.PublishedAt = publication.PublishedAt.UTC().Truncate(time.Second)
	return publication, nil
}
