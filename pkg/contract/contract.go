// Package contract is what callers are promised: the OpenAPI document, which is for
// programs ([OpenAPI]), and the page of documentation, which is for people ([Page]).
//
// Both are written by hand and embedded. The tests of this package hold them against
// each other, and an existing validator holds the document against OpenAPI 3.1 and every
// example against its schema. Whether the service keeps the contract is for the tests of
// the service to show, which need [Examples] for it.
package contract

import (
	_ "embed"
	"html"
	"regexp"
	"strings"
)

//go:embed openapi.json
var document string

//go:embed docs.html
var page string

// OpenAPI returns the contract as OpenAPI 3.1 in JSON. The caller owns the slice.
func OpenAPI() []byte { return []byte(document) }

// Page returns the documentation as one page of HTML in UTF-8, which loads nothing else
// and needs no script. Its addresses are relative to /docs. The caller owns the slice.
func Page() []byte { return []byte(page) }

// Example is a program of the page that can be run as it stands. It reads the address of
// the service, without a slash at the end, from LISTWARD_URL and the key from
// LISTWARD_KEY, may write files into its working folder, and fails with a status that is
// not 0.
type Example struct {
	// Language is curl (for sh -e, with curl and grep), go (one file of package main),
	// python (3.8 or newer) or javascript (Node.js 18 or newer); all of them need their
	// standard library alone.
	Language string
	Code     string
}

// Examples returns the programs of the page in their order. They are the elements
// <pre data-run="language">, which hold text alone.
func Examples() []Example {
	var all []Example
	for _, m := range regexp.MustCompile(`(?s)<pre\b[^>]* data-run="([a-z]+)"[^>]*>(.*?)</pre>`).FindAllStringSubmatch(page, -1) {
		all = append(all, Example{Language: m[1], Code: strings.TrimSpace(html.UnescapeString(m[2])) + "\n"})
	}
	return all
}
