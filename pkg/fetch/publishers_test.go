package fetch_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/fetch"
)

// The publishers with their documented faults.

const (
	exports = "sls.example.com/api/PublicationPreview/exports/SDN_ENHANCED.ZIP"
	bucket  = "s3.example.com/Published/1/"
	sparql  = "office.example.com/webapi/rdf/sparql"
	celex   = "office.example.com/resource/celex/"
	cellar  = "office.example.com/resource/cellar/"
	act     = "02014R0833"
)

// presigned is the address of the SDN list published on a day, for one caller.
func presigned(day, signature string) http.HandlerFunc {
	return redirect(http.StatusFound, "https://"+bucket+day+"/SDN_ENHANCED.ZIP?X-Amz-Signature="+signature)
}

func TestOFAC(t *testing.T) {
	list := zipped(t, "SDN_ENHANCED.XML", "[SDN]")
	play(t, script{
		// The address of the first answer is used up; the folder of the second has a day
		// that no list has.
		exports:                                {presigned("2026-09-04", "first"), presigned("2062-04-09", "second")},
		bucket + "2026-09-04/SDN_ENHANCED.ZIP": {cut(list[:20], len(list))},
		bucket + "2062-04-09/SDN_ENHANCED.ZIP": {page(list, "ETag", `"e"`, "Last-Modified", "Fri, 04 Sep 2026 14:00:00 GMT")},
	}, func(t *testing.T, p *publishers) {
		var r reader
		want(t, p.web.Fetch(t.Context(), fetch.File{URL: "https://" + exports}, fetch.Version{}, r.read), nil)
		version := fetch.Version{URL: "https://" + exports, ETag: `"e"`, LastModified: "Fri, 04 Sep 2026 14:00:00 GMT"}
		if diff := cmp.Diff(version, r.version); r.list != "[SDN]" || r.calls != 1 || diff != "" {
			t.Errorf("read %q in %d calls, version:\n%s", r.list, r.calls, diff)
		}
		if second := p.asked("")[3]; second.query != "X-Amz-Signature=second" {
			t.Errorf("the second attempt asked for %q", second.query)
		}
	})
}

// TestOFACRefuses: S3 says why in XML, which is no list.
func TestOFACRefuses(t *testing.T) {
	play(t, script{
		exports:                                {presigned("2026-09-04", "late")},
		bucket + "2026-09-04/SDN_ENHANCED.ZIP": {answer(http.StatusForbidden, "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>")},
	}, func(t *testing.T, p *publishers) {
		var r reader
		err := p.web.Fetch(t.Context(), fetch.File{URL: "https://" + exports}, fetch.Version{}, r.read)
		want(t, err, fetch.ErrFetch, attempts(1), bucket, "status 403 Forbidden")
		if strings.Contains(err.Error(), "late") {
			t.Errorf("error %q gives the signature away", err)
		}
		if r.calls != 0 {
			t.Errorf("the refusal was read as a list")
		}
	})
}

const (
	unList  = "un.example.com/resources/xml/en/consolidated.xml"
	unMoved = "un.example.com/moved/consolidated.xml"
)

func TestUN(t *testing.T) {
	// The publisher's gate: what does not look like a browser gets a 404.
	gate := func(next http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasPrefix(r.UserAgent(), "Mozilla/5.0 (") {
				next = answer(http.StatusNotFound, "")
			}
			next(w, r)
		}
	}
	moved := gate(redirect(http.StatusFound, "/moved/consolidated.xml"))
	play(t, script{
		unList: {gate(page("[UN]")), moved, moved, moved},
		unMoved: {
			gate(page("[UN]", "ETag", `W/"1"`, "Last-Modified", "Fri, 27 Feb 2026 00:00:00 GMT")),
			gate(answer(http.StatusNotModified, "")),
			gate(page("[UN, newer]")),
		},
	}, func(t *testing.T, p *publishers) {
		file := fetch.File{URL: "https://" + unList}
		var r reader
		nameless := p.web
		nameless.UserAgent = ""
		want(t, nameless.Fetch(t.Context(), file, fetch.Version{}, r.read), fetch.ErrFetch, attempts(1), unList, "status 404")
		want(t, p.web.Fetch(t.Context(), file, fetch.Version{}, r.read), nil)
		known := r.version
		if err := p.web.Fetch(t.Context(), file, known, r.read); !errors.Is(err, fetch.ErrUnchanged) || r.calls != 1 {
			t.Errorf("error %v and %d calls of read, want ErrUnchanged and none but the first", err, r.calls)
		}
		known.URL = "https://another.example.com"
		want(t, p.web.Fetch(t.Context(), file, known, r.read), nil)
		calls := p.asked(unMoved)
		for i, tag := range []string{"", `W/"1"`, ""} {
			since := map[bool]string{true: "Fri, 27 Feb 2026 00:00:00 GMT"}[tag != ""]
			h := calls[i].header
			if h.Get("If-None-Match") != tag || h.Get("If-Modified-Since") != since {
				t.Errorf("request %d: conditions %q and %q, want %q and %q", i+1, h.Get("If-None-Match"), h.Get("If-Modified-Since"), tag, since)
			}
		}
	})
}

const fsf = "fsf.example.com/fsd/fsf/public/files/xmlFullSanctionsList_1_1/content"

func TestEU(t *testing.T) {
	down := answer(http.StatusInternalServerError, "")
	for name, tt := range map[string]struct {
		steps []http.HandlerFunc
		reads int // calls of read
	}{
		"burst of 500s":          {[]http.HandlerFunc{down, answer(http.StatusBadGateway, ""), answer(http.StatusServiceUnavailable, ""), page("[EU]")}, 1},
		"empty 200":              {[]http.HandlerFunc{page(""), page("[EU]")}, 1},
		"tiny body":              {[]http.HandlerFunc{page("["), page("[EU]")}, 2},
		"late first byte":        {[]http.HandlerFunc{stall(""), page("[EU]")}, 1},
		"stalls within the body": {[]http.HandlerFunc{stall("[EU, a"), page("[EU]")}, 2},
		"one of each":            {[]http.HandlerFunc{down, page(""), stall("[EU, a"), page("[EU]")}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, script{fsf: tt.steps}, func(t *testing.T, p *publishers) {
				var r reader
				file := fetch.File{URL: "https://" + fsf + "?token=public", Patience: 180 * time.Second}
				want(t, p.web.Fetch(t.Context(), file, fetch.Version{}, r.read), nil)
				if r.list != "[EU]" || r.calls != tt.reads || r.version.URL != file.URL {
					t.Errorf("read %q in %d calls from %s, want %d calls", r.list, r.calls, r.version.URL, tt.reads)
				}
				for _, c := range p.asked("") {
					if c.query != "token=public" || c.header.Get("Accept-Language") != "" {
						t.Errorf("asked %q with Accept-Language %q", c.query, c.header.Get("Accept-Language"))
					}
				}
			})
		})
	}
}

// TestEUNeverComes: an attempt ends with the file's patience, and the error tells the
// caller's own deadline from it.
func TestEUNeverComes(t *testing.T) {
	play(t, script{fsf: {stall(""), stall(""), stall("[EU, a"), stall("")}}, func(t *testing.T, p *publishers) {
		var r reader
		file := fetch.File{URL: "https://" + fsf + "?token=public", Patience: 180 * time.Second}
		err := p.web.Fetch(t.Context(), file, fetch.Version{}, r.read)
		want(t, err, fetch.ErrFetch, attempts(4), "not done in time: 3m0s", fsf)
		if strings.Count(err.Error(), "in time") != 1 || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errTruncated) || strings.Contains(err.Error(), "token") {
			t.Errorf("error %v", err)
		}
		second := time.Second
		between(t, p.asked(""), []time.Duration{181 * second, 182 * second, 184 * second}, []time.Duration{183 * second, 186 * second, 192 * second})
	})
}

// numbers is the catalogue's answer.
func numbers(all ...string) string {
	var rows []string
	for _, n := range all {
		rows = append(rows, `{"c": {"type": "typed-literal", "value": "`+n+`"}}`)
	}
	return `{"head": {"vars": ["c"]}, "results": {"bindings": [` + strings.Join(rows, ", ") + `]}}`
}

func TestCELLAR(t *testing.T) {
	newest := celex + act + "-20260724"
	moved := redirect(http.StatusSeeOther, "http://"+cellar+"7f1c/DOC_1")
	play(t, script{
		sparql: {
			answer(http.StatusInternalServerError, ""),
			page(numbers(act+"-20260424", act+"-20260724", act+"-20250720", act+"-corrigendum", "02015R0833-20991231")),
		},
		newest:                {moved, moved, moved},
		cellar + "7f1c/DOC_1": {page(""), cut("[E", 100), page("[EUX]", "ETag", `"x"`)},
	}, func(t *testing.T, p *publishers) {
		p.web.Catalogue = "https://" + sparql
		var r reader
		want(t, p.web.Fetch(t.Context(), fetch.File{URL: "https://" + celex, Celex: act}, fetch.Version{}, r.read), nil)
		if diff := cmp.Diff(fetch.Version{URL: "https://" + newest, ETag: `"x"`}, r.version); r.list != "[EUX]" || diff != "" {
			t.Errorf("read %q, version:\n%s", r.list, diff)
		}
		for _, c := range p.asked(sparql) {
			if c.header.Get("Content-Type") != "application/sparql-query" || c.header.Get("Accept") != "application/sparql-results+json" ||
				!strings.Contains(c.body, `"`+act+`-"`) {
				t.Errorf("the catalogue was asked with %v: %s", c.header, c.body)
			}
		}
		for _, c := range slices.Concat(p.asked(newest), p.asked(cellar+"7f1c/DOC_1")) {
			if c.header.Get("Accept") != "application/xhtml+xml" || c.header.Get("Accept-Language") != "eng" {
				t.Errorf("%s was asked with %v", c.place, c.header)
			}
		}
	})
}

func TestCELLARUnchanged(t *testing.T) {
	known := fetch.Version{URL: "https://" + celex + act + "-20260717", ETag: `"x"`}
	file := fetch.File{URL: "https://" + celex, Celex: act}
	play(t, script{
		sparql:                    {page(numbers(act + "-20260717")), page(numbers(act+"-20260717", act+"-20260724"))},
		celex + act + "-20260717": {answer(http.StatusNotModified, "")},
		celex + act + "-20260724": {page("[EUX]")},
	}, func(t *testing.T, p *publishers) {
		p.web.Catalogue = "https://" + sparql
		var r reader
		want(t, p.web.Fetch(t.Context(), file, known, r.read), fetch.ErrUnchanged)
		want(t, p.web.Fetch(t.Context(), file, known, r.read), nil)
		if tag := p.asked(celex + act + "-20260724")[0].header.Get("If-None-Match"); tag != "" || r.calls != 1 {
			t.Errorf("a newer text was asked for with the tag %q of the older, %d calls of read", tag, r.calls)
		}
	})
}

// TestCELLARSuperseded: a text that the catalogue names may be gone.
func TestCELLARSuperseded(t *testing.T) {
	play(t, script{
		sparql:                    {page(numbers(act + "-20260724"))},
		celex + act + "-20260724": {answer(http.StatusNotFound, "")},
	}, func(t *testing.T, p *publishers) {
		p.web.Catalogue = "https://" + sparql
		var r reader
		err := p.web.Fetch(t.Context(), fetch.File{URL: "https://" + celex, Celex: act}, fetch.Version{}, r.read)
		want(t, err, fetch.ErrFetch, attempts(1), celex+act+"-20260724", "status 404")
	})
}

// TestCatalogueFails: no text is asked for, not even the one that is known.
func TestCatalogueFails(t *testing.T) {
	for name, tt := range map[string]struct {
		step     http.HandlerFunc
		attempts int
		words    string
	}{
		"web page":  {page("<html>"), 4, "invalid character"},
		"no object": {page("{}"), 4, "names no consolidated text"},
		"no text":   {page(numbers("02015R0833-20991231")), 4, "names no consolidated text"},
		// Virtuoso sends what it has found when its own time is over.
		"incomplete":        {page(numbers(act+"-20140801"), "X-SQL-State", "S1TAT"), 4, "answer is incomplete"},
		"incomplete, 206":   {answer(http.StatusPartialContent, numbers(act+"-20140801")), 4, "status 206"},
		"cut off":           {cut(numbers(act + "-20260724")[:80], 500), 4, "unexpected EOF"},
		"never comes":       {stall(""), 4, "not done in time: 1m0s"},
		"too large":         {page(`{"results": "` + strings.Repeat("x", 2<<20) + `"}`), 4, "unexpected EOF"},
		"refuses to answer": {answer(http.StatusBadRequest, "syntax"), 1, "status 400"},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, script{sparql: slices.Repeat([]http.HandlerFunc{tt.step}, tt.attempts)}, func(t *testing.T, p *publishers) {
				p.web.Catalogue = "https://" + sparql
				var r reader
				known := fetch.Version{URL: "https://" + celex + act + "-20260724", ETag: `"x"`}
				err := p.web.Fetch(t.Context(), fetch.File{URL: "https://" + celex, Celex: act}, known, r.read)
				want(t, err, fetch.ErrFetch, attempts(tt.attempts), sparql, tt.words)
			})
		})
	}
}

const ministry = "ministry.example.com"

// TestMOFCOM: its sites are slow for callers from elsewhere. Whoever has the time
// may be patient.
func TestMOFCOM(t *testing.T) {
	play(t, script{ministry + "/1.html": {stall(""), stall("[一"), page("[一]")}}, func(t *testing.T, p *publishers) {
		file := fetch.File{URL: "https://" + ministry + "/1.html", Patience: 15 * time.Minute}
		var r reader
		want(t, p.web.Fetch(t.Context(), file, fetch.Version{}, r.read), nil)
		if r.list != "[一]" {
			t.Errorf("read %q", r.list)
		}
		second := time.Second
		between(t, p.asked(""), []time.Duration{901 * second, 902 * second}, []time.Duration{903 * second, 906 * second})
	})
}

// TestPace: a host is asked once in 250 ms, by whatever file or redirect; others do
// not wait for it.
func TestPace(t *testing.T) {
	steps := script{
		ministry + "/index":      {redirect(http.StatusFound, "/index.html")},
		ministry + "/index.html": {page("[目录]")},
		unList:                   {page("[UN]")},
	}
	paths := []string{ministry + "/index"}
	for _, n := range []string{"/1", "/2", "/3", "/4"} {
		steps[ministry+n] = []http.HandlerFunc{page("[公告]")}
		paths = append(paths, ministry+n)
	}
	play(t, steps, func(t *testing.T, p *publishers) {
		get := func(path string) {
			var r reader
			if err := p.web.Fetch(t.Context(), fetch.File{URL: "https://" + path}, fetch.Version{}, r.read); err != nil || r.calls != 1 {
				t.Errorf("%s: %v, %d calls of read", path, err, r.calls)
			}
		}
		var all sync.WaitGroup
		for _, path := range paths {
			all.Go(func() { get(path) })
		}
		synctest.Wait() // until the others wait for the Ministry
		get(unList)
		if un := p.asked(unList)[0].at; un != 0 {
			t.Errorf("the UN was asked after %s: it waited for the Ministry", un)
		}
		all.Wait()
		calls := slices.DeleteFunc(p.asked(""), func(c call) bool { return c.place == unList })
		paced := slices.Repeat([]time.Duration{250 * time.Millisecond}, 5)
		between(t, calls, paced, paced)
	})
}
