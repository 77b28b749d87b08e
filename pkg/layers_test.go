package pkg_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/listward/listward/"

// layers is the way of the data, one step a line. A package imports only from
// lines above its own; packages on one line do not see each other. Test suites
// and infra, which hosts the service for tests and on one machine, are below.
const layers = `
	pkg/sanction pkg/fold pkg/table pkg/contract pkg/objects pkg/fetch pkg/keys pkg/locale pkg/awsenv pkg/metrics
	pkg/contract/contracttest pkg/locale/localetest pkg/lists pkg/lists/sample pkg/lists/liststest pkg/snapshot pkg/listing pkg/archive pkg/objects/dir pkg/objects/s3 pkg/objects/objectstest pkg/keys/bolt pkg/keys/dynamo pkg/keys/keystest
	pkg/lists/ofac pkg/lists/un pkg/lists/eu pkg/lists/eux pkg/lists/cn pkg/history pkg/edition pkg/exports pkg/snapshot/snapshottest pkg/screen pkg/apigw
	pkg/refresh pkg/api pkg/watch
	pkg/billing pkg/embed
	pkg/account pkg/billing/billingtest
	pkg/cloud
	functions/authorizer functions/screen functions/batch functions/sanctions functions/sources functions/changes functions/exports functions/snapshots functions/embed functions/account functions/billing functions/reconcile functions/docs functions/refresh functions/watch
	infra/admin infra/gateway infra/runtimeapi infra/engines infra/issuer infra/pack
	infra/stage infra/browser infra/apitest
	infra/local infra/e2e infra/coldstart infra/bench infra/cost infra/smoke infra/delivery infra/monitoring
`

// awsSDK are the only places that may know the AWS SDK, and environment those
// that may read the environment (design, rules).
var (
	awsSDK      = regexp.MustCompile(`^(pkg/objects/s3|pkg/keys/dynamo|pkg/awsenv|pkg/cloud|functions/[a-z]+|infra/.*)$`)
	environment = regexp.MustCompile(`^(functions|infra)/`)
	catchAll    = regexp.MustCompile(`(^|/)(util|utils|common|types|helpers?|misc|shared)$`)
)

// source is one parsed file of the module.
type source struct {
	path, dir string
	file      *ast.File
}

func (s source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

func (s source) imports() []string {
	var all []string
	for _, spec := range s.file.Imports {
		dep, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			all = append(all, dep)
		}
	}
	return all
}

// sources parses every Go file of the module. It reads the files itself: a list
// from the go command would be served from the test cache after a change.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	root := os.DirFS("..")
	for _, top := range []string{"pkg", "infra", "functions"} {
		err := fs.WalkDir(root, top, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path.Ext(name) != ".go" {
				return err
			}
			text, err := fs.ReadFile(root, name)
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
			all = append(all, source{name, path.Dir(name), file})
			return err
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	if len(all) < 50 {
		t.Fatalf("only %d Go files found: the test looks in the wrong place", len(all))
	}
	return all
}

func TestImportsPointUp(t *testing.T) {
	level, empty := map[string]int{}, map[string]bool{}
	for i, line := range strings.Split(layers, "\n") {
		for name := range strings.FieldsSeq(line) {
			level[name], empty[name] = i, true
		}
	}
	for _, s := range sources(t) {
		from, known := level[s.dir]
		if !known && s.dir != "pkg" {
			t.Errorf("%s stands in no layer", s.dir)
		}
		delete(empty, s.dir)
		for _, dep := range s.imports() {
			to, ours := strings.CutPrefix(dep, module)
			if above := !ours || to == s.dir || level[to] < from; !above && !s.test() {
				t.Errorf("%s imports %s, which is not above it", s.path, to)
			}
		}
	}
	for name := range empty {
		t.Errorf("%s is named in layers and holds no Go file", name)
	}
}

func TestPlacesOfTheOutside(t *testing.T) {
	for _, s := range sources(t) {
		if catchAll.MatchString(s.dir) {
			t.Errorf("%s: a package is named by what it is about", s.dir)
		}
		for _, dep := range s.imports() {
			if strings.HasPrefix(dep, "github.com/aws/aws-sdk-go-v2") && !awsSDK.MatchString(s.dir) {
				t.Errorf("%s imports %s, which only the AWS adapters may", s.path, dep)
			}
		}
		if s.test() {
			continue
		}
		for _, call := range calls(s.file) {
			switch {
			case slices.Contains([]string{"os.Getenv", "os.LookupEnv", "os.Environ"}, call) && !environment.MatchString(s.dir):
				t.Errorf("%s calls %s: the environment is read in functions and infra", s.path, call)
			case s.file.Name.Name != "main" && (call == "os.Exit" || call == "panic" || strings.HasPrefix(call, "log.Fatal")):
				t.Errorf("%s calls %s, which only main may", s.path, call)
			}
		}
	}
}

// calls returns the functions that a file calls or passes on, as written.
func calls(file *ast.File) []string {
	var all []string
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				all = append(all, x.Name+"."+n.Sel.Name)
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok {
				all = append(all, f.Name)
			}
		}
		return true
	})
	return all
}

func TestEveryPackageHasAComment(t *testing.T) {
	commented := map[string]bool{}
	for _, s := range sources(t) {
		if !s.test() {
			commented[s.dir] = commented[s.dir] || s.file.Doc != nil
		}
	}
	for dir, has := range commented {
		if !has {
			t.Errorf("%s has no package comment", dir)
		}
	}
}

func TestFilesAreShort(t *testing.T) {
	for _, s := range sources(t) {
		text, err := os.ReadFile(filepath.Join("..", s.path))
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(string(text), "\n"); lines > 500 {
			t.Errorf("%s has %d lines, more than 500", s.path, lines)
		}
	}
}

// TestDependenciesHaveReasons: each direct dependency stands in the README's
// table, and the table holds no other.
func TestDependenciesHaveReasons(t *testing.T) {
	gomod, err := os.ReadFile(filepath.Join("..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	direct, reasons := map[string]bool{}, map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\s*(?:require )?([a-z0-9.]+\.[a-z]+/\S+) v\S+$`).FindAllStringSubmatch(string(gomod), -1) {
		direct[m[1]] = true
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z0-9.]+\\.[a-z]+/[^`]+)` \\| .+ \\|$").FindAllStringSubmatch(string(readme), -1) {
		reasons[m[1]] = true
	}
	if len(direct) == 0 {
		t.Fatal("go.mod has no direct dependency: the test reads it wrong")
	}
	for m := range direct {
		if !reasons[m] {
			t.Errorf("%s is required by go.mod without a reason in the README's table", m)
		}
	}
	for m := range reasons {
		if !direct[m] {
			t.Errorf("%s stands in the README's table and is no direct dependency", m)
		}
	}
}
