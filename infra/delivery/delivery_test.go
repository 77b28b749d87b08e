// Package delivery_test holds the files by which the repository is checked, released and
// deployed against what is promised of them: .github and samconfig.toml.
package delivery_test

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

const root = "../.."

// workflow is what GitHub Actions reads of a file.
type workflow struct {
	path, text string

	On          yaml.Node         `yaml:"on"`
	Permissions map[string]string `yaml:"permissions"`
	Jobs        map[string]job    `yaml:"jobs"`
}

type job struct {
	Uses        string            `yaml:"uses"`
	Timeout     int               `yaml:"timeout-minutes"`
	Permissions map[string]string `yaml:"permissions"`
	Steps       []step            `yaml:"steps"`
}

type step struct {
	Uses string            `yaml:"uses"`
	Run  string            `yaml:"run"`
	With map[string]string `yaml:"with"`
	Env  map[string]string `yaml:"env"`
}

func workflows(t *testing.T) map[string]workflow {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*"))
	if err != nil || len(paths) < 2 {
		t.Fatalf("%d workflows, error %v", len(paths), err)
	}
	all := map[string]workflow{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		w := workflow{path: path, text: string(text)}
		if err := yaml.Unmarshal(text, &w); err != nil || len(w.Jobs) == 0 {
			t.Fatalf("%s: %d jobs, error %v", path, len(w.Jobs), err)
		}
		all[filepath.Base(path)] = w
	}
	return all
}

// uses are the actions and workflows that a workflow runs.
func (w workflow) uses() []string {
	var all []string
	for _, j := range w.Jobs {
		if j.Uses != "" {
			all = append(all, j.Uses)
		}
		for _, s := range j.Steps {
			if s.Uses != "" {
				all = append(all, s.Uses)
			}
		}
	}
	return all
}

var (
	usesLine = regexp.MustCompile(`(?m)^.*\buses:.*$`)
	pinned   = regexp.MustCompile(`^\s*(?:- )?uses: ([\w.-]+/[\w./-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)$`)
	ours     = regexp.MustCompile(`^\s*uses: \./(\.github/workflows/[\w-]+\.yml)$`)
)

// loose returns the lines that run what is neither pinned by a commit and told by its
// version, nor of this repository.
func loose(text string) []string {
	var lines []string
	for _, line := range usesLine.FindAllString(text, -1) {
		if local := ours.FindStringSubmatch(line); local != nil {
			if _, err := os.Stat(filepath.Join(root, local[1])); err == nil {
				continue
			}
		}
		if !pinned.MatchString(line) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

func TestActionsArePinned(t *testing.T) {
	commits := map[string]string{}
	for name, w := range workflows(t) {
		for _, line := range loose(w.text) {
			t.Errorf("%s: %q is not pinned by a commit with its version behind it", name, line)
		}
		lines := usesLine.FindAllString(w.text, -1)
		if uses := w.uses(); len(lines) != len(uses) || len(uses) == 0 {
			t.Errorf("%s uses %q, and has %d lines of that", name, uses, len(lines))
		}
		for _, line := range lines {
			found := pinned.FindStringSubmatch(line)
			if found == nil {
				continue
			}
			if before, known := commits[found[1]]; known && before != found[2] {
				t.Errorf("%s: %s is pinned to two commits", name, found[1])
			}
			commits[found[1]] = found[2]
		}
	}
	if len(commits) == 0 {
		t.Error("no action was found")
	}
}

func TestLooseActionsAreFound(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	for line, want := range map[string]bool{
		"      - uses: actions/checkout@" + commit + " # v6.0.2":      false,
		"        uses: owner/repo/folder@" + commit + " # v1.2.3":     false,
		"    uses: ./.github/workflows/ci.yml":                        false,
		"    uses: ./.github/workflows/none.yml":                      true,
		"      - uses: actions/checkout@v6":                           true,
		"      - uses: actions/checkout@main # v6.0.2":                true,
		"      - uses: actions/checkout@" + commit:                    true,
		"      - uses: actions/checkout@" + commit + " # v6":          true,
		"      - uses: actions/checkout@" + commit[1:] + " # v6.0.2":  true,
		"      - {uses: actions/checkout@v6}":                         true,
		"      - uses: docker://golang:1.26":                          true,
		"      - uses: \"actions/checkout@" + commit + "\" # v6.0.2":  true,
		"      - uses: actions/checkout@" + commit + " # v6.0.2-rc.1": true,
	} {
		if got := len(loose(line)) > 0; got != want {
			t.Errorf("%q is loose: %v, want %v", line, got, want)
		}
	}
}

// TestCI: a push and a pull request run what runs everywhere.
func TestCI(t *testing.T) {
	ci, found := workflows(t)["ci.yml"]
	if !found {
		t.Fatal("there is no ci.yml")
	}
	var on map[string]yaml.Node
	if err := ci.On.Load(&on); err != nil {
		t.Fatal(err)
	}
	for _, event := range []string{"push", "pull_request"} {
		if _, found := on[event]; !found {
			t.Errorf("ci.yml does not run on %s", event)
		}
	}
	if !slices.ContainsFunc(ci.steps(), func(s step) bool { return strings.TrimSpace(s.Run) == ".ci/run" }) {
		t.Error("no step of ci.yml is .ci/run")
	}
	if program, err := os.Stat(filepath.Join(root, ".ci", "run")); err != nil || program.Mode()&0o111 == 0 {
		t.Errorf(".ci/run cannot be run: %v", err)
	}
}

func (w workflow) steps() []step {
	var all []step
	for _, name := range slices.Sorted(maps.Keys(w.Jobs)) {
		all = append(all, w.Jobs[name].Steps...)
	}
	return all
}

// TestRelease: a tag releases what was built twice, after the checks.
func TestRelease(t *testing.T) {
	release, found := workflows(t)["release.yml"]
	if !found {
		t.Fatal("there is no release.yml")
	}
	var on struct{ Push struct{ Tags []string } }
	if err := release.On.Load(&on); err != nil || !slices.Equal(on.Push.Tags, []string{"v*"}) {
		t.Errorf("release.yml runs on the tags %q, error %v", on.Push.Tags, err)
	}
	if release.Jobs["ci"].Uses != "./.github/workflows/ci.yml" || !strings.Contains(release.text, "needs: ci") {
		t.Error("release.yml does not wait for ci.yml")
	}
	var scripts strings.Builder
	for _, s := range release.steps() {
		scripts.WriteString(s.Run)
	}
	for _, part := range []string{"make build\n", `make -C "$RUNNER_TEMP/again" build`, "| diff SHA256SUMS -", "gh release create", "dist/*.zip", "template.yaml", "SHA256SUMS"} {
		if !strings.Contains(scripts.String(), part) {
			t.Errorf("release.yml lacks %q", part)
		}
	}
}

// TestPermissions: nothing may write but the release, whose token one step has.
func TestPermissions(t *testing.T) {
	for name, w := range workflows(t) {
		if !maps.Equal(w.Permissions, map[string]string{"contents": "read"}) {
			t.Errorf("%s may do %v", name, w.Permissions)
		}
		var tokens int
		for id, j := range w.Jobs {
			if j.Permissions != nil && !(name == "release.yml" && id == "release" && maps.Equal(j.Permissions, map[string]string{"contents": "write"})) {
				t.Errorf("%s: %s may do %v", name, id, j.Permissions)
			}
			if j.Uses == "" && j.Timeout == 0 {
				t.Errorf("%s: %s has no time-out", name, id)
			}
			for _, s := range j.Steps {
				tokens += len(s.Env)
				if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != "false" {
					t.Errorf("%s: %s leaves the token in the clone", name, id)
				}
				if strings.Contains(s.Run, "${{") {
					t.Errorf("%s: %s puts what others may write into a script: %s", name, id, s.Run)
				}
			}
		}
		if want := map[string]int{"release.yml": 1}[name]; tokens != want {
			t.Errorf("%s gives %d variables to steps, want %d", name, tokens, want)
		}
		if strings.Contains(w.text, "pull_request_target") || strings.Contains(w.text, "secrets.") {
			t.Errorf("%s gives strangers' code what it must not have", name)
		}
	}
}

// TestScripts: bash can read what the steps run, and every setup of Go is the same.
func TestScripts(t *testing.T) {
	versions := map[string]bool{}
	var scripts int
	for name, w := range workflows(t) {
		for _, s := range w.steps() {
			if strings.HasPrefix(s.Uses, "actions/setup-go@") {
				versions[s.With["go-version"]] = true
			}
			if s.Run == "" {
				continue
			}
			scripts++
			check := exec.CommandContext(t.Context(), "bash", "-n")
			check.Stdin = strings.NewReader(s.Run)
			if out, err := check.CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", name, err, out)
			}
		}
	}
	if scripts < 5 || len(versions) != 1 {
		t.Errorf("%d scripts, versions of Go %v", scripts, slices.Collect(maps.Keys(versions)))
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	needed := regexp.MustCompile(`(?m)^go (\d+\.\d+)\.\d+$`).FindSubmatch(mod)
	for version := range versions {
		if needed == nil || !strings.HasPrefix(version, string(needed[1])+".") {
			t.Errorf("the workflows have Go %s, and go.mod needs %s", version, needed)
		}
	}
}

// TestDependabot: every module and package with pins of its own is watched.
func TestDependabot(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, ".github", "dependabot.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Updates []struct {
			Ecosystem   string   `yaml:"package-ecosystem"`
			Directory   string   `yaml:"directory"`
			Directories []string `yaml:"directories"`
		} `yaml:"updates"`
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	watched := map[string]bool{}
	for _, u := range config.Updates {
		for _, directory := range append(u.Directories, u.Directory) {
			watched[u.Ecosystem+" "+directory] = directory != ""
		}
	}
	delete(watched, "gomod ")
	delete(watched, "npm ")
	want := map[string]bool{"github-actions /": true}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		ecosystem := map[string]string{"go.mod": "gomod", "package.json": "npm"}[d.Name()]
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir // what was built, and the state
		case ecosystem != "":
			folder, err := filepath.Rel(root, filepath.Dir(path))
			want[ecosystem+" "+filepath.Join("/", folder)] = true
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(want) < 4 || !maps.Equal(watched, want) {
		t.Errorf("dependabot watches %v, want %v", slices.Sorted(maps.Keys(watched)), slices.Sorted(maps.Keys(want)))
	}
}

// deployKeys are parameters of `sam deploy` by their names in samconfig.toml
// (aws/aws-sam-cli, schema/samcli.json), but for those that name an account, a place or
// a person.
func deployKeys() []string {
	return []string{"stack_name", "capabilities", "resolve_s3", "confirm_changeset", "fail_on_empty_changeset", "parameter_overrides", "tags", "s3_prefix"}
}

var (
	section = regexp.MustCompile(`^\[([a-z]+)\.deploy\.parameters\]$`)
	setting = regexp.MustCompile(`^([a-z0-9_]+) = (.+?)(?:\s+# .*)?$`)
)

// samconfig reads what of TOML the file uses: the parameters of sam deploy by environment.
func samconfig(t *testing.T) map[string]map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "samconfig.toml"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]string{}
	var current string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch found := setting.FindStringSubmatch(line); {
		case line == "" || strings.HasPrefix(line, "#"):
		case section.MatchString(line):
			current = section.FindStringSubmatch(line)[1]
			all[current] = map[string]string{}
		case current == "" && line == "version = 0.1":
		case current != "" && found != nil:
			all[current][found[1]] = found[2]
		default:
			t.Errorf("samconfig.toml: what is %q?", line)
		}
	}
	return all
}

func TestSAMConfig(t *testing.T) {
	config := samconfig(t)
	names := map[string]bool{}
	for _, environment := range []string{"default", "prod"} {
		parameters := config[environment]
		for key := range parameters {
			if !slices.Contains(deployKeys(), key) {
				t.Errorf("%s: %s is no parameter of sam deploy, or one that does not belong into a repository", environment, key)
			}
		}
		if parameters["capabilities"] != `["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"]` || parameters["resolve_s3"] != "true" {
			t.Errorf("%s deploys with %v", environment, parameters)
		}
		if !regexp.MustCompile(`^"[a-z][a-z0-9-]{1,40}"$`).MatchString(parameters["stack_name"]) {
			t.Errorf("%s: the stack's name %s cannot stand in the names made of it", environment, parameters["stack_name"])
		}
		names[parameters["stack_name"]] = true
	}
	if len(config) != 2 || len(names) != 2 {
		t.Errorf("environments %v of the stacks %v, want default and prod of two", slices.Collect(maps.Keys(config)), slices.Collect(maps.Keys(names)))
	}
}

// TestOverrides: the parameters that the file offers are the template's.
func TestOverrides(t *testing.T) {
	config, err := os.ReadFile(filepath.Join(root, "samconfig.toml"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var template struct {
		Parameters map[string]yaml.Node `yaml:"Parameters"`
	}
	if err := yaml.Unmarshal(text, &template); err != nil {
		t.Fatal(err)
	}
	offered := regexp.MustCompile(`"([A-Z][A-Za-z]+)=`).FindAllSubmatch(config, -1)
	if len(offered) == 0 || !bytes.Contains(config, []byte("parameter_overrides = [")) {
		t.Fatal("samconfig.toml shows no parameter")
	}
	for _, name := range offered {
		if _, found := template.Parameters[string(name[1])]; !found {
			t.Errorf("samconfig.toml offers %s, which is no parameter of the template", name[1])
		}
	}
}
