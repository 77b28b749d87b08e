package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-lambda-go/events"
)

// authorize asks the authorizer, and returns its context for the function.
func (g *gateway) authorize(ctx context.Context, event events.APIGatewayProxyRequest) (map[string]any, error) {
	request := authorizerEvent(event)
	returned, err := g.authorizer.invoke(ctx, request)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", authorizerFailure, err)
	}
	d := json.NewDecoder(bytes.NewReader(returned))
	d.UseNumber()
	var response events.APIGatewayCustomAuthorizerResponse
	if err := d.Decode(&response); err != nil {
		return nil, fmt.Errorf("%w: function %s: %w", authorizerConfiguration, g.authorizer.folder, err)
	}
	values, err := authorizerContext(response)
	if err != nil {
		return nil, fmt.Errorf("%w: function %s: %w", authorizerConfiguration, g.authorizer.folder, err)
	}
	if !allows(response.PolicyDocument.Statement, request.MethodArn) {
		return nil, accessDenied
	}
	return values, nil
}

// authorizerEvent is the event of a REQUEST authorizer for a proxy event.
func authorizerEvent(event events.APIGatewayProxyRequest) events.APIGatewayCustomAuthorizerRequestTypeRequest {
	c := event.RequestContext
	return events.APIGatewayCustomAuthorizerRequestTypeRequest{
		Type:                            "REQUEST",
		MethodArn:                       methodARN(c.Stage, event.HTTPMethod, event.Path),
		Resource:                        event.Resource,
		Path:                            event.Path,
		HTTPMethod:                      event.HTTPMethod,
		Headers:                         event.Headers,
		MultiValueHeaders:               event.MultiValueHeaders,
		QueryStringParameters:           event.QueryStringParameters,
		MultiValueQueryStringParameters: event.MultiValueQueryStringParameters,
		PathParameters:                  event.PathParameters,
		RequestContext: events.APIGatewayCustomAuthorizerRequestTypeRequestContext{
			Path:         c.Path,
			AccountID:    c.AccountID,
			ResourceID:   c.ResourceID,
			Stage:        c.Stage,
			RequestID:    c.RequestID,
			Identity:     events.APIGatewayCustomAuthorizerRequestTypeRequestIdentity{SourceIP: c.Identity.SourceIP},
			ResourcePath: c.ResourcePath,
			HTTPMethod:   c.HTTPMethod,
			APIID:        c.APIID,
		},
	}
}

func methodARN(stage, method, path string) string {
	return fmt.Sprintf("arn:aws:execute-api:%s:%s:%s/%s/%s/%s",
		region, accountID, apiID, stage, method, strings.TrimPrefix(path, "/"))
}

// authorizerContext returns an authorizer's context as functions get it: flat,
// all values as text, and the principal among them.
func authorizerContext(response events.APIGatewayCustomAuthorizerResponse) (map[string]any, error) {
	if response.PrincipalID == "" {
		return nil, errors.New("it named no principal")
	}
	values := map[string]any{}
	for name, value := range response.Context {
		switch v := value.(type) {
		case string:
			values[name] = v
		case json.Number:
			values[name] = v.String()
		case bool:
			values[name] = strconv.FormatBool(v)
		default:
			return nil, fmt.Errorf("the context value %q is no text, number or boolean", name)
		}
	}
	values["principalId"] = response.PrincipalID
	return values, nil
}

// allows evaluates an IAM policy for calling a method: some statement must allow
// it and none deny it.
func allows(statements []events.IAMPolicyStatement, methodARN string) bool {
	allowed := false
	for _, s := range statements {
		if !matchesAny(s.Action, "execute-api:Invoke") || !matchesAny(s.Resource, methodARN) {
			continue
		}
		switch s.Effect {
		case "Deny":
			return false
		case "Allow":
			allowed = true
		}
	}
	return allowed
}

// matchesAny says whether a pattern matches, in which * stands for any text and
// ? for any character.
func matchesAny(patterns []string, text string) bool {
	wild := strings.NewReplacer(`\*`, `.*`, `\?`, `.`)
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		matched, err := regexp.MatchString(`(?s)^`+wild.Replace(regexp.QuoteMeta(pattern))+`$`, text)
		return matched && err == nil
	})
}
