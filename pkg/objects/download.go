package objects

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"
)

// MaxTTL is the longest that a download's address may live (platform facts,
// section 7): whoever has the address has the object.
const MaxTTL = 5 * time.Minute

// DownloadCaching is the Cache-Control of every download: its address is a
// secret, and what it answers is for one caller.
const DownloadCaching = "private, no-store"

// The errors of Download beside ErrName.
var (
	// ErrTTL is returned for a life that [CheckTTL] refuses.
	ErrTTL = errors.New("not a life for a download's address")
	// ErrAttachment is returned for what [CheckAttachment] refuses.
	ErrAttachment = errors.New("not the headers of a download")
)

// Attachment says as what an object is downloaded; objects are stored without
// either.
type Attachment struct {
	Disposition string // Content-Disposition (RFC 6266)
	Type        string // Content-Type
}

// Downloader gives addresses from which anyone may download one object for a
// short time, so that large objects do not pass through a function. Its methods
// may be called concurrently.
type Downloader interface {
	// Download returns an address of the object and when it ends: ttl from now,
	// as [CheckTTL] allows it, to the second. The address answers GET only, with
	// the headers of as and DownloadCaching, and needs no credentials; S3 refuses
	// a request that sends some in Authorization along. It gives the version of
	// the object at the time of its use; whether there is one is not looked up.
	// The errors are ErrName, ErrTTL and ErrAttachment.
	Download(ctx context.Context, name string, ttl time.Duration, as Attachment) (address string, expires time.Time, err error)
}

// CheckDownload returns the first error of [CheckName], [CheckTTL] and
// [CheckAttachment], which every Downloader applies.
func CheckDownload(name string, ttl time.Duration, as Attachment) error {
	return cmp.Or(CheckName(name), CheckTTL(ttl), CheckAttachment(as))
}

// CheckTTL returns ErrTTL unless ttl is a number of whole seconds from one to
// [MaxTTL].
func CheckTTL(ttl time.Duration) error {
	if ttl < time.Second || ttl > MaxTTL || ttl%time.Second != 0 {
		return ErrTTL
	}
	return nil
}

// CheckAttachment returns ErrAttachment unless both headers are there, in
// printable ASCII and with no blank at either end. A line break would begin
// another header; file names in other characters have RFC 6266's filename*.
func CheckAttachment(as Attachment) error {
	for _, value := range []string{as.Disposition, as.Type} {
		if value == "" || value != strings.TrimSpace(value) || strings.ContainsFunc(value, unprintable) {
			return ErrAttachment
		}
	}
	return nil
}

func unprintable(r rune) bool { return r < ' ' || r > '~' }
