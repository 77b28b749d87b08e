package cn

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/listward/listward/pkg/lists"
)

// ErrIndex is returned by ParseIndex for a page that is no index of notices, so
// that a site that has changed does not read as "nothing new".
var ErrIndex = errors.New("the page is no index of notices")

// Link is what an index page tells of one notice or answer to the press.
type Link struct {
	URL   string // absolute, https, on a host of the Ministry
	Title string
	// Published is the date beside the title, YYYY-MM-DD, empty where there is none.
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

// ParseIndex reads an index page of the Ministry, as HTML or as the JSON that holds
// its HTML, and returns the links whose titles bear on the lists, each once, in the
// order of the page. Addresses are relative to page, and those outside the
// Ministry's hosts are left out: an index must not send us elsewhere. A page of
// other links gives none. Errors are ErrIndex for a page without any link, JSON of
// another shape or what is not UTF-8, lists.ErrTooLarge for more than 2 MiB, or what
// r returned. Concurrent calls share nothing.
func ParseIndex(r io.Reader, page *url.URL) ([]Link, error) {
	body, err := readText(r, ErrIndex)
	if err != nil {
		return nil, err
	}
	if body, err = indexMarkup(body); err != nil {
		return nil, err
	}
	root, err := html.Parse(strings.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrIndex, err)
	}
	if !holdsAnchor(root) {
		return nil, fmt.Errorf("%w: it has no link", ErrIndex)
	}
	return linksIn(root, page), nil
}

func linksIn(root *html.Node, page *url.URL) []Link {
	var links []Link
	known := map[string]bool{"": true}
	for n := range root.Descendants() {
		if !isAnchor(n) {
			continue
		}
		address, title := addressOf(n, page), titleOf(n)
		if !known[address] && bears(title) {
			known[address] = true
			links = append(links, Link{URL: address, Title: title, Published: dateOf(n)})
		}
	}
	return links
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

// addressOf is the address of a link, absolute and without fragment, user and port.
// It is empty for one outside the Ministry's hosts.
func addressOf(a *html.Node, page *url.URL) string {
	const ministry = "mofcom.gov.cn"
	link, err := page.Parse(strings.TrimSpace(attribute(a, "href")))
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
)

// titleOf is the text of a link without its date, or its title attribute, which is
// longer where the text is cut short.
func titleOf(a *html.Node) string {
	text, attr := plain(withinForm.ReplaceAllString(plain(textOf(a)), " ")), plain(attribute(a, "title"))
	if len(attr) > len(text) {
		return attr
	}
	return text
}

// dateOf is the date of a link: the one behind it or in front of it, or beside the
// elements that hold it, up to its row, which holds no other link; or else in it.
func dateOf(a *html.Node) string {
	rows := []atom.Atom{atom.Li, atom.Tr, atom.Dd}
	const maxDepth = 4
	for n, depth := a, 0; n.Parent != nil && depth < maxDepth; n, depth = n.Parent, depth+1 {
		behind, last := dateBeside(n, func(n *html.Node) *html.Node { return n.NextSibling })
		before, first := dateBeside(n, func(n *html.Node) *html.Node { return n.PrevSibling })
		if date := cmp.Or(behind, before); date != "" {
			return date
		}
		if !last || !first || slices.Contains(rows, n.Parent.DataAtom) {
			break
		}
	}
	return dateIn(withinForm, textOf(a))
}

// dateBeside is the date next to a node on one side, and whether no other link
// stands on that side.
func dateBeside(n *html.Node, next func(*html.Node) *html.Node) (date string, alone bool) {
	for s := next(n); s != nil && date == ""; s = next(s) {
		if holdsAnchor(s) {
			return "", false
		}
		date = dateIn(besideForm, textOf(s))
	}
	return date, true
}

func dateIn(form *regexp.Regexp, text string) string {
	m := form.FindStringSubmatch(plain(text))
	if m == nil {
		return ""
	}
	return lists.Day(fmt.Sprintf("%s-%02d-%02d", m[1], count(m[2]), count(m[3])))
}

func isAnchor(n *html.Node) bool {
	return n.DataAtom == atom.A && slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "href" })
}

func holdsAnchor(n *html.Node) bool {
	if isAnchor(n) {
		return true
	}
	for below := range n.Descendants() {
		if isAnchor(below) {
			return true
		}
	}
	return false
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// textOf is the text below a node, itself included.
func textOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var text strings.Builder
	for below := range n.Descendants() {
		if below.Type == html.TextNode {
			text.WriteString(below.Data)
		}
	}
	return text.String()
}
