package s3_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"

	"github.com/listward/listward/infra/engines"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/objects/s3"
)

// nowhere is an endpoint of which only planned faults are seen.
var nowhere = engines.Endpoint{Address: "http://192.0.2.1", AccessKey: "key", SecretKey: "secret", Region: "us-east-1"}

var (
	notModified  = answer(http.StatusNotModified, "")
	noSuchKey    = answer(http.StatusNotFound, "NoSuchKey")
	noSuchBucket = answer(http.StatusNotFound, "NoSuchBucket")
	accessDenied = answer(http.StatusForbidden, "AccessDenied")
	precondition = answer(http.StatusPreconditionFailed, "PreconditionFailed")
)

// storeErrors are those that mean something to the callers of a store.
var storeErrors = []error{
	objects.ErrName, objects.ErrNotFound, objects.ErrNotModified, objects.ErrPrecondition, s3.ErrUnclear,
}

// compare checks the error of an operation: either one of storeErrors, or
// errLost, or none of these and the status with which S3 answered last.
func compare(t *testing.T, operation string, err, want error, status int) {
	t.Helper()
	if want != nil {
		if !errors.Is(err, want) {
			t.Errorf("%s = %v, want %v", operation, err, want)
		}
		return
	}
	var response *awshttp.ResponseError
	if !errors.As(err, &response) || response.HTTPStatusCode() != status {
		t.Errorf("%s = %v, want status %d", operation, err, status)
	}
	if slices.ContainsFunc(storeErrors, func(e error) bool { return errors.Is(err, e) }) {
		t.Errorf("%s = %v, want none of the store's errors", operation, err)
	}
}

func TestGetErrors(t *testing.T) {
	for what, c := range map[string]struct {
		faults []fault
		want   error
		status int
	}{
		"not modified":    {[]fault{notModified}, objects.ErrNotModified, 0},
		"no such key":     {[]fault{noSuchKey}, objects.ErrNotFound, 0},
		"no such bucket":  {[]fault{noSuchBucket}, nil, 404},
		"access denied":   {[]fault{accessDenied}, nil, 403},
		"500 all along":   {[]fault{internalError, internalError, internalError}, nil, 500},
		"no answer":       {[]fault{requestLost, requestLost, requestLost}, errLost, 0},
		"500, then a 304": {[]fault{internalError, notModified}, objects.ErrNotModified, 0},
	} {
		client, f := plan(connect(nowhere, nil), map[string][]fault{http.MethodGet: c.faults})
		_, err := s3.New(client, "bucket", rand.Text).Get(t.Context(), "object", "etag")
		compare(t, "Get with "+what, err, c.want, c.status)
		if got, want := f.attempts[http.MethodGet], len(c.faults); got != want {
			t.Errorf("Get with %s made %d attempts, want %d", what, got, want)
		}
	}
}

func TestPutErrors(t *testing.T) {
	for what, c := range map[string]struct {
		puts, heads []fault
		want        error
		status      int
	}{
		"a broken condition":                        {[]fault{precondition}, nil, objects.ErrPrecondition, 0},
		"no such key":                               {[]fault{noSuchKey}, nil, objects.ErrPrecondition, 0},
		"no such bucket":                            {[]fault{noSuchBucket}, nil, nil, 404},
		"access denied":                             {[]fault{accessDenied}, nil, nil, 403},
		"conflicts all along":                       {[]fault{conflict, conflict, conflict}, nil, nil, 409},
		"500 all along":                             {[]fault{internalError, internalError, internalError}, nil, nil, 500},
		"no answer":                                 {[]fault{requestLost, requestLost, requestLost}, nil, errLost, 0},
		"a conflict, then a broken condition":       {[]fault{conflict, precondition}, nil, objects.ErrPrecondition, 0},
		"an unclear attempt that cannot be cleared": {[]fault{requestLost, precondition}, []fault{accessDenied}, errLost, 0},
	} {
		for _, when := range []objects.Condition{objects.IfAbsent, objects.IfMatch("etag")} {
			client, f := plan(connect(nowhere, nil), map[string][]fault{http.MethodPut: c.puts, http.MethodHead: c.heads})
			_, err := s3.New(client, "bucket", rand.Text).Put(t.Context(), "object", []byte(ours), when)
			compare(t, "Put "+string(when)+" with "+what, err, c.want, c.status)
			if got, want := f.attempts[http.MethodPut], len(c.puts); got != want {
				t.Errorf("Put %s with %s made %d attempts, want %d", when, what, got, want)
			}
			if got, want := f.attempts[http.MethodHead], len(c.heads); got != want {
				t.Errorf("Put %s with %s looked %d times whose the object is, want %d", when, what, got, want)
			}
		}
	}
}

// note keeps the headers of a request.
func note(sent *http.Header, then fault) fault {
	return func(r *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
		*sent = r.Header
		return then(r, send)
	}
}

// In HTTP an ETag has quotes, and a bare "*" means any.
func TestETagsAreQuoted(t *testing.T) {
	for _, etag := range []string{"0a1b", "*"} {
		var get, put http.Header
		client, _ := plan(connect(nowhere, nil), map[string][]fault{
			http.MethodGet: {note(&get, notModified)},
			http.MethodPut: {note(&put, precondition)},
		})
		store, want := s3.New(client, "bucket", rand.Text), `"`+etag+`"`
		if _, err := store.Get(t.Context(), "object", etag); !errors.Is(err, objects.ErrNotModified) || get.Get("If-None-Match") != want {
			t.Errorf("Get with ETag %s sent If-None-Match %s and gave %v", etag, get.Get("If-None-Match"), err)
		}
		if _, err := store.Put(t.Context(), "object", nil, objects.IfMatch(etag)); !errors.Is(err, objects.ErrPrecondition) || put.Get("If-Match") != want {
			t.Errorf("Put with ETag %s sent If-Match %s and gave %v", etag, put.Get("If-Match"), err)
		}
	}
}

// The body is not signed over TLS: only the checksum behind it shows S3 that it
// arrived as it was sent.
func TestPutSendsChecksum(t *testing.T) {
	for scheme, want := range map[string]struct{ header, value string }{
		"http":  {"X-Amz-Checksum-Crc32", "xD6pAA=="},
		"https": {"X-Amz-Trailer", "x-amz-checksum-crc32"},
	} {
		endpoint := nowhere
		endpoint.Address = strings.Replace(nowhere.Address, "http", scheme, 1)
		var put http.Header
		client, _ := plan(connect(endpoint, nil), map[string][]fault{http.MethodPut: {note(&put, accessDenied)}})
		_, err := s3.New(client, "bucket", rand.Text).Put(t.Context(), "object", []byte(ours), objects.Always)
		compare(t, "Put over "+scheme, err, nil, http.StatusForbidden)
		if got := put.Get(want.header); got != want.value {
			t.Errorf("Put of %q over %s sent %s %q, want %q", ours, scheme, want.header, got, want.value)
		}
	}
}

func TestGetAfterFaults(t *testing.T) {
	client := connect(engines.S3(t).Endpoint, awshttp.NewBuildableClient())
	bucket := makeBucket(t, client)
	if _, err := s3.New(client, bucket, rand.Text).Put(t.Context(), "object", []byte(ours), objects.Always); err != nil {
		t.Fatalf("Put: %v", err)
	}
	faulted, _ := plan(client, map[string][]fault{http.MethodGet: {internalError, replyLost}})
	if got := content(t, s3.New(faulted, bucket, rand.Text), "object"); got != ours {
		t.Errorf("Get after a 500 and a lost reply = %q, want %q", got, ours)
	}
}

// A connection that ends in the middle of a body must not pass for a shorter one.
func TestBodyCut(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		w.Header().Set("ETag", `"etag"`)
		if _, err := w.Write(make([]byte, 50)); err != nil {
			t.Errorf("write half of the body: %v", err)
		}
	}))
	t.Cleanup(server.Close)
	endpoint := nowhere
	endpoint.Address = server.URL
	object, err := s3.New(connect(endpoint, awshttp.NewBuildableClient()), "bucket", rand.Text).Get(t.Context(), "object", "")
	if err != nil {
		t.Fatalf("Get: %v", err)
	}
	defer object.Body.Close()
	if body, err := io.ReadAll(object.Body); !errors.Is(err, io.ErrUnexpectedEOF) || object.Size != 100 {
		t.Errorf("a body of %d bytes that was cut gives %d bytes and %v, want io.ErrUnexpectedEOF", object.Size, len(body), err)
	}
}

// A body that was altered on the way fails against the checksum that Put left.
func TestBodyAltered(t *testing.T) {
	client := connect(engines.S3(t).Endpoint, awshttp.NewBuildableClient())
	bucket := makeBucket(t, client)
	if _, err := s3.New(client, bucket, rand.Text).Put(t.Context(), "object", []byte(ours), objects.Always); err != nil {
		t.Fatalf("Put: %v", err)
	}
	altered, _ := plan(client, map[string][]fault{http.MethodGet: {
		func(_ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
			response, err := send()
			if err != nil {
				return nil, err
			}
			err = response.Body.Close()
			response.Body = io.NopCloser(bytes.NewReader([]byte("outs")))
			return response, err
		},
	}})
	object, err := s3.New(altered, bucket, rand.Text).Get(t.Context(), "object", "")
	if err != nil {
		t.Fatalf("Get: %v", err)
	}
	defer object.Body.Close()
	if body, err := io.ReadAll(object.Body); err == nil || !strings.Contains(err.Error(), "checksum did not match") {
		t.Errorf("an altered body reads as %q with error %v, want a wrong checksum", body, err)
	}
}
