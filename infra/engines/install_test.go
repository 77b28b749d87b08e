package engines_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/listward/listward/infra/engines"
)

// inCopy moves the test into a repository that has nothing but the pins, as they
// are after change.
func inCopy(t *testing.T, change func(text string) string) (root string) {
	t.Helper()
	for _, name := range []string{"LISTWARD_DYNAMODB_ENDPOINT", "LISTWARD_S3_ENDPOINT"} {
		t.Setenv(name, "")
	}
	root = t.TempDir()
	files := map[string]string{"go.mod": "module copy"}
	for _, name := range []string{"dynoxide/package.json", "dynoxide/package-lock.json", "versitygw/go.mod", "versitygw/go.sum", "stripemock/go.mod", "stripemock/go.sum"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files["infra/engines/"+name] = change(string(text))
	}
	for name, text := range files {
		write(t, filepath.Join(root, name), text, 0o600)
	}
	t.Chdir(root)
	return root
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), mode)); err != nil {
		t.Fatal(err)
	}
}

func unchanged(text string) string { return text }

// TestPins damages the checksums and has npm and the go command find that.
func TestPins(t *testing.T) {
	checksum := regexp.MustCompile(`sha512-[^"]{8}|(versitygw v1\.8\.0|stripe-mock v0\.203\.0) h1:.{8}`)
	damage := func(text string) string {
		return checksum.ReplaceAllStringFunc(text, func(s string) string { return s[:len(s)-8] + "AAAAAAAA" })
	}
	root := inCopy(t, damage)
	for name, start := range map[string]func(context.Context, string) (*engines.Engine, error){
		"dynoxide":   engines.StartDynamoDB,
		"versitygw":  engines.StartS3,
		"stripemock": engines.StartStripe,
	} {
		_, err := start(t.Context(), t.TempDir())
		if errors.Is(err, engines.ErrUnavailable) {
			t.Skip(err)
		}
		if !errors.Is(err, engines.ErrPinned) {
			t.Errorf("%s with another checksum: error %v, want %v", name, err, engines.ErrPinned)
		}
	}
	wantMade(t, root, 0)
}

// wantMade counts the programs that were made and looks for left-overs.
func wantMade(t *testing.T, root string, want int) {
	t.Helper()
	files, err := os.ReadDir(filepath.Join(root, ".build", "engines"))
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	for _, f := range files {
		if f.IsDir() {
			t.Errorf("the folder %s was left over", f.Name())
		} else if !strings.HasSuffix(f.Name(), ".lock") {
			made++
		}
	}
	if made != want {
		t.Errorf("%d programs were made, want %d", made, want)
	}
}

func TestUnavailable(t *testing.T) {
	root := inCopy(t, unchanged)
	t.Setenv("PATH", "")
	for ci, want := range map[string]string{"": "skipped", "true": "failed"} {
		t.Setenv("CI", ci)
		for name, start := range map[string]func(testing.TB) *engines.Engine{"DynamoDB": engines.DynamoDB, "S3": engines.S3, "Stripe": engines.Stripe} {
			r := &recorder{TB: t}
			var ended sync.WaitGroup
			ended.Go(func() { start(r) })
			ended.Wait()
			if r.result != want || !errors.Is(r.reason, engines.ErrUnavailable) {
				t.Errorf("%s without npm and go, CI=%q: the test %s with %v, want %s with %v",
					name, ci, r.result, r.reason, want, engines.ErrUnavailable)
			}
		}
	}
	wantMade(t, root, 0)
}

// recorder is a test that keeps how it ended.
type recorder struct {
	testing.TB
	result string
	reason error
}

func (r *recorder) Skip(args ...any)  { r.end("skipped", args) }
func (r *recorder) Fatal(args ...any) { r.end("failed", args) }

func (r *recorder) end(result string, args []any) {
	r.result = result
	r.reason, _ = args[0].(error)
	runtime.Goexit()
}

// TestMadeOnce has an npm that writes down how it is called, and makes a program
// that ends at once.
func TestMadeOnce(t *testing.T) {
	root := inCopy(t, unchanged)
	bin := t.TempDir()
	write(t, filepath.Join(bin, "npm"), `#!/bin/sh
echo "npm $*" >>"`+root+`/calls"
made=node_modules/@dynoxide/linux-x64
mkdir -p $made && printf '#!/bin/sh\necho no memory left; exit 1\n' >$made/dynoxide && chmod +x $made/dynoxide
`, 0o700)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			_, err := engines.StartDynamoDB(t.Context(), t.TempDir())
			if !errors.Is(err, engines.ErrStart) || !strings.Contains(err.Error(), "no memory left") {
				t.Errorf("start of a program that ends: error %v, want %v with what it printed", err, engines.ErrStart)
			}
		})
	}
	all.Wait()
	wantMade(t, root, 1)
	calls, err := os.ReadFile(filepath.Join(root, "calls"))
	if want := "npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=0\n"; err != nil || string(calls) != want {
		t.Errorf("npm was called as %q, %v, want %q", calls, err, want)
	}
}
