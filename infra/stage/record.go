package stage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// recorder stands between the functions and the engines, and notes by which actions of
// IAM each function has called what. A request passes as it is, its Host included, which
// is part of its signature.
type recorder struct {
	servers []*http.Server

	mu    sync.Mutex
	calls map[string]map[string]bool // actions by the function's folder
}

// Calls returns the actions of IAM that a function has needed so far, sorted.
func (s *Stage) Calls(folder string) []string {
	s.recorder.mu.Lock()
	defer s.recorder.mu.Unlock()
	return slices.Sorted(maps.Keys(s.recorder.calls[folder]))
}

// listen serves one function: by the header that names an operation the targets of
// DynamoDB and Systems Manager, and S3 for what has none.
func (r *recorder) listen(folder string, s3, dynamodb, ssm string) (address string, err error) {
	proxies := map[string]*httputil.ReverseProxy{}
	for prefix, target := range map[string]string{"": s3, "DynamoDB": dynamodb, "AmazonSSM": ssm} {
		to, err := url.Parse(target)
		if err != nil {
			return "", fmt.Errorf("record calls: %w", err)
		}
		proxies[prefix] = &httputil.ReverseProxy{
			Rewrite: func(p *httputil.ProxyRequest) {
				p.Out.URL.Scheme, p.Out.URL.Host, p.Out.Host = to.Scheme, to.Host, p.In.Host
			},
			ErrorLog: log.New(io.Discard, "", 0), // functions that are killed break off their calls
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("record calls: %w", err)
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		service, operation, _ := strings.Cut(q.Header.Get("X-Amz-Target"), ".")
		service, _, _ = strings.Cut(service, "_")
		r.note(folder, actions(q, service, operation))
		proxies[service].ServeHTTP(w, q)
	})}
	r.servers = append(r.servers, server)
	go func() { _ = server.Serve(listener) }() // ends with close
	return "http://" + listener.Addr().String(), nil
}

func (r *recorder) note(folder string, actions []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls == nil {
		r.calls = map[string]map[string]bool{}
	}
	if r.calls[folder] == nil {
		r.calls[folder] = map[string]bool{}
	}
	for _, a := range actions {
		r.calls[folder][a] = true
	}
}

// actions are those of IAM that a request needs (Service Authorization Reference).
func actions(q *http.Request, service, operation string) []string {
	switch {
	case operation == "TransactWriteItems":
		return parts(q)
	case service == "DynamoDB":
		return []string{"dynamodb:" + operation}
	case service == "AmazonSSM":
		return []string{"ssm:" + operation}
	case q.URL.Query().Has("list-type"):
		return []string{"s3:ListBucket"}
	case q.Method == http.MethodPut:
		return []string{"s3:PutObject"}
	case q.Method == http.MethodDelete:
		return []string{"s3:DeleteObject"}
	}
	return []string{"s3:GetObject"}
}

// parts are the actions of a transaction, which has none of its own.
func parts(q *http.Request) []string {
	body, err := io.ReadAll(q.Body)
	q.Body = io.NopCloser(bytes.NewReader(body))
	var transaction struct{ TransactItems []map[string]json.RawMessage }
	if err == nil {
		err = json.Unmarshal(body, &transaction)
	}
	if err != nil {
		return []string{"dynamodb:unreadable"}
	}
	var all []string
	for _, item := range transaction.TransactItems {
		for kind := range item {
			all = append(all, "dynamodb:"+kind+"Item")
		}
	}
	return all
}

func (r *recorder) close() {
	for _, server := range r.servers {
		_ = server.Close() // what its clients lose, they have asked for after the end
	}
}
