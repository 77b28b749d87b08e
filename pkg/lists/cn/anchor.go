package cn

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// anchor is a link of a page as it stands there.
type anchor struct {
	href, title string // its attributes
	text        string
	// beside is the text with the date beside it, empty where there is none.
	beside string
}

// anchorsIn returns the links of a page. It reads tags as they come and builds no
// tree: a tree repeats elements that are not closed, over and over.
func anchorsIn(markup string) []anchor {
	var r anchorReader
	tokens := html.NewTokenizer(strings.NewReader(markup))
	for {
		switch kind := tokens.Next(); kind {
		case html.ErrorToken:
			r.endText() // a reader of a string ends with io.EOF only
			return r.anchors
		case html.TextToken:
			if !r.silent {
				r.run.Write(tokens.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			r.begin(tokens)
		case html.EndTagToken:
			name, _ := tokens.TagName()
			r.endTag(atom.Lookup(name))
		}
	}
}

// anchorReader gathers the links of a page while its tags pass. A date between two
// links belongs to the one in front, if that has none yet, or else to the one
// behind, and to neither beyond the row that it stands in.
type anchorReader struct {
	anchors []anchor
	open    bool // we are in the last link
	row     bool // the last link stands in the row that we are in
	silent  bool // we are in an element without visible text, which holds no other
	run     strings.Builder
	front   string // a text with a date that no link has taken
}

func (r *anchorReader) begin(tokens *html.Tokenizer) {
	name, _ := tokens.TagName()
	tag := atom.Lookup(name)
	r.endTag(tag)
	r.silent = slices.Contains([]atom.Atom{atom.Script, atom.Style, atom.Title}, tag)
	if tag != atom.A {
		return
	}
	if a, ok := readAnchor(tokens); ok {
		a.beside, r.front = r.front, ""
		r.anchors = append(r.anchors, a)
		r.open, r.row = true, true
	}
}

// endTag ends what cannot go on behind a tag that begins or ends: a link behind that
// of another link, and, unless a link spans it, a row.
func (r *anchorReader) endTag(tag atom.Atom) {
	r.silent = false
	switch {
	case tag == atom.A:
		r.endText()
		r.open = false
	case !r.open && slices.Contains([]atom.Atom{atom.Li, atom.Tr, atom.Dl}, tag):
		r.endText()
		r.row, r.front = false, ""
	}
}

// endText gives the text that was read to the link that we are in, or the date in
// it to a link beside it.
func (r *anchorReader) endText() {
	text := plain(r.run.String())
	r.run.Reset()
	last := len(r.anchors) - 1
	switch {
	case r.open:
		r.anchors[last].text = text
	case !besideForm.MatchString(text):
	case r.row && r.anchors[last].beside == "":
		r.anchors[last].beside = text
	default:
		r.front = text
	}
}

// readAnchor reads the attributes of a link. An anchor without an address is none.
func readAnchor(tokens *html.Tokenizer) (a anchor, ok bool) {
	for more := true; more; {
		var key, value []byte
		key, value, more = tokens.TagAttr()
		switch {
		case string(key) == "href" && !ok: // the first of a name counts
			a.href, ok = string(value), true
		case string(key) == "title" && a.title == "":
			a.title = string(value)
		}
	}
	return a, ok
}
