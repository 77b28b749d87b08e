package embed

import "github.com/listward/listward/pkg/locale"

// messages are what visitors of a customer's site are told, by the code of an API's
// error, and what else the script says.
func (b *Box) messages(l locale.Lang) map[string]string {
	texts := map[string]string{
		"missing_key":         "This search box has no key. The owner of this site must put one into its address.",
		"invalid_key":         "The key of this search box is not valid. The owner of this site must replace it.",
		"membership_required": "This search box is out of service. The owner of this site must renew the plan.",
		"domain_not_allowed":  "This search box may not be used on this site.",
		"quota_exceeded":      "The searches of today are used up. There are new ones from 00:00 UTC.",
		"throttled":           "Too many searches at one moment. Try again in a second.",
		"invalid_parameter":   "The address of this search box is wrong. The owner of this site must correct it.",
		"missing_name":        "Type a name with at least one letter or digit.",
		"name_too_long":       "The name is too long: at most 200 characters.",
		"unavailable":         "The search is not available. Try again later.",
		"internal_error":      "The search failed. Try again later.",
		"network":             "The search could not be reached. Check your connection and try again.",
		"loading":             "Searching…",
		"none":                "No match for “{query}” in the lists searched. This does not mean that a party is not sanctioned.",
		"none_of_some":        "No match for “{query}” in the lists that could be searched. Others could not: see below.",
		"one":                 "1 match for “{query}”",
		"many":                "{count} matches for “{query}”",
		"shown":               "The first {shown} are shown. Type more of the name to find fewer.",
		"lists":               "Lists searched:",
		"unsearched":          "Not searched:",
		"stale":               "not up to date",
		"review":              "being checked",
		"matched":             "matched:",
		"record":              "Official record",
		"entity":              "organisation",
		"individual":          "person",
		"vessel":              "vessel",
		"aircraft":            "aircraft",
	}
	for key, text := range texts {
		texts[key] = b.words.In(l, text)
	}
	return texts
}
