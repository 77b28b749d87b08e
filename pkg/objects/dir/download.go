package dir

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/listward/listward/pkg/objects"
)

// DownloadsPath is the path below which [Downloads] serves its addresses.
const DownloadsPath = "/downloads/"

// The parameters of an address.
const (
	paramExpires     = "expires" // Unix time in seconds
	paramDisposition = "disposition"
	paramType        = "type"
	paramSignature   = "signature" // HMAC-SHA256 in hexadecimal digits
)

// Downloads is an [objects.Downloader] on a folder, and the handler of its own
// addresses. They are signed with a key and nothing is kept of them: a new key
// ends them all. It is safe for concurrent use.
type Downloads struct {
	store *Store
	base  string
	key   [sha256.Size]byte
	now   func() time.Time
	log   *slog.Logger
}

var (
	_ objects.Downloader = (*Downloads)(nil)
	_ http.Handler       = (*Downloads)(nil)
)

// NewDownloads returns the downloads of a store. base is the address of the
// server that has them at [DownloadsPath], without a slash at its end. Whoever
// knows the key can download every object: a process may draw one at random when
// it starts, which ends the addresses with it. now is the clock by which
// addresses end. What keeps an object from being read goes to log.
func NewDownloads(store *Store, base string, key [sha256.Size]byte, now func() time.Time, log *slog.Logger) *Downloads {
	return &Downloads{store: store, base: base, key: key, now: now, log: log}
}

// Download implements [objects.Downloader].
func (d *Downloads) Download(_ context.Context, name string, ttl time.Duration, as objects.Attachment) (string, time.Time, error) {
	if err := objects.CheckDownload(name, ttl, as); err != nil {
		return "", time.Time{}, fmt.Errorf("address of object %q: %w", name, err)
	}
	expires := d.now().Add(ttl).Truncate(time.Second).UTC()
	query := url.Values{
		paramExpires:     {strconv.FormatInt(expires.Unix(), 10)},
		paramDisposition: {as.Disposition},
		paramType:        {as.Type},
	}
	query.Set(paramSignature, d.sign(name, query))
	return d.base + target(name, query), expires, nil
}

// target returns an address without its base. Other names or parameters give
// another one, for both are escaped.
func target(name string, query url.Values) string {
	path := url.URL{Path: DownloadsPath + name}
	return path.EscapedPath() + "?" + query.Encode()
}

// sign returns the signature that belongs into the address of an object beside
// the other parameters.
func (d *Downloads) sign(name string, others url.Values) string {
	mac := hmac.New(sha256.New, d.key[:])
	io.WriteString(mac, target(name, others)) // a hash returns no error
	return hex.EncodeToString(mac.Sum(nil))
}

// ServeHTTP answers an address of Download with the object, or with 403 when the
// address is another one or its time is over, 404 when there is no such object,
// and 405 for other methods than GET. Scripts of any origin may read the answer to
// GET, as the bucket's CORS rule allows on AWS. It does not look at Authorization,
// to which S3 answers 400 at such an address: what works here with the header sent
// along does not work there.
func (d *Downloads) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", objects.DownloadCaching)
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "a download is for GET only", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Access-Control-Allow-Origin", "*")
	name, as, ok := d.verify(r.URL)
	if !ok {
		http.Error(w, "this address is not valid, or not any more", http.StatusForbidden)
		return
	}
	object, err := d.store.Get(r.Context(), name, "")
	switch {
	case errors.Is(err, objects.ErrNotFound):
		http.Error(w, "there is no such file", http.StatusNotFound)
	case err != nil:
		d.log.ErrorContext(r.Context(), "download failed", "error", err)
		http.Error(w, "the file cannot be read", http.StatusInternalServerError)
	default:
		d.send(w, r, object, as)
	}
}

// send answers with an object. What stops it on the way shows in a connection
// that ends before Content-Length.
func (d *Downloads) send(w http.ResponseWriter, r *http.Request, object objects.Object, as objects.Attachment) {
	header := w.Header()
	header.Set("Content-Disposition", as.Disposition)
	header.Set("Content-Type", as.Type)
	header.Set("Content-Length", strconv.FormatInt(object.Size, 10))
	header.Set("X-Content-Type-Options", "nosniff")
	_, err := io.Copy(w, object.Body)
	if err := errors.Join(err, object.Body.Close()); err != nil {
		d.log.WarnContext(r.Context(), "download ended early", "error", err)
	}
}

// verify returns what an address is for, if Download has signed it as it stands
// and its time is not over. A parameter that is there twice, or is none of ours,
// makes another address.
func (d *Downloads) verify(address *url.URL) (name string, as objects.Attachment, ok bool) {
	name = strings.TrimPrefix(address.Path, DownloadsPath)
	query, err := url.ParseQuery(address.RawQuery)
	if err != nil || len(query[paramSignature]) != 1 {
		return "", as, false
	}
	signature := query.Get(paramSignature)
	query.Del(paramSignature)
	if !hmac.Equal([]byte(signature), []byte(d.sign(name, query))) {
		return "", as, false
	}
	expires, err := strconv.ParseInt(query.Get(paramExpires), 10, 64)
	if err != nil || !d.now().Before(time.Unix(expires, 0)) {
		return "", as, false
	}
	return name, objects.Attachment{Disposition: query.Get(paramDisposition), Type: query.Get(paramType)}, true
}
