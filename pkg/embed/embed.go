// Package embed is the search box that customers show in a frame of their own pages
// (spec section 4.5): GET /embed?key=…&lang=en|zh.
//
// The page holds no key but a token that [keys.TokenKey] makes of it, with which its
// script calls GET /api/v1/screen for an hour; then it fetches itself again for another. Who may frame
// the page is the key's domain lock, which the browser keeps by frame-ancestors.
package embed

import (
	"bytes"
	"crypto/rand"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/listward/listward/pkg/api"
	"github.com/listward/listward/pkg/apigw"
	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/listing"
	"github.com/listward/listward/pkg/locale"
	"github.com/listward/listward/pkg/sanction"
)

//go:embed box
var files embed.FS

// Box serves the search box. It is safe for concurrent use.
type Box struct {
	tokens keys.TokenKey
	now    func() time.Time

	box, sorry *template.Template
	style      template.CSS
	script     template.JS
	words      locale.Words
}

// New returns a Box whose tokens the authorizer with the same key takes.
func New(tokens keys.TokenKey, now func() time.Time) (*Box, error) {
	b := &Box{tokens: tokens, now: now}
	read := func(name string) (text []byte, err error) { return files.ReadFile("box/" + name) }
	style, err := read("box.css")
	if err != nil {
		return nil, fmt.Errorf("make the search box: %w", err)
	}
	script, err := read("box.js")
	if err != nil {
		return nil, fmt.Errorf("make the search box: %w", err)
	}
	words, err := read("chinese.json")
	if err == nil {
		b.words, err = locale.Read(words)
	}
	if err != nil {
		return nil, fmt.Errorf("make the search box: %w", err)
	}
	b.style, b.script = template.CSS(style), template.JS(script)
	if b.box, err = template.ParseFS(files, "box/box.html"); err == nil {
		b.sorry, err = template.ParseFS(files, "box/sorry.html")
	}
	if err != nil {
		return nil, fmt.Errorf("make the search box: %w", err)
	}
	return b, nil
}

// Handler makes the handler of /embed.
func (b *Box) Handler(e *api.Edge) http.Handler { return e.BesideGuarded("embed", b.page, b.apology) }

// frame is what both pages have.
type frame struct {
	Lang   locale.Lang
	Nonce  string
	Style  template.CSS
	Script template.JS
	words  locale.Words
}

// T is a text in the page's language.
func (f frame) T(text string) string { return f.words.In(f.Lang, text) }

// newFrame chooses the language and sets the headers that a framed page has.
func (b *Box) newFrame(header http.Header, r *http.Request) frame {
	f := frame{
		Lang:  locale.Choose(r.Header.Get("Accept-Language"), r.URL.Query().Get("lang")),
		Nonce: rand.Text(), Style: b.style, Script: b.script, words: b.words,
	}
	header.Set("Content-Security-Policy", fmt.Sprintf(
		"default-src 'none'; script-src 'nonce-%[1]s'; style-src 'nonce-%[1]s'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors %[2]s",
		f.Nonce, ancestors(apigw.VerdictOf(r.Context()).Domains)))
	header.Set("Cache-Control", "private, no-store")
	header.Set("Referrer-Policy", "no-referrer") // the address holds the key
	return f
}

// ancestors are the pages that may frame the box: those of the key's domains, on every
// port and with TLS or without as the lock of the API has it, or all without a lock. A
// source without a scheme would refuse pages without TLS, such as a developer's own.
func ancestors(domains string) string {
	if domains == "" {
		return "*"
	}
	hosts := strings.Fields(domains)
	for i := range hosts {
		hosts[i] = "https://" + hosts[i] + ":* http://" + hosts[i] + ":*"
	}
	return strings.Join(hosts, " ")
}

func (b *Box) page(header http.Header, r *http.Request) (api.Document, error) {
	secret, err := keys.Parse(r.URL.Query().Get("key"))
	if err != nil { // the authorizer has read it from the same place
		return api.Document{}, fmt.Errorf("search box: %w", err)
	}
	for name, values := range r.URL.Query() {
		if name != "key" && name != "lang" || len(values) > 1 {
			return api.Document{}, &api.Error{Code: api.InvalidParameter, Param: name}
		}
	}
	f := b.newFrame(header, r)
	var page bytes.Buffer
	err = b.box.Execute(&page, struct {
		frame
		Token        string
		Lasts        int // seconds
		Messages     map[string]string
		Attributions []string
	}{f, b.tokens.Mint(secret.Hash(), b.now().Add(keys.TokenTime)), int(keys.TokenTime.Seconds()), b.messages(f.Lang), attributions()})
	if err != nil {
		return api.Document{}, fmt.Errorf("render the search box: %w", err)
	}
	return api.Document{Type: "text/html; charset=utf-8", Body: page.Bytes()}, nil
}

// attributions are those that publishers ask for beside their data.
func attributions() []string {
	var all []string
	for _, source := range sanction.Sources() {
		if text := listing.PublisherOf(source).Attribution; text != "" {
			all = append(all, text)
		}
	}
	return all
}

// apology is the page of an error: also one that a browser shows in a frame.
func (b *Box) apology(header http.Header, r *http.Request, status int, e *api.Error) []byte {
	f := b.newFrame(header, r)
	message, found := b.messages(f.Lang)[e.Code]
	if !found {
		message = f.T("The search is not available. Try again later.")
	}
	var page bytes.Buffer
	err := b.sorry.Execute(&page, struct {
		frame
		Code, Message string
		Passes        bool // by itself, so that it can be tried again
	}{f, e.Code, message, status == http.StatusTooManyRequests || status >= http.StatusInternalServerError})
	if err != nil {
		return []byte(e.Message)
	}
	return page.Bytes()
}
