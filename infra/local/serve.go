package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/listward/listward/infra/issuer"
	"github.com/listward/listward/pkg/account"
	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/keys"
)

// shutdownTime is how long running calls may take after Ctrl-C.
const shutdownTime = 5 * time.Second

// serve runs the stack until the context ends.
func serve(ctx context.Context, c config, out io.Writer) error {
	// Listening first tells at once that the port is taken; calls that come
	// before the lists are loaded wait.
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", c.port))
	if err != nil {
		return fmt.Errorf("listen: %w (choose another with PORT=...)", err)
	}
	log, closeLog, err := openLog(c)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	s, err := openStack(c, "http://"+listener.Addr().String(), time.Now, log)
	if err != nil {
		return errors.Join(err, listener.Close(), closeLog())
	}
	err = s.run(ctx, c, listener, out)
	return errors.Join(err, s.close(), closeLog())
}

// openLog opens the file of the stack's log lines, so that the terminal keeps
// what a person wants to see.
func openLog(c config) (*slog.Logger, func() error, error) {
	if err := os.MkdirAll(c.data, 0o700); err != nil {
		return nil, nil, fmt.Errorf("make the data folder: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(c.data, "log.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("open the log: %w", err)
	}
	return slog.New(slog.NewJSONHandler(file, nil)), file.Close, nil
}

func (s *stack) run(ctx context.Context, c config, listener net.Listener, out io.Writer) (err error) {
	if err := s.firstRefresh(ctx, c, out); err != nil {
		return errors.Join(err, listener.Close())
	}
	key, err := s.demoKey(ctx, c)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	closeSocket, err := s.listenAdmin(c)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, closeSocket()) }()
	greet(out, c, key, listener.Addr())
	server := &http.Server{Handler: s.handler, ReadHeaderTimeout: 10 * time.Second, DisableGeneralOptionsHandler: true}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	fmt.Fprintln(out, "stopping")
	return server.Shutdown(ending)
}

// freshFor is how old the last look at the lists may be at a start.
const freshFor = 24 * time.Hour

// firstRefresh reads the lists when the data folder holds none, others than were
// asked for, a damaged snapshot, or some that nobody looked at for a day. Those that
// are there are served on when they cannot be read anew.
func (s *stack) firstRefresh(ctx context.Context, c config, out io.Writer) error {
	last, err := c.lastLists()
	if err != nil {
		return fmt.Errorf("read which lists are there: %w", err)
	}
	// The stack's own follower would hold on to this edition for a while.
	current, err := edition.NewFollower(s.objects, 0, s.now, slog.New(slog.DiscardHandler)).Current(ctx)
	switch {
	case errors.Is(err, edition.ErrNone):
	case errors.Is(err, edition.ErrDamaged):
		fmt.Fprintf(out, "%v\n", err)
	case err != nil:
		return err
	case last == c.lists && s.now().Sub(current.CheckedAt()) < freshFor:
		fmt.Fprintf(out, "lists read before: %s (make refresh reads them anew)\n", c.lists)
		printSources(out, current.Pointer, s.now())
		c.printHints(out, current.Pointer)
		return nil
	}
	err = refreshInto(ctx, c, s.objects, out)
	if err != nil && current != nil && last == c.lists && ctx.Err() == nil {
		fmt.Fprintf(out, "THE LISTS COULD NOT BE READ ANEW: %v\nThose read before are served.\n", err)
		return nil
	}
	return err
}

// demoKey returns the key in the data folder, which the first start creates
// together with an account and a running plan. Whoever signs in has that account.
func (s *stack) demoKey(ctx context.Context, c config) (string, error) {
	text, err := os.ReadFile(c.keyFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read the demo key: %w", err)
	}
	key := strings.TrimSpace(string(text))
	works, err := s.isDemoKey(ctx, key)
	if err != nil || works {
		return key, err
	}
	secret, err := s.createDemo(ctx)
	if err != nil {
		return "", fmt.Errorf("create the demo key: %w", err)
	}
	key = secret.Reveal()
	if err := os.WriteFile(c.keyFile(), []byte(key+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("write the demo key: %w", err)
	}
	return key, nil
}

// isDemoKey reports whether a key is one of the demo account that is not revoked: people
// try deletion and revocation on it.
func (s *stack) isDemoKey(ctx context.Context, key string) (bool, error) {
	secret, err := keys.Parse(key)
	if err != nil {
		return false, nil // none was written, or not to its end
	}
	all, err := s.keys.Keys(ctx, demoAccount())
	if errors.Is(err, keys.ErrUnknownAccount) {
		return false, nil
	}
	return slices.ContainsFunc(all, func(k keys.Key) bool { return k.ID == secret.Hash().ID() && k.Revoked.IsZero() }), err
}

// demoAccount is the id of the account of who signs in on this machine.
func demoAccount() string { return account.ID(realm, issuer.Demo) }

func (s *stack) createDemo(ctx context.Context) (keys.Secret, error) {
	id, now := demoAccount(), s.now()
	if _, err := s.keys.CreateAccount(ctx, id, now); err != nil && !errors.Is(err, keys.ErrAccountExists) {
		return keys.Secret{}, err
	}
	if err := s.keys.SetPlan(ctx, id, now.AddDate(10, 0, 0)); err != nil {
		return keys.Secret{}, err
	}
	secret, err := keys.New(rand.Reader)
	if err != nil {
		return keys.Secret{}, err
	}
	_, err = s.keys.CreateKey(ctx, id, keys.NewKey{Secret: secret, Label: "demo", Now: now})
	return secret, err
}

// greet tells a person what is running and what to try.
func greet(out io.Writer, c config, key string, address net.Addr) {
	if c.lists == sampleLists {
		fmt.Fprint(out, sampleWarning)
	}
	fmt.Fprintf(out, "\nkey: %s\n\n", key)
	fmt.Fprintf(out, "  curl -H \"Authorization: Bearer $(cat %s)\" \"http://%s/api/v1/screen?name=Vladimir+Putin\"\n\n", quoted(c.keyFile()), address)
	fmt.Fprintf(out, "account area: http://%s/account (whoever signs in has the demo account)\ndocumentation: http://%s/docs\n\n", address, address)
	fmt.Fprintf(out, "Listward serves http://%s from %s; log lines go to %s. Stop it with Ctrl-C.\n",
		address, c.data, filepath.Join(c.data, "log.jsonl"))
}

// quoted makes a path a word of a shell.
func quoted(path string) string {
	if !strings.ContainsFunc(path, func(r rune) bool { return !strings.ContainsRune(plainPath, r) }) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

const plainPath = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-"
