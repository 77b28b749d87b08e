// Package watch measures what is being served: how long ago the publishers were looked
// at, and the state of every source. It reads the pointer as the functions do and
// nothing else, so that a store which fails them fails here too. Alarms and dashboard
// are made of its metrics (infra/monitoring), which hold no names and no keys.
package watch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/metrics"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/sanction"
)

// Namespace is that of all metrics.
const Namespace = "Listward"

// patience bounds the look at the store, below the function's time-out: a store that
// hangs is to be told of too.
const patience = 15 * time.Second

// Watcher holds what a look needs. Its fields are set before use.
type Watcher struct {
	Store   objects.Store
	Metrics *metrics.Writer
	// Stack tells the metrics of one service in an account from those of another.
	Stack string
	Now   func() time.Time
}

// Watch looks once and writes the metrics. A pointer that cannot be read is one of them
// and an error, that of [edition.Read]. The other errors are those of the output.
func (w *Watcher) Watch(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	pointer, _, err := edition.Read(ctx, w.Store, "")
	if err = errors.Join(err, w.write(pointer, err != nil)); err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	return nil
}

func (w *Watcher) write(p edition.Pointer, unreadable bool) error {
	stack := []metrics.Dimension{{Name: "Stack", Value: w.Stack}}
	whole := []metrics.Metric{flag("PointerUnreadable", unreadable)}
	if unreadable {
		return w.Metrics.Write(stack, whole...)
	}
	whole = append(whole, w.since("SnapshotAgeHours", p.CheckedAt())...)
	all := w.Metrics.Write(stack, whole...)
	for _, source := range sanction.Sources() {
		dimensions := []metrics.Dimension{stack[0], {Name: "Source", Value: string(source)}}
		all = errors.Join(all, w.Metrics.Write(dimensions, w.source(p.State(source))...))
	}
	return all
}

func (w *Watcher) source(s edition.State) []metrics.Metric {
	return append(w.since("StaleHours", s.AcceptedAt),
		flag("InReview", s.Status == edition.Review),
		flag("Missing", s.Status == edition.Missing),
		metrics.Metric{Name: "Entries", Unit: metrics.Count, Value: float64(s.Entries)})
}

// since has no metric for what never happened: no number would be true.
func (w *Watcher) since(name string, at time.Time) []metrics.Metric {
	if at.IsZero() {
		return nil
	}
	return []metrics.Metric{{Name: name, Unit: metrics.None, Value: w.Now().Sub(at).Hours()}}
}

func flag(name string, set bool) metrics.Metric {
	m := metrics.Metric{Name: name, Unit: metrics.Count}
	if set {
		m.Value = 1
	}
	return m
}
