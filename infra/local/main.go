// Command local is the whole service in one process on one machine, with the same
// routes, events and handlers as on AWS and embedded stores in their place.
//
//	local serve           what `make run` starts
//	local refresh         reads the lists anew, beside a running stack or without one
//	local fidelity        prints what the lists hold and would change, publishes nothing
//	local admin ARGS...   the operator's command, carried out by the running stack, or
//	                      on a table of AWS that TABLE names
//
// It is configured by the environment: PORT, LISTS and DATA (see [config]).
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

var errUsage = errors.New("usage: local serve | refresh | fidelity | admin ARGS")

// memory is what the process is held to, softly, unless GOMEMLIMIT says otherwise. A
// refresh of the full lists takes as long with it, and 40 MB less.
const memory = 150 << 20

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memory)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "listward:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	c, err := readConfig(os.Getenv)
	if err != nil {
		return err
	}
	switch {
	case len(args) == 1 && args[0] == "serve":
		return serve(ctx, c, os.Stdout)
	case len(args) == 1 && args[0] == "refresh":
		return refreshOnce(ctx, c, os.Stdout)
	case len(args) == 1 && args[0] == "fidelity":
		return fidelity(ctx, c, os.Stdout)
	case len(args) >= 1 && args[0] == "admin":
		return command(ctx, c, os.Getenv, args[1:], os.Stdout)
	}
	return errUsage
}
