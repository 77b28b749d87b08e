// Package s3 keeps objects in an Amazon S3 bucket: the store of the functions on
// AWS, and of anything that speaks the same protocol. Names are keys as they
// are; the bucket exists already, and the store needs s3:GetObject, s3:PutObject
// and, to tell a missing object from a forbidden one, s3:ListBucket.
//
// [New] makes the store on the SDK's client, and [NewDownloads] the presigned
// addresses on the SDK's presigner. A function has both from one configuration:
//
//	config, err := awsenv.Config(os.Getenv)
//	client := awss3.NewFromConfig(config) // aws-sdk-go-v2/service/s3
//	store := s3.New(client, bucket, rand.Text)
//	downloads := s3.NewDownloads(awss3.NewPresignClient(client), bucket)
//
// Region, credentials, endpoint, retries and the HTTP client are that client's.
// An endpoint on an IP address, as test engines have, is addressed by path
// without a further option.
package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/listward/listward/pkg/objects"
)

// ErrUnclear is returned by Put when S3 gave no clear answer to an attempt (the
// reply was lost, or was a 5xx) and the object is by now another writer's: the
// Put may have taken place and been replaced, or not have taken place. A Put if
// absent returns objects.ErrPrecondition then, for there is an object, and that
// is all it asked.
var ErrUnclear = errors.New("another writer came before S3 told whether the object was written")

// putID is the metadata in which an object names the Put that wrote it.
const putID = "put-id"

// API is what the store needs of the SDK's client, which implements it.
type API interface {
	GetObject(context.Context, *s3.GetObjectInput, ...func(*s3.Options)) (*s3.GetObjectOutput, error)
	HeadObject(context.Context, *s3.HeadObjectInput, ...func(*s3.Options)) (*s3.HeadObjectOutput, error)
	PutObject(context.Context, *s3.PutObjectInput, ...func(*s3.Options)) (*s3.PutObjectOutput, error)
}

// Store is an [objects.Store] on a bucket. ETags are S3's without their quotes.
type Store struct {
	client API
	bucket string
	newID  func() string
}

var _ objects.Store = (*Store)(nil)

// New returns the store in a bucket. newID returns a text in printable ASCII
// that no other call returns, in whatever process, as crypto/rand.Text does; it
// is called concurrently.
func New(client API, bucket string, newID func() string) *Store {
	return &Store{client: client, bucket: bucket, newID: newID}
}

// Get implements [objects.Store]. Reading Body to its end verifies the checksum
// that Put has left with the object, whatever the client's configuration says of
// checksums. An absent bucket is not ErrNotFound.
func (s *Store) Get(ctx context.Context, name, ifNoneMatch string) (objects.Object, error) {
	object, err := s.get(ctx, name, ifNoneMatch)
	if err != nil {
		return objects.Object{}, fmt.Errorf("get object %q: %w", name, err)
	}
	return object, nil
}

func (s *Store) get(ctx context.Context, name, ifNoneMatch string) (objects.Object, error) {
	if err := objects.CheckName(name); err != nil {
		return objects.Object{}, err
	}
	input := &s3.GetObjectInput{Bucket: &s.bucket, Key: &name, ChecksumMode: types.ChecksumModeEnabled}
	if ifNoneMatch != "" {
		input.IfNoneMatch = quoted(ifNoneMatch)
	}
	out, err := s.client.GetObject(ctx, input)
	switch {
	case status(err) == http.StatusNotModified:
		return objects.Object{}, objects.ErrNotModified
	case missing(err):
		return objects.Object{}, objects.ErrNotFound
	case err != nil:
		return objects.Object{}, err
	}
	return objects.Object{Body: out.Body, ETag: unquoted(out.ETag), Size: aws.ToInt64(out.ContentLength)}, nil
}

// Put implements [objects.Store]. Attempts that fail are repeated as often as
// the client's retryer says, and so are those that collide with another writer's
// (409 ConditionalRequestConflict, for which S3 asks to repeat the upload): the
// condition is undecided then, and too many collisions are an error of their
// own. See also [ErrUnclear].
func (s *Store) Put(ctx context.Context, name string, body []byte, when objects.Condition) (string, error) {
	etag, err := s.put(ctx, name, body, when)
	if err != nil {
		return "", fmt.Errorf("put object %q: %w", name, err)
	}
	return etag, nil
}

func (s *Store) put(ctx context.Context, name string, body []byte, when objects.Condition) (string, error) {
	if err := objects.CheckName(name); err != nil {
		return "", err
	}
	if when == objects.IfMatch("") { // an empty header would be no condition
		return "", objects.ErrPrecondition
	}
	id := s.newID()
	var made attempts
	out, err := s.client.PutObject(ctx, s.request(name, body, when, id), made.watch)
	switch {
	case err == nil:
		return unquoted(out.ETag), nil
	case missing(err): // objects are never deleted, so no ETag can have matched
		return "", objects.ErrPrecondition
	case status(err) != http.StatusPreconditionFailed:
		return "", err
	case made.unclear == nil:
		return "", objects.ErrPrecondition
	}
	return s.settle(ctx, name, when, id, made.unclear)
}

func (s *Store) request(name string, body []byte, when objects.Condition, id string) *s3.PutObjectInput {
	input := &s3.PutObjectInput{
		Bucket: &s.bucket, Key: &name, Body: bytes.NewReader(body),
		ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
		Metadata:          map[string]string{putID: id},
	}
	if etag, match := when.ETag(); match {
		input.IfMatch = quoted(etag)
	} else if when == objects.IfAbsent {
		input.IfNoneMatch = aws.String("*")
	}
	return input
}

// settle tells whether a Put took place whose condition was found broken after
// an attempt without a clear answer: the Put itself may have broken it. Only its
// id shows that, for another writer may put the same content.
func (s *Store) settle(ctx context.Context, name string, when objects.Condition, id string, unclear error) (string, error) {
	head, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.bucket, Key: &name})
	switch {
	case err != nil:
		return "", fmt.Errorf("%w; whose the object is could not be seen: %w", unclear, err)
	case head.Metadata[putID] == id:
		return unquoted(head.ETag), nil
	case when == objects.IfAbsent:
		return "", objects.ErrPrecondition
	}
	return "", fmt.Errorf("%w: %w", ErrUnclear, unclear)
}

// missing tells the error for a missing object. A missing bucket has the same
// status and is a fault.
func missing(err error) bool {
	var coded interface{ ErrorCode() string }
	return errors.As(err, &coded) && coded.ErrorCode() == "NoSuchKey"
}

// status is that of the answer which the SDK made an error of, 0 without one.
func status(err error) int {
	var response *awshttp.ResponseError
	if !errors.As(err, &response) {
		return 0
	}
	return response.HTTPStatusCode()
}

// HTTP has ETags in quotes (RFC 9110 section 8.8.3). Adding them here keeps an
// ETag that is none, such as "*", from meaning more than itself.
func quoted(etag string) *string     { return aws.String(`"` + etag + `"`) }
func unquoted(header *string) string { return strings.Trim(aws.ToString(header), `"`) }
