package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/lists/sample"
	"github.com/listward/listward/pkg/refresh"
)

// edited is a folder of the sample lists, with one of its files changed.
func edited(t *testing.T, folder, path string, edit func(string) string) string {
	t.Helper()
	if err := os.CopyFS(folder, sample.Files()); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(folder, filepath.FromSlash(path))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := edit(string(text))
	if changed == string(text) {
		t.Fatalf("nothing is changed in %s", path)
	}
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

const unFile = "un/consolidated.xml"

// withoutEntities is the UN's list without all of them, which is refused.
func withoutEntities(list string) string {
	before, _, _ := strings.Cut(list, "<ENTITIES>")
	return before + "<ENTITIES></ENTITIES></CONSOLIDATED_LIST>"
}

// TestRefreshOfAnotherKind tells that the history begins anew, and of the sample.
func TestRefreshOfAnotherKind(t *testing.T) {
	c := testConfig(t, sampleLists)
	folder := withoutTaganda(t)
	for i, tt := range []struct {
		lists, anew string
		warns       bool
	}{
		{sampleLists, "", true}, // into a new folder
		{sampleLists, "", true},
		{folder, "LISTS goes from the sample to real lists", false},
		{withoutTaganda(t), "", false},
		{sampleLists, "LISTS goes from real lists to the sample", true},
	} {
		c.lists = tt.lists
		var out strings.Builder
		if err := refreshOnce(t.Context(), c, &out); err != nil {
			t.Fatal(err)
		}
		printed := out.String()
		if anew := strings.Contains(printed, "the history of "+c.data+" begins anew"); anew != (tt.anew != "") || !strings.Contains(printed, tt.anew) {
			t.Errorf("run %d, LISTS=%s: %s\nwant it to say %q", i, tt.lists, printed, tt.anew)
		}
		if strings.Contains(printed, sampleWarning) != tt.warns {
			t.Errorf("run %d, LISTS=%s: %s\nwarns of the sample: %v, want %v", i, tt.lists, printed, !tt.warns, tt.warns)
		}
	}
	var greeting strings.Builder
	greet(&greeting, c, "lw_", &net.TCPAddr{})
	if !strings.Contains(greeting.String(), sampleWarning) {
		t.Errorf("make run warns otherwise: %s", greeting.String())
	}
	c.lists = t.TempDir()
	var refused strings.Builder
	if err := refreshOnce(t.Context(), c, &refused); err == nil || strings.Contains(refused.String(), "anew") {
		t.Errorf("real lists that cannot be read: %s, error %v, want the sample kept", refused.String(), err)
	}
	fresh := testConfig(t, folder)
	var out strings.Builder
	if err := refreshOnce(t.Context(), fresh, &out); err != nil || strings.Contains(out.String(), "anew") {
		t.Errorf("real lists into a new folder: %s, error %v", out.String(), err)
	}
}

// TestHintToAccept: the commands that are printed for a file that lost too much are run
// by a shell, and reach make with the settings in force.
func TestHintToAccept(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not on this machine")
	}
	c := testConfig(t, withoutTaganda(t))
	c.data = filepath.Join(c.data, "it's $(data) & more")
	if err := refreshOnce(t.Context(), c, io.Discard); err != nil {
		t.Fatal(err)
	}
	c.lists = edited(t, filepath.Join(t.TempDir(), "$lists #1"), unFile, withoutEntities)
	var out strings.Builder
	if err := refreshOnce(t.Context(), c, &out); err != nil {
		t.Fatal(err)
	}
	makefile := t.TempDir()
	const rules = "export PORT LISTS DATA ACCEPT\nrefresh fidelity:\n\t@printf '%s\\n' $@ \"$$DATA\" \"$$LISTS\" \"$$ACCEPT\"\n"
	if err := os.WriteFile(filepath.Join(makefile, "Makefile"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		if !strings.Contains(line, " make ") {
			continue
		}
		command := exec.CommandContext(t.Context(), "sh", "-c", line)
		command.Dir = makefile
		command.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=0") // these tests may be run by make
		printed, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", line, err, printed)
		}
		got = append(got, string(printed))
	}
	settings := c.data + "\n" + c.lists + "\n"
	if len(got) != 2 || got[0] != "fidelity\n"+settings+"\n" || !strings.HasPrefix(got[1], "refresh\n"+settings) {
		t.Fatalf("the commands reach make as %q in\n%s", got, out.String())
	}
	c.acceptLoss = strings.TrimSpace(strings.TrimPrefix(got[1], "refresh\n"+settings))
	out.Reset()
	if err := refreshOnce(t.Context(), c, &out); err != nil || !strings.Contains(out.String(), "UN    ok           21 entries") {
		t.Errorf("with the ACCEPT of the hint: error %v\n%s", err, out.String())
	}
}

// TestAcceptOfNoFile fails and names it, whatever became of the lists.
func TestAcceptOfNoFile(t *testing.T) {
	c := testConfig(t, withoutTaganda(t))
	c.acceptLoss = strings.Repeat("0", 64)
	var out strings.Builder
	err := refreshOnce(t.Context(), c, &out)
	if !errors.Is(err, refresh.ErrNotRead) || !strings.Contains(err.Error(), c.acceptLoss) || !strings.Contains(out.String(), "serving snapshot") {
		t.Errorf("lists that are accepted: error %v\n%s", err, out.String())
	}
	if last, err := c.lastLists(); err != nil || last != c.lists {
		t.Errorf("the lists that are served are remembered as %q, error %v", last, err)
	}
	c.lists = t.TempDir()
	if err := refreshOnce(t.Context(), c, io.Discard); !errors.Is(err, refresh.ErrNotRead) || !errors.Is(err, errNoneOK) {
		t.Errorf("lists that are refused: error %v", err)
	}
}

// TestEmptyFolderIsNamed, whether anything was served before or not.
func TestEmptyFolderIsNamed(t *testing.T) {
	empty := t.TempDir()
	c := testConfig(t, empty)
	for _, command := range []func(context.Context, config, io.Writer) error{refreshOnce, serve, fidelity} {
		if err := command(t.Context(), c, io.Discard); err == nil || !strings.Contains(err.Error(), "LISTS="+empty) {
			t.Errorf("nothing served before: error %v, want one that names %s", err, empty)
		}
	}
	c.lists = withoutTaganda(t)
	if err := refreshOnce(t.Context(), c, io.Discard); err != nil {
		t.Fatal(err)
	}
	c.lists = empty
	if err := refreshOnce(t.Context(), c, io.Discard); !errors.Is(err, errNoneOK) || !strings.Contains(err.Error(), "LISTS="+empty) {
		t.Errorf("something served before: error %v, want errNoneOK that names %s", err, empty)
	}
}

// interrupted is a context that ends when the run begins to read, as by Ctrl-C.
type interrupted struct {
	bytes.Buffer
	stop context.CancelFunc
}

func (i *interrupted) Write(text []byte) (int, error) {
	if bytes.Contains(text, []byte("reading the lists")) {
		i.stop()
	}
	return i.Buffer.Write(text)
}

// TestInterruptedRefresh says in words what is served then.
func TestInterruptedRefresh(t *testing.T) {
	c := testConfig(t, withoutTaganda(t))
	stopped := func(run func(context.Context, config, io.Writer) error) error {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		return run(ctx, c, &interrupted{stop: stop})
	}
	for _, tt := range []struct{ before, want string }{
		{"nothing", "stopped: nothing is served yet"},
		{"lists", "stopped: what was served before stays"},
	} {
		for what, run := range map[string]func(context.Context, config, io.Writer) error{"refresh": refreshOnce, "serve": serve} {
			if err := stopped(run); !errors.Is(err, errStopped) || err.Error() != tt.want {
				t.Errorf("%s after %s: error %v, want %q", what, tt.before, err, tt.want)
			}
		}
		c.lists = withoutTaganda(t)
		if err := refreshOnce(t.Context(), c, io.Discard); err != nil {
			t.Fatal(err)
		}
		c.lists = withoutTaganda(t) // others than those of before, so that serve reads them
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := fidelity(ctx, c, io.Discard); !errors.Is(err, errStopped) {
		t.Errorf("fidelity: error %v, want errStopped", err)
	}
}
