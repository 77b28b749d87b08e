package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
)

// refusal is an answer that API Gateway gives by itself, named by the type of its
// gateway response.
type refusal string

const (
	badRequest                 refusal = default4XX
	missingAuthenticationToken refusal = "MISSING_AUTHENTICATION_TOKEN"
	accessDenied               refusal = "ACCESS_DENIED"
	authorizerFailure          refusal = "AUTHORIZER_FAILURE"
	authorizerConfiguration    refusal = "AUTHORIZER_CONFIGURATION_ERROR"
	integrationFailure         refusal = "INTEGRATION_FAILURE"
	integrationTimeout         refusal = "INTEGRATION_TIMEOUT"
	gatewayFailure             refusal = default5XX
)

// The types whose responses stand in for those that a template does not have.
const (
	default4XX = "DEFAULT_4XX"
	default5XX = "DEFAULT_5XX"
)

// Error makes a refusal an error, to be wrapped with its cause.
func (r refusal) Error() string {
	return strings.ToLower(strings.ReplaceAll(string(r), "_", " "))
}

// standard returns what API Gateway answers where the template says nothing.
func (r refusal) standard() (status int, message string) {
	switch r {
	case badRequest:
		return http.StatusBadRequest, "Bad Request"
	case missingAuthenticationToken:
		return http.StatusForbidden, "Missing Authentication Token"
	case accessDenied:
		return http.StatusForbidden, "User is not authorized to access this resource"
	case integrationFailure:
		return http.StatusBadGateway, "Internal server error"
	case integrationTimeout:
		return http.StatusGatewayTimeout, "Endpoint request timed out"
	default:
		return http.StatusInternalServerError, "Internal server error"
	}
}

// refuse returns the answer to a call that did not get one from a function.
func (g *gateway) refuse(ctx context.Context, log *slog.Logger, err error) answer {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return answer{
			status: http.StatusRequestEntityTooLarge,
			header: http.Header{"Content-Type": {"text/plain"}},
			body:   fmt.Appendf(nil, "HTTP content length exceeded %d bytes.", large.Limit),
		}
	}
	refused := gatewayFailure
	errors.As(err, &refused)
	if status, _ := refused.standard(); status >= http.StatusInternalServerError {
		log.ErrorContext(ctx, "the call failed", "error", err)
	}
	return g.shape(refused)
}

// shape gives a refusal the template's status, headers and body.
func (g *gateway) shape(refused refusal) answer {
	status, message := refused.standard()
	response, ok := g.responses[string(refused)]
	if !ok && status < http.StatusInternalServerError {
		response = g.responses[default4XX]
	} else if !ok {
		response = g.responses[default5XX]
	}
	if response.Status != 0 {
		status = response.Status
	}
	a := answer{status: status, header: http.Header{"Content-Type": {"application/json"}}, body: []byte(response.Body)}
	for name, value := range response.Headers {
		a.header.Set(name, value)
	}
	if response.Body == "" {
		a.body = fmt.Appendf(nil, `{"message":%q}`, message)
	}
	return a
}
