// Command bench measures screening on full lists: the index against a plain scan,
// the handlers as the functions run them, and the opening of the file.
//
//	bench LISTS
//
// It prints lines of name, value and unit. Times of one run compare with each other,
// those of two machines do not. It fails when index and scan disagree on a query.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/fetch"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/objects/dir"
	"github.com/listward/listward/pkg/refresh"
)

var errUsage = errors.New("usage: bench LISTS")

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errUsage
	}
	folder, err := os.MkdirTemp("", "listward-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) // what is left is in the system's temporary folder
	store, err := publish(ctx, folder, args[0])
	if err != nil {
		return err
	}
	current, err := edition.NewFollower(store, time.Hour, time.Now, slog.New(slog.DiscardHandler)).Current(ctx)
	if err != nil {
		return err
	}
	file, err := snapshotFile(ctx, store, current.Snapshot)
	if err != nil {
		return err
	}
	queries := mix(current.Data)
	return errors.Join(
		measureOpening(file),
		measureFinding(current.Data, queries),
		measureHandlers(ctx, store, queries),
		measureGrowth(current.Data, queries),
	)
}

// publish reads the lists into a store.
func publish(ctx context.Context, folder, lists string) (objects.Store, error) {
	store, err := dir.Open(folder)
	if err != nil {
		return nil, err
	}
	r := &refresh.Refresher{
		Store: store, Origin: fetch.Folder{FS: os.DirFS(lists)}, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Guard: refresh.Lease(store, "bench", time.Now),
	}
	_, err = r.Run(ctx)
	return store, err
}

func snapshotFile(ctx context.Context, store objects.Store, id string) ([]byte, error) {
	object, err := store.Get(ctx, edition.SnapshotName(id), "")
	if err != nil {
		return nil, err
	}
	defer object.Body.Close() // read-only: nothing is lost
	return io.ReadAll(object.Body)
}

func report(name string, value float64, unit string) { fmt.Printf("%s %.4g %s\n", name, value, unit) }

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

var errDiffer = errors.New("index and scan differ")
