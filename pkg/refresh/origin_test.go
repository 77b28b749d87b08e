package refresh_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/refresh"
	"github.com/listward/listward/pkg/sanction"
)

func compressed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFolderReadsCompressedFiles(t *testing.T) {
	b := newBench(t)
	folder := files(t, nil)
	folder[un+".gz"] = &fstest.MapFile{Data: compressed(t, string(folder[un].Data))}
	delete(folder, un)
	if s := b.mustRun(folder).State(sanction.UN); s.Status != edition.OK {
		t.Errorf("state %+v", s)
	}
	folder[un+".gz"].Data = folder[un+".gz"].Data[:1000]
	if s := b.mustRun(folder).State(sanction.UN); s.Status != edition.Stale || !strings.Contains(s.Detail, "cut off") {
		t.Errorf("state after half of a compressed file %+v", s)
	}
}

func TestWeb(t *testing.T) {
	publisher := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("User-Agent") != "Tester/1":
			http.NotFound(w, r)
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "/list", http.StatusFound)
		case r.URL.Path == "/list":
			_, _ = io.WriteString(w, "the list")
		default:
			http.Error(w, "down", http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(publisher.Close)
	web := refresh.Web{Client: publisher.Client(), UserAgent: "Tester/1"}
	for path, want := range map[string]string{"/list": "the list", "/moved": "the list", "/down": ""} {
		body, err := web.Open(t.Context(), refresh.File{Path: "x", URL: publisher.URL + path})
		if want == "" {
			if !errors.Is(err, refresh.ErrFetch) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: error %v, want ErrFetch that names the address", path, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		text, err := io.ReadAll(body)
		if err != nil || string(text) != want {
			t.Errorf("%s: %q and error %v, want %q", path, text, err, want)
		}
		if err := body.Close(); err != nil {
			t.Errorf("%s: close: %v", path, err)
		}
	}
	publisher.Close()
	if _, err := web.Open(t.Context(), refresh.File{URL: publisher.URL + "/list"}); !errors.Is(err, refresh.ErrFetch) {
		t.Errorf("a publisher that is away: error %v, want ErrFetch", err)
	}
}

// TestNewestText: an act is read in its newest consolidated text, asked for as the
// Publications Office wants it.
func TestNewestText(t *testing.T) {
	answer := `{"results": {"bindings": [{"c": {"value": "02014R0833-20260424"}}, {"c": {"value": "02014R0833-20260724"}},
		{"c": {"value": "02014R0833-20250720"}}, {"c": {"value": "02015R0833-20991231"}}]}}`
	office := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		question, err := io.ReadAll(r.Body)
		switch {
		case r.URL.Path == "/sparql" && err == nil && r.Method == http.MethodPost && strings.Contains(string(question), `"02014R0833-"`):
			_, _ = io.WriteString(w, answer)
		case r.Header.Get("Accept") == "application/xhtml+xml" && r.Header.Get("Accept-Language") == "eng":
			_, _ = io.WriteString(w, r.URL.Path)
		default:
			http.Error(w, "no", http.StatusBadRequest)
		}
	}))
	t.Cleanup(office.Close)
	web := refresh.Web{Client: office.Client(), Catalogue: office.URL + "/sparql", UserAgent: "Tester/1"}
	act := refresh.File{Path: "x", URL: office.URL + "/celex/", Celex: "02014R0833"}
	body, err := web.Open(t.Context(), act)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(body); err != nil || string(text) != "/celex/02014R0833-20260724" {
		t.Errorf("read %q and error %v, want the newest text", text, err)
	}
	if err := body.Close(); err != nil {
		t.Error(err)
	}
	for _, answer = range []string{`{"results": {"bindings": []}}`, `{}`, `<html>`} {
		if _, err := web.Open(t.Context(), act); !errors.Is(err, refresh.ErrFetch) || !strings.Contains(err.Error(), "02014R0833") {
			t.Errorf("catalogue answers %q: error %v, want ErrFetch that names the act", answer, err)
		}
	}
}

// TestPublishersStayEncrypted: the Publications Office redirects to http.
func TestPublishersStayEncrypted(t *testing.T) {
	client := refresh.Publishers().Client
	next, err := http.NewRequest(http.MethodGet, "http://publications.example/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.CheckRedirect(next, make([]*http.Request, 1)); err != nil || next.URL.Scheme != "https" {
		t.Errorf("redirected to %s, error %v, want https", next.URL, err)
	}
	if err := client.CheckRedirect(next, make([]*http.Request, 10)); err == nil {
		t.Error("redirects are followed for ever")
	}
}

// TestAddresses: every file has an address and a place in the folder of its own.
func TestAddresses(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range refresh.Sources() {
		for _, f := range s.Files {
			if !strings.HasPrefix(f.URL, "https://") || f.Path == "" || f.Parse == nil || seen[f.Path] || seen[f.URL] {
				t.Errorf("%s: file %q, URL %q", s.Name, f.Path, f.URL)
			}
			seen[f.Path], seen[f.URL] = true, true
		}
	}
	if len(seen) == 0 {
		t.Error("there are no files")
	}
}
