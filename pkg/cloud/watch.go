package cloud

import (
	"fmt"
	"io"
	"time"

	"github.com/listward/listward/pkg/metrics"
	"github.com/listward/listward/pkg/watch"
)

// Watcher measures what is served. Metrics are written to the output: standard output,
// where Lambda takes each line for itself.
func Watcher(getenv func(string) string, out io.Writer) (*watch.Watcher, error) {
	store, _, err := lists(getenv)
	if err != nil {
		return nil, fmt.Errorf("configure the watch: %w", err)
	}
	stack, err := variable(getenv, "STACK")
	if err != nil {
		return nil, fmt.Errorf("configure the watch: %w", err)
	}
	return &watch.Watcher{
		Store: store, Metrics: metrics.NewWriter(watch.Namespace, out, time.Now), Stack: stack, Now: time.Now,
	}, nil
}
