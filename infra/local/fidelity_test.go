package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/lists/sample"
)

// TestFidelity reads the report of the sample with one record spoilt: what is left
// out stands in it with the reason, and so does the difference to what is served.
func TestFidelity(t *testing.T) {
	const path, number = "un/consolidated.xml", "REFERENCE_NUMBER>"
	c := testConfig(t, sampleLists)
	if err := refreshOnce(t.Context(), c, io.Discard); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(c.objects(), "current.json"))
	if err != nil {
		t.Fatal(err)
	}
	c.lists = t.TempDir()
	if err := os.CopyFS(c.lists, sample.Files()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(c.lists, path))
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(number), []byte("X"+number), 2)
	if err := os.WriteFile(filepath.Join(c.lists, path), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.rememberLists(); err != nil { // else they are of another kind, and not compared
		t.Fatal(err)
	}
	var out strings.Builder
	if err := fidelity(t.Context(), c, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"entries", "OFAC      vessel", "names by script: Latin", "UN  review", "left out: 1\n", "REFERENCE_NUMBER is missing",
		"removed 1: UN-", "CN  ok, list of 2025-08-12", "changed 0\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	lost, _, _ := bytes.Cut(text, []byte("<ENTITIES>"))
	lost = append(lost, "<ENTITIES></ENTITIES></CONSOLIDATED_LIST>"...)
	if err := os.WriteFile(filepath.Join(c.lists, path), lost, 0o600); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := fidelity(t.Context(), c, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"refused: un/consolidated.xml: the list lost too much", "removed 18: UN-"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report of a list that lost too much lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
	after, err := os.ReadFile(filepath.Join(c.objects(), "current.json"))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the report published something, or error %v", err)
	}
}

// TestFidelityNamesBrokenNames: a letter that was lost before the file came to us changes
// no status, and whoever looks is told of it.
func TestFidelityNamesBrokenNames(t *testing.T) {
	c := testConfig(t, edited(t, t.TempDir(), "un/consolidated.xml", func(list string) string {
		return strings.Replace(list, "BOSCO", "BOS\ufffdO", 1)
	}))
	var out strings.Builder
	if err := fidelity(t.Context(), c, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"UN  ok", "to be looked at: 1\n    UN-CDi.030: a letter of the name \"BOS\ufffdO TAGANDA\" is lost (U+FFFD)\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}
