package bolt_test

import (
	"crypto/rand"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/keys/bolt"
	"github.com/listward/listward/pkg/keys/keystest"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestStore(t *testing.T) {
	keystest.Run(t, func(t *testing.T) keys.Store {
		return open(t, filepath.Join(t.TempDir(), "keys"))
	})
}

func open(tb testing.TB, path string) *bolt.Store {
	tb.Helper()
	store, err := bolt.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := store.Close(); err != nil {
			tb.Error(err)
		}
	})
	return store
}

func newKey(tb testing.TB, store *bolt.Store) (keys.Secret, keys.Key) {
	tb.Helper()
	secret, err := keys.New(rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	id := secret.Hash().ID()
	if _, err := store.CreateAccount(tb.Context(), id, noon); err != nil {
		tb.Fatal(err)
	}
	if err := store.SetPlan(tb.Context(), id, noon.AddDate(1, 0, 0)); err != nil {
		tb.Fatal(err)
	}
	key, err := store.CreateKey(tb.Context(), id, keys.NewKey{Secret: secret, Now: noon})
	if err != nil {
		tb.Fatal(err)
	}
	return secret, key
}

// BenchmarkAdmit counts calls on 64 keys, from one caller and from 64 at once.
// Every one of them is on the disk when Admit returns.
func BenchmarkAdmit(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			store := open(b, filepath.Join(b.TempDir(), "keys"))
			hashes := make([]keys.Hash, 64)
			for i := range hashes {
				secret, _ := newKey(b, store)
				hashes[i] = secret.Hash()
			}
			work := make(chan int)
			var all sync.WaitGroup
			for range callers {
				all.Go(func() {
					for i := range work {
						// A day lasts 900 calls on each key, so that all of them count.
						day := noon.AddDate(0, 0, i/(64*900))
						if out, err := store.Admit(b.Context(), hashes[i%64], keys.Call{Now: day}); err != nil || out.Code != keys.OK {
							b.Errorf("call %d: %v, %v", i, out, err)
						}
					}
				})
			}
			for i := 0; b.Loop(); i++ {
				work <- i
			}
			close(work)
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}
