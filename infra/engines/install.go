package engines

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// lockRetry is how often a process looks whether another one, which is making
// the same engine, has finished. That takes seconds to a minute.
const lockRetry = 100 * time.Millisecond

var (
	// ErrUnavailable is returned when an engine cannot be made here, for want of
	// npm, of a network or of a build for this system.
	ErrUnavailable = errors.New("the engine cannot be had here")
	// ErrPinned is returned when a download is not what was pinned.
	ErrPinned = errors.New("a download has another checksum than the pinned one")
)

// NPM returns the path of one file of an npm package: an engine's program, or a
// script. It is kept in .build/engines, named after the folder with the pins. That
// folder, pins, is named from the root of the repository and holds package.json and
// package-lock.json; file is named from node_modules. No script of a package is
// run. The errors are ErrUnavailable and ErrPinned.
func NPM(ctx context.Context, pins, file string) (string, error) {
	return install(ctx, pins, "package-lock.json", func(ctx context.Context, pins, scratch string) (string, error) {
		if err := os.CopyFS(scratch, os.DirFS(pins)); err != nil {
			return "", err
		}
		err := run(ctx, scratch, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=0")
		return filepath.Join(scratch, "node_modules", file), err
	})
}

// install returns the path of a program. If there is none yet for the content of the
// file that pins it, build makes one in a folder for the purpose, given the folder
// with the pins, and returns its path. That folder is named from the root of the
// repository. Processes that need the same program at once wait for the first of them.
func install(ctx context.Context, folder, pin string, build func(ctx context.Context, pins, scratch string) (string, error)) (string, error) {
	root, err := repository()
	if err != nil {
		return "", err
	}
	name, pins, home := filepath.Base(folder), filepath.Join(root, folder), filepath.Join(root, ".build", "engines")
	pinned, err := os.ReadFile(filepath.Join(pins, pin))
	if err != nil {
		return "", fmt.Errorf("read what pins the engine: %w", err)
	}
	program := filepath.Join(home, fmt.Sprintf("%s-%.6x", name, sha256.Sum256(pinned)))
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	if err := makeOnce(ctx, program, func(scratch string) (string, error) { return build(ctx, pins, scratch) }); err != nil {
		return "", fmt.Errorf("make the engine %s: %w", name, err)
	}
	return program, nil
}

// repository returns the nearest folder above the working directory that holds a
// Go module. Tests of a package run in its folder, programs at the root.
func repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the repository: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("find the repository: no go.mod above the working directory: %w", fs.ErrNotExist)
		}
		dir = parent
	}
}

// makeOnce has the program made by one process at a time. It appears whole and
// at once, so that whoever sees it may run it.
func makeOnce(ctx context.Context, program string, build func(scratch string) (string, error)) (err error) {
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		return err
	}
	lock := flock.New(program + ".lock")
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if _, err := os.Stat(program); err == nil {
		return nil
	}
	scratch, err := os.MkdirTemp(filepath.Dir(program), "making-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	made, err := build(scratch)
	if err != nil {
		return err
	}
	return os.Rename(made, program)
}

// goBuild builds a command from its nested module, whose modules, sixty of versitygw,
// stay out of the service's by that.
func goBuild(command string) func(ctx context.Context, pins, scratch string) (string, error) {
	return func(ctx context.Context, pins, scratch string) (string, error) {
		program := filepath.Join(scratch, "program")
		return program, run(ctx, pins, "go", "build", "-buildvcs=false", "-o", program, command)
	}
}

// run runs a command in a folder. Why it failed can only be told from what it
// printed, which is in the error: npm's code or the go command's heading for a
// wrong checksum, or else something that is missing here.
func run(ctx context.Context, dir, name string, args ...string) error {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir = dir
	command.Env = append(command.Environ(), "CGO_ENABLED=0")
	printed, err := command.CombinedOutput()
	if err == nil {
		return nil
	}
	reason := ErrUnavailable
	for _, mark := range []string{"EINTEGRITY", "SECURITY ERROR"} {
		if strings.Contains(string(printed), mark) {
			reason = ErrPinned
		}
	}
	return fmt.Errorf("%w: %s: %w\n%s", reason, name, err, printed)
}
