package keys

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxLabel is how long a label may be, in Unicode code points.
const MaxLabel = 60

// ErrLabel is returned by [ParseLabel], and by a [Store] that was given the same.
var ErrLabel = errors.New("not a label: write one line of at most 60 characters")

// ParseLabel brings a label into the form in which it is stored: without white space
// around it. It may be empty; line breaks and other control characters are refused.
// Applied to its own result it changes nothing.
func ParseLabel(s string) (string, error) {
	label := strings.TrimSpace(s)
	if !utf8.ValidString(label) || utf8.RuneCountInString(label) > MaxLabel || strings.ContainsFunc(label, unicode.IsControl) {
		return "", fmt.Errorf("%w: %.100q", ErrLabel, s)
	}
	return label, nil
}
