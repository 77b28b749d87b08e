// Command smoke looks at a deployed service from outside, as callers do, and says
// whether it works: one line for each check, and exit code 1 if one failed.
//
//	URL=https://... KEY=lw_... smoke
//
// URL is the service's address, the stage included, and KEY an API key without allowed
// domains, of which a run takes a dozen calls. It changes nothing. The key is sent to the
// address alone, and never printed.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
)

var (
	errUsage  = errors.New("usage: make smoke URL=https://... KEY=lw_..., with a key without allowed domains")
	errFailed = errors.New("the service does not work as it should")
)

func main() {
	if err := run(context.Background(), os.Getenv, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "smoke:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, getenv func(string) string, out io.Writer) error {
	address, key := getenv("URL"), strings.TrimSpace(getenv("KEY"))
	if address == "" || key == "" {
		return errUsage
	}
	if err := checkAddress(address); err != nil {
		return err
	}
	v := &visit{caller: newCaller(address, key)}
	var failed int
	for _, c := range checks() {
		note, err := c.look(ctx, v)
		line := fmt.Sprintf("ok    %s", c.name)
		if err != nil {
			failed++
			line, note = fmt.Sprintf("FAIL  %s", c.name), err.Error()
		}
		if note != "" {
			line += ": " + note
		}
		// Whatever a broken service sends back, it is one line without the key.
		if _, err := fmt.Fprintln(out, strings.ReplaceAll(v.redact(line), "\n", "; ")); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%w: %d of %d checks failed", errFailed, failed, len(checks()))
	}
	return nil
}

// checkAddress refuses an address to which the key would go unencrypted, but for one on
// this machine.
func checkAddress(address string) error {
	to, err := url.Parse(address)
	if err != nil || to.Host == "" || to.RawQuery != "" {
		return fmt.Errorf("%w: URL=%s is no address", errUsage, address)
	}
	if ip := net.ParseIP(to.Hostname()); to.Scheme == "https" || to.Hostname() == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("%w: URL=%s is not https, and the key would be read on the way", errUsage, address)
}
