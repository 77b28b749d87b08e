// Package locale is the two languages of the pages, English and Chinese: which one a
// reader wants, and the texts in it. Pages are written in English; [Words] has the Chinese
// for each text.
package locale

import (
	"encoding/json"
	"fmt"
	"slices"

	"golang.org/x/text/language"
)

// Lang is a language, as the parameter lang names it.
type Lang string

// The languages, the first where nothing else is known.
const (
	English Lang = "en"
	Chinese Lang = "zh"
)

// Tag is the language for an HTML lang attribute.
func (l Lang) Tag() string {
	if l == Chinese {
		return "zh-Hans"
	}
	return "en"
}

// Choose takes the first of the preferences that is a language, then what suits the
// header Accept-Language best.
func Choose(accept string, preferences ...string) Lang {
	languages := []Lang{English, Chinese}
	for _, p := range preferences {
		if slices.Contains(languages, Lang(p)) {
			return Lang(p)
		}
	}
	tags, _, err := language.ParseAcceptLanguage(accept)
	if err != nil {
		return English
	}
	_, index, _ := language.NewMatcher([]language.Tag{language.English, language.Chinese}).Match(tags...)
	return languages[index]
}

// Words are Chinese texts by the English ones.
type Words map[string]string

// Read reads words from a JSON object.
func Read(text []byte) (Words, error) {
	var w Words
	if err := json.Unmarshal(text, &w); err != nil {
		return nil, fmt.Errorf("read the words: %w", err)
	}
	return w, nil
}

// In is a text in a language; a text that has no other is as it is.
func (w Words) In(l Lang, text string) string {
	if translated, found := w[text]; found && l == Chinese {
		return translated
	}
	return text
}
