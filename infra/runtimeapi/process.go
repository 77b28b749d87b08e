package runtimeapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// process is a running bootstrap with a Runtime API of its own.
type process struct {
	command *exec.Cmd
	server  *http.Server
	arn     string

	// asked gets a value each time the process asks for an event, events the event
	// for it, and results what it made of that.
	asked   chan struct{}
	events  chan event
	results chan result
	// exited is closed when the process has ended, gone when it must not be used.
	exited chan struct{}
	gone   atomic.Bool
	serial atomic.Int64
}

type event struct {
	id       string
	deadline time.Time
	payload  []byte
}

type result struct {
	id   string
	body []byte
	err  error
}

// start starts the bootstrap and waits until it asks for its first event.
func start(ctx context.Context, f *Function) (*process, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStart, err)
	}
	p := &process{
		arn:     "arn:aws:lambda:us-east-1:000000000000:function:" + f.Name,
		asked:   make(chan struct{}, 1),
		events:  make(chan event, 1),
		results: make(chan result, 1),
		exited:  make(chan struct{}),
	}
	p.server = &http.Server{Handler: p.routes()}
	go func() { _ = p.server.Serve(listener) }() // ends with Close
	p.command = exec.Command(f.Bootstrap)
	p.command.Env = f.environment(listener.Addr().String())
	p.command.Stdout, p.command.Stderr = f.Log, f.Log
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStart, errors.Join(err, p.server.Close()))
	}
	go func() {
		_ = p.command.Wait() // how it ended does not matter, that it did does
		p.gone.Store(true)
		close(p.exited)
	}()
	if err := p.ready(ctx); err != nil {
		p.stop()
		return nil, err
	}
	return p, nil
}

func (p *process) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	select {
	case <-p.asked:
		return nil
	case r := <-p.results:
		return fmt.Errorf("%w: %w", ErrStart, r.err)
	case <-p.exited:
		return fmt.Errorf("%w: %s", ErrStart, p.command.ProcessState)
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrStart, ctx.Err())
	}
}

// invoke gives the process an event and waits for its answer and for its asking
// for the next one, since it is idle only then.
func (p *process) invoke(ctx context.Context, payload []byte) ([]byte, error) {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(time.Hour)
	}
	e := event{id: strconv.FormatInt(p.serial.Add(1), 10), deadline: deadline, payload: payload}
	p.events <- e
	r, err := p.result(ctx, e)
	if err != nil {
		p.gone.Store(true)
		return nil, err
	}
	select {
	case <-p.asked:
	case <-p.exited:
	case <-ctx.Done():
		p.gone.Store(true)
	}
	return r.body, r.err
}

func (p *process) result(ctx context.Context, e event) (result, error) {
	for {
		select {
		case r := <-p.results:
			if r.id == e.id {
				return r, nil
			}
		case <-p.exited:
			return result{}, fmt.Errorf("%w: %s", ErrExited, p.command.ProcessState)
		case <-ctx.Done():
			return result{}, ErrTimeout
		}
	}
}

func (p *process) ended() bool { return p.gone.Load() }

// stop kills the process and returns its peak resident memory in bytes, 0 where
// the system does not tell.
func (p *process) stop() int64 {
	p.gone.Store(true)
	peak := p.peakMemory()
	_ = p.command.Process.Kill() // it may have ended already
	<-p.exited
	_ = p.server.Close() // nobody is left to call it
	return peak
}

// peakMemory reads VmHWM (proc(5)). The figure that the system gives for an ended
// process counts in what its parent had when it started it.
func (p *process) peakMemory() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmHWM:" {
			kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
			if err == nil {
				return kilobytes << 10
			}
		}
	}
	return 0
}

// routes is the Runtime API (AWS Lambda developer guide, "Using the Lambda
// runtime API for custom runtimes").
func (p *process) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", p.next)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/response", p.take(nil))
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/error", p.take(ErrFailed))
	mux.HandleFunc("POST /2018-06-01/runtime/init/error", p.take(ErrFailed))
	return mux
}

func (p *process) next(w http.ResponseWriter, r *http.Request) {
	p.asked <- struct{}{}
	select {
	case e := <-p.events:
		w.Header().Set("Lambda-Runtime-Aws-Request-Id", e.id)
		w.Header().Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(e.deadline.UnixMilli(), 10))
		w.Header().Set("Lambda-Runtime-Invoked-Function-Arn", p.arn)
		_, _ = w.Write(e.payload) // a process that ended is noticed by its exit
	case <-r.Context().Done():
	}
}

// take receives an answer, or what the process says of its failure.
func (p *process) take(failure error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		switch {
		case err != nil:
			err = fmt.Errorf("%w: its answer broke off: %w", ErrFailed, err)
		case failure != nil:
			err = fmt.Errorf("%w: %s", failure, bytes.TrimSpace(body))
		}
		p.results <- result{id: r.PathValue("id"), body: body, err: err}
		w.WriteHeader(http.StatusAccepted)
	}
}
