package cn

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// textLines returns the lines of a text or HTML page that hold anything, with
// white space collapsed (the Ministry indents with U+3000) and without invisible
// characters, one of which stands in front of a name.
func textLines(body string) []string {
	if strings.HasPrefix(strings.TrimLeft(body, "\ufeff \r\n\t"), "<") {
		body = htmlText(body)
	}
	var kept []string
	for line := range strings.Lines(body) {
		line = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) {
				return -1
			}
			return r
		}, line)
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			kept = append(kept, line)
		}
	}
	return kept
}

// htmlText is the visible text of a page, a line for each block. The page's name
// in the browser is left out, for it repeats the title with the site's name.
func htmlText(page string) string {
	blocks := []atom.Atom{atom.P, atom.Div, atom.Br, atom.Li, atom.Tr, atom.Td, atom.H1, atom.H2, atom.H3, atom.H4, atom.Table, atom.Ul, atom.Ol}
	silent := []atom.Atom{atom.Script, atom.Style, atom.Title}
	var text strings.Builder
	var within atom.Atom // the silent element that we are in
	tokens := html.NewTokenizer(strings.NewReader(page))
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return text.String() // a reader of a string ends with io.EOF only
		}
		token := tokens.Token()
		switch {
		case kind == html.TextToken && within == 0:
			// A line break in the source is a blank, only elements break lines.
			text.WriteString(strings.NewReplacer("\n", " ", "\r", " ").Replace(token.Data))
		case slices.Contains(blocks, token.DataAtom):
			text.WriteString("\n")
		case slices.Contains(silent, token.DataAtom) && kind == html.StartTagToken:
			within = token.DataAtom
		case kind == html.EndTagToken && token.DataAtom == within:
			within = 0
		}
	}
}
