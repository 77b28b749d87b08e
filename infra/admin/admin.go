// Package admin is the operator's command: accounts, plans, keys and usage from
// a command line (decisions section 5, design "One machine"). It works on any
// keys.Store and reads no environment, so whoever holds the store calls [Run]:
// a program on its own, or a running service for a line that came over a socket.
package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/alecthomas/kong"

	"github.com/listward/listward/pkg/keys"
)

// ErrUsage is returned by [Run] for arguments that are no command. Its text goes
// on with what was not understood, and for most with the usage.
var ErrUsage = errors.New("the command was not understood")

// commands is the command line as kong reads it.
type commands struct {
	Account struct {
		Create accountCreate `cmd:"" help:"Create an account."`
		List   accountList   `cmd:"" help:"List all accounts."`
	} `cmd:"" help:"Accounts."`
	Plan struct {
		Grant planGrant `cmd:"" help:"Let the plan run until a time."`
		End   planEnd   `cmd:"" help:"End the plan now; cancel a subscription at Stripe too, or it goes on."`
	} `cmd:"" help:"An account's plan."`
	Key struct {
		Create keyCreate `cmd:"" help:"Create a key. It is shown this once."`
		Revoke keyRevoke `cmd:"" help:"Revoke a key for good."`
		Lock   keyLock   `cmd:"" help:"Lock a key to domains."`
		List   keyList   `cmd:"" help:"List an account's keys."`
	} `cmd:"" help:"An account's keys."`
	Usage usage `cmd:"" help:"Count an account's calls per key and day, over 31 days."`
}

// operator is what every command works with.
type operator struct {
	store  keys.Store
	now    func() time.Time
	random io.Reader
	stdout io.Writer
}

// Run carries out one command, given without the program's name, and writes its
// result to stdout as JSON, or the help that was asked for as text. Keys are
// drawn from random, which must be cryptographically secure. It returns ErrUsage
// for what is no command, else the store's errors, which say what to do; it
// never exits the process. Run may be called concurrently.
func Run(ctx context.Context, store keys.Store, now func() time.Time, random io.Reader, args []string, stdout io.Writer) error {
	var help bytes.Buffer
	helped := false
	parser, err := kong.New(new(commands),
		kong.Name("admin"),
		kong.Writers(&help, io.Discard),
		kong.Exit(func(int) { helped = true }), // kong exits by itself only after --help
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(&operator{store, now, random, stdout}),
	)
	if err != nil {
		return fmt.Errorf("prepare the command line: %w", err)
	}
	command, err := parser.Parse(args)
	if helped {
		if _, err := help.WriteTo(stdout); err != nil {
			return fmt.Errorf("print the help: %w", err)
		}
		return nil
	}
	if err != nil {
		return misunderstood(err, &help)
	}
	return command.Run()
}

// misunderstood adds the usage of the command that parsing had come to.
func misunderstood(err error, help *bytes.Buffer) error {
	if parse, ok := errors.AsType[*kong.ParseError](err); ok {
		err = errors.Join(err, parse.Context.PrintUsage(false))
	}
	return fmt.Errorf("%w: %w\n\n%s", ErrUsage, err, bytes.TrimSpace(help.Bytes()))
}

// print writes a command's result.
func (o *operator) print(result any) error {
	encoder := json.NewEncoder(o.stdout)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(result); err != nil {
		return fmt.Errorf("print the result: %w", err)
	}
	return nil
}

// moment is a time as an operator types it: RFC 3339, or a date for 00:00 UTC at
// its beginning.
type moment struct{ time.Time }

// UnmarshalText reads a moment from the command line.
func (m *moment) UnmarshalText(text []byte) error {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, string(text)); err == nil {
			m.Time = t
			return nil
		}
	}
	return fmt.Errorf("%q is not a date such as 2026-12-31 or a time such as 2026-12-31T12:00:00Z", text)
}

// until returns the end of a plan that is to run from now on.
func (m moment) until(now time.Time) (time.Time, error) {
	if !m.After(now) {
		return time.Time{}, fmt.Errorf("%w: a plan cannot run until %s, which is not in the future; use plan end to end one",
			ErrUsage, m.Format(time.RFC3339))
	}
	return m.Time, nil
}
