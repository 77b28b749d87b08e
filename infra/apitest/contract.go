package apitest

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/contract"
	"github.com/listward/listward/pkg/contract/contracttest"
)

// checkPromise holds an answer against the document. What the document does not have,
// unknown paths and methods, is answered by 404, 405 and preflights.
func (s Service) checkPromise(t testing.TB, call *http.Request, got response) {
	t.Helper()
	// The validator takes a slash at the end for nothing, the service does not. The search
	// box is a page, and the events are Stripe's: no part of the document.
	beside := call.URL.Path == "/embed" || call.URL.Path == "/billing/stripe"
	if s.promised == nil || got.byGateway() || strings.HasSuffix(call.URL.Path, "/") || beside {
		return
	}
	err := s.promised.Answer(call, got.status, got.header, got.body)
	if errors.Is(err, contracttest.ErrUnknown) && (got.status == http.StatusNotFound || got.status == http.StatusMethodNotAllowed || got.status == http.StatusNoContent) {
		return
	}
	if err != nil {
		t.Errorf("%s %.80s, %d: not as the OpenAPI document has it: %v", call.Method, call.URL.RequestURI(), got.status, err)
	}
}

// testExamples runs the programs of the documentation as they stand.
func (s Service) testExamples(t *testing.T) {
	ran := 0
	for _, example := range contract.Examples() {
		t.Run(example.Language, func(t *testing.T) {
			dir := t.TempDir()
			program, file := runner(example.Language)
			if program == "" {
				t.Fatalf("nothing runs %s", example.Language)
			}
			if _, err := exec.LookPath(program); err != nil {
				t.Skipf("%s is not on this machine", program)
			}
			if err := os.WriteFile(filepath.Join(dir, file), []byte(example.Code), 0o600); err != nil {
				t.Fatal(err)
			}
			args := []string{file}
			if program == "go" {
				args = []string{"run", file}
			}
			command := exec.CommandContext(t.Context(), program, args...)
			command.Dir = dir
			command.Env = append(os.Environ(), "LISTWARD_URL="+s.URL, "LISTWARD_KEY="+s.key(t))
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s\n%s", err, example.Code, out)
			}
			ran++
		})
	}
	if ran == 0 {
		t.Error("the documentation has no example that runs")
	}
}

// runner returns the program that runs a language, and the name of a file for it.
func runner(language string) (program, file string) {
	switch language {
	case "curl":
		return "sh", "example.sh"
	case "go":
		return "go", "main.go"
	case "python":
		return "python3", "example.py"
	case "javascript":
		return "node", "example.mjs"
	}
	return "", ""
}
