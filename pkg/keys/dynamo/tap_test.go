package dynamo_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// tap is the way of the requests to the engine. It writes them down, and a test
// may answer in the engine's place with the faults that no engine shows.
type tap struct {
	to http.RoundTripper
	// sent are the operations since they were last cleared. Tests that look at
	// them send one request after the other.
	sent []string
	// fault, if set, gives the answer to a request, of which it is the nth of its
	// operation. It may call send, once.
	fault func(r request, send func() (*http.Response, error)) (*http.Response, error)
}

type request struct {
	operation string
	nth       int
	body      string
}

// RoundTrip implements http.RoundTripper.
func (t *tap) RoundTrip(r *http.Request) (*http.Response, error) {
	target := r.Header.Get("X-Amz-Target")
	operation := target[strings.LastIndexByte(target, '.')+1:]
	t.sent = append(t.sent, operation)
	send := func() (*http.Response, error) { return t.to.RoundTrip(r) }
	if t.fault == nil {
		return send()
	}
	body, err := io.ReadAll(r.Body)
	if err := errors.Join(err, r.Body.Close()); err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	nth := 0
	for _, sent := range t.sent {
		if sent == operation {
			nth++
		}
	}
	return t.fault(request{operation, nth, string(body)}, send)
}

// answerBy begins a part of a test in which fault answers.
func (t *tap) answerBy(fault func(r request, send func() (*http.Response, error)) (*http.Response, error)) {
	t.sent, t.fault = nil, fault
}

// refuse is DynamoDB's answer with an error. The members are of its JSON, after
// the type.
func refuse(code, members string) (*http.Response, error) {
	return reply(http.StatusBadRequest, fmt.Sprintf(`{"__type": "com.amazonaws.dynamodb.v20120810#%s"%s}`, code, members))
}

func reply(status int, body string) (*http.Response, error) {
	return &http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:   io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}, nil
}
