package main

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/listward/listward/infra/gateway"
	"github.com/listward/listward/pkg/api"
	"github.com/listward/listward/pkg/apigw"
	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/keys/bolt"
	"github.com/listward/listward/pkg/objects"
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
// template describes, at an address without a slash at its end. The caller closes it.
func openStack(c config, address string, now func() time.Time, log *slog.Logger) (*stack, error) {
	if err := os.MkdirAll(c.data, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	store, err := dir.Open(c.objects())
	if err != nil {
		return nil, err
	}
	keyStore, err := bolt.Open(c.keysFile())
	if err != nil {
		return nil, err
	}
	s := &stack{keys: keyStore, objects: store, now: now, close: keyStore.Close}
	if s.handler, err = s.serving(c.template, address, log); err != nil {
		return nil, errors.Join(err, keyStore.Close())
	}
	return s, nil
}

// serving is what stands at the address: the gateway and, as S3 does beside it on AWS,
// the bulk files.
func (s *stack) serving(template, address string, log *slog.Logger) (http.Handler, error) {
	var key [sha256.Size]byte
	_, _ = rand.Read(key[:]) // it never fails (crypto/rand)
	downloads := dir.NewDownloads(s.objects, address, key, s.now, log)
	gateway, err := s.gateway(template, downloads, log)
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, dir.DownloadsPath) {
			downloads.ServeHTTP(w, r)
			return
		}
		gateway.ServeHTTP(w, r)
	}), nil
}

func (s *stack) gateway(path string, downloads objects.Downloader, log *slog.Logger) (http.Handler, error) {
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
	return gateway.New(template, s.functions(downloads, log), gateway.Options{RequestID: rand.Text, Now: s.now, Log: log})
}

// functions are the Lambda functions by folder, each taking and giving the JSON
// that it takes and gives on AWS. The refresh runs beside the stack.
func (s *stack) functions(downloads objects.Downloader, log *slog.Logger) map[string]gateway.Invoker {
	edge := &api.Edge{
		Editions:  edition.NewFollower(s.objects, maxAge, s.now, log),
		Store:     s.objects,
		Downloads: downloads,
		Now:       s.now,
		Log:       log,
	}
	return map[string]gateway.Invoker{
		"authorizer": apigw.Authorizer(keys.NewAuthorizer(s.keys, s.now, log)),
		"screen":     apigw.Handler(edge.Screen()),
		"batch":      apigw.Handler(edge.Batch()),
		"sanctions":  apigw.Handler(edge.Sanctions()),
		"sources":    apigw.Handler(edge.Sources()),
		"changes":    apigw.Handler(edge.Changes()),
		"exports":    apigw.Handler(edge.Exports()),
		"snapshots":  apigw.Handler(edge.Snapshots()),
		"docs":       apigw.Handler(edge.Docs()),
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
