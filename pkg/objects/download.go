package objects

import (
	"context"
	"errors"
	"time"
)

// MaxTTL is the longest that a download's address may live (platform facts,
// section 7): whoever has the address has the object.
const MaxTTL = 5 * time.Minute

// ErrTTL is returned by Download for a life that [CheckTTL] refuses.
var ErrTTL = errors.New("not a life for a download's address")

// Downloader gives addresses from which anyone may download one object for a
// short time, so that large objects do not pass through a function. Its methods
// may be called concurrently.
type Downloader interface {
	// Download returns an address of the object and when it ends: ttl from now,
	// as [CheckTTL] allows it. The address answers GET only, with disposition as
	// its Content-Disposition (RFC 6266), and needs no credentials. It gives the
	// version of the object at the time of its use; whether there is one is not
	// looked up. The errors are ErrName and ErrTTL.
	Download(ctx context.Context, name string, ttl time.Duration, disposition string) (address string, expires time.Time, err error)
}

// CheckTTL returns ErrTTL unless ttl is a number of whole seconds from one to
// [MaxTTL].
func CheckTTL(ttl time.Duration) error {
	if ttl < time.Second || ttl > MaxTTL || ttl%time.Second != 0 {
		return ErrTTL
	}
	return nil
}
