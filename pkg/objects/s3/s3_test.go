package s3_test

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/listward/listward/infra/engines"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/objects/objectstest"
	"github.com/listward/listward/pkg/objects/s3"
)

// connect returns a client as the functions have it, but for the pauses between
// attempts.
func connect(e engines.Endpoint, over awss3.HTTPClient) *awss3.Client {
	if e.Folder != "" {
		over = &oneStep{HTTPClient: over}
	}
	return awss3.New(awss3.Options{
		Region:       e.Region,
		BaseEndpoint: &e.Address,
		HTTPClient:   over,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: e.AccessKey, SecretAccessKey: e.SecretKey}, nil
		}),
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
			o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
		}),
	})
}

// oneStep lets versitygw read an object in one step, as S3 does: by itself it
// looks up the ETag first and opens the file then (v1.8.0, Posix.GetObject), and
// gives the ETag of one Put with the content of the next. Writers stay beside
// each other.
type oneStep struct {
	awss3.HTTPClient
	writing sync.RWMutex
}

func (o *oneStep) Do(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPut {
		o.writing.RLock()
		defer o.writing.RUnlock()
	} else {
		o.writing.Lock()
		defer o.writing.Unlock()
	}
	return o.HTTPClient.Do(r)
}

// makeBucket makes an empty bucket.
func makeBucket(t *testing.T, client *awss3.Client) string {
	t.Helper()
	name := "listward-test-" + strings.ToLower(rand.Text())
	if _, err := client.CreateBucket(t.Context(), &awss3.CreateBucketInput{Bucket: &name}); err != nil {
		t.Fatalf("make a bucket: %v", err)
	}
	return name
}

func open(t *testing.T, client *awss3.Client) *s3.Store {
	t.Helper()
	return s3.New(client, makeBucket(t, client), rand.Text)
}

func TestConformance(t *testing.T) {
	client := connect(engines.S3(t).Endpoint, awshttp.NewBuildableClient())
	objectstest.Run(t, func(t *testing.T) objects.Store { return open(t, client) })
}

// Over TLS the SDK sends checksums behind the body.
func TestConformanceOverTLS(t *testing.T) {
	endpoint, trusted := engines.S3TLS(t)
	client := connect(endpoint, awshttp.NewBuildableClient().WithTransportOptions(func(o *http.Transport) {
		o.TLSClientConfig.RootCAs = trusted
	}))
	objectstest.Run(t, func(t *testing.T) objects.Store { return open(t, client) })
}
