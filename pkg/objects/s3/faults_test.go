package s3_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/listward/listward/infra/engines"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/objects/s3"
)

// fault is what happens to one attempt of a request; send lets it reach S3.
type fault func(r *http.Request, send func() (*http.Response, error)) (*http.Response, error)

// faulty is an HTTP client on which the first attempts of a method meet the
// faults planned for it, one each. It counts the attempts.
type faulty struct {
	awss3.HTTPClient
	planned  map[string][]fault
	attempts map[string]int
}

func (f *faulty) Do(r *http.Request) (*http.Response, error) {
	send := func() (*http.Response, error) { return f.HTTPClient.Do(r) }
	attempt := f.attempts[r.Method]
	f.attempts[r.Method]++
	if planned := f.planned[r.Method]; attempt < len(planned) {
		return planned[attempt](r, send)
	}
	return send()
}

// plan puts faults on a client's further requests.
func plan(client *awss3.Client, planned map[string][]fault) (*awss3.Client, *faulty) {
	o := client.Options()
	f := &faulty{HTTPClient: o.HTTPClient, planned: planned, attempts: map[string]int{}}
	o.HTTPClient = f
	return awss3.New(o), f
}

// errLost is what the HTTP client says of a connection that broke.
var errLost = errors.New("connection lost")

func requestLost(*http.Request, func() (*http.Response, error)) (*http.Response, error) {
	return nil, errLost
}

func replyLost(_ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
	response, err := send()
	if err != nil {
		return nil, err
	}
	return nil, errors.Join(errLost, response.Body.Close())
}

// answer answers in place of S3.
func answer(status int, code string) fault {
	body := fmt.Sprintf("<Error><Code>%s</Code></Error>", code)
	return func(r *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
		return &http.Response{
			StatusCode: status, Header: http.Header{}, Request: r,
			Body: io.NopCloser(bytes.NewReader([]byte(body))), ContentLength: int64(len(body)),
		}, nil
	}
}

// brokenAfter lets S3 do its work and gives a 500 in place of its answer.
func brokenAfter(r *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
	if _, err := replyLost(r, send); !errors.Is(err, errLost) {
		return nil, err
	}
	return internalError(r, send)
}

var (
	internalError = answer(http.StatusInternalServerError, "InternalError")
	conflict      = answer(http.StatusConflict, "ConditionalRequestConflict")
)

// What the two writers put.
const ours, theirs = "ours", "theirs"

// A Put whose first attempt took place and got no answer meets its own work in
// the second one.
func TestPutAfterFaults(t *testing.T) {
	client := connect(engines.S3(t).Endpoint, awshttp.NewBuildableClient())
	bucket := makeBucket(t, client)
	undisturbed := s3.New(client, bucket, rand.Text)
	n := 0
	for _, c := range []struct {
		what   string
		faults []fault
		heads  int // requests that ask whose the object is, for a conditional Put
	}{
		{"the request lost", []fault{requestLost}, 0},
		{"the reply lost", []fault{replyLost}, 1},
		{"both replies lost", []fault{replyLost, replyLost}, 1},
		{"a 500 before the work", []fault{internalError}, 0},
		{"a 500 after the work", []fault{brokenAfter}, 1},
		{"a conflict", []fault{conflict}, 0},
		{"two conflicts", []fault{conflict, conflict}, 0},
		{"the reply lost, then a conflict", []fault{replyLost, conflict}, 1},
	} {
		for _, when := range []string{"always", "if absent", "if match"} {
			n++
			name := fmt.Sprintf("object-%d", n)
			condition := prepare(t, undisturbed, name, when)
			faulted, f := plan(client, map[string][]fault{http.MethodPut: c.faults})
			etag, err := s3.New(faulted, bucket, rand.Text).Put(t.Context(), name, []byte(ours), condition)
			if err != nil {
				t.Errorf("Put %s with %s: %v", when, c.what, err)
				continue
			}
			if _, err := undisturbed.Get(t.Context(), name, etag); !errors.Is(err, objects.ErrNotModified) {
				t.Errorf("Put %s with %s gave the ETag %q, with which Get = %v, want ErrNotModified", when, c.what, etag, err)
			}
			if got := content(t, undisturbed, name); got != ours {
				t.Errorf("after Put %s with %s: %q, want %q", when, c.what, got, ours)
			}
			if want := c.heads; condition != objects.Always && f.attempts[http.MethodHead] != want {
				t.Errorf("Put %s with %s looked %d times whose the object is, want %d", when, c.what, f.attempts[http.MethodHead], want)
			}
		}
	}
}

// prepare brings an object into the state in which the condition holds.
func prepare(t *testing.T, store *s3.Store, name, when string) objects.Condition {
	t.Helper()
	switch when {
	case "if absent":
		return objects.IfAbsent
	case "if match":
		etag, err := store.Put(t.Context(), name, []byte("first"), objects.IfAbsent)
		if err != nil {
			t.Fatalf("Put: %v", err)
		}
		return objects.IfMatch(etag)
	}
	return objects.Always
}

func content(t *testing.T, store *s3.Store, name string) string {
	t.Helper()
	object, err := store.Get(t.Context(), name, "")
	if err != nil {
		t.Fatalf("Get(%q): %v", name, err)
	}
	body, err := io.ReadAll(object.Body)
	if err := errors.Join(err, object.Body.Close()); err != nil {
		t.Fatalf("read %q: %v", name, err)
	}
	return string(body)
}

// While an attempt gets no clear answer, another writer puts its own, or the
// very same, content. Two writers must never both believe to have been the one.
func TestPutAfterFaultsBesideAnother(t *testing.T) {
	client := connect(engines.S3(t).Endpoint, awshttp.NewBuildableClient())
	bucket := makeBucket(t, client)
	undisturbed := s3.New(client, bucket, rand.Text)
	n := 0
	for what, beside := range map[string]func(other func()) fault{
		"before the request is lost":          func(other func()) fault { return between(other, requestLost, func() {}) },
		"before a 500":                        func(other func()) fault { return between(other, internalError, func() {}) },
		"after the work whose reply is lost":  func(other func()) fault { return between(func() {}, replyLost, other) },
		"after the work that ends in a 500":   func(other func()) fault { return between(func() {}, brokenAfter, other) },
		"before and after the request's loss": func(other func()) fault { return between(other, requestLost, other) },
	} {
		for condition, want := range map[string]error{"if absent": objects.ErrPrecondition, "if match": s3.ErrUnclear} {
			for _, their := range []string{theirs, ours} {
				n++
				name := fmt.Sprintf("object-%d", n)
				when := prepare(t, undisturbed, name, condition)
				other := func() {
					if _, err := undisturbed.Put(t.Context(), name, []byte(their), objects.Always); err != nil {
						t.Errorf("Put by the other: %v", err)
					}
				}
				faulted, _ := plan(client, map[string][]fault{http.MethodPut: {beside(other)}})
				_, err := s3.New(faulted, bucket, rand.Text).Put(t.Context(), name, []byte(ours), when)
				if !errors.Is(err, want) {
					t.Errorf("Put %s beside a Put of %q %s = %v, want %v", condition, their, what, err, want)
				}
				if got := content(t, undisturbed, name); got != their {
					t.Errorf("after Put %s beside a Put of %q %s: %q", condition, their, what, got)
				}
			}
		}
	}
}

// between has something happen before and after a fault.
func between(first func(), middle fault, last func()) fault {
	return func(r *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
		first()
		defer last()
		return middle(r, send)
	}
}
