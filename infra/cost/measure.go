package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/listward/listward/infra/runtimeapi"
	"github.com/listward/listward/infra/stage"
	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/exports"
	"github.com/listward/listward/pkg/fetch"
	"github.com/listward/listward/pkg/keys/dynamo"
	"github.com/listward/listward/pkg/objects"
	objectss3 "github.com/listward/listward/pkg/objects/s3"
	"github.com/listward/listward/pkg/refresh"
)

// How often functions are started, and called when warm. A key admits a thousand calls.
const (
	starts    = 9
	warmCalls = 500
	batches   = 50
)

var (
	errAnswer = errors.New("the function's answer is not the expected one")
	errLists  = errors.New("no name was found to measure with")
)

// lab is a stage with lists and a key.
type lab struct {
	*stage.Stage
	log   string // path of what the functions print
	key   string
	store objects.Store
	*edition.Edition
}

// measure runs the bootstraps of the repository at root on engines, with lists in the
// publishers' formats. It takes a minute, in which nothing else should run on the
// machine. Among the errors is engines.ErrUnavailable.
func measure(ctx context.Context, root string, lists fs.FS) (m measured, err error) {
	dir, err := os.MkdirTemp("", "listward-cost")
	if err != nil {
		return measured{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := stage.Open(ctx, root, dir, false)
	if err != nil {
		return measured{}, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	l := &lab{Stage: s, log: filepath.Join(dir, "functions.log")}
	if err := l.prepare(ctx, lists); err != nil {
		return measured{}, err
	}
	return l.measure(ctx)
}

// prepare publishes the lists and creates a key.
func (l *lab) prepare(ctx context.Context, lists fs.FS) error {
	buckets, tables, err := l.Clients()
	if err != nil {
		return err
	}
	l.store = objectss3.New(buckets, stage.Bucket, rand.Text)
	refresher := &refresh.Refresher{
		Store: l.store, Origin: fetch.Folder{FS: lists}, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Guard: refresh.Lease(l.store, "cost", time.Now),
	}
	if _, err := refresher.Run(ctx); err != nil {
		return err
	}
	if l.key, err = createKey(ctx, dynamo.New(tables, stage.Table)); err != nil {
		return err
	}
	l.Edition, err = edition.NewFollower(l.store, time.Hour, time.Now, slog.New(slog.DiscardHandler)).Current(ctx)
	return err
}

func (l *lab) measure(ctx context.Context) (measured, error) {
	m := measured{Machine: machine(), Day: time.Now().UTC().Format(time.DateOnly), Entries: l.Data.Entries()}
	listed, short := l.names()
	if len(listed) == 0 || len(short) == 0 {
		return measured{}, errLists
	}
	var singles []any
	for _, name := range listed {
		singles = append(singles, screenEvent(name))
	}
	for _, kind := range []struct {
		function string
		events   []any
		calls    int
		want     string
		into     *figures
	}{
		{"authorizer", []any{authorizerEvent(l.key)}, warmCalls, `"code":"ok"`, &m.Authorizer},
		{"screen", singles, warmCalls, `"matched":true`, &m.Screen},
		{"batch", []any{batchEvent(listed)}, batches, `"matched":true`, &m.Batch},
		{"batch", []any{batchEvent(short)}, batches, `"matched":true`, &m.Crowded},
	} {
		var err error
		*kind.into, err = l.figures(ctx, series{l.Functions[kind.function], kind.events, kind.calls, kind.want})
		if err != nil {
			return measured{}, fmt.Errorf("measure %s: %w", kind.function, err)
		}
	}
	var err error
	m.Export.Name, m.Export.Bytes, err = l.largestExport(ctx)
	return m, err
}

// largestExport is the bulk file with the most bytes.
func (l *lab) largestExport(ctx context.Context) (name string, size int, err error) {
	index, err := exports.Read(ctx, l.store, l.Snapshot)
	for file, about := range index.Files {
		if int(about.Bytes) > size {
			name, size = file, int(about.Bytes)
		}
	}
	return name, size, err
}

// series is what a function is called with.
type series struct {
	function *runtimeapi.Function
	events   []any // in turn
	calls    int   // when warm
	want     string
}

// figures measures by the difference between processes that answer once and one that
// goes on answering: the system tells how long a process computed when it has ended.
func (l *lab) figures(ctx context.Context, s series) (figures, error) {
	var times, first []time.Duration
	for range starts {
		began := time.Now()
		cpu, _, err := s.run(ctx, 1)
		if err != nil {
			return figures{}, err
		}
		times, first = append(times, time.Since(began)), append(first, cpu)
	}
	before, err := os.Stat(l.log)
	if err != nil {
		return figures{}, err
	}
	cpu, sent, err := s.run(ctx, 1+s.calls)
	if err != nil {
		return figures{}, err
	}
	after, err := os.Stat(l.log)
	if err != nil {
		return figures{}, err
	}
	warm := (cpu - median(first)) / time.Duration(s.calls)
	return figures{
		CPU:    float64(warm.Nanoseconds() / 1000),
		Start:  float64(median(times).Microseconds()/100) / 10,
		Answer: sent / (1 + s.calls),
		Log:    int(after.Size()-before.Size()) / (1 + s.calls),
	}, nil
}

// run starts a process, has it answer, and ends it.
func (s series) run(ctx context.Context, calls int) (cpu time.Duration, sent int, err error) {
	before, err := childrenCPU()
	if err != nil {
		return 0, 0, err
	}
	for i := range calls {
		payload, err := json.Marshal(s.events[i%len(s.events)])
		if err != nil {
			return 0, 0, err
		}
		answer, err := s.function.Invoke(ctx, payload)
		if err != nil {
			return 0, 0, err
		}
		body, size := opened(answer)
		if !bytes.Contains(body, []byte(s.want)) {
			return 0, 0, fmt.Errorf("%w: %.200s", errAnswer, body)
		}
		sent += size
	}
	s.function.Kill()
	after, err := childrenCPU()
	return after - before, sent, err
}

// opened is the body that a function's answer has for the caller, and the bytes of that
// and the headers. The authorizer's answer is for API Gateway, and opened as it is.
func opened(answer []byte) (body []byte, sent int) {
	var response events.APIGatewayProxyResponse
	if err := json.Unmarshal(answer, &response); err != nil || response.StatusCode == 0 {
		return answer, 0
	}
	body = []byte(response.Body)
	if decoded, err := base64.StdEncoding.DecodeString(response.Body); err == nil && response.IsBase64Encoded {
		body = decoded
	}
	sent = len(body)
	for name, values := range response.MultiValueHeaders {
		for _, value := range values {
			sent += len(name) + len(value) + len(": \r\n")
		}
	}
	return body, sent
}

func median(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

// machine names the processor, as Linux tells it.
func machine() string {
	name := runtime.GOARCH
	text, err := os.ReadFile("/proc/cpuinfo")
	if _, rest, found := strings.Cut(string(text), "model name"); err == nil && found {
		name, _, _ = strings.Cut(strings.TrimLeft(rest, "\t :"), "\n")
	}
	return fmt.Sprintf("%d cores of %s", runtime.NumCPU(), strings.TrimSpace(name))
}
