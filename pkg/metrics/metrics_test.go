package metrics_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/metrics"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 250e6, time.UTC)

func writer(out io.Writer) *metrics.Writer {
	return metrics.NewWriter("Listward", out, func() time.Time { return noon })
}

func TestLine(t *testing.T) {
	var out bytes.Buffer
	err := writer(&out).Write(
		[]metrics.Dimension{{Name: "Stack", Value: "listward"}, {Name: "Source", Value: "UN"}},
		metrics.Metric{Name: "StaleHours", Unit: metrics.None, Value: 7.5},
		metrics.Metric{Name: "Entries", Unit: metrics.Count, Value: 1004})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"Entries":1004,"Source":"UN","Stack":"listward","StaleHours":7.5,` +
		`"_aws":{"CloudWatchMetrics":[{"Namespace":"Listward","Dimensions":[["Stack","Source"]],` +
		`"Metrics":[{"Name":"StaleHours","Unit":"None"},{"Name":"Entries","Unit":"Count"}]}],"Timestamp":1795176000250}}` + "\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("the line differs (-want +got):\n%s", diff)
	}
}

// named are n metrics or dimensions with different names.
func named(n int) (all []metrics.Metric, dimensions []metrics.Dimension) {
	for i := range n {
		all = append(all, metrics.Metric{Name: fmt.Sprint("metric", i), Unit: metrics.Count, Value: float64(i)})
		dimensions = append(dimensions, metrics.Dimension{Name: fmt.Sprint("dimension", i), Value: "value"})
	}
	return all, dimensions
}

// TestLinesKeepTheSpecification holds lines, the largest that are written among them,
// against what the specification says with MUST and in its JSON schema.
func TestLinesKeepTheSpecification(t *testing.T) {
	all, dimensions := named(100)
	one := metrics.Metric{Name: "One", Unit: metrics.None, Value: -0.5}
	var out bytes.Buffer
	w := writer(&out)
	for _, err := range []error{
		w.Write(nil, one), w.Write(nil, all...), w.Write(dimensions[:30], all...),
		w.Write([]metrics.Dimension{{Name: strings.Repeat("n", 250), Value: strings.Repeat("v", 1024)}}, one),
		w.Write([]metrics.Dimension{{Name: "quoted", Value: `<">\`}}, metrics.Metric{Name: "great", Unit: metrics.None, Value: math.MaxFloat64}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	lines := slices.Collect(strings.Lines(out.String()))
	if len(lines) != 5 {
		t.Fatalf("5 calls wrote %d lines", len(lines))
	}
	for _, line := range lines {
		if err := check(line); err != nil {
			t.Errorf("%v: %.200s", err, line)
		}
	}
}

// check is the specification, as far as it can be broken here.
func check(line string) error {
	var root map[string]any
	if err := json.Unmarshal([]byte(line), &root); err != nil {
		return err
	}
	var head struct {
		Metadata struct {
			Timestamp         int64
			CloudWatchMetrics []struct {
				Namespace  string
				Dimensions [][]string
				Metrics    []struct{ Name, Unit string }
			}
		} `json:"_aws"`
	}
	if err := json.Unmarshal([]byte(line), &head); err != nil {
		return err
	}
	directives := head.Metadata.CloudWatchMetrics
	switch {
	case len(line) > 256<<10:
		return errors.New("longer than a log event may be")
	case head.Metadata.Timestamp != noon.UnixMilli():
		return errors.New("another time")
	case len(directives) != 1 || len(directives[0].Dimensions) != 1 || directives[0].Namespace != "Listward":
		return errors.New("not one directive with one set of dimensions in the namespace")
	case len(directives[0].Metrics) == 0 || len(directives[0].Metrics) > 100 || len(directives[0].Dimensions[0]) > 30:
		return errors.New("too many or too few")
	}
	targets := 1 // _aws
	for _, name := range directives[0].Dimensions[0] {
		value, isText := root[name].(string)
		if !isText || value == "" || len(value) > 1024 || name == "" || len(name) > 250 {
			return fmt.Errorf("dimension %q has no text", name)
		}
		targets++
	}
	for _, m := range directives[0].Metrics {
		if _, isNumber := root[m.Name].(float64); !isNumber || m.Unit != "None" && m.Unit != "Count" {
			return fmt.Errorf("metric %q of unit %q has no number", m.Name, m.Unit)
		}
		targets++
	}
	if targets != len(root) {
		return fmt.Errorf("%d members for %d targets", len(root), targets)
	}
	return nil
}

func TestRefusals(t *testing.T) {
	one := metrics.Metric{Name: "One", Unit: metrics.Count, Value: 1}
	all, dimensions := named(101)
	dimension := func(name, value string) []metrics.Dimension {
		return []metrics.Dimension{{Name: name, Value: value}}
	}
	for what, c := range map[string]struct {
		namespace  string
		dimensions []metrics.Dimension
		all        []metrics.Metric
	}{
		"no metric":                  {"Listward", nil, nil},
		"101 metrics":                {"Listward", nil, all},
		"31 dimensions":              {"Listward", dimensions[:31], []metrics.Metric{one}},
		"no namespace":               {"", nil, []metrics.Metric{one}},
		"a metric twice":             {"Listward", nil, []metrics.Metric{one, one}},
		"a metric without a name":    {"Listward", nil, []metrics.Metric{{}}},
		"a metric named as metadata": {"Listward", nil, []metrics.Metric{{Name: "_aws"}}},
		"no number":                  {"Listward", nil, []metrics.Metric{{Name: "One", Value: math.NaN()}}},
		"an endless number":          {"Listward", nil, []metrics.Metric{{Name: "One", Value: math.Inf(-1)}}},
		"a dimension twice":          {"Listward", append(dimension("A", "a"), dimension("A", "b")...), []metrics.Metric{one}},
		"a dimension as a metric":    {"Listward", dimension("One", "a"), []metrics.Metric{one}},
		"a dimension as metadata":    {"Listward", dimension("_aws", "a"), []metrics.Metric{one}},
		"a dimension without name":   {"Listward", dimension("", "a"), []metrics.Metric{one}},
		"a long name":                {"Listward", dimension(strings.Repeat("n", 251), "a"), []metrics.Metric{one}},
		"a name with a colon":        {"Listward", dimension(":A", "a"), []metrics.Metric{one}},
		"a blank value":              {"Listward", dimension("A", "  "), []metrics.Metric{one}},
		"a long value":               {"Listward", dimension("A", strings.Repeat("v", 1025)), []metrics.Metric{one}},
		"a value of other letters":   {"Listward", dimension("A", "é"), []metrics.Metric{one}},
		"a value with a line break":  {"Listward", dimension("A", "a\nb"), []metrics.Metric{one}},
	} {
		var out bytes.Buffer
		err := metrics.NewWriter(c.namespace, &out, time.Now).Write(c.dimensions, c.all...)
		if !errors.Is(err, metrics.ErrFormat) || out.Len() > 0 {
			t.Errorf("%s: error %v and %d bytes written, want ErrFormat and none", what, err, out.Len())
		}
	}
}

func TestOutputFails(t *testing.T) {
	reader, full := io.Pipe()
	reader.CloseWithError(io.ErrShortWrite)
	err := writer(full).Write(nil, metrics.Metric{Name: "One", Unit: metrics.Count, Value: 1})
	if !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("error %v, want the output's", err)
	}
}
