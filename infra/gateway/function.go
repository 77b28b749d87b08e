package gateway

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// maxAnswer is the size in bytes above which Lambda refuses a function's answer.
const maxAnswer = 6_291_556

var errTimeout = errors.New("it ran past its time-out")

// target is a function that can be invoked.
type target struct {
	folder  string
	timeout time.Duration
	invoker Invoker
}

// invoke runs the function on an event, for as long as it may run. A client that
// goes away does not stop it.
func (t target) invoke(ctx context.Context, event any) ([]byte, error) {
	payload, err := json.Marshal(event)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.timeout)
	defer cancel()
	returned, err := t.invoker.Invoke(ctx, payload)
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("function %s: %w of %s", t.folder, errTimeout, t.timeout)
	case err != nil:
		return nil, fmt.Errorf("function %s: %w", t.folder, err)
	case len(returned) > maxAnswer:
		return nil, fmt.Errorf("function %s returned %d bytes, Lambda takes %d", t.folder, len(returned), maxAnswer)
	}
	return returned, nil
}

// integrate is the proxy integration: it returns what the function answers.
func (t target) integrate(ctx context.Context, event events.APIGatewayProxyRequest) (answer, error) {
	returned, err := t.invoke(ctx, event)
	if errors.Is(err, errTimeout) {
		return answer{}, fmt.Errorf("%w: %w", integrationTimeout, err)
	}
	if err != nil {
		return answer{}, fmt.Errorf("%w: %w", integrationFailure, err)
	}
	a, err := readAnswer(returned)
	if err != nil {
		return answer{}, fmt.Errorf("%w: function %s: %w", integrationFailure, t.folder, err)
	}
	return a, nil
}

// answer is what the client gets.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) write(w http.ResponseWriter) error {
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.status)
	_, err := w.Write(a.body)
	return err
}

// readAnswer reads what a function with proxy integration returned. Without a
// status of a final answer it is malformed.
func readAnswer(returned []byte) (answer, error) {
	var response events.APIGatewayProxyResponse
	if err := json.Unmarshal(returned, &response); err != nil {
		return answer{}, fmt.Errorf("malformed proxy response: %w", err)
	}
	if response.StatusCode < 200 || response.StatusCode > 599 {
		return answer{}, fmt.Errorf("malformed proxy response: status %d", response.StatusCode)
	}
	body := []byte(response.Body)
	if response.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(response.Body); err != nil {
			return answer{}, fmt.Errorf("malformed proxy response: %w", err)
		}
	}
	return answer{status: response.StatusCode, header: mergeHeaders(response), body: body}, nil
}

// mergeHeaders unites the two kinds of headers; what is in both counts once. An
// answer without a type is JSON for API Gateway.
func mergeHeaders(response events.APIGatewayProxyResponse) http.Header {
	h := http.Header{}
	for name, values := range response.MultiValueHeaders {
		for _, value := range values {
			h.Add(name, value)
		}
	}
	for name, value := range response.Headers {
		if !slices.Contains(h.Values(name), value) {
			h.Add(name, value)
		}
	}
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/json")
	}
	return h
}
