// Package engines starts servers that speak the real protocols of DynamoDB, S3 and
// Stripe, so that the adapters are tested through the clients of their makers against
// another side than themselves.
//
// A test calls [DynamoDB], [S3], [S3TLS] or [Stripe] and connects to the [Endpoint];
// each call is an engine of its own, empty and stopped with the test. A program calls
// [StartDynamoDB], [StartS3] or [StartStripe] with a folder for the data. [Engine.Stop]
// and [Engine.Restart] are for tests of what happens when the store goes away.
//
// The programs are dynoxide for DynamoDB (linux/amd64), versitygw for S3 and
// stripe-mock, which checks requests and remembers nothing. They are made at the first
// use, which needs npm or the Go module proxy, and kept in .build/engines at the root
// of the repository. Their versions and checksums stand in dynoxide/package-lock.json,
// versitygw/go.sum and stripemock/go.sum beside this file.
//
// An engine that runs already, AWS itself among them, is used in place of ours
// when its address is in LISTWARD_DYNAMODB_ENDPOINT or LISTWARD_S3_ENDPOINT, with
// _ACCESS_KEY, _SECRET_KEY and _REGION in place of _ENDPOINT for the rest.
package engines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

const (
	defaultRegion = "us-east-1"
	// startTimeout is for a machine under load: the engines answer after 20 ms.
	startTimeout = 10 * time.Second
	// probeEvery is small against the start of an engine.
	probeEvery = 2 * time.Millisecond
)

var (
	// ErrStart is returned when an engine does not come to answer, with what it
	// printed.
	ErrStart = errors.New("the engine does not answer")
	// ErrOutside is returned by Stop and Restart for an endpoint that was given
	// from outside.
	ErrOutside = errors.New("the engine was given from outside and is not ours to stop")
)

// Endpoint is what a client needs to connect.
type Endpoint struct {
	// Address is the base URL, as http://127.0.0.1:34567.
	Address              string
	AccessKey, SecretKey string
	Region               string
	// Folder is where an S3 engine of ours keeps its objects as files, below one
	// folder for each bucket; empty otherwise.
	Folder string
}

// Engine is a server that runs, or ran until it was stopped. Its methods must
// not be called concurrently; clients may use the endpoint meanwhile.
type Engine struct {
	Endpoint

	// command is empty for an engine from outside.
	command []string
	log     string
	process *os.Process
	exited  chan struct{}
}

// StartDynamoDB starts an engine for DynamoDB with its data in dir, a folder that
// exists, and returns when it answers. The errors are ErrUnavailable, ErrPinned
// and ErrStart. The context ends the start, not the engine: the caller stops it.
func StartDynamoDB(ctx context.Context, dir string) (*Engine, error) {
	if e := outside("LISTWARD_DYNAMODB"); e != nil {
		return e, nil
	}
	program, err := NPM(ctx, "infra/engines/dynoxide", "@dynoxide/linux-x64/dynoxide")
	if err != nil {
		return nil, err
	}
	host, port, err := freePort()
	if err != nil {
		return nil, err
	}
	return start(ctx, &Engine{
		Endpoint: ours(host, port),
		command:  []string{program, "--host", host, "--port", port, "--db-path", filepath.Join(dir, "dynamodb.sqlite")},
		log:      filepath.Join(dir, "dynamodb.log"),
	})
}

// StartS3 does for S3 what StartDynamoDB does for DynamoDB.
func StartS3(ctx context.Context, dir string) (*Engine, error) {
	if e := outside("LISTWARD_S3"); e != nil {
		return e, nil
	}
	program, err := install(ctx, "infra/engines/versitygw", "go.sum", goBuild("github.com/versity/versitygw/cmd/versitygw"))
	if err != nil {
		return nil, err
	}
	host, port, err := freePort()
	if err != nil {
		return nil, err
	}
	endpoint := ours(host, port)
	endpoint.Folder = filepath.Join(dir, "objects")
	attributes := filepath.Join(dir, "attributes")
	if err := errors.Join(os.MkdirAll(endpoint.Folder, 0o700), os.MkdirAll(attributes, 0o700)); err != nil {
		return nil, fmt.Errorf("make the folders of the S3 engine: %w", err)
	}
	return start(ctx, &Engine{
		Endpoint: endpoint,
		command: []string{
			program, "--port", net.JoinHostPort(host, port), "--region", endpoint.Region,
			"--access", endpoint.AccessKey, "--secret", endpoint.SecretKey,
			"--quiet", "posix", "--sidecar", attributes, endpoint.Folder,
		},
		log: filepath.Join(dir, "s3.log"),
	})
}

// StartStripe does for Stripe what StartDynamoDB does for DynamoDB. The engine takes
// the SecretKey as the bearer of a request. There is none from outside: no test calls
// Stripe itself.
func StartStripe(ctx context.Context, dir string) (*Engine, error) {
	program, err := install(ctx, "infra/engines/stripemock", "go.sum", goBuild("github.com/stripe/stripe-mock"))
	if err != nil {
		return nil, err
	}
	host, port, err := freePort()
	if err != nil {
		return nil, err
	}
	endpoint := ours(host, port)
	endpoint.AccessKey, endpoint.SecretKey, endpoint.Region = "", "sk_test_listward", ""
	return start(ctx, &Engine{
		Endpoint: endpoint,
		command:  []string{program, "-http-addr", net.JoinHostPort(host, port)},
		log:      filepath.Join(dir, "stripe.log"),
	})
}

// outside returns the engine that the environment names, or nil.
func outside(prefix string) *Engine {
	address := os.Getenv(prefix + "_ENDPOINT")
	if address == "" {
		return nil
	}
	return &Engine{Endpoint: Endpoint{
		Address:   address,
		AccessKey: os.Getenv(prefix + "_ACCESS_KEY"),
		SecretKey: os.Getenv(prefix + "_SECRET_KEY"),
		Region:    cmp.Or(os.Getenv(prefix+"_REGION"), defaultRegion),
	}}
}

// ours returns an endpoint with keys that open nothing but an engine of ours.
func ours(host, port string) Endpoint {
	return Endpoint{
		Address:   "http://" + net.JoinHostPort(host, port),
		AccessKey: "listward-test",
		SecretKey: "listward-test-secret",
		Region:    defaultRegion,
	}
}

// freePort returns a port that was free a moment ago: the engines do not tell
// which one they took when they are asked to choose.
func freePort() (host, port string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", fmt.Errorf("find a free port: %w", err)
	}
	host, port, err = net.SplitHostPort(listener.Addr().String())
	if err := errors.Join(err, listener.Close()); err != nil {
		return "", "", fmt.Errorf("find a free port: %w", err)
	}
	return host, port, nil
}

func start(ctx context.Context, e *Engine) (*Engine, error) {
	if err := e.Restart(ctx); err != nil {
		return nil, err
	}
	return e, nil
}

// Restart starts the engine again at the same address with the same data, and
// stops it before if it runs. It returns when the engine answers, or ErrStart or
// ErrOutside.
func (e *Engine) Restart(ctx context.Context) error {
	if err := e.Stop(); err != nil {
		return err
	}
	if err := e.launch(); err != nil {
		return fmt.Errorf("%w: start %s: %w", ErrStart, e.command[0], err)
	}
	if err := e.await(ctx); err != nil {
		printed, readErr := os.ReadFile(e.log)
		return errors.Join(fmt.Errorf("%w: %w; it printed: %s", ErrStart, err, printed), readErr, e.Stop())
	}
	return nil
}

// Stop ends the engine as a crash would, without a warning, and waits for its
// end. It does nothing on an engine that is stopped already, and returns
// ErrOutside for one that is not ours.
func (e *Engine) Stop() error {
	if len(e.command) == 0 {
		return ErrOutside
	}
	if e.process == nil {
		return nil
	}
	if err := e.process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s: %w", e.command[0], err)
	}
	<-e.exited
	e.process = nil
	return nil
}

// launch starts the process. Its output goes to a file, for a pipe would make go
// test wait for an engine that outlives a killed test.
func (e *Engine) launch() error {
	log, err := os.OpenFile(e.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	command := exec.Command(e.command[0], e.command[1:]...)
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		return err
	}
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_ = command.Wait() // an engine ends by being killed, and that is an error
	}()
	e.process, e.exited = command.Process, exited
	return nil
}

// await returns when the engine answers a request, with whatever status.
func (e *Engine) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	probe := time.NewTicker(probeEvery)
	defer probe.Stop()
	for !e.answers(ctx) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-e.exited:
			return errors.New("it ended by itself")
		case <-probe.C:
		}
	}
	return nil
}

func (e *Engine) answers(ctx context.Context) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, e.Address, nil)
	if err != nil {
		return false
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, response.Body)
	return errors.Join(err, response.Body.Close()) == nil
}
