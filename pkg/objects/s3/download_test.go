package s3_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/listward/listward/infra/engines"
	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/objects/objectstest"
	"github.com/listward/listward/pkg/objects/s3"
)

const (
	exportName  = "exports/all 名单.csv"
	disposition = `attachment; filename="listward-all.csv"`
)

func asCSV() objects.Attachment {
	return objects.Attachment{Disposition: disposition, Type: "text/csv; charset=utf-8"}
}

// signedBefore signs as if it were earlier.
type signedBefore struct {
	awss3.HTTPPresignerV4
	age time.Duration
}

func (s signedBefore) PresignHTTP(
	ctx context.Context, credentials aws.Credentials, r *http.Request,
	hash, service, region string, now time.Time, options ...func(*v4.SignerOptions),
) (string, http.Header, error) {
	return s.HTTPPresignerV4.PresignHTTP(ctx, credentials, r, hash, service, region, now.Add(-s.age), options...)
}

// presigner returns a presigner whose addresses are as old as age.
func presigner(client *awss3.Client, age time.Duration) *awss3.PresignClient {
	signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }) // as S3 wants it
	return awss3.NewPresignClient(client, func(o *awss3.PresignOptions) { o.Presigner = signedBefore{signer, age} })
}

// fetch requests an address as a browser does, without credentials.
func fetch(t *testing.T, method, address string) (status int, header http.Header, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatalf("%s %s: %v", method, address, err)
	}
	content, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		t.Fatalf("read %s: %v", address, err)
	}
	return response.StatusCode, response.Header, string(content)
}

// exported returns a client and a bucket in which an export and another object are.
func exported(t *testing.T) (*awss3.Client, string) {
	t.Helper()
	client := connect(engines.S3(t).Endpoint, awshttp.NewBuildableClient())
	bucket := makeBucket(t, client)
	for _, name := range []string{exportName, "current.json"} {
		if _, err := s3.New(client, bucket, rand.Text).Put(t.Context(), name, []byte("content of "+name), objects.Always); err != nil {
			t.Fatalf("Put(%q): %v", name, err)
		}
	}
	return client, bucket
}

func address(t *testing.T, presigner s3.Presigner, bucket string, ttl time.Duration) (string, time.Time) {
	t.Helper()
	address, expires, err := s3.NewDownloads(presigner, bucket).Download(t.Context(), exportName, ttl, asCSV())
	if err != nil {
		t.Fatalf("Download: %v", err)
	}
	return address, expires
}

func TestDownload(t *testing.T) {
	client, bucket := exported(t)
	link, _ := address(t, presigner(client, 0), bucket, objects.MaxTTL)
	status, header, body := fetch(t, http.MethodGet, link)
	if status != http.StatusOK || body != "content of "+exportName {
		t.Errorf("GET of the address = %d with %q, want the object", status, body)
	}
	if got := header.Get("Content-Disposition"); got != disposition {
		t.Errorf("Content-Disposition is %q, want %q", got, disposition)
	}
	for what, other := range map[string]string{
		"another object":      strings.Replace(link, "exports/all%20%E5%90%8D%E5%8D%95.csv", "current.json", 1),
		"another disposition": strings.Replace(link, "listward-all", "virus", 1),
		"a longer life":       strings.Replace(link, "X-Amz-Expires=300", "X-Amz-Expires=301", 1),
		"no signature":        link[:strings.Index(link, "?")],
	} {
		if other == link {
			t.Fatalf("%s does not differ: %s", what, link)
		}
		if status, _, body := fetch(t, http.MethodGet, other); status != http.StatusForbidden {
			t.Errorf("GET with %s = %d %s, want 403", what, status, body)
		}
	}
	for _, method := range []string{http.MethodPut, http.MethodDelete} {
		if status, _, body := fetch(t, method, link); status != http.StatusForbidden {
			t.Errorf("%s of the address = %d %s, want 403", method, status, body)
		}
	}
}

func TestDownloadConformance(t *testing.T) {
	client := connect(engines.S3(t).Endpoint, awshttp.NewBuildableClient())
	objectstest.RunDownloads(t, func(t *testing.T) objectstest.Downloads {
		bucket := makeBucket(t, client)
		return objectstest.Downloads{
			Store: s3.New(client, bucket, rand.Text),
			Signing: func(age time.Duration) objects.Downloader {
				return s3.NewDownloads(presigner(client, age), bucket)
			},
			Now: time.Now,
		}
	})
}

// fixed presigns to the same address always.
type fixed struct {
	url string
	err error
}

func (f fixed) PresignGetObject(context.Context, *awss3.GetObjectInput, ...func(*awss3.PresignOptions)) (*v4.PresignedHTTPRequest, error) {
	return &v4.PresignedHTTPRequest{URL: f.url}, f.err
}

func TestDownloadExpiry(t *testing.T) {
	const link = "https://bucket.s3.amazonaws.com/a?X-Amz-Date=20261120T115958Z&X-Amz-Expires=120"
	_, got := address(t, fixed{url: link}, "bucket", 2*time.Minute)
	if want := time.Date(2026, 11, 20, 12, 1, 58, 0, time.UTC); !got.Equal(want) {
		t.Errorf("%s for two minutes ends at %s, want %s", link, got, want)
	}
}

func TestDownloadErrors(t *testing.T) {
	errSigner := errors.New("no credentials")
	var parse *time.ParseError
	if _, _, err := s3.NewDownloads(fixed{url: "https://unsigned"}, "bucket").
		Download(t.Context(), "a", time.Minute, asCSV()); !errors.As(err, &parse) {
		t.Errorf("Download with an address without a date = %v, want a time.ParseError", err)
	}
	for _, c := range []struct {
		name string
		ttl  time.Duration
		want error
	}{
		{"../a", time.Minute, objects.ErrName},
		{"", time.Minute, objects.ErrName},
		{"a", 0, objects.ErrTTL},
		{"a", objects.MaxTTL + time.Second, objects.ErrTTL},
		{"a", time.Second, errSigner},
		{"a", objects.MaxTTL, errSigner},
	} {
		link, expires, err := s3.NewDownloads(fixed{err: errSigner}, "bucket").Download(t.Context(), c.name, c.ttl, asCSV())
		if !errors.Is(err, c.want) || link != "" || !expires.IsZero() {
			t.Errorf("Download(%q, %s) = %q, %s, %v; want %v alone", c.name, c.ttl, link, expires, err, c.want)
		}
	}
}
