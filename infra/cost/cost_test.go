package main

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/infra/engines"
	"github.com/listward/listward/infra/gateway"
	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/lists/sample"
)

// TestReadme: the README shows what the program prints.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, shown, opened := strings.Cut(string(readme), "<!-- cost -->\n")
	shown, _, closed := strings.Cut(shown, "<!-- /cost -->")
	if !opened || !closed {
		t.Fatal("README.md has no <!-- cost --> and <!-- /cost --> with what `make cost` prints between them")
	}
	var printed bytes.Buffer
	if err := run(t.Context(), nil, &printed); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimSpace(printed.String()), strings.TrimSpace(shown)); diff != "" {
		t.Errorf("README.md between the marks of cost (-printed +shown):\n%s", diff)
	}
}

// TestBill computes one bill by hand: a function of half a CPU, that checks the lists at
// every hundredth call.
func TestBill(t *testing.T) {
	u := usage{
		figures: figures{CPU: 2200, Start: 50, Answer: 3000, Log: 250},
		memory:  1024, monthly: 100 * 43_200,
	}
	b, warm, start := billFor(u, figures{CPU: 500, Start: 8})
	// 2.2 ms of a CPU take 3.8 ms of 58 % of one, billed as 4; each look takes 150 ms.
	if !near(warm, 4+1.5) || !near(start, 42+50+300) {
		t.Errorf("billed %v ms warm, %v ms to start", warm, start)
	}
	for name, c := range map[string]struct{ got, want float64 }{
		"API Gateway": {b.gateway, 3.50e-6},
		// (5.5 ms + 3.92 ms) of 1 GB and (7 ms + 10 ms + 1 ms) of 1/8 GB.
		"Lambda":   {b.lambda, 2*0.20e-6 + (0.00942+0.018/8)*0.0000133334},
		"DynamoDB": {b.dynamo, 0.625e-6},
		"S3":       {b.s3, (0.01 + 0.02) * 0.4e-6},
		"logs":     {b.logs, (250 + 400 + 840) * 0.50 / (1 << 30)},
		"traffic":  {b.traffic, 3150 * 0.09 / (1 << 30)},
	} {
		if !near(c.got, c.want) {
			t.Errorf("%s: %g, want %g", name, c.got, c.want)
		}
	}
	if sum := b.gateway + b.lambda + b.dynamo + b.s3 + b.logs + b.traffic; !near(b.total(), sum) {
		t.Errorf("together %g, want %g", b.total(), sum)
	}
	u.download = 1_000_000
	more, _, _ := billFor(u, figures{CPU: 500, Start: 8})
	if want := b.total() + 1_050_000*0.09/(1<<30) + 2*0.4e-6; !near(more.total(), want) {
		t.Errorf("with a download %g, want %g", more.total(), want)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }

// TestMemory: a small function takes longer, and one of more than a CPU is no faster.
func TestMemory(t *testing.T) {
	for memory, want := range map[int]float64{128: 139, 256: 70, 1024: 18, 1769: 10, 3008: 10} {
		if got := warmTime(10_000, memory); got != want {
			t.Errorf("10 ms of a CPU with %d MB take %v ms, want %v", memory, got, want)
		}
	}
}

// TestAsDeployed: what the model takes for granted is what the template and the contract
// say.
func TestAsDeployed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	template, err := gateway.ReadTemplate(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"authorizer": authorizerMemory, "screen": functionMemory, "batch": functionMemory}
	for _, f := range template.Functions {
		if memory, known := want[f.Folder]; known && f.Memory != memory {
			t.Errorf("%s has %d MB, and %d in the model", f.Folder, f.Memory, memory)
		}
		delete(want, f.Folder)
	}
	if len(want) > 0 {
		t.Errorf("the template lacks %v", want)
	}
	if keys.Limit != callsOfKey || keys.MaxActive != keysOfPlan {
		t.Errorf("%d keys have %d calls a day, and %d have %d in the model", keys.MaxActive, keys.Limit, keysOfPlan, callsOfKey)
	}
	if silent := regexp.MustCompile(`SystemLogLevel:\s*WARN`).Match(text); silent != (systemLog == 0) {
		t.Errorf("Lambda's own log lines: the template leaves them out is %v, and the model has %d bytes of them", silent, systemLog)
	}
}

// TestLastMeasured: no figure is missing, for what is missing costs nothing.
func TestLastMeasured(t *testing.T) {
	m, err := lastMeasured()
	if err != nil {
		t.Fatal(err)
	}
	if m.Machine == "" || len(m.Day) != len("2026-01-02") || m.Entries < 20_000 || m.Export.Name == "" || m.Export.Bytes < 1_000_000 {
		t.Errorf("measured.json: %+v is not of full lists", m)
	}
	checkFigures(t, m)
}

func checkFigures(t *testing.T, m measured) {
	t.Helper()
	for name, f := range map[string]figures{"screen": m.Screen, "batch": m.Batch, "crowded_batch": m.Crowded} {
		if f.CPU < 10 || f.Start < 1 || f.Answer < 300 || f.Log < 50 {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if m.Authorizer.CPU < 10 || m.Authorizer.Start < 1 {
		t.Errorf("authorizer: %+v", m.Authorizer)
	}
	if m.Batch.CPU < m.Screen.CPU || m.Batch.Answer < m.Screen.Answer {
		t.Errorf("a batch %+v is less than a name %+v", m.Batch, m.Screen)
	}
}

// TestMeasure measures with the sample lists, which says nothing of costs.
func TestMeasure(t *testing.T) {
	m, err := measure(t.Context(), filepath.Join("..", ".."), sample.Files())
	engines.Need(t, ignoring(err, engines.ErrOutside))
	checkFigures(t, m)
	if m.Entries == 0 || m.Export.Bytes == 0 || m.Machine == "" || m.Authorizer.Answer != 0 {
		t.Errorf("%+v", m)
	}
}

// ignoring is an error unless it is one that does not matter.
func ignoring(err, one error) error {
	if errors.Is(err, one) {
		return nil
	}
	return err
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"measure"}, {"print"}, {"measure", "a", "b"}} {
		if err := run(t.Context(), args, &bytes.Buffer{}); !errors.Is(err, errUsage) {
			t.Errorf("cost %q: %v, want %v", args, err, errUsage)
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 15_000_000: "15,000,000"} {
		if got := thousands(n); got != want {
			t.Errorf("thousands(%d) = %q, want %q", n, got, want)
		}
	}
}
