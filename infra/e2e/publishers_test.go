package e2e_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/listward/listward/pkg/lists/cn"
	"github.com/listward/listward/pkg/refresh"
)

// publishers stands in the place of all publishers: a proxy that answers for
// their hosts over TLS, with a certificate of its own, from a folder of lists. So
// the deployed refresh is tested with the addresses that it has, and no call
// leaves the machine.
type publishers struct {
	proxy *httptest.Server
	// certificate is the path of the authority that clients must trust.
	certificate string
}

func startPublishers(t *testing.T, folder fs.FS) publishers {
	t.Helper()
	paths := map[string]string{} // host and path of a publisher → path in the folder
	var hosts []string
	for _, source := range refresh.Sources() {
		for _, f := range source.Files {
			u, err := url.Parse(f.URL)
			if err != nil {
				t.Fatal(err)
			}
			if f.Celex != "" {
				u.Path += f.Celex + "-20260101"
			}
			paths[u.Host+u.Path] = f.Path
			hosts = append(hosts, u.Host)
		}
	}
	for _, address := range cn.Indexes(time.Now().Year()) {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		hosts = append(hosts, u.Host)
	}
	certificate := selfSigned(t, hosts)
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost { // the catalogue of the Publications Office
			_, _ = io.WriteString(w, `{"results": {"bindings": [{"c": {"value": "02014R0833-20260101"}}]}}`)
			return
		}
		if strings.HasSuffix(r.Host, ".mofcom.gov.cn") {
			noNews(w, r)
			return
		}
		path, known := paths[r.Host+r.URL.Path]
		if !known {
			http.NotFound(w, r)
			return
		}
		if _, err := fs.Stat(folder, path); err != nil {
			path += ".gz"
		}
		http.ServeFileFS(w, r, folder, path)
	})
	proxy := httptest.NewServer(tunnel(site, certificate))
	t.Cleanup(proxy.Close)
	file := filepath.Join(t.TempDir(), "publishers.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})
	if err := os.WriteFile(file, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return publishers{proxy, file}
}

// noNews is an index page of the Ministry's without a new notice. One of them is
// JSON that holds HTML.
func noNews(w io.Writer, r *http.Request) {
	page := `<html><body><ul><li><a href="/a.html">Apples</a> 2026-01-03</li>` +
		`<li><a href="/b.html">Pears</a> 2026-01-02</li><li><a href="/c.html">Plums</a> 2026-01-01</li></ul></body></html>`
	if strings.Contains(r.URL.Path, "api-gateway") {
		text, _ := json.Marshal(map[string]any{"data": map[string]string{"html": page}}) // strings only
		page = string(text)
	}
	_, _ = io.WriteString(w, page)
}

// environment makes a process take the publishers from here.
func (p publishers) environment() map[string]string {
	return map[string]string{"HTTPS_PROXY": p.proxy.URL, "SSL_CERT_FILE": p.certificate}
}

// tunnel answers CONNECT by serving TLS itself.
func tunnel(site http.Handler, certificate tls.Certificate) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			http.Error(w, "only CONNECT", http.StatusMethodNotAllowed)
			return
		}
		client, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer client.Close()
		if _, err := buffered.WriteString("HTTP/1.1 200 OK\r\n\r\n"); err != nil || buffered.Flush() != nil {
			return
		}
		secure := tls.Server(client, &tls.Config{Certificates: []tls.Certificate{certificate}})
		serveOnce(secure, site)
	})
}

// serveOnce answers one request on a connection.
func serveOnce(c net.Conn, site http.Handler) {
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return
	}
	w := httptest.NewRecorder()
	site.ServeHTTP(w, r)
	answer := w.Result()
	answer.ContentLength = int64(w.Body.Len())
	_ = answer.Write(c) // a client that left is its own affair
	_ = c.Close()
}

func selfSigned(t *testing.T, hosts []string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "publishers"}, DNSNames: hosts,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
