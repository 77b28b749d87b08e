package runtimeapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/listward/listward/infra/runtimeapi"
)

// The test binary is the bootstrap too: with this variable it is a function that
// does what an event tells it.
const isBootstrap = "RUNTIMEAPI_TEST_BOOTSTRAP"

func TestMain(m *testing.M) {
	switch os.Getenv(isBootstrap) {
	case "":
		os.Exit(m.Run())
	case "exits at its start":
		os.Exit(3)
	}
	lambda.Start(act)
}

type order struct{ Do, Text string }

func act(ctx context.Context, o order) (map[string]string, error) {
	switch o.Do {
	case "fail":
		return nil, errors.New("it failed: " + o.Text)
	case "panic":
		panic(o.Text)
	case "exit":
		os.Exit(1)
	case "hang":
		<-time.After(time.Hour)
	}
	deadline, _ := ctx.Deadline()
	call, _ := lambdacontext.FromContext(ctx)
	return map[string]string{
		"text":     o.Text,
		"pid":      strconv.Itoa(os.Getpid()),
		"in_time":  strconv.FormatBool(time.Until(deadline) > 0 && time.Until(deadline) < time.Minute),
		"arn":      call.InvokedFunctionArn,
		"memory":   os.Getenv("AWS_LAMBDA_FUNCTION_MEMORY_SIZE"),
		"variable": os.Getenv("VARIABLE"),
		"path":     os.Getenv("PATH"),
	}, nil
}

func newFunction(t *testing.T, how string) *runtimeapi.Function {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	f := &runtimeapi.Function{
		Name: "Tester", Bootstrap: os.Args[0], Memory: 256, Log: log,
		Environment: map[string]string{isBootstrap: how, "VARIABLE": "value"},
	}
	t.Cleanup(f.Close)
	return f
}

func invoke(t *testing.T, f *runtimeapi.Function, o order) (map[string]string, error) {
	t.Helper()
	payload, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if o.Do == "hang" {
		ctx, cancel = context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
	}
	answer, err := f.Invoke(ctx, payload)
	if err != nil {
		return nil, err
	}
	var got map[string]string
	if err := json.Unmarshal(answer, &got); err != nil {
		t.Fatalf("answer %q: %v", answer, err)
	}
	return got, nil
}

func TestInvoke(t *testing.T) {
	f := newFunction(t, "yes")
	first, err := invoke(t, f, order{Text: "one"})
	if err != nil {
		t.Fatal(err)
	}
	if first["text"] != "one" || first["in_time"] != "true" || first["memory"] != "256" ||
		first["variable"] != "value" || first["path"] != "" || !strings.HasSuffix(first["arn"], ":function:Tester") {
		t.Errorf("answer %v", first)
	}
	second, err := invoke(t, f, order{Text: "two"})
	if err != nil || second["text"] != "two" || second["pid"] != first["pid"] {
		t.Errorf("second answer %v of process %s, error %v, want the process of the first", second, first["pid"], err)
	}
	f.Kill()
	third, err := invoke(t, f, order{Text: "three"})
	if err != nil || third["pid"] == first["pid"] {
		t.Errorf("after a kill: %v, error %v, want another process than %s", third, err, first["pid"])
	}
	if f.PeakMemory() < 1<<20 {
		t.Errorf("peak memory of %d bytes", f.PeakMemory())
	}
}

// TestFailures: each is told, and the next call is served.
func TestFailures(t *testing.T) {
	for do, tt := range map[string]struct {
		want    error
		samePID bool
	}{
		"fail":  {runtimeapi.ErrFailed, true},
		"panic": {runtimeapi.ErrFailed, false},
		"exit":  {runtimeapi.ErrExited, false},
		"hang":  {runtimeapi.ErrTimeout, false},
	} {
		f := newFunction(t, "yes")
		before, err := invoke(t, f, order{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := invoke(t, f, order{Do: do, Text: "why"}); !errors.Is(err, tt.want) ||
			errors.Is(tt.want, runtimeapi.ErrFailed) && !strings.Contains(err.Error(), "why") {
			t.Errorf("%s: error %v, want %v", do, err, tt.want)
		}
		after, err := invoke(t, f, order{Text: "again"})
		if err != nil || after["text"] != "again" || (after["pid"] == before["pid"]) != tt.samePID {
			t.Errorf("after %s: %v and error %v, the process before was %s", do, after, err, before["pid"])
		}
	}
}

func TestConcurrentCallsHaveProcessesOfTheirOwn(t *testing.T) {
	f := newFunction(t, "yes")
	var callers sync.WaitGroup
	for i := range 8 {
		callers.Go(func() {
			for range 20 {
				text := strconv.Itoa(i)
				if got, err := invoke(t, f, order{Text: text}); err != nil || got["text"] != text {
					t.Errorf("caller %d got %v, error %v", i, got, err)
				}
			}
		})
	}
	callers.Wait()
}

func TestDoesNotStart(t *testing.T) {
	exits := newFunction(t, "exits at its start")
	if _, err := invoke(t, exits, order{}); !errors.Is(err, runtimeapi.ErrStart) {
		t.Errorf("a bootstrap that exits: error %v, want ErrStart", err)
	}
	absent := newFunction(t, "yes")
	absent.Bootstrap = filepath.Join(t.TempDir(), "nothing")
	if _, err := invoke(t, absent, order{}); !errors.Is(err, runtimeapi.ErrStart) {
		t.Errorf("a bootstrap that is not there: error %v, want ErrStart", err)
	}
	closed := newFunction(t, "yes")
	closed.Close()
	if _, err := invoke(t, closed, order{}); !errors.Is(err, runtimeapi.ErrStart) {
		t.Errorf("a closed function: error %v, want ErrStart", err)
	}
}
