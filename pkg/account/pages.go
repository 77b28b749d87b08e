package account

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/listward/listward/pkg/api"
	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/locale"
)

//go:embed pages
var files embed.FS

// pages are the templates and what they share.
type pages struct {
	byName map[string]*template.Template
	style  template.CSS
	script template.JS
	policy string // Content-Security-Policy
	words  locale.Words
}

// readPages reads the templates. Forms may go to the area itself and to the origins.
func readPages(origins []string) (pages, error) {
	p := pages{byName: map[string]*template.Template{}}
	names, err := fs.Glob(files, "pages/*.html")
	if err != nil {
		return pages{}, err
	}
	for _, name := range names {
		t, err := template.ParseFS(files, "pages/frame.html", "pages/parts.html", name)
		if err != nil {
			return pages{}, err
		}
		p.byName[strings.TrimPrefix(name, "pages/")] = t
	}
	style, err := files.ReadFile("pages/account.css")
	if err != nil {
		return pages{}, err
	}
	script, err := files.ReadFile("pages/account.js")
	if err != nil {
		return pages{}, err
	}
	words, err := files.ReadFile("pages/chinese.json")
	if err == nil {
		p.words, err = locale.Read(words)
	}
	p.style, p.script = template.CSS(style), template.JS(script)
	p.policy = fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; img-src data:; form-action %s; base-uri 'none'; frame-ancestors 'none'",
		sourceHash(style), sourceHash(script), strings.Join(append([]string{"'self'"}, origins...), " "))
	return p, err
}

// sourceHash allows one inline element by its text (CSP level 3, section 2.3.1).
func sourceHash(text []byte) string {
	sum := sha256.Sum256(text)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// chooseLanguage takes the one that was asked for and remembers it, then the one that
// was remembered, then the browser's.
func (v *visit) chooseLanguage() locale.Lang {
	asked := v.URL.Query().Get("lang")
	chosen := locale.Choose(v.Header.Get("Accept-Language"), asked, v.cookie(languageCookie))
	if asked == string(chosen) {
		v.setCookie(languageCookie, asked, 365*24*time.Hour)
	}
	return chosen
}

// t is a text in the language of the visit.
func (v *visit) t(text string) string { return v.area.pages.words.In(v.lang, text) }

// frame is what every page has.
type frame struct {
	Lang    locale.Lang
	Title   string
	Section string // of the navigation
	Address string // public, without a slash at its end
	// Here is the address of this page, for the other language; empty for what a form has
	// come to, which has no address.
	Here    string
	Code    string // of the error that the page tells of, if it does
	Session session
	Style   template.CSS
	Script  template.JS
	words   locale.Words
}

func (v *visit) frame(section, title string) frame {
	here := v.address + v.URL.Path
	if v.Method != http.MethodGet {
		here = ""
	}
	return frame{
		Lang: v.lang, Title: title, Section: section, Address: v.address, Here: here, Code: v.refusedAs, Session: v.session,
		Style: v.area.pages.style, Script: v.area.pages.script, words: v.area.pages.words,
	}
}

// T is a text in the page's language, with values for its verbs.
func (f frame) T(text string, values ...any) string {
	text = f.words.In(f.Lang, text)
	if len(values) == 0 {
		return text
	}
	return fmt.Sprintf(text, values...)
}

// Date is a day in UTC as the language writes it.
func (f frame) Date(t time.Time) string {
	if f.Lang == locale.Chinese {
		return t.UTC().Format("2006年1月2日")
	}
	return t.UTC().Format("2 January 2006")
}

// Day is a date of the API, YYYY-MM-DD, as the language writes it.
func (f frame) Day(day string) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return f.Date(t)
}

// Number is a whole number with commas, as both languages write it.
func (f frame) Number(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Limit is a key's allowance of a day.
func (f frame) Limit() int { return keys.Limit }

// keyView is a key as pages show it.
type keyView struct{ keys.Key }

// Name is the label, or the hint where there is none.
func (k keyView) Name() string {
	if k.Label != "" {
		return k.Label
	}
	return k.Hint
}

// show renders a page.
func (v *visit) show(name string, data any) (api.Document, error) {
	var b bytes.Buffer
	if err := v.area.pages.byName[name].ExecuteTemplate(&b, "frame.html", data); err != nil {
		return api.Document{}, fmt.Errorf("render %s: %w", name, err)
	}
	v.header.Set("Content-Security-Policy", v.area.pages.policy)
	return api.Document{Type: "text/html; charset=utf-8", Body: b.Bytes()}, nil
}

// sorry is the page of an error.
func (a *Area) sorry(header http.Header, r *http.Request, status int, e *api.Error) []byte {
	v := a.visit(header, r)
	v.refusedAs = e.Code
	if e.Code == api.SignInRequired {
		v.session = session{} // of an account that is gone
	}
	document, err := v.show("sorry.html", struct {
		frame
		Message string
		Status  int
	}{v.frame("", v.t("Sorry")), v.t(e.Message), status})
	if err != nil {
		a.log.ErrorContext(r.Context(), "account area", "error", err)
		return []byte(e.Message)
	}
	return document.Body
}
