// Package runtimeapi runs real Lambda bootstraps on one machine: it starts the
// process that is deployed, with the environment that the template gives it, and
// serves it the Lambda Runtime API (version 2018-06-01).
//
// A [Function] is a gateway.Invoker, so that infra/gateway can front bootstraps as
// it fronts handlers in its own process. As on AWS, a process works on one
// event at a time; calls that come together get a process each. One that panics,
// exits or runs past its time-out is given up, its call fails, and the next call
// starts another.
//
// Memory limits are not enforced; [Function.PeakMemory] tells what was used.
package runtimeapi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"
)

// What Invoke returns when a function does not answer.
var (
	// ErrStart is returned when the process cannot be started, or ends or reports
	// an error before it asks for its first event.
	ErrStart = errors.New("the bootstrap did not start")
	// ErrFailed is returned when the function reports an error, as after a panic.
	ErrFailed = errors.New("the function failed")
	// ErrExited is returned when the process ends with a call on its hands.
	ErrExited = errors.New("the bootstrap ended")
	// ErrTimeout is returned when the call's context ends first. The process is
	// killed, as Lambda does.
	ErrTimeout = errors.New("the function timed out")
)

var errClosed = fmt.Errorf("%w: it was closed", ErrStart)

// Function is one Lambda function. Its fields are set before use; it may be
// invoked concurrently, and must be closed.
type Function struct {
	// Name is AWS_LAMBDA_FUNCTION_NAME.
	Name string
	// Bootstrap is the path of the executable.
	Bootstrap string
	// Memory is the function's memory in MB, which it is told.
	Memory int
	// Environment is what the process gets besides what Lambda sets. Nothing of
	// this process's own environment reaches it.
	Environment map[string]string
	// Log receives what the process prints.
	Log *os.File

	mu     sync.Mutex
	idle   []*process
	all    []*process
	peak   int64
	closed bool
}

// Invoke has a process answer an event. The first calls start processes.
func (f *Function) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	p, err := f.take(ctx)
	if err != nil {
		return nil, fmt.Errorf("invoke %s: %w", f.Name, err)
	}
	answer, err := p.invoke(ctx, payload)
	f.giveBack(p)
	if err != nil {
		return nil, fmt.Errorf("invoke %s: %w", f.Name, err)
	}
	return answer, nil
}

// take returns an idle process, or starts one.
func (f *Function) take(ctx context.Context) (*process, error) {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return nil, errClosed
	}
	if last := len(f.idle) - 1; last >= 0 {
		p := f.idle[last]
		f.idle = f.idle[:last]
		f.mu.Unlock()
		return p, nil
	}
	f.mu.Unlock()
	p, err := start(ctx, f)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		p.stop()
		return nil, errClosed
	}
	f.all = append(f.all, p)
	return p, nil
}

// giveBack keeps a process that can serve on, and forgets one that ended.
func (f *Function) giveBack(p *process) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !p.ended() {
		f.idle = append(f.idle, p)
		return
	}
	f.peak = max(f.peak, p.stop())
	f.all = slices.DeleteFunc(f.all, func(other *process) bool { return other == p })
}

// Kill ends all processes at once, as a crash would. The function can be invoked
// again.
func (f *Function) Kill() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.all {
		f.peak = max(f.peak, p.stop())
	}
	f.all, f.idle = nil, nil
}

// Close ends all processes for good.
func (f *Function) Close() {
	f.Kill()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
}

// PeakMemory returns the largest resident memory of a process until it was given
// up or killed, in bytes.
func (f *Function) PeakMemory() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.peak
}

// environment is what Lambda gives a process, with an address for the Runtime API.
func (f *Function) environment(address string) []string {
	env := map[string]string{
		"AWS_LAMBDA_RUNTIME_API":          address,
		"AWS_LAMBDA_FUNCTION_NAME":        f.Name,
		"AWS_LAMBDA_FUNCTION_VERSION":     "$LATEST",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": strconv.Itoa(f.Memory),
		"_HANDLER":                        "bootstrap",
	}
	maps.Copy(env, f.Environment)
	var list []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

// startTime bounds a start, as Lambda bounds its INIT phase.
const startTime = 10 * time.Second
