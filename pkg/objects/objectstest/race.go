package objectstest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/listward/listward/pkg/objects"
)

const racers = 16

// race runs the same function in every racer and waits for all. The function
// must not stop the test, for it is not in the test's goroutine.
func race(run func(racer int)) {
	var wait sync.WaitGroup
	for racer := range racers {
		wait.Go(func() { run(racer) })
	}
	wait.Wait()
}

func testRaceIfAbsent(t *testing.T, store objects.Store) {
	for round := range 10 {
		name := fmt.Sprintf("round-%d", round)
		var winners atomic.Int64
		race(func(racer int) {
			_, err := store.Put(t.Context(), name, []byte(strconv.Itoa(racer)), objects.IfAbsent)
			switch {
			case err == nil:
				winners.Add(1)
			case !errors.Is(err, objects.ErrPrecondition):
				t.Errorf("racer %d: Put if absent = %v, want nil or ErrPrecondition", racer, err)
			}
		})
		if got := winners.Load(); got != 1 {
			t.Errorf("%s: %d of %d racers created the object, want exactly one", name, got, racers)
		}
	}
}

func testRaceCounter(t *testing.T, store objects.Store) {
	const each = 8
	put(t, store, "counter", "0", objects.IfAbsent)
	race(func(racer int) {
		for range each {
			if err := Increment(t.Context(), store, "counter"); err != nil {
				t.Errorf("racer %d: %v", racer, err)
				return
			}
		}
	})
	if got, want := read(t, store, "counter"), strconv.Itoa(racers*each); got != want {
		t.Errorf("the counter stands at %s after %s conditional increments", got, want)
	}
}

// Increment adds one to the decimal number in an object, by reading it and
// putting it back if it is unchanged, as often as that needs. It is exported for
// tests that do the same from several processes.
func Increment(ctx context.Context, store objects.Store, name string) error {
	for {
		object, err := store.Get(ctx, name, "")
		if err != nil {
			return err
		}
		content, err := readAll(object)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(content)
		if err != nil {
			return err
		}
		_, err = store.Put(ctx, name, []byte(strconv.Itoa(n+1)), objects.IfMatch(object.ETag))
		if !errors.Is(err, objects.ErrPrecondition) {
			return err
		}
	}
}

// testReadersDuringWrites has half of the racers replace an object by blocks of
// one letter each, and the others read it: every reader must see one block.
func testReadersDuringWrites(t *testing.T, store objects.Store) {
	block := func(racer int) string { return strings.Repeat(string(rune('a'+racer)), 1000*(racer+1)) }
	put(t, store, "object", block(0), objects.Always)
	race(func(racer int) {
		for range 20 {
			if racer%2 == 0 {
				if _, err := store.Put(t.Context(), "object", []byte(block(racer)), objects.Always); err != nil {
					t.Errorf("racer %d: Put: %v", racer, err)
				}
				continue
			}
			object, err := store.Get(t.Context(), "object", "")
			if err != nil {
				t.Errorf("racer %d: Get: %v", racer, err)
				continue
			}
			got, err := readAll(object)
			if err != nil || got == "" || got != block(int(got[0]-'a')) {
				t.Errorf("racer %d read %d bytes that no Put has written (error %v)", racer, len(got), err)
			}
		}
	})
}
