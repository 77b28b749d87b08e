// Package metrics writes measurements in CloudWatch's embedded metric format: lines of
// JSON in the log of a function, which CloudWatch makes metrics of. It needs no
// permission and no call to AWS. Use it for what alarms and the dashboard are made of;
// what is read by people goes into the log by slog.
//
// Each combination of a metric's name and its dimensions' values is a metric that is
// paid for: no dimension may hold what callers send.
package metrics

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

// ErrFormat is returned for what the format has no room for; the error's text says which
// name or value it is about.
var ErrFormat = errors.New("not in the embedded metric format")

// The limits of one line: those of the format ("Specification: Embedded metric format",
// Amazon CloudWatch User Guide), and for names those of the API's MetricDatum and
// Dimension, in bytes of ASCII.
const (
	mostMetrics    = 100
	mostDimensions = 30
	longestName    = 250
	longestValue   = 1024
)

// metadata is the member that the format has for itself.
const metadata = "_aws"

// Unit is what a metric is counted in. CloudWatch knows none longer than a second: hours
// have none.
type Unit string

// The units in use.
const (
	None  Unit = "None"
	Count Unit = "Count"
)

// Dimension is a part of a metric's identity. Both texts are ASCII.
type Dimension struct{ Name, Value string }

// Metric is one measurement.
type Metric struct {
	Name  string
	Unit  Unit
	Value float64
}

// Writer writes lines of one namespace. It is safe for concurrent use if its output is:
// each line is one call of Write.
type Writer struct {
	namespace string
	out       io.Writer
	now       func() time.Time
}

// NewWriter returns a Writer whose lines bear the clock's time.
func NewWriter(namespace string, out io.Writer, now func() time.Time) *Writer {
	return &Writer{namespace: namespace, out: out, now: now}
}

// directive tells CloudWatch which members of a line are metrics.
type directive struct {
	Namespace  string
	Dimensions [][]string
	Metrics    []definition
}

type definition struct {
	Name string
	Unit Unit
}

// Write writes one line: the metrics, at least one, under these dimensions. The errors
// are ErrFormat, without anything written, and the output's.
func (w *Writer) Write(dimensions []Dimension, all ...Metric) error {
	line, err := w.line(dimensions, all)
	if err != nil {
		return fmt.Errorf("write metrics: %w", err)
	}
	if _, err := w.out.Write(line); err != nil {
		return fmt.Errorf("write metrics: %w", err)
	}
	return nil
}

func (w *Writer) line(dimensions []Dimension, all []Metric) ([]byte, error) {
	if !isName(w.namespace) || len(all) == 0 || len(all) > mostMetrics || len(dimensions) > mostDimensions {
		return nil, fmt.Errorf("%w: %d metrics with %d dimensions in namespace %q", ErrFormat, len(all), len(dimensions), w.namespace)
	}
	d := directive{Namespace: w.namespace, Dimensions: [][]string{{}}}
	root := map[string]any{metadata: nil}
	for _, dimension := range dimensions {
		if _, there := root[dimension.Name]; there || !isName(dimension.Name) || !isText(dimension.Value, longestValue) {
			return nil, fmt.Errorf("%w: dimension %q", ErrFormat, dimension)
		}
		root[dimension.Name] = dimension.Value
		d.Dimensions[0] = append(d.Dimensions[0], dimension.Name)
	}
	for _, m := range all {
		if _, there := root[m.Name]; there || !isName(m.Name) || math.IsNaN(m.Value) || math.IsInf(m.Value, 0) {
			return nil, fmt.Errorf("%w: metric %q of %v", ErrFormat, m.Name, m.Value)
		}
		root[m.Name] = m.Value
		d.Metrics = append(d.Metrics, definition{m.Name, m.Unit})
	}
	root[metadata] = map[string]any{"Timestamp": w.now().UnixMilli(), "CloudWatchMetrics": []directive{d}}
	line, err := json.Marshal(root)
	return append(line, '\n'), err
}

func isName(s string) bool { return isText(s, longestName) && s[0] != ':' }

// isText reports whether a text is printable ASCII, and not blank.
func isText(s string, longest int) bool {
	return len(s) <= longest && strings.TrimSpace(s) != "" &&
		!strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}
