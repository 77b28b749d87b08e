// Package sample holds small, hand-written extracts of the publishers' files in
// their true formats: what a first run serves without a download, and what tests
// of the parsers read. They are not lists to screen against.
package sample

import (
	"embed"
	"io/fs"
)

//go:embed ofac un eu eux cn
var files embed.FS

// Files returns the extracts under the names that a folder of full lists gives
// them, such as "ofac/SDN_ENHANCED.XML" or "un/consolidated.xml".
// It is read-only and may be read concurrently.
func Files() fs.FS { return files }
