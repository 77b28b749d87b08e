package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/fetch"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/objects/dir"
	"github.com/listward/listward/pkg/refresh"
	"github.com/listward/listward/pkg/sanction"
)

// sampleWarning is printed wherever the sample comes into service.
const sampleWarning = "\nThese are the SAMPLE lists: a few dozen entries written by hand, to try the API.\n" +
	"Screen against real lists with LISTS=official or LISTS=folder.\n"

// refreshOnce reads the lists into the data folder. A stack that runs on it
// serves them at its next call.
func refreshOnce(ctx context.Context, c config, out io.Writer) error {
	store, err := c.openObjects()
	if err != nil {
		return err
	}
	err = refreshInto(ctx, c, store, out)
	if err == nil && c.lists == sampleLists {
		fmt.Fprint(out, sampleWarning)
	}
	return err
}

// openObjects opens the store in the data folder, which nobody else may read.
func (c config) openObjects() (*dir.Store, error) {
	if err := os.MkdirAll(c.data, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	return dir.Open(c.objects())
}

// refreshInto runs a refresh, shows its progress on a terminal, and prints what
// became of each source. When no source is ok, or none of the files read is the one to
// be accepted, the error says so.
func refreshInto(ctx context.Context, c config, store objects.Store, out io.Writer) error {
	anew, err := c.otherKind()
	if err != nil {
		return err
	}
	before := isServed(ctx, store)
	fmt.Fprintf(out, "reading the lists: %s\n", c.lists)
	bars := mpb.New(mpb.WithOutput(os.Stderr)) // draws on terminals only
	r := &refresh.Refresher{
		Store:      store,
		Origin:     c.origin(progress(bars)),
		Now:        time.Now,
		Log:        slog.New(slog.DiscardHandler), // printed below
		Guard:      c.guard(),
		AcceptLoss: c.acceptLoss,
		Anew:       anew,
	}
	started := time.Now()
	pointer, err := r.Run(ctx)
	bars.Shutdown()
	if pointer.Snapshot == "" {
		return c.unread(ctx, before, err)
	}
	if anew && before {
		fmt.Fprintln(out, c.anew())
	}
	printSources(out, pointer, time.Now())
	c.printHints(out, pointer)
	fmt.Fprintf(out, "serving snapshot %.12s, read in %.1f s\n", pointer.Snapshot, time.Since(started).Seconds())
	has := func(status edition.Status) bool {
		return slices.ContainsFunc(pointer.Sources, func(s edition.State) bool { return s.Status == status })
	}
	if has(edition.OK) || has(edition.Review) { // else nothing of these lists is served
		err = errors.Join(err, c.rememberLists())
	}
	if !has(edition.OK) {
		err = errors.Join(fmt.Errorf("LISTS=%s: %w: see above", quoted(c.lists), errNoneOK), err)
	}
	return err
}

func isServed(ctx context.Context, store objects.Store) bool {
	_, _, err := edition.Read(context.WithoutCancel(ctx), store, "")
	return !errors.Is(err, edition.ErrNone)
}

// anew says why the history begins anew.
func (c config) anew() string {
	from, to := "the sample", "real lists"
	if c.lists == sampleLists {
		from, to = to, from
	}
	return fmt.Sprintf("the history of %s begins anew: LISTS goes from %s to %s, and these are not compared (another DATA keeps both)", c.data, from, to)
}

// unread words the error of a run that published nothing, where something was served
// before or not.
func (c config) unread(ctx context.Context, before bool, err error) error {
	switch {
	case ctx.Err() != nil && before:
		return fmt.Errorf("%w: what was served before stays", errStopped)
	case ctx.Err() != nil:
		return fmt.Errorf("%w: nothing is served yet", errStopped)
	case errors.Is(err, refresh.ErrNothing):
		return fmt.Errorf("LISTS=%s: %w", quoted(c.lists), err)
	}
	return err
}

var errStopped = errors.New("stopped")

// otherKind reports whether the lists in the data folder are of another kind than
// those to be read: real ones are not compared with a sample.
func (c config) otherKind() (bool, error) {
	last, err := c.lastLists()
	if err != nil {
		return false, fmt.Errorf("read which lists are there: %w", err)
	}
	return (last == sampleLists) != (c.lists == sampleLists), nil
}

var errNoneOK = errors.New("no source is ok")

// guard keeps other runs on this folder out by a lock that ends with the process,
// however that ends.
func (c config) guard() refresh.Guard {
	return func(context.Context) (func(context.Context) error, error) {
		lock := flock.New(filepath.Join(c.data, "refresh.lock"))
		switch held, err := lock.TryLock(); {
		case err != nil:
			return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
		case !held:
			return nil, errRunning
		}
		return func(context.Context) error { return lock.Unlock() }, nil
	}
}

var errRunning = errors.New("another refresh of this data folder is running: wait for its end")

// printSources prints the state of every source, of those too that are not read.
func printSources(out io.Writer, p edition.Pointer, now time.Time) {
	for _, source := range sanction.Sources() {
		s := p.State(source)
		fmt.Fprintf(out, "  %-4s  %-7s  %6d entries", s.Source, s.StatusAt(now), s.Entries)
		if s.ListDate != "" {
			fmt.Fprintf(out, ", list of %s, read %s", s.ListDate, s.AcceptedAt.Local().Format(time.DateTime))
		}
		if s.Detail != "" {
			fmt.Fprintf(out, ": %s", s.Detail)
		}
		fmt.Fprintln(out)
	}
}

// printHints prints how the files that lost too much are looked at and accepted. The
// settings stand before make, which would expand a $ in those behind it.
func (c config) printHints(out io.Writer, p edition.Pointer) {
	settings := fmt.Sprintf("DATA=%s LISTS=%s", quoted(c.data), quoted(c.lists))
	for _, s := range p.Sources {
		if sum := s.Refused.SHA256; sum != "" && strings.Contains(s.Detail, sum) {
			fmt.Fprintf(out, "%s of %s lost too much. To look at it, and to accept it all the same:\n", s.Refused.Path, s.Source)
			fmt.Fprintf(out, "  %s make fidelity\n  %s ACCEPT=%s make refresh\n", settings, settings, sum)
		}
	}
}

// progress returns a hook that draws a bar for each file: how much of it has been
// downloaded and parsed, which go together.
func progress(bars *mpb.Progress) fetch.Progress {
	return func(path string, size int64, body io.Reader) io.Reader {
		bar := bars.AddBar(max(size, 0),
			mpb.PrependDecorators(decor.Name(path, decor.WCSyncSpaceR), decor.CountersKibiByte("% .1f / % .1f")),
			mpb.AppendDecorators(decor.Percentage()))
		return bar.ProxyReader(body)
	}
}
