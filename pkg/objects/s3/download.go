package s3

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/listward/listward/pkg/objects"
)

// Presigner is what Downloads needs of the SDK's PresignClient, which implements
// it.
type Presigner interface {
	PresignGetObject(context.Context, *s3.GetObjectInput, ...func(*s3.PresignOptions)) (*v4.PresignedHTTPRequest, error)
}

// Downloads is an [objects.Downloader] on a bucket. It makes no request: what
// the address may be used for is decided by S3, with the rights of whoever
// signed it.
type Downloads struct {
	presigner Presigner
	bucket    string
}

var _ objects.Downloader = (*Downloads)(nil)

// NewDownloads returns the downloads of a bucket. The temporary credentials of a
// function make addresses that end with them, if that is earlier.
func NewDownloads(presigner Presigner, bucket string) *Downloads {
	return &Downloads{presigner: presigner, bucket: bucket}
}

// Download implements [objects.Downloader].
func (d *Downloads) Download(ctx context.Context, name string, ttl time.Duration, as objects.Attachment) (string, time.Time, error) {
	address, expires, err := d.download(ctx, name, ttl, as)
	if err != nil {
		return "", time.Time{}, fmt.Errorf("address of object %q: %w", name, err)
	}
	return address, expires, nil
}

func (d *Downloads) download(ctx context.Context, name string, ttl time.Duration, as objects.Attachment) (string, time.Time, error) {
	if err := objects.CheckDownload(name, ttl, as); err != nil {
		return "", time.Time{}, err
	}
	input := &s3.GetObjectInput{
		Bucket: &d.bucket, Key: &name,
		ResponseContentDisposition: &as.Disposition,
		ResponseContentType:        &as.Type,
		ResponseCacheControl:       aws.String(objects.DownloadCaching),
	}
	request, err := d.presigner.PresignGetObject(ctx, input, s3.WithPresignExpires(ttl))
	if err != nil {
		return "", time.Time{}, err
	}
	signed, err := signedAt(request.URL)
	return request.URL, signed.Add(ttl), err
}

// signedAt reads the beginning of a presigned address's life from the address:
// the signer's clock counts, to the second.
func signedAt(address string) (time.Time, error) {
	u, err := url.Parse(address)
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse("20060102T150405Z", u.Query().Get("X-Amz-Date"))
}
