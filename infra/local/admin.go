package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/listward/listward/infra/admin"
	"github.com/listward/listward/pkg/awsenv"
	"github.com/listward/listward/pkg/keys/dynamo"
)

// On one machine the operator's command is carried out by the process that holds the key store,
// which no other can open. The command's words go to it as a JSON array over a
// socket in the data folder; the folder's permissions are the access control.

var errCommand = errors.New("admin command")

// listenAdmin takes commands until the returned function is called. A socket that
// a killed process left is replaced: its key store's lock is ours.
func (s *stack) listenAdmin(c config) (closeSocket func() error, err error) {
	path := shortest(c.socket())
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("listen for admin commands: %w", err)
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("listen for admin commands: %w", err)
	}
	server := &http.Server{Handler: http.HandlerFunc(s.serveAdmin)}
	go func() { _ = server.Serve(listener) }() // ends with Close
	return func() error {
		err := server.Close()
		_ = listener.Close() // a server that has not begun to serve does not close it
		return err
	}, nil
}

func (s *stack) serveAdmin(w http.ResponseWriter, r *http.Request) {
	var args []string
	err := json.NewDecoder(r.Body).Decode(&args)
	var out bytes.Buffer
	if err == nil {
		err = admin.Run(r.Context(), s.keys, s.now, rand.Reader, args, &out)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_, _ = out.WriteTo(w) // a client that left gets nothing
}

// command carries out an operator's command, by the running stack or, when a table is
// named, on that table of AWS, with the credentials that the environment has.
func command(ctx context.Context, c config, getenv func(string) string, args []string, out io.Writer) error {
	if c.table == "" {
		return sendCommand(ctx, c, args, out)
	}
	aws, err := awsenv.Config(getenv)
	if err != nil {
		return fmt.Errorf("%w: %w (eval \"$(aws configure export-credentials --format env)\"; export AWS_REGION=...)", errCommand, err)
	}
	return admin.Run(ctx, dynamo.New(dynamodb.NewFromConfig(aws), c.table), time.Now, rand.Reader, args, out)
}

// sendCommand has the running stack carry out a command and prints its result.
func sendCommand(ctx context.Context, c config, args []string, out io.Writer) error {
	body, err := json.Marshal(append([]string{}, args...))
	if err != nil {
		return fmt.Errorf("%w: %w", errCommand, err)
	}
	client := &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", shortest(c.socket()))
		},
	}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://stack/", bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%w: %w", errCommand, err)
	}
	answer, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("%w: is a stack running with DATA=%s? %w", errCommand, c.data, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return fmt.Errorf("%w: %w", errCommand, err)
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: %s", errCommand, bytes.TrimSpace(text))
	}
	_, err = out.Write(text)
	return err
}

// shortest returns the shorter of a path's absolute and relative form, since the
// path of a socket may have little more than a hundred bytes.
func shortest(path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	here, err := os.Getwd()
	if err != nil {
		return absolute
	}
	if relative, err := filepath.Rel(here, absolute); err == nil && len(relative) < len(absolute) {
		return relative
	}
	return absolute
}
