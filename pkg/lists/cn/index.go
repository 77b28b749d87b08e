package cn

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"

	"github.com/listward/listward/pkg/lists"
)

// ErrIndex is returned by ParseIndex for a page that is no index of notices, so
// that a site that has changed does not read as "nothing new".
var ErrIndex = errors.New("the page is no index of notices")

// Link is what an index page tells of one notice or answer to the press.
type Link struct {
	URL   string // absolute, https, on a host of the Ministry, of at most 300 bytes
	Title string
	// Published is the date beside the title or in the link, YYYY-MM-DD, empty where
	// there is none.
	Published string
}

// Number is the number in the title. It is empty where the title gives none that is
// surely the notice's own: that of an answer to the press or of a change may be the
// number of the notice that it is about.
func (l Link) Number() Number { return titleNumber(l.Title) }

// Indexes returns the addresses of the Ministry's index pages, for ParseIndex: its
// announcements of a year and in general, the notices of its Security and Control
// Bureau as JSON, and the two pages of its spokesperson, who alone announces some
// suspensions.
func Indexes(year int) []string {
	const ministry = "https://www.mofcom.gov.cn/"
	bureau := url.Values{
		"webId": {"b28941ad4e064442856787562c9a4961"}, "pageId": {"79d6d2c4e44d458180d37dd4f0996645"},
		"tplSetId": {"DDBav9QvwJVbs9iznQVmO"}, "tagId": {"信息列表"}, "parseType": {"bulidstatic"}, // sic
		"pageType": {"column"}, "paramJson": {`{"pageNo":1,"pageSize":99999}`},
	}
	return []string{
		fmt.Sprintf(ministry+"zcfb/blgg/gg/%d/index.html", year),
		ministry + "zwgk/zcfb/",
		"https://aqygzj.mofcom.gov.cn/api-gateway/jpaas-publish-server/front/page/build/unit?" + bureau.Encode(),
		ministry + "syxwfb/",
		ministry + "xwfyrth/",
	}
}

// An index of notices is a list of dated articles: a page with fewer than leastDated
// of them, as one about maintenance is, tells nothing of new notices. The Ministry's
// addresses have about 100 bytes: one of more than maxAddress is none of a notice.
const (
	leastDated = 3
	maxAddress = 300
)

// ParseIndex reads an index page of the Ministry, as HTML or as the JSON that holds
// its HTML, and returns the links whose titles bear on the lists, each once, in the
// order of the page. Addresses are relative to page, and those outside the
// Ministry's hosts are left out: an index must not send us elsewhere. A page of
// other links gives none. It takes memory in proportion to the page.
//
// Errors are ErrIndex for a page with fewer than three dated links, with a link that
// bears on the lists and has an address of more than 300 bytes, for JSON of another
// shape or what is not UTF-8, lists.ErrTooLarge for more than 2 MiB, or what r
// returned. Concurrent calls share nothing.
func ParseIndex(r io.Reader, page *url.URL) ([]Link, error) {
	body, err := readText(r, ErrIndex)
	if err != nil {
		return nil, err
	}
	if body, err = indexMarkup(body); err != nil {
		return nil, err
	}
	var links []Link
	known, dated := map[string]bool{"": true}, map[string]bool{}
	for _, a := range anchorsIn(body) {
		link := a.link(page)
		if link.URL != "" && link.Published != "" {
			dated[link.URL] = true
		}
		if known[link.URL] || !bears(link.Title) {
			continue
		}
		if len(link.URL) > maxAddress {
			return nil, fmt.Errorf("%w: a notice has an address of %d bytes: %.90q", ErrIndex, len(link.URL), link.URL)
		}
		known[link.URL] = true
		links = append(links, link)
	}
	if len(dated) < leastDated {
		return nil, fmt.Errorf("%w: it has %d dated links, and should have %d", ErrIndex, len(dated), leastDated)
	}
	return links, nil
}

// indexMarkup is the HTML of an index, which the bureau's site wraps in JSON.
func indexMarkup(body string) (string, error) {
	if !strings.HasPrefix(strings.TrimLeft(body, "\ufeff \r\n\t"), "{") {
		return body, nil
	}
	var answer struct {
		Data struct {
			HTML *string `json:"html"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(body, "\ufeff")), &answer); err != nil {
		return "", fmt.Errorf("%w: %w", ErrIndex, err)
	}
	if answer.Data.HTML == nil {
		return "", fmt.Errorf("%w: its JSON has no data.html", ErrIndex)
	}
	return *answer.Data.HTML, nil
}

var (
	// aboutForm is what a title calls the lists and measures, or whom they are on.
	aboutForm = regexp.MustCompile(`管控名单|关注名单|不可靠实体清单|反制|\d家.*实体.*措施`)
	actForm   = regexp.MustCompile(`列入|采取|启动|` + changeForm.String())
	// laterForm is a change to the measures of an earlier notice.
	laterForm = regexp.MustCompile(`(?:` + changeForm.String() + `)[^号]*(?:商务部公告|商务部令)[^号]*\d号[^号]*措施`)
)

// bears reports whether a title bears on the lists: it says that something is done,
// and with which list or measures. Titles that only speak of measures are those of
// trade remedies and of other countries.
func bears(title string) bool {
	return aboutForm.MatchString(title) && actForm.MatchString(title) || laterForm.MatchString(title)
}

// link is what an anchor of a page means. Its date is the one beside it, or else the
// one in its text or its address.
func (a anchor) link(page *url.URL) Link {
	link := Link{URL: addressOf(a.href, page), Title: a.name()}
	link.Published = cmp.Or(dateIn(besideForm, a.beside), dateIn(withinForm, a.text), dateIn(datedForm, link.URL))
	return link
}

// addressOf is the address of a link, absolute and without fragment, user and port.
// It is empty for one outside the Ministry's hosts.
func addressOf(href string, page *url.URL) string {
	const ministry = "mofcom.gov.cn"
	link, err := page.Parse(strings.TrimSpace(href))
	if err != nil || link.Scheme != "https" && link.Scheme != "http" {
		return ""
	}
	host := strings.ToLower(link.Hostname())
	if host != ministry && !strings.HasSuffix(host, "."+ministry) {
		return ""
	}
	return (&url.URL{Scheme: "https", Host: host, Path: link.Path, RawPath: link.RawPath, RawQuery: link.RawQuery}).String()
}

var (
	// besideForm is a date beside a link, and withinForm one in it: a title has dates
	// of its own, but writes them out.
	besideForm = regexp.MustCompile(`(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})`)
	withinForm = regexp.MustCompile(`[\[(（【]?(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})[\])）】]?`)
	// datedForm is a date in an address: /2031/03/04/, /20310304.html.
	datedForm = regexp.MustCompile(`(?:^|\D)(20\d{2})[-/]?(\d{2})[-/]?(\d{2})(?:\D|$)`)
)

// name is the text of a link without its date, or its title attribute, which is
// longer where the text is cut short.
func (a anchor) name() string {
	text, title := plain(withinForm.ReplaceAllString(a.text, " ")), plain(a.title)
	if len(title) > len(text) {
		return title
	}
	return text
}

func dateIn(form *regexp.Regexp, text string) string {
	m := form.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return lists.Day(fmt.Sprintf("%s-%02d-%02d", m[1], count(m[2]), count(m[3])))
}
