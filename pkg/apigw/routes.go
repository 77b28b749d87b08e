package apigw

import "slices"

// Route is one operation of the API.
type Route struct {
	Method string // ANY for all
	// Path is the resource as API Gateway knows it.
	Path string
	// Function is the folder of the function that answers.
	Function string
	// Counted says that a call costs one of the key's allowance (decisions
	// section 4).
	Counted bool
}

// The paths that a function asks for by name.
const (
	ScreenPath  = "/api/v1/screen"
	EmbedPath   = "/embed"
	OpenAPIPath = "/api/v1/openapi.json"
	DocsPath    = "/docs"
	AccountPath = "/account"
	BillingPath = "/billing/stripe"
)

// Routes returns the operations. What else is asked for is answered by the docs
// function with not_found or method_not_allowed. template.yaml has the same
// routes; a test compares the two.
func Routes() []Route {
	return []Route{
		{Method: "GET", Path: ScreenPath, Function: "screen", Counted: true},
		{Method: "POST", Path: ScreenPath, Function: "batch", Counted: true},
		{Method: "GET", Path: "/api/v1/sanctions", Function: "sanctions", Counted: true},
		{Method: "GET", Path: "/api/v1/sources", Function: "sources", Counted: true},
		{Method: "GET", Path: "/api/v1/changes", Function: "changes", Counted: true},
		{Method: "GET", Path: "/api/v1/exports/{file}", Function: "exports", Counted: true},
		{Method: "GET", Path: "/api/v1/snapshots/{id}", Function: "snapshots", Counted: true},
		{Method: "GET", Path: EmbedPath, Function: "embed"},
		{Method: "GET", Path: OpenAPIPath, Function: "docs"},
		{Method: "GET", Path: DocsPath, Function: "docs"},
		{Method: "ANY", Path: AccountPath, Function: "account"},
		{Method: "ANY", Path: AccountPath + "/{proxy+}", Function: "account"},
		{Method: "POST", Path: BillingPath, Function: "billing"},
	}
}

// Allowed returns the methods that a path has, in the order of Routes; none for
// a path that does not exist.
func Allowed(path string) []string {
	var methods []string
	for _, r := range Routes() {
		if r.Path == path {
			methods = append(methods, r.Method)
		}
	}
	return methods
}

// Counted reports whether a call of the method to the resource is counted.
func Counted(method, resource string) bool {
	return slices.ContainsFunc(Routes(), func(r Route) bool {
		return r.Counted && r.Method == method && r.Path == resource
	})
}
