package main

import (
	"bytes"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/listward/listward/infra/admin"
	"github.com/listward/listward/infra/apitest"
)

// TestAPI runs the contract's tests against the whole local stack: HTTP, gateway,
// authorizer and handlers through their JSON events, embedded stores.
func TestAPI(t *testing.T) {
	c := testConfig(t, sampleLists)
	server := httptest.NewUnstartedServer(nil) // listening, so that its address is known
	s := startStackAt(t, c, "http://"+server.Listener.Addr().String(), time.Now, slog.New(slog.DiscardHandler))
	server.Config.Handler = s.handler
	server.Start()
	t.Cleanup(server.Close)
	apitest.Run(t, apitest.Service{URL: server.URL, Admin: s.admin})
}

// testConfig is a configuration with a data folder of its own.
func testConfig(t *testing.T, lists string) config {
	t.Helper()
	return config{lists: lists, data: t.TempDir(), template: filepath.Join("..", "..", "template.yaml")}
}

// startStack opens a stack and fills it with lists. Its bulk files are at no address.
func startStack(t *testing.T, c config, now func() time.Time, log *slog.Logger) *stack {
	t.Helper()
	return startStackAt(t, c, "http://nowhere.invalid", now, log)
}

func startStackAt(t *testing.T, c config, address string, now func() time.Time, log *slog.Logger) *stack {
	t.Helper()
	s, err := openStack(c, address, now, log)
	if err != nil {
		t.Fatalf("open the stack: %v", err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Errorf("close the stack: %v", err)
		}
	})
	if err := s.firstRefresh(t.Context(), c, io.Discard); err != nil {
		t.Fatalf("first refresh: %v", err)
	}
	return s
}

func (s *stack) admin(t testing.TB, args ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := admin.Run(t.Context(), s.keys, s.now, rand.Reader, args, &out); err != nil {
		t.Fatalf("admin %q: %v", args, err)
	}
	return out.Bytes()
}
