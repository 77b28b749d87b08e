package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// stackResource is a resource of plain CloudFormation.
type stackResource struct {
	Type       string
	DependsOn  any
	Properties map[string]any
}

// translated is what AWS SAM makes of the template, or the test skips where its
// translator is not.
func translated(t *testing.T) map[string]stackResource {
	t.Helper()
	if err := exec.CommandContext(t.Context(), "python3", "-c", "import samtranslator").Run(); err != nil {
		t.Skip("aws-sam-translator is not on this machine: nobody has looked at what SAM makes of the template")
	}
	out, err := exec.CommandContext(t.Context(), "python3", filepath.Join("testdata", "translate.py"), filepath.Join("..", "..", "template.yaml")).Output()
	if err != nil {
		t.Fatalf("translate: %v", err)
	}
	var stack struct{ Resources map[string]stackResource }
	if err := json.Unmarshal(out, &stack); err != nil || len(stack.Resources) < 50 {
		t.Fatalf("%d resources, error %v", len(stack.Resources), err)
	}
	return stack.Resources
}

// each calls fn with every value below a value, and the name it stands under.
func each(name string, value any, fn func(name string, value any)) {
	fn(name, value)
	switch value := value.(type) {
	case map[string]any:
		for key, v := range value {
			each(key, v, fn)
		}
	case []any:
		for _, v := range value {
			each(name, v, fn)
		}
	}
}

// wildcards are the statements on everything, or about every action, that stand for good
// reasons, by a part of their text.
var wildcards = map[string]string{
	`"aws:SecureTransport"`: "it denies, whatever is done without TLS",
}

// TestTranslatedPermissions: no statement is for every action or on every resource, but
// for those with a reason.
func TestTranslatedPermissions(t *testing.T) {
	statements := 0
	for id, r := range translated(t) {
		each("", r.Properties, func(name string, value any) {
			statement, ok := value.(map[string]any)
			if !ok || statement["Effect"] == nil {
				return
			}
			statements++
			text, err := json.Marshal(statement)
			if err != nil {
				t.Fatal(err)
			}
			for part := range wildcards {
				if strings.Contains(string(text), part) {
					return
				}
			}
			each("", statement["Action"], func(_ string, v any) {
				if s, _ := v.(string); strings.Contains(s, "*") {
					t.Errorf("%s: action %s", id, s)
				}
			})
			each("", statement["Resource"], func(_ string, v any) {
				if s, _ := v.(string); s == "*" {
					t.Errorf("%s: every resource in %s", id, text)
				}
			})
		})
		each("", r.Properties["ManagedPolicyArns"], func(_ string, v any) {
			arn, _ := v.(string)
			if name := arn[strings.LastIndex(arn, "/")+1:]; arn != "" && !slices.Contains(managed(), name) {
				t.Errorf("%s: the managed policy %s", id, arn)
			}
		})
	}
	if statements < 20 {
		t.Errorf("only %d statements were found", statements)
	}
}

// managed are AWS's own policies that are used: writing a function's logs, API Gateway's
// logs, and the shifting of aliases.
func managed() []string {
	return []string{"AWSLambdaBasicExecutionRole", "AmazonAPIGatewayPushToCloudWatchLogs", "AWSCodeDeployRoleForLambda"}
}

// TestTranslatedStores: nothing is public or unencrypted, nothing is kept for ever by
// accident, and no log has what callers send.
func TestTranslatedStores(t *testing.T) {
	found := map[string]int{}
	for id, r := range translated(t) {
		found[r.Type]++
		p := r.Properties
		switch r.Type {
		case "AWS::S3::Bucket":
			block, _ := p["PublicAccessBlockConfiguration"].(map[string]any)
			for _, name := range []string{"BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"} {
				if fmt.Sprint(block[name]) != "true" {
					t.Errorf("%s: %s is %v", id, name, block[name])
				}
			}
			if p["BucketEncryption"] == nil || p["VersioningConfiguration"] == nil {
				t.Errorf("%s is not encrypted, or has no versions", id)
			}
		case "AWS::Logs::LogGroup":
			if p["RetentionInDays"] == nil {
				t.Errorf("%s keeps logs for ever", id)
			}
		case "AWS::Lambda::Function":
			logging, _ := p["LoggingConfig"].(map[string]any)
			if logging["LogGroup"] == nil || p["ReservedConcurrentExecutions"] != nil {
				t.Errorf("%s: log group %v, reserved concurrency %v", id, logging["LogGroup"], p["ReservedConcurrentExecutions"])
			}
		case "AWS::ApiGateway::Stage":
			text, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			if logged := regexp.MustCompile(`(?i)querystring|\$context\.path\b|requestOverride|identity|DataTraceEnabled":true|LoggingLevel":"(INFO|ERROR)|TracingEnabled":true`).Find(text); logged != nil {
				t.Errorf("%s logs or traces %s", id, logged)
			}
			if !strings.Contains(string(text), "$context.requestId") {
				t.Errorf("%s has no access log", id)
			}
		}
	}
	for _, kind := range []string{"AWS::S3::Bucket", "AWS::Logs::LogGroup", "AWS::Lambda::Function", "AWS::ApiGateway::Stage"} {
		if found[kind] == 0 {
			t.Errorf("no %s was looked at", kind)
		}
	}
}

// TestTranslatedHasNoCircle follows the references of all resources.
func TestTranslatedHasNoCircle(t *testing.T) {
	resources := translated(t)
	needs := map[string]map[string]bool{}
	for id, r := range resources {
		needs[id] = map[string]bool{}
		each("", map[string]any{"Properties": r.Properties, "DependsOn": r.DependsOn}, func(name string, value any) {
			for _, other := range references(name, value) {
				if _, found := resources[other]; found && other != id {
					needs[id][other] = true
				}
			}
		})
	}
	for len(needs) > 0 {
		free := ""
		for id, others := range needs {
			if len(others) == 0 {
				free = id
				break
			}
		}
		if free == "" {
			t.Fatalf("a circle among %v", slices.Sorted(maps.Keys(needs)))
		}
		delete(needs, free)
		for _, others := range needs {
			delete(others, free)
		}
	}
}

var inText = regexp.MustCompile(`\$\{([A-Za-z0-9]+)[.}]`)

// references are the names in one intrinsic function.
func references(name string, value any) []string {
	text, _ := value.(string)
	switch name {
	case "Ref", "DependsOn":
		return []string{text}
	case "Fn::GetAtt":
		id, _, _ := strings.Cut(text, ".")
		return []string{id}
	case "Fn::Sub":
		var all []string
		for _, found := range inText.FindAllStringSubmatch(text, -1) {
			all = append(all, found[1])
		}
		return all
	}
	return nil
}
