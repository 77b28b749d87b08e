package gateway_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/listward/listward/infra/gateway"
)

// small is a template with one of everything that is read.
const small = `
Globals:
  Api:
    OpenApiVersion: 3.0.1
  Function:
    Runtime: provided.al2023
    Timeout: 7
    Environment:
      Variables:
        EVERYWHERE: "yes"
Resources:
  Api:
    Type: AWS::Serverless::Api
    Properties:
      StageName: test
      BinaryMediaTypes: ["*/*"]
      EndpointConfiguration:
        Type: REGIONAL
      Auth:
        DefaultAuthorizer: Verdict
        Authorizers:
          Verdict:
            FunctionArn: !GetAtt Authorizer.Arn
            FunctionPayloadType: REQUEST
            Identity:
              ReauthorizeEvery: 0
      GatewayResponses:
        DEFAULT_5XX:
          StatusCode: 500
          ResponseParameters:
            Headers:
              Cache-Control: "'private, no-cache'"
          ResponseTemplates:
            application/json: '{"error":{}}'
        THROTTLED: {}
  Authorizer:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: dist/authorizer/
      MemorySize: 256
      Timeout: 2
  Screen:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: dist/screen
      Environment:
        Variables:
          BUCKET: !Ref Bucket
          TABLE: !GetAtt Table.Arn
          ADDRESS: !Sub https://${Bucket}.example
          PLAIN: 30
      Events:
        Get:
          Type: Api
          Properties:
            RestApiId: !Ref Api
            Path: /screen
            Method: get
        Preflight:
          Type: Api
          Properties:
            RestApiId: !Ref Api
            Path: /{proxy+}
            Method: OPTIONS
            Auth:
              Authorizer: NONE
        Daily:
          Type: ScheduleV2
          Properties:
            ScheduleExpression: rate(1 day)
  Bucket:
    Type: AWS::S3::Bucket
`

// verdict is the small template's authorizer.
const verdict = `
        Authorizers:
          Verdict:
            FunctionArn: !GetAtt Authorizer.Arn
            FunctionPayloadType: REQUEST
            Identity:
              ReauthorizeEvery: 0`

func TestReadTemplate(t *testing.T) {
	got, err := gateway.ReadTemplate(strings.NewReader(small))
	if err != nil {
		t.Fatalf("ReadTemplate: %v", err)
	}
	want := gateway.Template{
		Stage:      "test",
		Authorizer: "Authorizer",
		Functions: map[string]gateway.Function{
			"Authorizer": {
				Folder: "authorizer", Memory: 256, Timeout: 2 * time.Second,
				Environment: map[string]string{"EVERYWHERE": "yes"},
			},
			"Screen": {
				Folder: "screen", Memory: 128, Timeout: 7 * time.Second,
				Environment: map[string]string{
					"EVERYWHERE": "yes",
					"BUCKET":     "!Ref Bucket",
					"TABLE":      "!GetAtt Table.Arn",
					"ADDRESS":    "!Sub https://${Bucket}.example",
					"PLAIN":      "30",
				},
				Routes: []gateway.Route{
					{Path: "/screen", Method: "GET", Authorized: true},
					{Path: "/{proxy+}", Method: "OPTIONS"},
				},
			},
		},
		Responses: map[string]gateway.Response{
			"DEFAULT_5XX": {Status: 500, Headers: map[string]string{"Cache-Control": "private, no-cache"}, Body: `{"error":{}}`},
			"THROTTLED":   {},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("ReadTemplate (-want +got):\n%s", diff)
	}
}

func TestReadTemplateDefaults(t *testing.T) {
	got, err := gateway.ReadTemplate(strings.NewReader(`
Resources:
  Api:
    Type: AWS::Serverless::Api
    Properties: {StageName: s, BinaryMediaTypes: ["*/*"]}
  F:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: f
      Events: {E: {Type: Api, Properties: {RestApiId: !Ref Api, Path: /, Method: ANY}}}
`))
	if err != nil {
		t.Fatalf("ReadTemplate: %v", err)
	}
	want := gateway.Template{Stage: "s", Functions: map[string]gateway.Function{
		"F": {Folder: "f", Memory: 128, Timeout: 3 * time.Second, Routes: []gateway.Route{{Path: "/", Method: "ANY"}}},
	}}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("ReadTemplate (-want +got):\n%s", diff)
	}
}

// Each case changes one line of the small template into something that would be
// served otherwise than API Gateway does.
func TestReadTemplateRefuses(t *testing.T) {
	for _, c := range []struct{ what, old, new, names string }{
		{"not YAML", "Resources:", "Resources: [", ""},
		{"no API", "Type: AWS::Serverless::Api\n", "Type: AWS::ApiGateway::RestApi\n", "0 resources"},
		{"two APIs", "  Bucket:\n    Type: AWS::S3::Bucket", "  Second:\n    Type: AWS::Serverless::Api\n    Properties: {BinaryMediaTypes: ['*/*']}", "2 resources"},
		{"a conditional API", "Type: AWS::Serverless::Api\n", "Type: AWS::Serverless::Api\n    Condition: Prod\n", "Condition"},
		{"an unknown API property", "StageName: test", "StageName: test\n      Cors: \"'*'\"", "Cors"},
		{"an unknown global API property", "OpenApiVersion: 3.0.1", "CacheClusterEnabled: true", "CacheClusterEnabled"},
		{"other binary media types", `["*/*"]`, `["image/png"]`, "image/png"},
		{"a cached authorizer", "ReauthorizeEvery: 0", "ReauthorizeEvery: 300", "ReauthorizeEvery"},
		{"an authorizer with the default cache", "Identity:\n              ReauthorizeEvery: 0", "Identity: {}", "ReauthorizeEvery"},
		{"an identity source", "ReauthorizeEvery: 0", "Headers: [Authorization]", "Headers"},
		{"a token authorizer", "FunctionPayloadType: REQUEST", "FunctionPayloadType: TOKEN", "TOKEN"},
		{"an authorizer by another intrinsic", "!GetAtt Authorizer.Arn", "!Ref Authorizer", "!Ref Authorizer"},
		{"an authorizer that is no function", "!GetAtt Authorizer.Arn", "!GetAtt Bucket.Arn", "Bucket"},
		{"a second authorizer", "          Verdict:\n", "          Other: {}\n          Verdict:\n", "several"},
		{"an authorizer that is not the default", "DefaultAuthorizer: Verdict", "DefaultAuthorizer: Other", "Verdict"},
		{"a default authorizer that is not there", verdict, "", "no authorizer Verdict"},
		{"a gateway response of no type", "THROTTLED: {}", "THROTLED: {}", "THROTLED"},
		{"a status that is none", "StatusCode: 500", "StatusCode: 50", "50"},
		{"a status by parameter", "StatusCode: 500", "StatusCode: !Ref Status", "!Ref"},
		{"a header from the context", `"'private, no-cache'"`, "context.authorizer.limit", "context.authorizer.limit"},
		{"a body with a substitution", `'{"error":{}}'`, `'{"error":$context.error.messageString}'`, "$context"},
		{"a body of another type", "application/json:", "text/html:", "text/html"},
		{"a function without code", "CodeUri: dist/screen", "InlineCode: x", "CodeUri"},
		{"a conditional function", "  Screen:\n", "  Screen:\n    Condition: Prod\n", "Condition"},
		{"a time-out by parameter", "Timeout: 2", "Timeout: !Ref Seconds", "!Ref"},
		{"an event of the implicit API", "            RestApiId: !Ref Api\n            Path: /screen", "            Path: /screen", "RestApiId"},
		{"an unknown event property", "Path: /screen", "Path: /screen\n            RequestParameters: [method.request.querystring.name]", "RequestParameters"},
		{"an unknown auth property", "Authorizer: NONE", "ApiKeyRequired: true", "ApiKeyRequired"},
		{"another authorizer of an event", "Authorizer: NONE", "Authorizer: AWS_IAM", "AWS_IAM"},
		{"an unknown method", "Method: get", "Method: fetch", "fetch"},
		{"a relative path", "Path: /screen", "Path: screen", "screen"},
		{"a greedy parameter inside", "Path: /{proxy+}", "Path: /{proxy+}/more", "/{proxy+}/more"},
		{"an HTTP API", "Type: ScheduleV2", "Type: HttpApi", "HttpApi"},
		{"a route twice", "Path: /{proxy+}\n            Method: OPTIONS", "Path: /screen\n            Method: GET", "GET /screen"},
	} {
		if strings.Count(small, c.old) != 1 {
			t.Errorf("%s: the small template holds %q %d times, want once", c.what, c.old, strings.Count(small, c.old))
			continue
		}
		got, err := gateway.ReadTemplate(strings.NewReader(strings.Replace(small, c.old, c.new, 1)))
		if !errors.Is(err, gateway.ErrTemplate) {
			t.Errorf("%s: ReadTemplate = %v, want ErrTemplate", c.what, err)
			continue
		}
		if !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: the error %q does not name %q", c.what, err, c.names)
		}
		if len(got.Functions) != 0 {
			t.Errorf("%s: a template was returned with the error", c.what)
		}
	}
}

// FuzzReadTemplate holds that a template is refused whole, or served: New wants
// nothing more of it than an invoker for each folder, and what it has not routed
// is answered.
func FuzzReadTemplate(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("Resources: {Api: {Type: AWS::Serverless::Api, Properties: {BinaryMediaTypes: ['*/*']}}}"))
	f.Add([]byte("Resources: [Api]"))
	f.Fuzz(func(t *testing.T, source []byte) {
		template, err := gateway.ReadTemplate(bytes.NewReader(source))
		if err != nil {
			if !errors.Is(err, gateway.ErrTemplate) || template.Functions != nil {
				t.Fatalf("ReadTemplate = %+v, %v; want an ErrTemplate and nothing else", template, err)
			}
			return
		}
		invokers := map[string]gateway.Invoker{}
		for _, function := range template.Functions {
			invokers[function.Folder] = returns(ok)
		}
		h, err := gateway.New(template, invokers, options())
		if err != nil {
			t.Fatalf("New: %v", err)
		}
		if response, _ := serve(h, httptest.NewRequest("TRACE", "/", nil)); response.StatusCode < 200 {
			t.Errorf("TRACE /: %d, want an answer", response.StatusCode)
		}
	})
}

// root returns the repository's root, where go.mod is.
func root(t *testing.T) string {
	t.Helper()
	folder, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		if folder == filepath.Dir(folder) {
			t.Fatal("there is no go.mod above the test")
		}
		folder = filepath.Dir(folder)
	}
}

// service reads the repository's template.
func service(t *testing.T) gateway.Template {
	t.Helper()
	f, err := os.Open(filepath.Join(root(t), "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	template, err := gateway.ReadTemplate(f)
	if err != nil {
		t.Fatalf("ReadTemplate of template.yaml: %v", err)
	}
	return template
}

func TestServiceTemplate(t *testing.T) {
	template := service(t)
	bucket := map[string]string{"LISTS_BUCKET": "!Ref ListsBucket"}
	payments := map[string]string{
		"KEYS_TABLE": "!Ref KeysTable", "STRIPE_PARAMETERS": "!Sub /${AWS::StackName}/stripe",
	}
	area := maps.Clone(payments)
	area["ACCOUNT_PARAMETERS"] = "!Sub /${AWS::StackName}/account"
	area["OIDC_ISSUER"] = "!GetAtt UserPool.ProviderURL"
	area["SIGN_OUT_URL"] = "!Sub https://${UserPoolDomain}.auth.${AWS::Region}.amazoncognito.com/logout"
	want := map[string]gateway.Function{
		"AuthorizerFunction": {
			Folder: "authorizer", Memory: 128, Timeout: 5 * time.Second,
			Environment: map[string]string{"KEYS_TABLE": "!Ref KeysTable", "EMBED_PARAMETERS": "!Sub /${AWS::StackName}/embed"},
		},
		"EmbedFunction": {
			Folder: "embed", Memory: 128, Timeout: 5 * time.Second, Environment: map[string]string{"EMBED_PARAMETERS": "!Sub /${AWS::StackName}/embed"},
			Routes: []gateway.Route{{Path: "/embed", Method: "GET", Authorized: true}},
		},
		"ScreenFunction": {
			Folder: "screen", Memory: 512, Timeout: 10 * time.Second, Environment: bucket,
			Routes: []gateway.Route{{Path: "/api/v1/screen", Method: "GET", Authorized: true}},
		},
		"BatchFunction": {
			Folder: "batch", Memory: 512, Timeout: 10 * time.Second, Environment: bucket,
			Routes: []gateway.Route{{Path: "/api/v1/screen", Method: "POST", Authorized: true}},
		},
		"DocsFunction": {
			Folder: "docs", Memory: 128, Timeout: 5 * time.Second,
			Routes: []gateway.Route{
				{Path: "/", Method: "ANY", Authorized: true},
				{Path: "/api/v1/changes", Method: "ANY", Authorized: true},
				{Path: "/api/v1/changes", Method: "OPTIONS"},
				{Path: "/api/v1/exports/{file}", Method: "ANY", Authorized: true},
				{Path: "/api/v1/exports/{file}", Method: "OPTIONS"},
				{Path: "/api/v1/openapi.json", Method: "ANY", Authorized: true},
				{Path: "/api/v1/openapi.json", Method: "GET"},
				{Path: "/api/v1/openapi.json", Method: "OPTIONS"},
				{Path: "/api/v1/sanctions", Method: "ANY", Authorized: true},
				{Path: "/api/v1/sanctions", Method: "OPTIONS"},
				{Path: "/api/v1/screen", Method: "ANY", Authorized: true},
				{Path: "/api/v1/screen", Method: "OPTIONS"},
				{Path: "/api/v1/snapshots/{id}", Method: "ANY", Authorized: true},
				{Path: "/api/v1/snapshots/{id}", Method: "OPTIONS"},
				{Path: "/api/v1/sources", Method: "ANY", Authorized: true},
				{Path: "/api/v1/sources", Method: "OPTIONS"},
				{Path: "/billing/stripe", Method: "ANY", Authorized: true},
				{Path: "/docs", Method: "ANY", Authorized: true},
				{Path: "/docs", Method: "GET"},
				{Path: "/embed", Method: "ANY", Authorized: true},
				{Path: "/{proxy+}", Method: "ANY", Authorized: true},
				{Path: "/{proxy+}", Method: "OPTIONS"},
			},
		},
		"SanctionsFunction": reader("sanctions", "/api/v1/sanctions", 10*time.Second),
		"SourcesFunction":   reader("sources", "/api/v1/sources", 10*time.Second),
		"ChangesFunction":   reader("changes", "/api/v1/changes", 25*time.Second),
		"ExportsFunction":   reader("exports", "/api/v1/exports/{file}", 10*time.Second),
		"SnapshotsFunction": reader("snapshots", "/api/v1/snapshots/{id}", 10*time.Second),
		"AccountFunction": {
			Folder: "account", Memory: 256, Timeout: 25 * time.Second, Environment: area,
			Routes: []gateway.Route{{Path: "/account", Method: "ANY"}, {Path: "/account/{proxy+}", Method: "ANY"}},
		},
		"BillingFunction": {
			Folder: "billing", Memory: 256, Timeout: 25 * time.Second, Environment: payments,
			Routes: []gateway.Route{{Path: "/billing/stripe", Method: "POST"}},
		},
		"ReconcileFunction": {Folder: "reconcile", Memory: 256, Timeout: 900 * time.Second, Environment: payments},
		"WatchFunction": {
			Folder: "watch", Memory: 128, Timeout: 30 * time.Second,
			Environment: map[string]string{"LISTS_BUCKET": "!Ref ListsBucket", "STACK": "!Ref AWS::StackName"},
		},
		"RefreshFunction": {Folder: "refresh", Memory: 1769, Timeout: 900 * time.Second, Environment: bucket},
	}
	if diff := cmp.Diff(want, template.Functions, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("functions (-want +got):\n%s", diff)
	}
	if template.Stage != "prod" || template.Authorizer != "AuthorizerFunction" {
		t.Errorf("stage %q and authorizer %q, want prod and AuthorizerFunction", template.Stage, template.Authorizer)
	}
}

// reader is a function with one path that answers from the lists.
func reader(folder, path string, timeout time.Duration) gateway.Function {
	return gateway.Function{
		Folder: folder, Memory: 512, Timeout: timeout, Environment: map[string]string{"LISTS_BUCKET": "!Ref ListsBucket"},
		Routes: []gateway.Route{{Path: path, Method: "GET", Authorized: true}},
	}
}

// What the gateway answers by itself has the error shape, codes and headers of
// decisions section 4.
func TestServiceGatewayResponses(t *testing.T) {
	type shape struct {
		Status int
		Code   string
		Retry  string
	}
	got := map[string]shape{}
	for kind, r := range service(t).Responses {
		var body struct {
			Error struct{ Code, Message string }
		}
		if err := json.Unmarshal([]byte(r.Body), &body); err != nil {
			t.Errorf("%s: the body %s is not JSON: %v", kind, r.Body, err)
		}
		if body.Error.Message == "" {
			t.Errorf("%s: there is no message in %s", kind, r.Body)
		}
		got[kind] = shape{r.Status, body.Error.Code, r.Headers["Retry-After"]}
		for name, value := range map[string]string{
			"X-RateLimit-Limit": "1000", "X-RateLimit-Remaining": "0",
			"Access-Control-Allow-Origin": "*", "Cache-Control": "private, no-cache",
		} {
			if r.Headers[name] != value {
				t.Errorf("%s: header %s is %q, want %q", kind, name, r.Headers[name], value)
			}
		}
		for name := range r.Headers {
			exposed := strings.Contains(r.Headers["Access-Control-Expose-Headers"], name)
			if (strings.HasPrefix(name, "X-") || name == "Retry-After") && !exposed {
				t.Errorf("%s: header %s is not exposed to scripts", kind, name)
			}
		}
	}
	want := map[string]shape{
		"DEFAULT_4XX":                  {400, "invalid_parameter", ""},
		"MISSING_AUTHENTICATION_TOKEN": {404, "not_found", ""},
		"RESOURCE_NOT_FOUND":           {404, "not_found", ""},
		"THROTTLED":                    {429, "throttled", "1"},
		"DEFAULT_5XX":                  {500, "internal_error", ""},
		"INTEGRATION_FAILURE":          {503, "unavailable", "5"},
		"INTEGRATION_TIMEOUT":          {503, "unavailable", "5"},
		"ACCESS_DENIED":                {500, "internal_error", ""},
		"UNAUTHORIZED":                 {500, "internal_error", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("gateway responses (-want +got):\n%s", diff)
	}
}
