package api

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/listward/listward/pkg/table"
)

// notModified is the answer to a caller who has the answer already.
type notModified struct{}

// shown is what of the sources' states stands in an answer that is a list: only the
// second sheet of a spreadsheet has them.
func (c *call) shown() []sourceState {
	if c.format != table.XLSX {
		return nil
	}
	return c.states
}

// unchanged sets the ETag of what the call asks for, made of all that the answer depends
// on besides, and reports whether the caller has it (RFC 9110 section 13.1.2). The ETags
// are weak, for some answers also tell when they were given.
func (c *call) unchanged(of ...any) bool {
	// Values that JSON cannot hold are none of ours: the hash is of what it can.
	text, _ := json.Marshal(append(of, c.URL.Path, c.URL.Query()))
	sum := sha256.Sum256(text)
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	c.header.Set("ETag", "W/"+tag)
	for _, values := range c.Header.Values("If-None-Match") {
		for value := range strings.SplitSeq(values, ",") {
			if value = strings.TrimSpace(value); value == "*" || strings.TrimPrefix(value, "W/") == tag {
				return true
			}
		}
	}
	return false
}
