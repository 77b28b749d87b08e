// Package e2e_test runs the contract's tests against what is deployed: the real
// bootstraps behind Lambda's Runtime API, on DynamoDB and S3 engines, fronted by
// the same gateway as the local stack.
package e2e_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/listward/listward/infra/admin"
	"github.com/listward/listward/infra/apitest"
	"github.com/listward/listward/infra/engines"
	"github.com/listward/listward/infra/gateway"
	"github.com/listward/listward/infra/runtimeapi"
	"github.com/listward/listward/infra/stage"
	"github.com/listward/listward/pkg/api"
	"github.com/listward/listward/pkg/cloud"
	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/keys/dynamo"
	"github.com/listward/listward/pkg/lists/sample"
	objectss3 "github.com/listward/listward/pkg/objects/s3"
	"github.com/listward/listward/pkg/refresh"
)

// deployed is a service with its lists refreshed.
type deployed struct {
	*stage.Stage
	url  string
	keys keys.Store
}

func deploy(t *testing.T, lists fs.FS) deployed {
	t.Helper()
	dir := t.TempDir()
	s, err := stage.Open(t.Context(), filepath.Join("..", ".."), dir, true)
	if errors.Is(err, engines.ErrUnavailable) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil && !errors.Is(err, engines.ErrOutside) {
			t.Error(err)
		}
		if log, err := os.Stat(filepath.Join(dir, "functions.log")); err != nil || log.Size() == 0 {
			t.Errorf("the functions printed nothing: there is nothing to look through (%v)", err)
		}
		apitest.CheckSecrets(t, dir)
	})
	maps.Copy(s.Functions["refresh"].Environment, startPublishers(t, lists).environment())
	_, tables, err := s.Clients()
	if err != nil {
		t.Fatal(err)
	}
	invokers := map[string]gateway.Invoker{}
	for folder, f := range s.Functions {
		invokers[folder] = f
	}
	front, err := gateway.New(s.Template, invokers, gateway.Options{
		RequestID: rand.Text, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(front)
	t.Cleanup(server.Close)
	return deployed{Stage: s, url: server.URL, keys: dynamo.New(tables, stage.Table)}
}

// refresh invokes the refresh function as the schedule does.
func (d deployed) refresh(t *testing.T) {
	t.Helper()
	event, err := os.ReadFile(filepath.Join("..", "..", "events", "refresh.json"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Functions["refresh"].Invoke(t.Context(), event); err != nil {
		t.Fatal(err)
	}
}

func (d deployed) admin(t testing.TB, args ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := admin.Run(t.Context(), d.keys, time.Now, rand.Reader, args, &out); err != nil {
		t.Fatalf("admin %q: %v", args, err)
	}
	return out.Bytes()
}

// key creates a key with a running plan.
func (d deployed) key(t *testing.T) string {
	t.Helper()
	var account, key struct{ ID, Key string }
	if err := json.Unmarshal(d.admin(t, "account", "create"), &account); err != nil {
		t.Fatal(err)
	}
	d.admin(t, "plan", "grant", account.ID)
	if err := json.Unmarshal(d.admin(t, "key", "create", account.ID), &key); err != nil {
		t.Fatal(err)
	}
	return key.Key
}

// ask makes a call and returns its status and code, or "matched" or "clear".
func (d deployed) ask(t *testing.T, key string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.url+"/api/v1/screen?name=Hizballah", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Matched *bool
		Error   struct{ Code string }
	}
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatalf("status %d with a body of another shape: %s", answer.StatusCode, body)
	}
	switch {
	case got.Matched == nil:
		return answer.StatusCode, got.Error.Code
	case *got.Matched:
		return answer.StatusCode, "matched"
	}
	return answer.StatusCode, "clear"
}

func (d deployed) expect(t *testing.T, key, when string, status int, code string) {
	t.Helper()
	if gotStatus, gotCode := d.ask(t, key); gotStatus != status || gotCode != code {
		t.Errorf("%s: %d %s, want %d %s", when, gotStatus, gotCode, status, code)
	}
}

func TestDeployed(t *testing.T) {
	d := deploy(t, sample.Files())
	d.refresh(t)
	apitest.Run(t, apitest.Service{URL: d.url, Admin: d.admin, Incomplete: "CN=review"})
	d.refresh(t)
	order := []byte(`{"accept": "` + strings.Repeat("0", 64) + `"}`)
	if _, err := d.Functions["refresh"].Invoke(t.Context(), order); err == nil || !strings.Contains(err.Error(), strings.Repeat("0", 64)) {
		t.Errorf("a refresh that is to accept a file which is not there: error %v", err)
	}
	for _, daily := range []string{"reconcile", "watch"} {
		if _, err := d.Functions[daily].Invoke(t.Context(), []byte("{}")); err != nil {
			t.Errorf("%s: %v", daily, err)
		}
	}
	d.checkActions(t)
	for folder, f := range d.Functions {
		f.Kill()
		if peak := f.PeakMemory() >> 20; peak > int64(f.Memory) {
			t.Errorf("%s used %d MB of %d", folder, peak, f.Memory)
		}
	}
}

// TestDeployedFaults takes away, one after the other, what the service stands on:
// answers are in the error shape, never wrong, and the service recovers.
func TestDeployedFaults(t *testing.T) {
	d := deploy(t, sample.Files())
	key := d.key(t)
	d.expect(t, key, "before the first refresh", 503, "unavailable")
	d.refresh(t)
	d.expect(t, key, "after the first refresh", 200, "matched")
	d.refuseWhileLeased(t)

	if err := d.DynamoDB.Stop(); err != nil {
		t.Skip(err) // an engine from outside is not ours to stop
	}
	d.expect(t, key, "DynamoDB away", 503, "unavailable")
	if err := d.DynamoDB.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.expect(t, key, "DynamoDB back", 200, "matched")

	if err := d.S3.Stop(); err != nil {
		t.Fatal(err)
	}
	d.expect(t, key, "S3 away, within a minute of the last look at it", 200, "matched")
	d.Functions["screen"].Kill()
	d.expect(t, key, "S3 away, functions cold", 503, "unavailable")
	if err := d.S3.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.expect(t, key, "S3 back", 200, "matched")

	for _, folder := range []string{"authorizer", "screen"} {
		d.Functions[folder].Kill()
		d.expect(t, key, folder+" was killed between calls", 200, "matched")
	}
}

// refuseWhileLeased holds the lease that another run would hold.
func (d deployed) refuseWhileLeased(t *testing.T) {
	t.Helper()
	buckets, _, err := d.Clients()
	if err != nil {
		t.Fatal(err)
	}
	release, err := refresh.Lease(objectss3.New(buckets, stage.Bucket, rand.Text), "somebody else", time.Now)(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Functions["refresh"].Invoke(t.Context(), []byte("{}")); !errors.Is(err, runtimeapi.ErrFailed) || !strings.Contains(err.Error(), "somebody else") {
		t.Errorf("refresh beside another: error %v, want one that names the holder of the lease", err)
	}
	if err := release(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestDeployedCrash kills bootstraps while they work.
func TestDeployedCrash(t *testing.T) {
	d := deploy(t, sample.Files())
	d.refresh(t)
	key := d.key(t)
	ctx, stop := context.WithCancel(t.Context())
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		for ctx.Err() == nil {
			d.Functions["screen"].Kill()
			d.Functions["authorizer"].Kill()
		}
	}()
	seen := map[string]int{}
	for range 40 {
		status, code := d.ask(t, key)
		seen[code]++
		if wanted := map[string]int{"matched": 200, "unavailable": 503, "internal_error": 500}[code]; wanted != status {
			t.Errorf("while bootstraps are killed: %d %s", status, code)
		}
	}
	stop()
	<-killed
	if seen["unavailable"]+seen["internal_error"] == 0 {
		t.Errorf("no call met a crash: %v", seen)
	}
	d.expect(t, key, "after the crashes", 200, "matched")
}

// TestTemplateIsTheCode holds the template to the folders of functions and to the
// variables that their code reads.
func TestTemplateIsTheCode(t *testing.T) {
	template := readTemplate(t)
	folders, err := os.ReadDir(filepath.Join("..", "..", "functions"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("%d functions, error %v", len(folders), err)
	}
	there := map[string]bool{}
	for _, f := range folders {
		there[f.Name()] = true
	}
	for id, f := range template.Functions {
		if !there[f.Folder] {
			t.Errorf("%s has no folder functions/%s", id, f.Folder)
		}
		delete(there, f.Folder)
		for _, r := range f.Routes {
			public := r.Method == "OPTIONS" || f.Folder == "docs" && r.Method == "GET" || f.Folder == "account" || f.Folder == "billing"
			if public == r.Authorized {
				t.Errorf("%s %s: authorizer %v; preflights, the documentation, the account area and Stripe's events alone are public", r.Method, r.Path, r.Authorized)
			}
		}
	}
	for folder := range there {
		t.Errorf("functions/%s is in no function of the template", folder)
	}
}

// parametersOnly is a server that has parameters for everybody.
func parametersOnly(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		key := base64.StdEncoding.EncodeToString(make([]byte, 32))
		fmt.Fprintf(w, `{"Parameters": [{"Name": "x/oidc-client", "Value": "c"}, {"Name": "x/seal-key", "Value": %[1]q}, {"Name": "x/token-key", "Value": %[1]q}]}`, key)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestEnvironmentIsRead: a function reads the variables that the template gives it,
// besides Lambda's own, and no other.
func TestEnvironmentIsRead(t *testing.T) {
	log, beside := slog.New(slog.DiscardHandler), parametersOnly(t)
	built := func(build cloud.Builder) func(func(string) string) error {
		return func(getenv func(string) string) error {
			_, err := build(t.Context(), getenv, log)
			return err
		}
	}
	lists := built(cloud.Lists((*api.Edge).Screen))
	reads := map[string]func(func(string) string) error{
		"authorizer": func(getenv func(string) string) error {
			_, err := cloud.Authorizer(getenv, log)
			return err
		},
		"screen": lists, "batch": lists, "sanctions": lists, "sources": lists, "changes": lists, "exports": lists, "snapshots": lists,
		"account": built(cloud.Account), "billing": built(cloud.Billing), "reconcile": built(cloud.Billing), "embed": built(cloud.Embed),
		"refresh": func(getenv func(string) string) error {
			_, err := cloud.Refresher(getenv, log)
			return err
		},
		"watch": func(getenv func(string) string) error {
			_, err := cloud.Watcher(getenv, io.Discard)
			return err
		},
		"docs": func(func(string) string) error { return nil },
	}
	for id, f := range readTemplate(t).Functions {
		read := map[string]string{}
		err := reads[f.Folder](func(name string) string {
			switch {
			case name == "AWS_ENDPOINT_URL_SSM":
				return beside
			case strings.HasPrefix(name, "AWS_ENDPOINT_URL"):
				return "http://127.0.0.1:1" // where nobody is
			}
			if !strings.HasPrefix(name, "AWS_") {
				read[name] = ""
			}
			return "x"
		})
		if err != nil {
			t.Errorf("%s: %v", id, err)
		}
		for name := range f.Environment {
			if _, ok := read[name]; !ok {
				t.Errorf("%s does not read %s, which the template sets", id, name)
			}
			delete(read, name)
		}
		for name := range read {
			t.Errorf("%s reads %s, which the template does not set", id, name)
		}
	}
}

func readTemplate(t *testing.T) gateway.Template {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	template, err := gateway.ReadTemplate(file)
	if err != nil {
		t.Fatal(err)
	}
	return template
}

// TestEnvironmentIsTheCode starts each function without one of the variables that
// the template gives it: it must not start, and must name what is missing.
func TestEnvironmentIsTheCode(t *testing.T) {
	d := deploy(t, sample.Files())
	d.refresh(t)
	if status, code := d.ask(t, d.key(t)); status != 200 {
		t.Fatalf("with the template's environment: %d %s", status, code)
	}
	for id, f := range d.Template.Functions {
		for name := range f.Environment {
			function := d.Functions[f.Folder]
			function.Kill()
			value := function.Environment[name]
			delete(function.Environment, name)
			log := function.Log
			var err error
			if function.Log, err = os.Create(filepath.Join(t.TempDir(), "log")); err != nil {
				t.Fatal(err)
			}
			_, err = function.Invoke(t.Context(), []byte("{}"))
			printed, readErr := os.ReadFile(function.Log.Name())
			if err == nil || readErr != nil || !strings.Contains(string(printed), name) {
				t.Errorf("%s without %s: error %v, printed %s, want one that names it", id, name, err, printed)
			}
			function.Environment[name], function.Log = value, log
		}
	}
}
