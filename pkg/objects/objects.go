// Package objects is the object store between the refresh, which publishes
// snapshots, exports and history, and the functions that serve them.
//
// Everything that outlives a process and is no key or account goes through a
// [Store]: whole objects under names, replaced atomically and never deleted. A
// document that several processes write is read with its ETag and written with
// [IfMatch]; what is named by its content is written with [IfAbsent]. Work that
// one process at a time may do is guarded by a lease ([Acquire]). What is too
// large to pass through a function is handed out by a [Downloader].
//
// Package objects/dir keeps the objects in a folder of one machine, objects/s3
// in a bucket. A new store shows with objects/objectstest that it keeps the
// rules written here.
package objects

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"unicode"
)

// ErrName is returned by every operation for a name that [CheckName] refuses,
// and by Put in a store on a file system for a name that is the folder of
// another one ("a" beside "a/b").
var ErrName = errors.New("not a name for an object")

// The errors of Get.
var (
	// ErrNotFound is returned when there is no object of the name.
	ErrNotFound = errors.New("there is no such object")
	// ErrNotModified is returned when the object still has the caller's ETag.
	ErrNotModified = errors.New("the object has not changed")
)

// ErrPrecondition is returned by Put when its condition does not hold; the
// object is then as it was.
var ErrPrecondition = errors.New("the object is not in the expected state")

// Store holds objects by name. Its methods may be called concurrently, also by
// several processes on the same store; a reader sees an object as one Put wrote
// it, never a part of it and never a mixture. What Put has written is durable
// when it returns. Errors of the store itself (a full disk, a network) are
// wrapped as they come, and so is the context's.
type Store interface {
	// Get opens an object. An ifNoneMatch that is not empty spares the body when
	// it is still the object's ETag: the error is ErrNotModified then. The other
	// errors are ErrName and ErrNotFound. The caller closes Body.
	Get(ctx context.Context, name, ifNoneMatch string) (Object, error)

	// Put creates or replaces an object if the condition holds, which is decided
	// and done in one step, and returns its new ETag. The errors are ErrName and
	// ErrPrecondition; after any other error the object is either as it was or
	// written whole. The body stays the caller's and may be empty.
	Put(ctx context.Context, name string, body []byte, when Condition) (etag string, err error)
}

// Object is one version of an object, open for reading.
type Object struct {
	// Body yields this version to its end, even if the object is replaced
	// meanwhile. It is not safe for concurrent use.
	Body io.ReadCloser
	// ETag names the version. It is opaque: it is compared with ETags of the same
	// store and name only, differs when the content differs, and may come back
	// when the content does.
	ETag string
	// Size is the length of Body in bytes.
	Size int64
}

// Condition says in which state of the object a Put takes place: [Always],
// [IfAbsent], or what [IfMatch] returns. Conditions are comparable.
type Condition string

// The conditions without an ETag.
const (
	Always   Condition = ""
	IfAbsent Condition = "absent" // there is no object of the name
)

// matchMark keeps an IfMatch apart from the other conditions whatever the ETag.
const matchMark = "match "

// IfMatch is the condition that the object's ETag is still etag. It never holds
// for an object that does not exist, nor for an empty etag.
func IfMatch(etag string) Condition { return Condition(matchMark + etag) }

// ETag returns the ETag of an [IfMatch], and whether the condition is one.
func (c Condition) ETag() (etag string, match bool) {
	return strings.CutPrefix(string(c), matchMark)
}

// The limits of a name in bytes: S3's for the whole, and for an element what a
// file name leaves when a temporary file adds to it.
const (
	maxName    = 1024
	maxElement = 200
)

// CheckName returns ErrName unless name is a relative path in UTF-8 whose
// elements are separated by single slashes. Elements have 1 to 200 bytes, the
// name at most 1024; no element begins with a dot, so that neither "." and ".."
// nor the own files of a store on a file system can be meant, and backslashes
// and control characters are refused.
func CheckName(name string) error {
	if !fs.ValidPath(name) || len(name) > maxName || strings.ContainsFunc(name, forbidden) {
		return ErrName
	}
	for element := range strings.SplitSeq(name, "/") {
		if element[0] == '.' || len(element) > maxElement {
			return ErrName
		}
	}
	return nil
}

func forbidden(r rune) bool { return r == '\\' || unicode.IsControl(r) }
