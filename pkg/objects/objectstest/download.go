package objectstest

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/listward/listward/pkg/objects"
)

// Downloads is a Downloader under test, with what the suite needs beside it.
type Downloads struct {
	// Store has the objects that the addresses are for.
	Store objects.Store
	// Signing returns the Downloader with its clock set back by age, whose
	// addresses are used at once: they are as old as that then.
	Signing func(age time.Duration) objects.Downloader
	// Now is the clock by which addresses end.
	Now func() time.Time
}

// RunDownloads runs the conformance suite of the Downloaders. open returns one
// that no other subtest uses.
func RunDownloads(t *testing.T, open func(t *testing.T) Downloads) {
	for _, rule := range []struct {
		name string
		test func(*testing.T, Downloads)
	}{
		{"headers", testHeaders},
		{"contents", testDownloadedContents},
		{"names", testDownloadNames},
		{"version", testVersion},
		{"missing objects", testMissingDownload},
		{"methods", testMethods},
		{"life", testLife},
		{"end", testEnd},
		{"other addresses", testOtherAddresses},
		{"other parameters", testOtherParameters},
		{"arguments", testDownloadArguments},
		{"racers", testRaceDownloads},
	} {
		t.Run(rule.name, func(t *testing.T) { rule.test(t, open(t)) })
	}
}

func csvFile() objects.Attachment {
	return objects.Attachment{Disposition: `attachment; filename="listward-all.csv"`, Type: "text/csv; charset=utf-8"}
}

func testHeaders(t *testing.T, d Downloads) {
	put(t, d.Store, "object", "content", objects.Always)
	for disposition, kind := range map[string]string{
		csvFile().Disposition: csvFile().Type,
		`attachment; filename="ofac.xlsx"; filename*=UTF-8''%E5%90%8D.xlsx`: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		`attachment; filename="a+b&c=d #%2B\"e.ndjson"`:                     "application/x-ndjson",
		"inline": "x/y+z",
	} {
		as := objects.Attachment{Disposition: disposition, Type: kind}
		response, _ := fetch(t, http.MethodGet, address(t, d, "object", as))
		for header, want := range map[string]string{
			"Content-Disposition": as.Disposition, "Content-Type": as.Type, "Cache-Control": objects.DownloadCaching,
			"Content-Encoding": "", "Content-Length": "7",
		} {
			if got := response.Header.Get(header); response.StatusCode != http.StatusOK || got != want {
				t.Errorf("GET of %q: %d with %s %q, want %q", as, response.StatusCode, header, got, want)
			}
		}
	}
}

func testDownloadedContents(t *testing.T, d Downloads) {
	for _, content := range []string{"", "\x00", "\r\n<b>ünïcödé\xff", strings.Repeat("0123456789abcde\n", 1<<16)} {
		put(t, d.Store, "object", content, objects.Always)
		link := address(t, d, "object", csvFile())
		gives(t, link, content)
		if response, _ := fetch(t, http.MethodGet, link); response.ContentLength != int64(len(content)) {
			t.Errorf("Content-Length of %d bytes is %d", len(content), response.ContentLength)
		}
	}
}

// testDownloadNames has all objects there before it downloads the first, so that
// a name cannot be taken for another.
func testDownloadNames(t *testing.T, d Downloads) {
	names := []string{
		"a", "a b", "a+b", "a%20b", "a%2Bb", "folder/all 名单.csv", "folder%2Fall 名单.csv", "100%", "%", "%2e%2e",
		"a?b", "a#b", "a&b=c", "a=b", "a;b", "a:b", "a@b,c$d!(e)*", `"a'b"`, "<a|b>", "[a]{b}^`~", " a ", "é", "e\u0301",
		"?expires=9999999999&signature=00", "downloads/a", "x..y", "z.",
	}
	for _, name := range names {
		put(t, d.Store, name, "content of "+name, objects.IfAbsent)
	}
	for _, name := range names {
		gives(t, address(t, d, name, csvFile()), "content of "+name)
	}
}

func testVersion(t *testing.T, d Downloads) {
	put(t, d.Store, "object", "first", objects.Always)
	link := address(t, d, "object", csvFile())
	gives(t, link, "first")
	put(t, d.Store, "object", "second", objects.Always)
	gives(t, link, "second")
}

func testMissingDownload(t *testing.T, d Downloads) {
	put(t, d.Store, "folder/object", "content", objects.Always)
	for _, name := range []string{"missing", "folder", "folder/object/below"} {
		refuses(t, http.MethodGet, address(t, d, name, csvFile()), "a missing object")
	}
}

func testMethods(t *testing.T, d Downloads) {
	put(t, d.Store, "object", "content", objects.Always)
	link := address(t, d, "object", csvFile())
	for _, method := range []string{http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		refuses(t, method, link, "another method")
	}
	gives(t, link, "content")
}

func testLife(t *testing.T, d Downloads) {
	for _, ttl := range []time.Duration{time.Second, time.Minute, objects.MaxTTL} {
		before := d.Now()
		_, expires, err := d.Signing(0).Download(t.Context(), "object", ttl, csvFile())
		if err != nil {
			t.Errorf("Download for %s: %v", ttl, err)
			continue
		}
		first, last := before.Truncate(time.Second).Add(ttl), d.Now().Add(ttl)
		if expires.Before(first) || expires.After(last) || expires.Nanosecond() != 0 || expires.Location() != time.UTC {
			t.Errorf("an address for %s ends at %s, want a full second from %s to %s in UTC", ttl, expires, first, last)
		}
	}
}

func testEnd(t *testing.T, d Downloads) {
	put(t, d.Store, "object", "content", objects.Always)
	for _, c := range []struct {
		age, ttl time.Duration
		want     int
	}{
		{0, time.Minute, http.StatusOK},
		{4 * time.Minute, 5 * time.Minute, http.StatusOK},
		{time.Minute + time.Second, time.Minute, http.StatusForbidden},
		{2 * time.Second, time.Second, http.StatusForbidden},
		{time.Hour, 5 * time.Minute, http.StatusForbidden},
	} {
		link, expires, err := d.Signing(c.age).Download(t.Context(), "object", c.ttl, csvFile())
		if err != nil {
			t.Fatalf("Download: %v", err)
		}
		if response, body := fetch(t, http.MethodGet, link); response.StatusCode != c.want {
			t.Errorf("GET of an address for %s after %s = %d %s, want %d", c.ttl, c.age, response.StatusCode, body, c.want)
		}
		if alive := d.Now().Before(expires); alive != (c.want == http.StatusOK) {
			t.Errorf("an address for %s after %s ends at %s, and was used otherwise", c.ttl, c.age, expires)
		}
	}
}

// testOtherAddresses uses one address's parameters for what they were not signed
// for.
func testOtherAddresses(t *testing.T, d Downloads) {
	put(t, d.Store, "exports/all.csv", "content", objects.Always)
	put(t, d.Store, "exports/all.csv.key", "secret", objects.Always)
	put(t, d.Store, "current.json", "secret", objects.Always)
	link := address(t, d, "exports/all.csv", csvFile())
	for _, change := range [][2]string{
		{"exports/all.csv", "current.json"},
		{"exports/all.csv", "exports/all.csv.key"},
		{"exports/all.csv", "exports%2F..%2Fcurrent.json"},
		{"exports/all.csv", "exports/%2e%2e/current.json"},
		{"exports/all.csv", ""},
		{"listward-all", "virus"},
		{"text%2Fcsv", "text%2Fhtml"},
		{link[strings.Index(link, "?"):], ""},
		{link[strings.Index(link, "?"):], "?"},
	} {
		other := strings.Replace(link, change[0], change[1], 1)
		if other == link {
			t.Fatalf("%s has no %q", link, change[0])
		}
		if response, body := fetch(t, http.MethodGet, other); response.StatusCode != http.StatusForbidden {
			t.Errorf("GET with %q for %q = %d %s, want 403", change[1], change[0], response.StatusCode, body)
		}
	}
}

// testOtherParameters changes, drops and empties each parameter of an address,
// whatever it is for.
func testOtherParameters(t *testing.T, d Downloads) {
	put(t, d.Store, "object", "content", objects.Always)
	link := address(t, d, "object", csvFile())
	base, encoded, _ := strings.Cut(link, "?")
	parameters, err := url.ParseQuery(encoded)
	if err != nil || len(parameters) == 0 {
		t.Fatalf("the parameters of %s are %v, %v", link, parameters, err)
	}
	for name, values := range parameters {
		for what, others := range map[string][]string{
			"dropped": nil, "emptied": {""}, "longer": {values[0] + "1"}, "shorter": {values[0][:len(values[0])-1]},
		} {
			parameters[name] = others
			refuses(t, http.MethodGet, base+"?"+parameters.Encode(), name+" "+what)
		}
		parameters[name] = values
	}
	gives(t, base+"?"+parameters.Encode(), "content")
}

func testDownloadArguments(t *testing.T, d Downloads) {
	const name, minute = "object", time.Minute
	as := func(disposition, kind string) objects.Attachment {
		return objects.Attachment{Disposition: disposition, Type: kind}
	}
	for _, c := range []struct {
		name string
		ttl  time.Duration
		as   objects.Attachment
		want error
	}{
		{"", minute, csvFile(), objects.ErrName},
		{"../object", minute, csvFile(), objects.ErrName},
		{"/etc/passwd", minute, csvFile(), objects.ErrName},
		{"a//b", minute, csvFile(), objects.ErrName},
		{".lock", minute, csvFile(), objects.ErrName},
		{"a\r\nb", minute, csvFile(), objects.ErrName},
		{name, 0, csvFile(), objects.ErrTTL},
		{name, -time.Second, csvFile(), objects.ErrTTL},
		{name, time.Second / 2, csvFile(), objects.ErrTTL},
		{name, time.Second + 1, csvFile(), objects.ErrTTL},
		{name, objects.MaxTTL + time.Second, csvFile(), objects.ErrTTL},
		{name, minute, objects.Attachment{}, objects.ErrAttachment},
		{name, minute, as("", "text/csv"), objects.ErrAttachment},
		{name, minute, as("attachment", ""), objects.ErrAttachment},
		{name, minute, as("attachment\r\nSet-Cookie: a=b", "text/csv"), objects.ErrAttachment},
		{name, minute, as("attachment", "text/csv\nSet-Cookie: a=b"), objects.ErrAttachment},
	} {
		link, expires, err := d.Signing(0).Download(t.Context(), c.name, c.ttl, c.as)
		if !errors.Is(err, c.want) || link != "" || !expires.IsZero() {
			t.Errorf("Download(%q, %s, %q) = %q, %s, %v; want %v alone", c.name, c.ttl, c.as, link, expires, err, c.want)
		}
	}
}

func testRaceDownloads(t *testing.T, d Downloads) {
	downloads := d.Signing(0)
	links := make([]string, racers)
	race(func(racer int) {
		var err error
		if links[racer], _, err = downloads.Download(t.Context(), strconv.Itoa(racer), time.Minute, csvFile()); err != nil {
			t.Errorf("racer %d: Download: %v", racer, err)
		}
	})
	for racer, link := range links {
		put(t, d.Store, strconv.Itoa(racer), "content of "+strconv.Itoa(racer), objects.IfAbsent)
		gives(t, link, "content of "+strconv.Itoa(racer))
	}
}

// address returns an address of an object for as long as may be.
func address(t *testing.T, d Downloads, name string, as objects.Attachment) string {
	t.Helper()
	link, _, err := d.Signing(0).Download(t.Context(), name, objects.MaxTTL, as)
	if err != nil {
		t.Fatalf("Download(%q): %v", name, err)
	}
	return link
}

func gives(t *testing.T, address, want string) {
	t.Helper()
	response, body := fetch(t, http.MethodGet, address)
	if response.StatusCode != http.StatusOK || body != want {
		t.Errorf("GET %s = %d with %d bytes, beginning %.80q; want 200 with %d, beginning %.80q",
			address, response.StatusCode, len(body), body, len(want), want)
	}
}

// refuses checks that an address is answered with a client error.
func refuses(t *testing.T, method, address, what string) {
	t.Helper()
	if response, body := fetch(t, method, address); response.StatusCode < 400 || response.StatusCode > 499 {
		t.Errorf("%s of an address with %s = %d %.80q, want a status of 400 to 499", method, what, response.StatusCode, body)
	}
}

// fetch requests an address as a browser does, without credentials.
func fetch(t *testing.T, method, address string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatalf("%s %s: %v", method, address, err)
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		t.Fatalf("read %s: %v", address, err)
	}
	return response, string(body)
}
