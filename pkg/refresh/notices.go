package refresh

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/listward/listward/pkg/archive"
	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/fetch"
	"github.com/listward/listward/pkg/lists/cn"
)

// The list of China's Ministry of Commerce is the net effect of its notices
// (decisions section 1, CN). From a folder those in it take effect, and those
// alone. From the web it is the notices of the register in this repository, and
// those that the Ministry's index pages show beyond it: a run fetches each page
// once and keeps it in the archive. In both, only a notice takes a party off the
// list: neither a text that became doubtful nor one that is gone does.

const (
	// noticesPath is where the notices stand in a folder of lists.
	noticesPath = "cn/notices"
	// ministry is the domain in which a page must be.
	ministry = "mofcom.gov.cn"
	// pagePatience and pageLimit are for one page of the Ministry's, pagesTime for
	// all of a run: its sites are often out of reach from abroad.
	pagePatience = 20 * time.Second
	pageLimit    = 2 << 20
	pagesTime    = 5 * time.Minute
	// mostPages bounds the pages that one run fetches, mostKept those that all runs
	// keep: an index that shows more new ones is not what it was.
	mostPages = 100
	mostKept  = 1000
)

// gathering collects the notices that count now.
type gathering struct {
	*Refresher
	before   edition.State
	register []cn.Notice
	notices  []cn.Notice
	files    []readFile
	doubts   []string
	// blind says that no page of the Ministry's could be seen.
	blind bool
}

func (r *Refresher) readNotices(ctx context.Context, before edition.State) (reading, error) {
	register, err := cn.Register()
	if err != nil {
		return reading{}, err
	}
	g := gathering{Refresher: r, before: before, register: register}
	if folder := r.Origin.Folder(); folder != nil {
		err = g.fromFolder(ctx, folder)
	} else {
		err = g.fromWeb(ctx)
	}
	if err != nil {
		return reading{}, err
	}
	return g.fold()
}

// fold makes one reading of the notices. Reviews that are due are doubts, behind
// those about what is new.
func (g *gathering) fold() (reading, error) {
	list, reviews, err := cn.Fold(g.notices)
	if err != nil {
		return reading{}, err
	}
	today := g.Now().UTC().Format(time.DateOnly)
	for _, v := range slices.Backward(reviews) {
		if v.From <= today {
			g.doubts = append(g.doubts, v.Notice+": "+v.Reason)
		}
	}
	net := readFile{File: edition.File{Path: noticesPath}, list: list}
	return reading{
		date: list.Date, entries: united(list.Entries), rejected: list.Rejected, doubts: g.doubts, blind: g.blind,
		files: append([]readFile{net}, g.files...),
	}, nil
}

// fromFolder reads every file with the ending .txt or .html, in the order of names.
func (g *gathering) fromFolder(ctx context.Context, folder fs.FS) error {
	files, err := fs.ReadDir(folder, noticesPath)
	if err != nil {
		return fmt.Errorf("%w: %w", fetch.ErrFetch, err)
	}
	for _, file := range files {
		if ending := path.Ext(file.Name()); ending != ".txt" && ending != ".html" {
			continue
		}
		text, err := fs.ReadFile(folder, path.Join(noticesPath, file.Name()))
		if err != nil {
			return fmt.Errorf("%w: %w", fetch.ErrFetch, err)
		}
		if err := g.text(ctx, path.Join(noticesPath, file.Name()), text); err != nil {
			return err
		}
	}
	if len(g.notices) == 0 {
		return fmt.Errorf("%w: there is none in the folder %s", cn.ErrNotice, noticesPath)
	}
	return g.keepGone(ctx)
}

// text takes in the text of a notice. One that became doubtful does not take the
// place of the one accepted before.
func (g *gathering) text(ctx context.Context, name string, text []byte) error {
	raw := archive.NewDraft()
	if _, err := raw.Write(text); err != nil {
		return err
	}
	file := readFile{File: edition.File{Path: name, SHA256: raw.Sum()}, raw: raw}
	n := g.parse(name, text)
	last := lastAccepted(g.before, name)
	if len(n.Doubts) > 0 && last.SHA256 != "" && last.SHA256 != file.SHA256 {
		earlier, err := g.archived(ctx, last)
		if err != nil && !errors.Is(err, archive.ErrDamaged) {
			return err
		}
		if err == nil && len(earlier.Doubts) == 0 {
			g.doubts = append(g.doubts, fmt.Sprintf("%s: the text accepted before is used, for that of now: %s", name, n.Doubts[0]))
			n, file = earlier, readFile{File: last}
		}
	}
	g.notices = append(g.notices, n)
	g.files = append(g.files, file)
	return nil
}

// keepGone keeps the notices of a folder whose files are gone from it.
func (g *gathering) keepGone(ctx context.Context) error {
	for _, f := range g.before.Files {
		there := slices.ContainsFunc(g.files, func(now readFile) bool { return now.Path == f.Path })
		if there || !strings.HasPrefix(f.Path, noticesPath+"/") {
			continue
		}
		if err := g.keep(ctx, f); err != nil {
			return err
		}
		g.doubts = append(g.doubts, f.Path+" is gone from the folder: the text accepted before is used")
	}
	return nil
}

// keep takes in a notice from the archive.
func (g *gathering) keep(ctx context.Context, f edition.File) error {
	n, err := g.archived(ctx, f)
	switch {
	case errors.Is(err, archive.ErrDamaged):
		g.doubts = append(g.doubts, f.Path+": "+err.Error())
		return nil
	case err != nil:
		return err
	}
	g.add(n, f.Path)
	g.files = append(g.files, readFile{File: f})
	return nil
}

// parse reads a notice. A text that is none becomes a Notice with nothing but a
// doubt, titled with its name, so that it hides no other and is not hidden itself.
func (g *gathering) parse(name string, text []byte) cn.Notice {
	n, err := cn.ParseNotice(bytes.NewReader(text))
	if err != nil {
		return cn.Notice{Title: name, Doubts: []string{err.Error()}}
	}
	return cn.Confirmed(n, g.register)
}

// archived reads the notice of a file that was accepted before.
func (g *gathering) archived(ctx context.Context, f edition.File) (cn.Notice, error) {
	raw, err := archive.Open(ctx, g.Store, archive.Name(rawFolder, f.SHA256))
	if err != nil {
		return cn.Notice{}, err
	}
	defer raw.Close() // read-only: nothing is lost
	text, err := io.ReadAll(raw)
	if err != nil {
		return cn.Notice{}, err
	}
	return g.parse(f.Path, text), nil
}

// fromWeb adds to the register what the Ministry has published since. Pages that
// cannot be had are doubts: the list is served all the same.
func (g *gathering) fromWeb(ctx context.Context) error {
	g.notices = slices.Clone(g.register)
	for _, f := range g.before.Files {
		if onWeb(f.Path) {
			if err := g.keep(ctx, f); err != nil {
				return err
			}
		}
	}
	inTime, cancel := context.WithTimeout(ctx, pagesTime)
	defer cancel()
	for _, link := range g.newLinks(inTime) {
		if err := g.page(inTime, link); err != nil {
			g.doubts = append(g.doubts, fmt.Sprintf("%s (%s) cannot be read: %v", link.Title, link.URL, err))
		}
	}
	return nil
}

func onWeb(path string) bool { return strings.HasPrefix(path, "https://") }

// newLinks are the links of the Ministry's index pages to notices that we do not
// have, the newest first. In January the pages of the year before are read too.
func (g *gathering) newLinks(ctx context.Context) []cn.Link {
	now := g.Now().UTC()
	pages := slices.Concat(cn.Indexes(now.Year()), cn.Indexes(now.AddDate(0, -1, 0).Year()))
	slices.Sort(pages)
	pages = slices.Compact(pages)
	var links []cn.Link
	var unseen []error
	for _, address := range pages {
		found, err := g.index(ctx, address)
		if err != nil {
			unseen = append(unseen, err)
		}
		for _, link := range found {
			if !g.has(link) && !slices.ContainsFunc(links, func(l cn.Link) bool { return l.URL == link.URL }) {
				links = append(links, link)
			}
		}
	}
	if len(unseen) > 0 {
		g.blind = len(unseen) == len(pages)
		g.doubts = append(g.doubts, fmt.Sprintf("new notices may be missing: %d of the %d pages that name them cannot be read: %v",
			len(unseen), len(pages), unseen[0]))
	}
	slices.SortStableFunc(links, func(a, b cn.Link) int { return cmp.Compare(b.Published, a.Published) })
	if most := max(0, min(mostPages, mostKept-len(g.files))); len(links) > most {
		g.doubts = append(g.doubts, fmt.Sprintf("%d new notices, of which the newest %d are read", len(links), most))
		links = links[:most]
	}
	return links
}

// has reports whether the notice behind a link is known already: by its number,
// since each is published under several addresses, or by its address. What was not
// taken in is looked at again, for pages are mended.
func (g *gathering) has(link cn.Link) bool {
	number := link.Number()
	return slices.ContainsFunc(g.notices, func(n cn.Notice) bool {
		return !unread(n) && (number != "" && n.Number == number || slices.Contains(n.URLs, link.URL))
	})
}

// unread reports a notice of which little more is known than that it exists: the
// Ministry's page, if it can be had, takes its place.
func unread(n cn.Notice) bool {
	return len(n.Doubts) > 0 && len(n.Parties) == 0 && len(n.Effects) == 0
}

func (g *gathering) index(ctx context.Context, address string) ([]cn.Link, error) {
	page, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	var links []cn.Link
	err = g.Origin.Fetch(ctx, webPage(address), fetch.Version{}, func(body fetch.Body) error {
		links, err = cn.ParseIndex(body, page)
		return err
	})
	return links, err
}

func webPage(address string) fetch.File {
	return fetch.File{Path: address, URL: address, Within: ministry, Patience: pagePatience, Limit: pageLimit}
}

// page fetches a new notice and takes it in.
func (g *gathering) page(ctx context.Context, link cn.Link) error {
	var text []byte
	err := g.Origin.Fetch(ctx, webPage(link.URL), fetch.Version{}, func(body fetch.Body) (err error) {
		text, err = io.ReadAll(body)
		return err
	})
	if err != nil {
		return err
	}
	n, err := cn.ParseNotice(bytes.NewReader(text))
	if err != nil {
		return err // not kept: the page may be another one tomorrow
	}
	raw := archive.NewDraft()
	if _, err := raw.Write(text); err != nil {
		return err
	}
	g.files = slices.DeleteFunc(g.files, func(f readFile) bool { return f.Path == link.URL })
	g.doubts = slices.DeleteFunc(g.doubts, func(doubt string) bool { return strings.HasSuffix(doubt, ": "+link.URL) })
	g.files = append(g.files, readFile{File: edition.File{Path: link.URL, SHA256: raw.Sum()}, raw: raw})
	g.add(n, link.URL)
	return nil
}

// same reports whether two texts of a notice say the same.
func same(a, b cn.Notice) bool {
	return slices.Equal(a.Parties, b.Parties) && reflect.DeepEqual(a.Effects, b.Effects)
}

// add takes in a notice that is not one of the register's or of the folder's. One
// from the web that needs a person's eye takes no effect; it is named. A second text
// of a notice is a doubt where it says something else.
func (g *gathering) add(n cn.Notice, name string) {
	known := slices.IndexFunc(g.notices, func(k cn.Notice) bool {
		return n.Number != "" && k.Number == n.Number || slices.Contains(k.URLs, name)
	})
	if onWeb(name) {
		n.URLs = append([]string{name}, n.URLs...)
	}
	switch {
	case onWeb(name) && !n.Certain() && (known < 0 || unread(g.notices[known])):
		reasons := append(n.Doubts, fmt.Sprintf("the title counts %d parties, the text lists %d and changes %d notices",
			n.Count, len(n.Parties), len(n.Effects)))
		g.doubts = append(g.doubts, fmt.Sprintf("%s: not taken in: %s: %s", cmp.Or(string(n.Number), n.Title), reasons[0], name))
	case known < 0:
		g.notices = append(g.notices, n)
	case unread(g.notices[known]):
		g.notices[known] = n
	case !unread(n) && !same(n, g.notices[known]):
		g.doubts = append(g.doubts, fmt.Sprintf("%s: another text of it says something else: %s", n.Number, name))
	}
}
