package gateway

import (
	"encoding/base64"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/aws/aws-lambda-go/events"
)

// What stands in the events for the account and the API that there are not.
const (
	region    = "us-east-1"
	accountID = "000000000000"
	apiID     = "local"
)

// event makes the proxy event of a request. It fails on a query that is not
// percent-encoded well.
func (g *gateway) event(r *http.Request, body []byte, id string, to match) (events.APIGatewayProxyRequest, error) {
	query, err := url.ParseQuery(strings.ReplaceAll(r.URL.RawQuery, ";", "&"))
	if err != nil {
		return events.APIGatewayProxyRequest{}, err
	}
	headers := forwarded(r)
	return events.APIGatewayProxyRequest{
		Resource:                        to.resource,
		Path:                            r.URL.EscapedPath(),
		HTTPMethod:                      r.Method,
		Headers:                         last(headers),
		MultiValueHeaders:               headers,
		QueryStringParameters:           last(query),
		MultiValueQueryStringParameters: orNull(query),
		PathParameters:                  orNull(to.parameters),
		RequestContext:                  g.requestContext(r, id, to),
		Body:                            base64.StdEncoding.EncodeToString(body),
		IsBase64Encoded:                 len(body) > 0,
	}, nil
}

func (g *gateway) requestContext(r *http.Request, id string, to match) events.APIGatewayProxyRequestContext {
	now := g.options.Now().UTC()
	return events.APIGatewayProxyRequestContext{
		AccountID:        accountID,
		ResourceID:       to.resource,
		Stage:            g.stage,
		DomainName:       r.Host,
		RequestID:        id,
		Protocol:         r.Proto,
		Identity:         events.APIGatewayRequestIdentity{SourceIP: sourceIP(r), UserAgent: r.UserAgent()},
		ResourcePath:     to.resource,
		Path:             r.URL.EscapedPath(),
		HTTPMethod:       r.Method,
		RequestTime:      now.Format("02/Jan/2006:15:04:05 -0700"),
		RequestTimeEpoch: now.UnixMilli(),
		APIID:            apiID,
	}
}

// forwarded returns the request's headers with those that API Gateway sets.
func forwarded(r *http.Request) http.Header {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	h := r.Header.Clone()
	h.Set("Host", r.Host)
	h.Set("X-Forwarded-Proto", scheme)
	h.Set("X-Forwarded-For", strings.Join(append(h.Values("X-Forwarded-For"), sourceIP(r)), ", "))
	return h
}

// sourceIP is the client's address without the port.
func sourceIP(r *http.Request) string {
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		return host
	}
	return r.RemoteAddr
}

// last returns the last value of each name, nil for none.
func last(values map[string][]string) map[string]string {
	single := map[string]string{}
	for name, all := range values {
		single[name] = all[len(all)-1]
	}
	return orNull(single)
}

// orNull returns nil for an empty map, which events show as null.
func orNull[V any](m map[string]V) map[string]V {
	if len(m) == 0 {
		return nil
	}
	return m
}
