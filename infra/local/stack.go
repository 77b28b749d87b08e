package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/listward/listward/infra/gateway"
	"github.com/listward/listward/pkg/api"
	"github.com/listward/listward/pkg/apigw"
	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/keys/bolt"
	"github.com/listward/listward/pkg/objects/dir"
)

// maxAge is how old the look at the pointer may be: a refresh beside the running
// stack is served within two seconds (design, One machine).
const maxAge = time.Second

// stack is the service with its embedded stores.
type stack struct {
	keys    keys.Store
	objects *dir.Store
	handler http.Handler
	now     func() time.Time
	close   func() error
}

var errTemplate = errors.New("the template has what this stack cannot serve")

// openStack opens the stores in the data folder and builds the service that the
// template describes. The caller closes it.
func openStack(c config, now func() time.Time, log *slog.Logger) (*stack, error) {
	if err := os.MkdirAll(c.data, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	objects, err := dir.Open(c.objects())
	if err != nil {
		return nil, err
	}
	store, err := bolt.Open(c.keysFile())
	if err != nil {
		return nil, err
	}
	s := &stack{keys: store, objects: objects, now: now, close: store.Close}
	if s.handler, err = s.gateway(c.template, log); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return s, nil
}

func (s *stack) gateway(path string, log *slog.Logger) (http.Handler, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the template: %w", err)
	}
	defer file.Close() // read-only: nothing is lost
	template, err := gateway.ReadTemplate(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if err := checkEnvironment(template); err != nil {
		return nil, fmt.Errorf("%w: %w", errTemplate, err)
	}
	return gateway.New(template, s.functions(log), gateway.Options{RequestID: rand.Text, Now: s.now, Log: log})
}

// functions are the Lambda functions by folder, each taking and giving the JSON
// that it takes and gives on AWS. The refresh runs beside the stack.
func (s *stack) functions(log *slog.Logger) map[string]gateway.Invoker {
	edge := &api.Edge{
		Editions: edition.NewFollower(s.objects, maxAge, s.now, log),
		Now:      s.now,
		Log:      log,
	}
	return map[string]gateway.Invoker{
		"authorizer": apigw.Authorizer(keys.NewAuthorizer(s.keys, s.now, log)),
		"screen":     apigw.Handler(edge.Screen()),
		"batch":      apigw.Handler(edge.Batch()),
		"docs":       apigw.Handler(edge.NotFound()),
	}
}

// checkEnvironment refuses a variable for which this stack has nothing in place:
// a function that needs more than these would run here other than on AWS.
func checkEnvironment(t gateway.Template) error {
	embedded := map[string]bool{"KEYS_TABLE": true, "LISTS_BUCKET": true}
	for id, f := range t.Functions {
		for name := range f.Environment {
			if !embedded[name] {
				return fmt.Errorf("function %s: environment variable %s", id, name)
			}
		}
	}
	return nil
}
