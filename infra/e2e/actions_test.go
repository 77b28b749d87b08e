package e2e_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.yaml.in/yaml/v4"
)

// reasons are for actions that a function may do and did not in a run of everything.
var reasons = map[string]string{
	"s3:ListBucket": "without it S3 answers 403 where there is no object, and absent cannot be told from forbidden",
}

// checkActions compares what the functions were seen to do with what the template lets
// them do: no more, and no less.
func (d deployed) checkActions(t *testing.T) {
	t.Helper()
	allowed := allowedActions(t)
	for id, f := range d.Template.Functions {
		called := d.Calls(f.Folder)
		for _, action := range called {
			if !allowed[id][action] {
				t.Errorf("%s needs %s, which the template does not allow", id, action)
			}
		}
		for action := range allowed[id] {
			if !slices.Contains(called, action) && reasons[action] == "" {
				t.Errorf("%s may %s and does not", id, action)
			}
		}
	}
	if calls := d.Calls("screen"); len(calls) == 0 {
		t.Error("nothing was seen: the recorder stands in the wrong place")
	}
}

// policies are what the test reads of a function in the template.
type policies struct {
	Policies []struct {
		Statement []struct {
			Effect   string `yaml:"Effect"`
			Action   names  `yaml:"Action"`
			Resource names  `yaml:"Resource"`
		} `yaml:"Statement"`
	} `yaml:"Policies"`
}

// names is one value or a list. An intrinsic function is its text.
type names []string

func (s *names) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*s = names{node.Value}
		return nil
	}
	for _, n := range node.Content {
		*s = append(*s, n.Value)
	}
	return nil
}

// allowedActions are those of each function, by its logical id. None is for everything,
// and none on everything.
func allowedActions(t *testing.T) map[string]map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var template struct {
		Resources map[string]struct {
			Type       string    `yaml:"Type"`
			Properties yaml.Node `yaml:"Properties"`
		} `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(text, &template); err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(template.Resources)) {
		r := template.Resources[id]
		if r.Type != "AWS::Serverless::Function" {
			continue
		}
		var function policies
		if err := r.Properties.Decode(&function); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		all[id] = map[string]bool{}
		for _, p := range function.Policies {
			for _, s := range p.Statement {
				for _, action := range s.Action {
					all[id][action] = true
				}
				if s.Effect != "Allow" || slices.Contains(s.Resource, "*") || len(s.Resource) == 0 || slices.ContainsFunc(s.Action, wild) {
					t.Errorf("%s: statement %+v", id, s)
				}
			}
		}
	}
	return all
}

func wild(action string) bool { return slices.Contains([]byte(action), '*') }

// TestPolicies holds the template's statements to actions and resources of their own.
func TestPolicies(t *testing.T) {
	if all := allowedActions(t); len(all["ScreenFunction"]) == 0 || len(all["DocsFunction"]) != 0 {
		t.Errorf("allowed: %v", all)
	}
}
