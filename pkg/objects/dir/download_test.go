package dir_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/listward/listward/pkg/objects"
	"github.com/listward/listward/pkg/objects/dir"
	"github.com/listward/listward/pkg/objects/objectstest"
)

const (
	base       = "http://stack.example:8080"
	exportName = "exports/all 名单.csv"
)

func noon() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

func after(d time.Duration) func() time.Time {
	return func() time.Time { return noon().Add(d) }
}

func asCSV() objects.Attachment {
	return objects.Attachment{Disposition: `attachment; filename="all.csv"`, Type: "text/csv; charset=utf-8"}
}

func downloads(store *dir.Store, now func() time.Time) *dir.Downloads {
	return dir.NewDownloads(store, base, [32]byte{1}, now, slog.New(slog.DiscardHandler))
}

// exported returns a store that holds an export.
func exported(t *testing.T) *dir.Store {
	t.Helper()
	store := open(t, t.TempDir())
	if _, err := store.Put(t.Context(), exportName, []byte("content"), objects.Always); err != nil {
		t.Fatalf("Put: %v", err)
	}
	return store
}

func link(t *testing.T, d *dir.Downloads, ttl time.Duration) string {
	t.Helper()
	address, _, err := d.Download(t.Context(), exportName, ttl, asCSV())
	if err != nil {
		t.Fatalf("Download: %v", err)
	}
	return address
}

func answer(d *dir.Downloads, method, address string) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	d.ServeHTTP(recorder, httptest.NewRequest(method, address, nil))
	return recorder
}

func TestDownloadConformance(t *testing.T) {
	objectstest.RunDownloads(t, func(t *testing.T) objectstest.Downloads {
		store, mux := open(t, t.TempDir()), http.NewServeMux()
		server := httptest.NewServer(mux)
		t.Cleanup(server.Close)
		now := after(time.Second / 3) // an address begins with a full second
		signing := func(age time.Duration) *dir.Downloads {
			set := func() time.Time { return now().Add(-age) }
			return dir.NewDownloads(store, server.URL, [32]byte{1}, set, slog.New(slog.DiscardHandler))
		}
		mux.Handle(dir.DownloadsPath, signing(0))
		return objectstest.Downloads{
			Store:   store,
			Signing: func(age time.Duration) objects.Downloader { return signing(age) },
			Now:     now,
		}
	})
}

func TestDownloadAddress(t *testing.T) {
	got := link(t, downloads(exported(t), after(999*time.Millisecond)), time.Minute)
	want := base + "/downloads/exports/all%20%E5%90%8D%E5%8D%95.csv" +
		"?disposition=attachment%3B+filename%3D%22all.csv%22&expires=1795176060&" // 2026-11-20T12:01:00Z
	if !strings.HasPrefix(got, want) || !strings.Contains(got, "&type=text%2Fcsv%3B+charset%3Dutf-8") {
		t.Errorf("the address is %s, want it to begin with %s", got, want)
	}
	if signature := values(t, got).Get("signature"); len(signature) != 2*sha256.Size {
		t.Errorf("the signature is %q, want an HMAC-SHA256 in hexadecimal digits", signature)
	}
}

func values(t *testing.T, address string) url.Values {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}

func TestDownloadHeaders(t *testing.T) {
	d := downloads(exported(t), noon)
	address := link(t, d, time.Minute)
	for what, c := range map[string]struct {
		method, address string
		status          int
		headers         map[string]string
	}{
		"object":         {http.MethodGet, address, http.StatusOK, map[string]string{"Content-Type": "text/csv; charset=utf-8", "Access-Control-Allow-Origin": "*"}},
		"another method": {http.MethodHead, address, http.StatusMethodNotAllowed, map[string]string{"Allow": "GET", "Access-Control-Allow-Origin": ""}},
		"unsigned":       {http.MethodGet, base + "/downloads/a", http.StatusForbidden, map[string]string{"Content-Disposition": "", "Access-Control-Allow-Origin": "*"}},
	} {
		got := answer(d, c.method, c.address)
		if got.Code != c.status {
			t.Errorf("%s: %d %s, want %d", what, got.Code, got.Body, c.status)
		}
		c.headers["Cache-Control"], c.headers["X-Content-Type-Options"] = "private, no-store", "nosniff"
		for header, want := range c.headers {
			if value := got.Header().Get(header); value != want {
				t.Errorf("%s: %s is %q, want %q", what, header, value, want)
			}
		}
	}
}

// Clients that follow a redirect send the key along, which S3 refuses.
func TestDownloadIgnoresAuthorization(t *testing.T) {
	d := downloads(exported(t), noon)
	request := httptest.NewRequest(http.MethodGet, link(t, d, time.Minute), nil)
	request.Header.Set("Authorization", "Bearer wrong")
	recorder := httptest.NewRecorder()
	d.ServeHTTP(recorder, request)
	if recorder.Code != http.StatusOK || recorder.Body.String() != "content" {
		t.Errorf("GET with Authorization = %d %q, want the object", recorder.Code, recorder.Body)
	}
}

func TestDownloadStatus(t *testing.T) {
	store := exported(t)
	d := downloads(store, noon)
	address := link(t, d, time.Minute)
	missing, _, err := d.Download(t.Context(), "missing", time.Minute, asCSV())
	if err != nil {
		t.Fatalf("Download: %v", err)
	}
	for what, c := range map[string]struct {
		now     time.Duration
		address string
		status  int
	}{
		"at once":                 {0, address, http.StatusOK},
		"before the end":          {time.Minute - 1, address, http.StatusOK},
		"at the end":              {time.Minute, address, http.StatusForbidden},
		"missing object":          {0, missing, http.StatusNotFound},
		"missing object too late": {time.Minute, missing, http.StatusForbidden},
		"unknown parameter":       {0, address + "&x=1", http.StatusForbidden},
		"empty parameter":         {0, address + "&=", http.StatusForbidden},
		"parameter before":        {0, strings.Replace(address, "?", "?type=text%2Fhtml&", 1), http.StatusForbidden},
		"parameter behind":        {0, address + "&type=text%2Fhtml", http.StatusForbidden},
		"later end behind":        {0, address + "&expires=9999999999", http.StatusForbidden},
		"signature twice":         {0, address + "&signature=" + values(t, address).Get("signature"), http.StatusForbidden},
		"broken escape":           {0, address + "&%zz", http.StatusForbidden},
		"semicolon":               {0, address + ";", http.StatusForbidden},
		"upper case signature": {
			0, strings.Replace(address, values(t, address).Get("signature"), strings.ToUpper(values(t, address).Get("signature")), 1),
			http.StatusForbidden,
		},
		"another path":                   {0, strings.Replace(address, "/downloads/", "/exports/", 1), http.StatusForbidden},
		"the same name, escaped further": {0, strings.Replace(address, "/exports/", "/ex%70orts%2F", 1), http.StatusOK},
	} {
		if c.address == address && c.now == 0 && what != "at once" {
			t.Errorf("%s does not change the address", what)
		}
		if got := answer(downloads(store, after(c.now)), http.MethodGet, c.address); got.Code != c.status {
			t.Errorf("%s: %d %s, want %d", what, got.Code, got.Body, c.status)
		}
	}
}

// Another process has another key.
func TestDownloadKey(t *testing.T) {
	store := exported(t)
	other := dir.NewDownloads(store, base, [32]byte{2}, noon, slog.New(slog.DiscardHandler))
	if got := answer(other, http.MethodGet, link(t, downloads(store, noon), time.Minute)); got.Code != http.StatusForbidden {
		t.Errorf("GET of an address with another key's signature = %d %s, want 403", got.Code, got.Body)
	}
}

// What the disk says goes into the log, not to the caller.
func TestDownloadUnreadable(t *testing.T) {
	folder := t.TempDir()
	store := open(t, folder)
	if err := os.Symlink("loop", filepath.Join(folder, "loop")); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	d := dir.NewDownloads(store, base, [32]byte{1}, noon, slog.New(slog.NewTextHandler(&log, nil)))
	address, _, err := d.Download(t.Context(), "loop", time.Minute, asCSV())
	if err != nil {
		t.Fatalf("Download: %v", err)
	}
	got := answer(d, http.MethodGet, address)
	if got.Code != http.StatusInternalServerError || strings.Contains(got.Body.String(), folder) {
		t.Errorf("GET of a file that cannot be read = %d %s, want 500 without its path", got.Code, got.Body)
	}
	if !strings.Contains(log.String(), filepath.Join(folder, "loop")) {
		t.Errorf("the log %q does not name the file", &log)
	}
}

// gone is the answer to a client that has left.
type gone struct{ *httptest.ResponseRecorder }

func (gone) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestDownloadEndsEarly(t *testing.T) {
	var log bytes.Buffer
	d := dir.NewDownloads(exported(t), base, [32]byte{1}, noon, slog.New(slog.NewTextHandler(&log, nil)))
	d.ServeHTTP(gone{httptest.NewRecorder()}, httptest.NewRequest(http.MethodGet, link(t, d, time.Minute), nil))
	if !strings.Contains(log.String(), syscall.EPIPE.Error()) {
		t.Errorf("the log %q does not tell that the client has left", &log)
	}
}

// FuzzDownloads holds that every address of Download is valid until its end, and
// that of another name or attachment is another one.
func FuzzDownloads(f *testing.F) {
	f.Add("exports/all.csv", "exports/all csv", `attachment; filename="all.csv"`, "text/csv; charset=utf-8")
	f.Add("a?expires=1", "a%3Fexpires=1", "attachment&type=a", "a&signature=b")
	f.Add("名单+%2B#;", "名单 %2B#;", "a=b;c", "a%26b+c")
	store, err := dir.Open(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	d, late := downloads(store, noon), downloads(store, after(time.Minute))
	f.Fuzz(func(t *testing.T, name, other, disposition, kind string) {
		as := objects.Attachment{Disposition: disposition, Type: kind}
		address, _, err := d.Download(t.Context(), name, time.Minute, as)
		if want := objects.CheckDownload(name, time.Minute, as); !errors.Is(err, want) {
			t.Fatalf("Download(%q, %q) = %v, want %v", name, as, err, want)
		}
		if err != nil {
			return
		}
		if got := answer(d, http.MethodGet, address); got.Code != http.StatusNotFound {
			t.Errorf("GET %s = %d, want 404: the store is empty", address, got.Code)
		}
		if got := answer(late, http.MethodGet, address); got.Code != http.StatusForbidden {
			t.Errorf("GET %s at its end = %d, want 403", address, got.Code)
		}
		changed, _, err := d.Download(t.Context(), other, time.Minute, objects.Attachment{Disposition: kind, Type: disposition})
		if err == nil && changed == address && (other != name || kind != disposition) {
			t.Errorf("Download(%q, %q) and Download(%q, swapped) give the same %s", name, as, other, address)
		}
	})
}
