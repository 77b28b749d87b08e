package gateway

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// The types of this file are the template's YAML. Those that are read with load
// name every property that they may have, so that one which is not known here
// fails; a property of type yaml.Node is known to change no answer.

type rawTemplate struct {
	Globals struct {
		API      yaml.Node `yaml:"Api"`
		Function yaml.Node `yaml:"Function"`
	} `yaml:"Globals"`
	Resources map[string]rawResource `yaml:"Resources"`
}

type rawResource struct {
	Type       string    `yaml:"Type"`
	Condition  string    `yaml:"Condition"`
	Properties yaml.Node `yaml:"Properties"`
}

type rawGlobalAPI struct {
	OpenAPIVersion yaml.Node `yaml:"OpenApiVersion"`
}

type rawAPI struct {
	id string

	StageName        string                 `yaml:"StageName"`
	BinaryMediaTypes []string               `yaml:"BinaryMediaTypes"`
	Auth             rawAuth                `yaml:"Auth"`
	GatewayResponses map[string]rawResponse `yaml:"GatewayResponses"`

	Name                  yaml.Node `yaml:"Name"`
	Description           yaml.Node `yaml:"Description"`
	EndpointConfiguration yaml.Node `yaml:"EndpointConfiguration"`
	AccessLogSetting      yaml.Node `yaml:"AccessLogSetting"`
	MethodSettings        yaml.Node `yaml:"MethodSettings"`
	TracingEnabled        yaml.Node `yaml:"TracingEnabled"`
	Tags                  yaml.Node `yaml:"Tags"`
}

type rawAuth struct {
	DefaultAuthorizer string                   `yaml:"DefaultAuthorizer"`
	Authorizers       map[string]rawAuthorizer `yaml:"Authorizers"`

	CorsPreflight yaml.Node `yaml:"AddDefaultAuthorizerToCorsPreflight"`
}

type rawAuthorizer struct {
	FunctionARN         text   `yaml:"FunctionArn"`
	FunctionPayloadType string `yaml:"FunctionPayloadType"`
	Identity            struct {
		ReauthorizeEvery *int `yaml:"ReauthorizeEvery"`
	} `yaml:"Identity"`
}

type rawResponse struct {
	StatusCode         int `yaml:"StatusCode"`
	ResponseParameters struct {
		Headers map[string]string `yaml:"Headers"`
	} `yaml:"ResponseParameters"`
	ResponseTemplates map[string]string `yaml:"ResponseTemplates"`
}

// rawFunction is not read with load: what it does not name belongs to the
// deployment.
type rawFunction struct {
	CodeURI     string `yaml:"CodeUri"`
	MemorySize  int    `yaml:"MemorySize"`
	Timeout     int    `yaml:"Timeout"`
	Environment struct {
		Variables map[string]text `yaml:"Variables"`
	} `yaml:"Environment"`
	Events map[string]rawEvent `yaml:"Events"`
}

type rawEvent struct {
	Type       string    `yaml:"Type"`
	Properties yaml.Node `yaml:"Properties"`
}

type rawAPIEvent struct {
	RestAPIID text   `yaml:"RestApiId"`
	Path      string `yaml:"Path"`
	Method    string `yaml:"Method"`
	Auth      struct {
		Authorizer string `yaml:"Authorizer"`
	} `yaml:"Auth"`
}

// load reads a node into a struct, which must know all of its properties.
func load(node yaml.Node, into any) error {
	if node.IsZero() {
		return nil
	}
	return node.Load(into, yaml.WithKnownFields())
}

// text is a scalar as it is, and an intrinsic function as its YAML.
type text string

// UnmarshalYAML implements the interface of package yaml.
func (t *text) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode && strings.HasPrefix(node.ShortTag(), "!!") {
		*t = text(node.Value)
		return nil
	}
	source, err := yaml.Marshal(node)
	*t = text(strings.TrimSpace(string(source)))
	return err
}

func readAPI(resources map[string]rawResource) (rawAPI, error) {
	var found []rawAPI
	for id, resource := range resources {
		if resource.Type != "AWS::Serverless::Api" {
			continue
		}
		api := rawAPI{id: id}
		if err := load(resource.Properties, &api); err != nil {
			return rawAPI{}, fmt.Errorf("%s: %w", id, err)
		}
		if err := api.check(resource.Condition); err != nil {
			return rawAPI{}, fmt.Errorf("%s: %w", id, err)
		}
		found = append(found, api)
	}
	if len(found) != 1 {
		return rawAPI{}, fmt.Errorf("it has %d resources of type AWS::Serverless::Api, want one", len(found))
	}
	return found[0], nil
}

func (a rawAPI) check(condition string) error {
	if condition != "" {
		return errors.New("it has a Condition")
	}
	if !slices.Equal(a.BinaryMediaTypes, []string{"*/*"}) {
		return fmt.Errorf("its BinaryMediaTypes are %q, want */* alone", a.BinaryMediaTypes)
	}
	if len(a.Auth.Authorizers) > 1 {
		return errors.New("it has several authorizers, want one")
	}
	for name, authorizer := range a.Auth.Authorizers {
		if name != a.Auth.DefaultAuthorizer {
			return fmt.Errorf("its authorizer %s is not the default", name)
		}
		if err := authorizer.check(); err != nil {
			return fmt.Errorf("authorizer %s: %w", name, err)
		}
	}
	if a.Auth.DefaultAuthorizer != "" && len(a.Auth.Authorizers) == 0 {
		return fmt.Errorf("it has no authorizer %s", a.Auth.DefaultAuthorizer)
	}
	for kind, response := range a.GatewayResponses {
		if err := response.check(kind); err != nil {
			return fmt.Errorf("gateway response %s: %w", kind, err)
		}
	}
	return nil
}

func (a rawAuthorizer) check() error {
	if a.FunctionPayloadType != "REQUEST" {
		return fmt.Errorf("its FunctionPayloadType is %q, want REQUEST", a.FunctionPayloadType)
	}
	if every := a.Identity.ReauthorizeEvery; every == nil || *every != 0 {
		return errors.New("its answers are cached, want ReauthorizeEvery: 0")
	}
	if a.function() == "" {
		return fmt.Errorf("its FunctionArn is %s, want !GetAtt FUNCTION.Arn or !Ref FUNCTION.Alias", a.FunctionARN)
	}
	return nil
}

// function returns the logical id of the authorizer's function.
func (a rawAuthorizer) function() string {
	for prefix, suffix := range map[string]string{"!GetAtt ": ".Arn", "!Ref ": ".Alias"} {
		id, begins := strings.CutPrefix(string(a.FunctionARN), prefix)
		if id, ends := strings.CutSuffix(id, suffix); begins && ends {
			return id
		}
	}
	return ""
}

// responseTypes are those of API Gateway; another one would never be used.
func responseTypes() []string {
	return []string{
		default4XX, default5XX, "ACCESS_DENIED", "API_CONFIGURATION_ERROR", "AUTHORIZER_CONFIGURATION_ERROR",
		"AUTHORIZER_FAILURE", "BAD_REQUEST_BODY", "BAD_REQUEST_PARAMETERS", "EXPIRED_TOKEN", "INTEGRATION_FAILURE",
		"INTEGRATION_TIMEOUT", "INVALID_API_KEY", "INVALID_SIGNATURE", "MISSING_AUTHENTICATION_TOKEN",
		"QUOTA_EXCEEDED", "REQUEST_TOO_LARGE", "RESOURCE_NOT_FOUND", "THROTTLED", "UNAUTHORIZED",
		"UNSUPPORTED_MEDIA_TYPE", "WAF_FILTERED",
	}
}

func (r rawResponse) check(kind string) error {
	if !slices.Contains(responseTypes(), kind) {
		return errors.New("API Gateway has no such type")
	}
	if r.StatusCode != 0 && (r.StatusCode < 200 || r.StatusCode > 599) {
		return fmt.Errorf("its StatusCode is %d", r.StatusCode)
	}
	for name, value := range r.ResponseParameters.Headers {
		if _, fixed := quoted(value); !fixed {
			return fmt.Errorf("the header %s is %s, want a text in single quotes", name, value)
		}
	}
	for media, body := range r.ResponseTemplates {
		if media != "application/json" || strings.Contains(body, "$") {
			return fmt.Errorf("its template for %s is %s, want application/json without substitutions", media, body)
		}
	}
	return nil
}

// quoted returns the text of a fixed value, which stands in single quotes.
func quoted(value string) (string, bool) {
	value, begins := strings.CutPrefix(value, "'")
	value, ends := strings.CutSuffix(value, "'")
	return value, begins && ends
}

func (a rawAPI) authorizer() string {
	return a.Auth.Authorizers[a.Auth.DefaultAuthorizer].function()
}

func (a rawAPI) responses() map[string]Response {
	all := map[string]Response{}
	for kind, raw := range a.GatewayResponses {
		r := Response{Status: raw.StatusCode, Headers: map[string]string{}, Body: raw.ResponseTemplates["application/json"]}
		for name, value := range raw.ResponseParameters.Headers {
			r.Headers[name], _ = quoted(value)
		}
		all[kind] = r
	}
	return all
}

func (f rawFunction) environment() map[string]string {
	variables := map[string]string{}
	for name, value := range f.Environment.Variables {
		variables[name] = string(value)
	}
	return variables
}

// routes returns the API events. Of the other kinds only HttpApi takes HTTP
// requests, from an API of another type.
func (f rawFunction) routes(api rawAPI) ([]Route, error) {
	var routes []Route
	for _, id := range slices.Sorted(maps.Keys(f.Events)) {
		event := f.Events[id]
		switch event.Type {
		case "Api":
			r, err := readRoute(event.Properties, api)
			if err != nil {
				return nil, fmt.Errorf("event %s: %w", id, err)
			}
			routes = append(routes, r)
		case "HttpApi":
			return nil, fmt.Errorf("event %s: HttpApi is another type of API", id)
		}
	}
	slices.SortFunc(routes, byPathAndMethod)
	return routes, nil
}

func readRoute(properties yaml.Node, api rawAPI) (Route, error) {
	var e rawAPIEvent
	if err := load(properties, &e); err != nil {
		return Route{}, err
	}
	if e.RestAPIID != text("!Ref "+api.id) {
		return Route{}, fmt.Errorf("its RestApiId is %q, want !Ref %s", e.RestAPIID, api.id)
	}
	method := strings.ToUpper(e.Method)
	if method != "ANY" && !slices.Contains(methods(), method) {
		return Route{}, fmt.Errorf("its Method is %q", e.Method)
	}
	if i := strings.Index(e.Path, "+}"); !strings.HasPrefix(e.Path, "/") || i >= 0 && i != len(e.Path)-len("+}") {
		return Route{}, fmt.Errorf("its Path is %q", e.Path)
	}
	switch name := e.Auth.Authorizer; name {
	case "", api.Auth.DefaultAuthorizer:
		return Route{Path: e.Path, Method: method, Authorized: api.Auth.DefaultAuthorizer != ""}, nil
	case "NONE":
		return Route{Path: e.Path, Method: method}, nil
	default:
		return Route{}, fmt.Errorf("its authorizer %s is not the API's", name)
	}
}
