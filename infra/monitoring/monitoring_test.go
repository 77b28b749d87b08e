// Package monitoring_test holds the alarms and the dashboard of monitoring.yaml together
// with what they are about: the metrics that pkg/watch writes, the functions, and the
// sections of RUNBOOK.md.
package monitoring_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/metrics"
	"github.com/listward/listward/pkg/objects/dir"
	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/watch"
)

// template is what is read of a CloudFormation template. Of an intrinsic function the
// argument is read: !Ref Service is Service.
type template struct {
	Parameters map[string]any      `yaml:"Parameters"`
	Resources  map[string]resource `yaml:"Resources"`
}

type resource struct {
	Type       string    `yaml:"Type"`
	Properties yaml.Node `yaml:"Properties"`
}

type alarm struct {
	measure          `yaml:",inline"`
	Name             string   `yaml:"AlarmName"`
	Description      string   `yaml:"AlarmDescription"`
	Actions          []string `yaml:"AlarmActions"`
	Period           int      `yaml:"Period"`
	Periods          int      `yaml:"EvaluationPeriods"`
	TreatMissingData string   `yaml:"TreatMissingData"`
	// Metrics are those of an expression, and the expression without one.
	Metrics []struct {
		Stat struct {
			Metric measure `yaml:"Metric"`
			Period int     `yaml:"Period"`
		} `yaml:"MetricStat"`
	} `yaml:"Metrics"`
}

// measure is a metric, with its dimensions by name.
type measure struct {
	Namespace  string `yaml:"Namespace"`
	Metric     string `yaml:"MetricName"`
	Dimensions []struct {
		Name  string `yaml:"Name"`
		Value string `yaml:"Value"`
	} `yaml:"Dimensions"`
}

// words are the metric as the dashboard has it: namespace, name, dimensions.
func (m measure) words() []string {
	all := []string{m.Namespace, m.Metric}
	for _, d := range m.Dimensions {
		all = append(all, d.Name, d.Value)
	}
	return all
}

func (a alarm) measures() []measure {
	if len(a.Metrics) == 0 {
		return []measure{a.measure}
	}
	var all []measure
	for _, m := range a.Metrics {
		if m.Stat.Period > 0 {
			all = append(all, m.Stat.Metric)
		}
	}
	return all
}

// length is that of a period, in seconds.
func (a alarm) length() int {
	longest := a.Period
	for _, m := range a.Metrics {
		longest = max(longest, m.Stat.Period)
	}
	return longest
}

func read(t *testing.T, path string) template {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var read template
	if err := yaml.Unmarshal(text, &read); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return read
}

// alarms are those of a template by their ids there.
func (from template) alarms(t *testing.T) map[string]alarm {
	t.Helper()
	all := map[string]alarm{}
	for id, r := range from.Resources {
		if r.Type != "AWS::CloudWatch::Alarm" {
			continue
		}
		var a alarm
		if err := r.Properties.Decode(&a); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		all[id] = a
	}
	if len(all) == 0 {
		t.Fatal("the template has no alarm")
	}
	return all
}

// widget is one of the dashboard, of alarms or of metrics.
type widget struct {
	Properties struct {
		Alarms  []string `json:"alarms"`
		Metrics [][]any  `json:"metrics"`
	} `json:"properties"`
}

func (from template) widgets(t *testing.T) []widget {
	t.Helper()
	var dashboard struct {
		Body string `yaml:"DashboardBody"`
	}
	node := from.Resources["Dashboard"].Properties
	if err := node.Decode(&dashboard); err != nil {
		t.Fatal(err)
	}
	var body struct {
		Widgets []widget `json:"widgets"`
	}
	if err := json.Unmarshal([]byte(dashboard.Body), &body); err != nil || len(body.Widgets) == 0 {
		t.Fatalf("the dashboard has %d widgets, error %v", len(body.Widgets), err)
	}
	return body.Widgets
}

// words are the metrics of a widget, without how they are drawn.
func (w widget) words() [][]string {
	var all [][]string
	for _, m := range w.Properties.Metrics {
		var words []string
		for _, word := range m {
			if text, isText := word.(string); isText {
				words = append(words, text)
			}
		}
		all = append(all, words)
	}
	return all
}

// written are the metrics that a look writes when there is something of everything.
func written(t *testing.T) map[string]bool {
	t.Helper()
	store, err := dir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	p := edition.Pointer{Snapshot: strings.Repeat("a", 64)}
	for _, s := range sanction.Sources() {
		p.Sources = append(p.Sources, edition.State{Source: s, Status: edition.OK, AcceptedAt: now, CheckedAt: now})
	}
	if err := edition.Write(t.Context(), store, p, ""); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	clock := func() time.Time { return now }
	w := &watch.Watcher{Store: store, Metrics: metrics.NewWriter(watch.Namespace, &out, clock), Stack: "Service", Now: clock}
	if err := w.Watch(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for line := range strings.Lines(out.String()) {
		for _, words := range measured(t, line) {
			all[strings.Join(words, " ")] = true
		}
	}
	return all
}

// measured are the metrics of a line.
func measured(t *testing.T, line string) (all [][]string) {
	t.Helper()
	var root map[string]any
	var head struct {
		Metadata struct {
			CloudWatchMetrics []struct {
				Namespace  string
				Dimensions [][]string
				Metrics    []struct{ Name string }
			}
		} `json:"_aws"`
	}
	for _, into := range []any{&root, &head} {
		if err := json.Unmarshal([]byte(line), into); err != nil {
			t.Fatal(err)
		}
	}
	d := head.Metadata.CloudWatchMetrics[0]
	for _, m := range d.Metrics {
		words := []string{d.Namespace, m.Name}
		for _, dimension := range d.Dimensions[0] {
			words = append(words, dimension, root[dimension].(string))
		}
		all = append(all, words)
	}
	return all
}

// ours are the metrics of our namespace, which are compared. That of the dashboard is
// text with names in ${}.
func ours(all ...[]string) map[string]bool {
	named := map[string]bool{}
	for _, words := range all {
		if words[0] == watch.Namespace {
			named[strings.NewReplacer("${", "", "}", "").Replace(strings.Join(words, " "))] = true
		}
	}
	return named
}

func TestMetricsAreThoseThatAreWritten(t *testing.T) {
	from := read(t, "monitoring.yaml")
	var shown, watched [][]string
	for _, w := range from.widgets(t) {
		shown = append(shown, w.words()...)
	}
	for _, a := range from.alarms(t) {
		for _, m := range a.measures() {
			watched = append(watched, m.words())
		}
	}
	all := written(t)
	if diff := cmp.Diff(all, ours(shown...)); diff != "" {
		t.Errorf("the dashboard shows others than are written (-written +shown):\n%s", diff)
	}
	for name := range ours(watched...) {
		if !all[name] {
			t.Errorf("an alarm is about %s, which nobody writes", name)
		}
	}
	// Nothing is wrong with any number of entries: a list that shrank is refused.
	for name := range ours(append(shown, watched...)...) {
		if _, has := ours(watched...)[name]; !has && !strings.Contains(name, " Entries ") {
			t.Errorf("no alarm is about %s", name)
		}
	}
}

func TestAlarmsReachSomebody(t *testing.T) {
	from := read(t, "monitoring.yaml")
	alarms := from.alarms(t)
	var ids []string
	for _, id := range slices.Sorted(maps.Keys(alarms)) {
		ids = append(ids, "${"+id+".Arn}")
		a := alarms[id]
		if !slices.Equal(a.Actions, []string{"Topic"}) || a.TreatMissingData == "" {
			t.Errorf("%s: actions %v, missing data %q", id, a.Actions, a.TreatMissingData)
		}
		if !strings.HasPrefix(a.Name, "${Service}-") { // the topic's policy admits no other
			t.Errorf("%s is named %q, not after the service", id, a.Name)
		}
		longest := 7 * 24 * 3600
		if a.length() < 3600 {
			longest = 24 * 3600
		}
		if total := a.length() * a.Periods; total == 0 || total > longest {
			t.Errorf("%s looks at %d seconds, of at most %d", id, total, longest)
		}
	}
	shown := slices.Sorted(slices.Values(from.widgets(t)[0].Properties.Alarms))
	slices.Sort(ids)
	if diff := cmp.Diff(ids, shown); diff != "" {
		t.Errorf("the dashboard shows others than there are (-are +shown):\n%s", diff)
	}
}

// TestFunctionsAreShown: the errors and the duration of every function.
func TestFunctionsAreShown(t *testing.T) {
	folders, err := filepath.Glob("../../functions/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("%d functions, error %v", len(folders), err)
	}
	from := read(t, "monitoring.yaml")
	shown := map[string]bool{}
	for _, w := range from.widgets(t) {
		for _, words := range w.words() {
			shown[strings.Join(words, " ")] = true
		}
	}
	for _, folder := range folders {
		name := filepath.Base(folder)
		parameter := strings.ToUpper(name[:1]) + name[1:] + "Function"
		if _, there := from.Parameters[parameter]; !there {
			t.Errorf("there is no parameter %s", parameter)
		}
		for _, metric := range []string{"Errors", "Duration"} {
			if !shown["AWS/Lambda "+metric+" FunctionName ${"+parameter+"}"] {
				t.Errorf("the dashboard does not show %s of %s", metric, name)
			}
		}
		delete(from.Parameters, parameter)
	}
	for parameter := range from.Parameters {
		if strings.HasSuffix(parameter, "Function") {
			t.Errorf("parameter %s is of no function", parameter)
		}
	}
}

// TestRunbook: the section that an alarm names is there, and no section is about none.
// Alarms of the template that roll a version back name one too.
func TestRunbook(t *testing.T) {
	text, err := os.ReadFile("RUNBOOK.md")
	if err != nil {
		t.Fatal(err)
	}
	_, behind, _ := strings.Cut(string(text), "\n## Alarms\n")
	chapter, _, _ := strings.Cut(behind, "\n## ")
	sections := map[string]bool{} // to whether an alarm names it
	for _, m := range regexp.MustCompile(`(?m)^### (.+)$`).FindAllStringSubmatch(chapter, -1) {
		sections[strings.ToLower(m[1])] = false
	}
	named := regexp.MustCompile(`\(infra/monitoring/RUNBOOK\.md, ([^)]+)\)$`)
	for _, path := range []string{"monitoring.yaml", "../../template.yaml"} {
		for id, a := range read(t, path).alarms(t) {
			m := named.FindStringSubmatch(a.Description)
			if m == nil {
				t.Errorf("%s: the description of %s names no section: %q", path, id, a.Description)
				continue
			}
			if _, there := sections[m[1]]; !there {
				t.Errorf("%s: %s names the section %q, which is not there", path, id, m[1])
			}
			sections[m[1]] = true
			if !strings.Contains(chapter, "`"+id+"`") && path == "monitoring.yaml" {
				t.Errorf("no section names the alarm %s", id)
			}
		}
	}
	for section, used := range sections {
		if !used {
			t.Errorf("no alarm leads to the section %q", section)
		}
	}
}
