package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/listward/listward/infra/gateway"
	"github.com/listward/listward/infra/issuer"
	"github.com/listward/listward/pkg/account"
	"github.com/listward/listward/pkg/api"
	"github.com/listward/listward/pkg/apigw"
	"github.com/listward/listward/pkg/billing"
	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/embed"
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
	keys     keys.Store
	objects  *dir.Store
	payments *billing.Biller // nil without a Stripe key
	handler  http.Handler
	now      func() time.Time
	close    func() error
}

// realm stands in the ids of accounts for the issuer, whose address has the port in it.
const realm = "local"

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
	if c.stripe.Key != "" {
		s.payments = billing.New(keyStore, c.stripe, now, log)
	}
	if s.handler, err = s.serving(c, address, log); err != nil {
		return nil, errors.Join(err, keyStore.Close())
	}
	return s, nil
}

// serving is what stands at the address: the gateway and, as others do beside it in the
// cloud, the bulk files and the issuer that people sign in at.
func (s *stack) serving(c config, address string, log *slog.Logger) (http.Handler, error) {
	downloads := dir.NewDownloads(s.objects, address, randomKey(), s.now, log)
	people := issuer.New(strings.TrimPrefix(address, "http://"))
	area, err := account.New(account.Config{
		Issuer: people.URL(), Client: issuer.Client, Realm: realm, SealKey: randomKey(), PaymentHosts: c.stripe.Hosts(),
	}, s.keys, s.payments, s.now, log)
	if err != nil {
		return nil, err
	}
	box, tokens, err := s.searchBox()
	if err != nil {
		return nil, err
	}
	functions := s.functions(downloads, log)
	edge := &api.Edge{Now: s.now, Log: log}
	functions["authorizer"] = apigw.Authorizer(keys.NewAuthorizer(s.keys, tokens, s.now, log))
	functions["account"] = apigw.Handler(area.Handler(edge))
	functions["billing"] = apigw.Handler(billing.Handler(edge, s.payments))
	functions["embed"] = apigw.Handler(box.Handler(edge))
	gateway, err := s.gateway(c.template, functions, log)
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, dir.DownloadsPath):
			downloads.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, issuer.Path):
			people.ServeHTTP(w, r)
		default:
			gateway.ServeHTTP(w, r)
		}
	}), nil
}

// searchBox is the search box and the key of its tokens, for the authorizer.
func (s *stack) searchBox() (*embed.Box, keys.TokenKeys, error) {
	secret := randomKey()
	key, err := keys.NewTokenKey(secret[:])
	if err != nil {
		return nil, nil, err
	}
	box, err := embed.New(key, s.now)
	return box, func(context.Context) (keys.TokenKey, error) { return key, nil }, err
}

// randomKey is good until the process ends.
func randomKey() (key [32]byte) {
	_, _ = rand.Read(key[:]) // it never fails (crypto/rand)
	return key
}

func (s *stack) gateway(path string, functions map[string]gateway.Invoker, log *slog.Logger) (http.Handler, error) {
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
	return gateway.New(template, functions, gateway.Options{RequestID: rand.Text, Now: s.now, Log: log})
}

// functions are the Lambda functions of the API by folder, each taking and giving the
// JSON that it takes and gives on AWS. The refresh runs beside the stack.
func (s *stack) functions(downloads objects.Downloader, log *slog.Logger) map[string]gateway.Invoker {
	edge := &api.Edge{
		Editions:  edition.NewFollower(s.objects, maxAge, s.now, log),
		Store:     s.objects,
		Downloads: downloads,
		Now:       s.now,
		Log:       log,
	}
	return map[string]gateway.Invoker{
		"screen":    apigw.Handler(edge.Screen()),
		"batch":     apigw.Handler(edge.Batch()),
		"sanctions": apigw.Handler(edge.Sanctions()),
		"sources":   apigw.Handler(edge.Sources()),
		"changes":   apigw.Handler(edge.Changes()),
		"exports":   apigw.Handler(edge.Exports()),
		"snapshots": apigw.Handler(edge.Snapshots()),
		"docs":      apigw.Handler(edge.Docs()),
	}
}

// checkEnvironment refuses a variable for which this stack has nothing in place:
// a function that needs more than these would run here other than on AWS.
func checkEnvironment(t gateway.Template) error {
	embedded := map[string]bool{
		"KEYS_TABLE": true, "LISTS_BUCKET": true, "OIDC_ISSUER": true, "SIGN_OUT_URL": true, "STACK": true,
		"ACCOUNT_PARAMETERS": true, "EMBED_PARAMETERS": true, "STRIPE_PARAMETERS": true,
	}
	for id, f := range t.Functions {
		for name := range f.Environment {
			if !embedded[name] {
				return fmt.Errorf("function %s: environment variable %s", id, name)
			}
		}
	}
	return nil
}
