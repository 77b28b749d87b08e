package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// ErrTemplate is returned by ReadTemplate for a template that is not well-formed,
// or whose API this package would serve otherwise than API Gateway.
var ErrTemplate = errors.New("the template cannot be emulated")

// Template is what of an AWS SAM template decides how its REST API answers.
type Template struct {
	// Stage is the name of the API's only stage.
	Stage string
	// Authorizer is the logical id of the authorizer's function, empty without one.
	Authorizer string
	// Functions are all functions by logical id.
	Functions map[string]Function
	// Responses are the API's gateway responses by type, such as DEFAULT_5XX.
	Responses map[string]Response
}

// Function is an AWS::Serverless::Function, Globals included.
type Function struct {
	// Folder is the last element of CodeUri.
	Folder string
	// Memory is the function's memory in MB.
	Memory int
	// Timeout is the longest time for one invocation.
	Timeout time.Duration
	// Environment holds the variables as the template has them: text as it is,
	// anything else as its YAML, such as "!Ref ListsBucket".
	Environment map[string]string
	// Routes are the function's API events, ordered by path and method.
	Routes []Route
}

// Route is a method of a path.
type Route struct {
	Path string
	// Method is an HTTP method in capitals, or ANY.
	Method string
	// Authorized tells that the authorizer is asked first.
	Authorized bool
}

// Response is the answer that the API gives by itself on one type of refusal.
type Response struct {
	// Status is 0 where the type's own status stays.
	Status int
	// Headers are fixed values by name.
	Headers map[string]string
	// Body is JSON without substitutions, empty where API Gateway's own stays.
	Body string
}

// What Lambda gives a function whose template says nothing.
const (
	defaultMemory  = 128
	defaultTimeout = 3
)

// ReadTemplate reads an AWS SAM template with one AWS::Serverless::Api.
// Intrinsic functions are kept as text where they may stand (in environments)
// and followed where they name a part of the template (RestApiId as !Ref,
// FunctionArn as !GetAtt). Resources that have no part in answering a call are
// left alone. Whatever else would change an answer is an ErrTemplate rather than
// ignored: see the checks of raw.go for what that is.
func ReadTemplate(r io.Reader) (Template, error) {
	t, err := readTemplate(r)
	if err != nil {
		return Template{}, fmt.Errorf("%w: %w", ErrTemplate, err)
	}
	return t, nil
}

func readTemplate(r io.Reader) (Template, error) {
	var raw rawTemplate
	if err := yaml.NewDecoder(r).Decode(&raw); err != nil {
		return Template{}, err
	}
	if err := load(raw.Globals.API, &rawGlobalAPI{}); err != nil {
		return Template{}, fmt.Errorf("global properties of APIs: %w", err)
	}
	api, err := readAPI(raw.Resources)
	if err != nil {
		return Template{}, err
	}
	t := Template{Stage: api.StageName, Authorizer: api.authorizer(), Functions: map[string]Function{}, Responses: api.responses()}
	for _, id := range slices.Sorted(maps.Keys(raw.Resources)) {
		if raw.Resources[id].Type != "AWS::Serverless::Function" {
			continue
		}
		f, err := readFunction(raw, id, api)
		if err != nil {
			return Template{}, fmt.Errorf("%s: %w", id, err)
		}
		t.Functions[id] = f
	}
	return t, t.check()
}

func readFunction(raw rawTemplate, id string, api rawAPI) (Function, error) {
	f := rawFunction{MemorySize: defaultMemory, Timeout: defaultTimeout}
	for _, properties := range []yaml.Node{raw.Globals.Function, raw.Resources[id].Properties} {
		if err := properties.Decode(&f); err != nil {
			return Function{}, err
		}
	}
	if f.CodeURI == "" || raw.Resources[id].Condition != "" {
		return Function{}, errors.New("it has no CodeUri, or has a Condition")
	}
	routes, err := f.routes(api)
	if err != nil {
		return Function{}, err
	}
	return Function{
		Folder:      path.Base(f.CodeURI),
		Memory:      f.MemorySize,
		Timeout:     time.Duration(f.Timeout) * time.Second,
		Environment: f.environment(),
		Routes:      routes,
	}, nil
}

// check looks at what holds between the functions.
func (t Template) check() error {
	if _, ok := t.Functions[t.Authorizer]; !ok && t.Authorizer != "" {
		return fmt.Errorf("the authorizer %s is not a function", t.Authorizer)
	}
	seen := map[string]string{}
	for id, f := range t.Functions {
		for _, r := range f.Routes {
			key := r.Method + " " + r.Path
			if other, met := seen[key]; met {
				return fmt.Errorf("%s is a route of %s and of %s", key, other, id)
			}
			seen[key] = id
		}
	}
	return nil
}

func byPathAndMethod(a, b Route) int {
	return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Method, b.Method))
}
