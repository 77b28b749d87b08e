package cn

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/listward/listward/pkg/lists"
)

// maxText is the size of a notice or index in bytes; the longest page has about
// 100 kB.
const maxText = 2 << 20

// readText reads a UTF-8 text of at most maxText bytes. What is not UTF-8 is not
// what was asked for, which unlike says.
func readText(r io.Reader, unlike error) (string, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxText+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read a text of the Ministry: %w", err)
	case len(body) > maxText:
		return "", fmt.Errorf("%w: a text of more than %d bytes", lists.ErrTooLarge, maxText)
	case !utf8.Valid(body):
		return "", fmt.Errorf("%w: it is not UTF-8", unlike)
	}
	return string(body), nil
}

// document is the visible text of a notice: its lines that hold anything.
type document struct {
	lines []string
	// web tells a web page from plain text, and ended that the page has its end tag:
	// that shows that it is whole, which nothing does in a plain text.
	web, ended bool
	// damaged is set where characters or tags were lost on the way to us.
	damaged bool
}

func readDocument(body string) document {
	var d document
	if strings.HasPrefix(strings.TrimLeft(body, "\ufeff \r\n\t"), "<") {
		body, d = htmlText(body)
	}
	d.damaged = d.damaged || strings.ContainsFunc(body, func(r rune) bool {
		return r == utf8.RuneError || unicode.IsControl(r) && !unicode.IsSpace(r)
	})
	// Some pages run the fields at the head together: 【发布单位】…【发布文号】…
	for line := range strings.Lines(strings.ReplaceAll(body, "【发", "\n【发")) {
		if line = plain(line); line != "" {
			d.lines = append(d.lines, line)
		}
	}
	return d
}

// plain collapses white space (the Ministry indents with U+3000), drops invisible
// characters, one of which stands in front of a name, and writes digits in half
// width.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r):
			return -1
		case '０' <= r && r <= '９':
			return r - '０' + '0'
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// htmlText is the visible text of a page, a line for each block, and what else the
// page tells of itself. Its name in the browser is left out, for it repeats the
// title with the site's name.
func htmlText(page string) (text string, d document) {
	d.web = true
	var w lineWriter
	var silent atom.Atom // the element without visible text that we are in
	tokens := html.NewTokenizer(strings.NewReader(page))
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			w.end() // a reader of a string ends with io.EOF only
			return w.text.String(), d
		}
		nested := bytes.LastIndexByte(tokens.Raw(), '<') > 0 // Token invalidates Raw
		token := tokens.Token()
		begins, ends := kind == html.StartTagToken, kind == html.EndTagToken
		d.damaged = d.damaged || (begins || ends) && nested && swallows(token)
		switch tag := token.DataAtom; {
		case kind == html.TextToken && silent == 0:
			w.write(token.Data)
		case kind == html.TextToken:
		case begins && (tag == atom.Script || tag == atom.Style || tag == atom.Title):
			silent = tag
		case ends && tag == silent:
			silent = 0
		case tag == atom.A:
			w.link = begins && slices.ContainsFunc(token.Attr, func(a html.Attribute) bool { return a.Key == "href" })
		case isBlock(tag):
			w.end()
			w.link = w.link && !ends
			d.ended = d.ended || ends && (tag == atom.Body || tag == atom.Html)
		}
	}
}

// swallows reports whether a tag with a second < in it has lost its end, and with
// it took the text up to that of another. Some tags carry texts in their values.
func swallows(tag html.Token) bool {
	carriers := []atom.Atom{atom.A, atom.Button, atom.Iframe, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Script}
	return !slices.Contains(carriers, tag.DataAtom) ||
		slices.ContainsFunc(tag.Attr, func(a html.Attribute) bool { return strings.Contains(a.Key, "<") })
}

// isBlock tells the elements that break lines.
func isBlock(tag atom.Atom) bool {
	return slices.Contains([]atom.Atom{
		atom.Article, atom.Aside, atom.Body, atom.Br, atom.Dd, atom.Div, atom.Dl, atom.Dt, atom.Footer, atom.Form,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hr, atom.Html, atom.Li, atom.Main,
		atom.Nav, atom.Ol, atom.P, atom.Section, atom.Table, atom.Td, atom.Th, atom.Tr, atom.Ul,
	}, tag)
}

// lineWriter gathers the lines of a page. A line whose words stand wholly in links
// is navigation, and left out, for it names other notices; but a link to the annex
// tells that there is one.
type lineWriter struct {
	text  strings.Builder
	line  strings.Builder
	link  bool // we are in a link
	words bool // the line has words outside of links
}

// write adds text of a line: a line break in the source is a blank, only elements
// break lines.
func (w *lineWriter) write(text string) {
	w.line.WriteString(strings.NewReplacer("\n", " ", "\r", " ").Replace(text))
	w.words = w.words || !w.link && hasLetter(text)
}

func (w *lineWriter) end() {
	line := strings.TrimSpace(w.line.String())
	if w.words || !hasLetter(line) || strings.HasPrefix(line, "附") {
		w.text.WriteString(line + "\n")
	}
	w.line.Reset()
	w.words = false
}

func hasLetter(text string) bool { return strings.ContainsFunc(text, unicode.IsLetter) }

// hasHan tells Chinese and Japanese names from those in Latin script.
func hasHan(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	})
}
