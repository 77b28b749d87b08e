package dir_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/objects/dir"
	"github.com/listward/listward/pkg/objects/objectstest"
)

func open(t *testing.T, path string) *dir.Store {
	t.Helper()
	store, err := dir.Open(path)
	if err != nil {
		t.Fatalf("Open(%q): %v", path, err)
	}
	return store
}

func TestConformance(t *testing.T) {
	objectstest.Run(t, func(t *testing.T) objects.Store { return open(t, t.TempDir()) })
}

func TestOpenKeepsObjects(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "on", "open")
	etag, err := open(t, path).Put(t.Context(), "snapshots/a", []byte("content"), objects.Always)
	if err != nil {
		t.Fatalf("Put: %v", err)
	}
	if _, err := open(t, path).Get(t.Context(), "snapshots/a", etag); !errors.Is(err, objects.ErrNotModified) {
		t.Errorf("Get after another Open = %v, want ErrNotModified for the ETag of before", err)
	}
	got, err := os.ReadFile(filepath.Join(path, "snapshots", "a"))
	if err != nil || string(got) != "content" {
		t.Errorf("the object's file holds %q, %v; want its content", got, err)
	}
}

func TestOpenFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var want *os.PathError
	if _, err := dir.Open(filepath.Join(file, "store")); !errors.As(err, &want) {
		t.Errorf("Open below a file = %v, want an os.PathError", err)
	}
}

// What a writer that died leaves is not an object, and goes with the next Open.
func TestLeftoversOfACrash(t *testing.T) {
	path := t.TempDir()
	store := open(t, path)
	if _, err := store.Put(t.Context(), "object", []byte("whole"), objects.Always); err != nil {
		t.Fatalf("Put: %v", err)
	}
	leftover := filepath.Join(path, ".pending", ".object8674665223082153551")
	if err := os.WriteFile(leftover, []byte("hal"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Put(t.Context(), "object", []byte("x"), objects.IfAbsent); !errors.Is(err, objects.ErrPrecondition) {
		t.Errorf("Put if absent beside a leftover = %v, want ErrPrecondition", err)
	}
	if _, err := store.Get(t.Context(), ".pending/.object8674665223082153551", ""); !errors.Is(err, objects.ErrName) {
		t.Errorf("Get of a leftover = %v, want ErrName", err)
	}
	open(t, path)
	if _, err := os.Stat(leftover); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after Open the leftover's Stat = %v, want ErrNotExist", err)
	}
	if got, err := os.ReadFile(filepath.Join(path, "object")); err != nil || string(got) != "whole" {
		t.Errorf("the object holds %q, %v; want %q", got, err, "whole")
	}
}

func TestNameThatIsAFolder(t *testing.T) {
	store := open(t, t.TempDir())
	for _, names := range [][2]string{{"a", "a/b"}, {"c/d", "c"}} {
		if _, err := store.Put(t.Context(), names[0], []byte("1"), objects.IfAbsent); err != nil {
			t.Fatalf("Put(%q): %v", names[0], err)
		}
		if _, err := store.Put(t.Context(), names[1], []byte("2"), objects.Always); !errors.Is(err, objects.ErrName) {
			t.Errorf("Put(%q) beside %q = %v, want ErrName", names[1], names[0], err)
		}
		if _, err := store.Get(t.Context(), names[0], ""); err != nil {
			t.Errorf("Get(%q) afterwards: %v", names[0], err)
		}
	}
}

// The environment by which a process that a test starts is told what to do.
const (
	childRole   = "LISTWARD_TEST_ROLE"
	childFolder = "LISTWARD_TEST_FOLDER"
	raceRole    = "race"
	writeRole   = "write"
)

const rounds = 25

// TestMain runs the tests, or plays the role of a process that one of them has
// started.
func TestMain(m *testing.M) {
	roles := map[string]func(objects.Store) error{raceRole: race, writeRole: write}
	role, ok := roles[os.Getenv(childRole)]
	if !ok {
		m.Run()
		return
	}
	store, err := dir.Open(os.Getenv(childFolder))
	if err == nil {
		err = role(store)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func child(t *testing.T, role, folder string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self)
	c.Env = append(os.Environ(), childRole+"="+role, childFolder+"="+folder)
	return c
}

// Two processes increment a counter, and both try to create the same objects.
func TestProcesses(t *testing.T) {
	folder := t.TempDir()
	if _, err := open(t, folder).Put(t.Context(), "counter", []byte("0"), objects.IfAbsent); err != nil {
		t.Fatalf("Put: %v", err)
	}
	var output [2]strings.Builder
	var children [2]*exec.Cmd
	for i := range children {
		children[i] = child(t, raceRole, folder)
		children[i].Stdout, children[i].Stderr = &output[i], &output[i]
		if err := children[i].Start(); err != nil {
			t.Fatalf("start a process: %v", err)
		}
	}
	created := 0
	for i, c := range children {
		if err := c.Wait(); err != nil {
			t.Errorf("a process failed: %v\n%s", err, &output[i])
		}
		created += strings.Count(output[i].String(), "created ")
	}
	if created != rounds {
		t.Errorf("%d objects were created if absent, want each of %d by exactly one process", created, rounds)
	}
	got, err := os.ReadFile(filepath.Join(folder, "counter"))
	if want := strconv.Itoa(2 * rounds); err != nil || string(got) != want {
		t.Errorf("the counter stands at %q, %v; want %q", got, err, want)
	}
}

func race(store objects.Store) error {
	for round := range rounds {
		if err := objectstest.Increment(context.Background(), store, "counter"); err != nil {
			return err
		}
		_, err := store.Put(context.Background(), fmt.Sprintf("round-%d", round), nil, objects.IfAbsent)
		if err == nil {
			fmt.Println("created", round)
		} else if !errors.Is(err, objects.ErrPrecondition) {
			return err
		}
	}
	return nil
}

// A process is killed while it writes: every object is whole, nothing else is
// left beside them, and the lock is free.
func TestKilledWriter(t *testing.T) {
	for range 5 {
		folder := t.TempDir()
		killWriter(t, folder)
		files, err := os.ReadDir(folder)
		if err != nil || len(files) < 5 {
			t.Fatalf("after a killed writer the folder holds %v (%v), want three objects and the store's own two files", files, err)
		}
		for _, file := range files {
			if file.Name() == ".lock" || file.Name() == ".pending" {
				continue
			}
			content, err := os.ReadFile(filepath.Join(folder, file.Name()))
			if err != nil || len(content) != writeSize || objects.CheckName(file.Name()) != nil {
				t.Errorf("after a killed writer %q holds %d bytes (%v), want an object of %d", file.Name(), len(content), err, writeSize)
			}
		}
		if _, err := open(t, folder).Put(t.Context(), "object-1", nil, objects.Always); err != nil {
			t.Errorf("Put after a killed writer: %v", err)
		}
	}
}

// killWriter starts a writing process and kills it after its third Put.
func killWriter(t *testing.T, folder string) {
	t.Helper()
	c := child(t, writeRole, folder)
	output, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatalf("start a process: %v", err)
	}
	lines := bufio.NewScanner(output)
	for range 3 {
		if !lines.Scan() {
			t.Errorf("the process ended by itself: %v", lines.Err())
		}
	}
	if err := c.Process.Kill(); err != nil {
		t.Errorf("kill the process: %v", err)
	}
	var killed *exec.ExitError
	if err := c.Wait(); !errors.As(err, &killed) {
		t.Errorf("the process ended with %v, want it killed", err)
	}
}

// writeSize makes a Put last much longer than it takes to kill its process.
const writeSize = 8 << 20

// write puts one object after the other.
func write(store objects.Store) error {
	body := make([]byte, writeSize)
	for n := 1; ; n++ {
		if _, err := store.Put(context.Background(), fmt.Sprintf("object-%d", n), body, objects.IfAbsent); err != nil {
			return err
		}
		fmt.Println("wrote", n)
	}
}
