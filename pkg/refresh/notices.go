package refresh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
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
// once and keeps it in the archive.

const (
	// noticesPath is where the notices stand in a folder of lists.
	noticesPath = "cn/notices"
	// pagePatience and pageLimit are for one page of the Ministry's.
	pagePatience = 20 * time.Second
	pageLimit    = 2 << 20
	// mostPages bounds the pages that one run fetches: an index that shows more new
	// ones is not what it was.
	mostPages = 100
)

// gathering collects the notices that count now.
type gathering struct {
	*Refresher
	before   edition.State
	register []cn.Notice
	notices  []cn.Notice
	files    []readFile
	doubts   []string
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

// fold makes one reading of the notices. Reviews that are due are doubts.
func (g *gathering) fold() (reading, error) {
	list, reviews, err := cn.Fold(g.notices)
	if err != nil {
		return reading{}, err
	}
	today := g.Now().UTC().Format(time.DateOnly)
	for _, v := range reviews {
		if v.From <= today {
			g.doubts = append(g.doubts, v.Notice+": "+v.Reason)
		}
	}
	net := readFile{File: edition.File{Path: noticesPath}, list: list}
	return reading{
		date: list.Date, entries: united(list.Entries), rejected: list.Rejected, doubts: g.doubts,
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
		return fmt.Errorf("%w: there is none in %s", cn.ErrNotice, noticesPath)
	}
	return nil
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
	last := accepted(g.before, name)
	if len(n.Doubts) > 0 && last.SHA256 != "" && last.SHA256 != file.SHA256 {
		earlier, err := g.archived(ctx, last)
		if err != nil && !errors.Is(err, archive.ErrDamaged) {
			return err
		}
		if err == nil && len(earlier.Doubts) == 0 {
			earlier.Doubts = []string{fmt.Sprintf("%s: the text accepted before is used, for that of now: %s", name, n.Doubts[0])}
			n, file = earlier, readFile{File: last}
		}
	}
	g.notices = append(g.notices, n)
	g.files = append(g.files, file)
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
		if !strings.HasPrefix(f.Path, "https://") {
			continue
		}
		switch n, err := g.archived(ctx, f); {
		case errors.Is(err, archive.ErrDamaged):
			g.doubts = append(g.doubts, f.Path+": "+err.Error())
		case err != nil:
			return err
		default:
			g.add(n, f.Path)
			g.files = append(g.files, readFile{File: f})
		}
	}
	for _, link := range g.newLinks(ctx) {
		if err := g.page(ctx, link); err != nil {
			g.doubts = append(g.doubts, fmt.Sprintf("%s %s: %v", link.Title, link.URL, err))
		}
	}
	return ctx.Err()
}

// newLinks are the links of the Ministry's index pages to notices that we do not
// have. In January the pages of the year before are read too.
func (g *gathering) newLinks(ctx context.Context) []cn.Link {
	now := g.Now().UTC()
	pages := slices.Concat(cn.Indexes(now.Year()), cn.Indexes(now.AddDate(0, -1, 0).Year()))
	slices.Sort(pages)
	var links []cn.Link
	for _, address := range slices.Compact(pages) {
		found, err := g.index(ctx, address)
		if err != nil {
			g.doubts = append(g.doubts, fmt.Sprintf("new notices cannot be seen: %s: %v", address, err))
		}
		for _, link := range found {
			if !g.has(link) && !slices.ContainsFunc(links, func(l cn.Link) bool { return l.URL == link.URL }) {
				links = append(links, link)
			}
		}
	}
	if len(links) > mostPages {
		g.doubts = append(g.doubts, fmt.Sprintf("%d new notices, of which %d are read in this run", len(links), mostPages))
		links = links[:mostPages]
	}
	return links
}

// has reports whether the notice behind a link is known already: by its number,
// since each is published under several addresses, or by its address.
func (g *gathering) has(link cn.Link) bool {
	number := link.Number()
	return slices.ContainsFunc(g.notices, func(n cn.Notice) bool {
		return !unread(n) && (number != "" && n.Number == number || slices.Contains(n.URLs, link.URL))
	}) || slices.ContainsFunc(g.files, func(f readFile) bool { return f.Path == link.URL })
}

// unread reports a notice of the register of which little more is known than that
// it exists: the Ministry's page, if it can be had, takes its place.
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
	return fetch.File{Path: address, URL: address, Patience: pagePatience, Limit: pageLimit}
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
	g.add(n, link.URL)
	g.files = append(g.files, readFile{File: edition.File{Path: link.URL, SHA256: raw.Sum()}, raw: raw})
	return nil
}

// add takes in a notice that was found on the web, unless the register has it. One
// that needs a person's eye takes no effect; it is named.
func (g *gathering) add(n cn.Notice, address string) {
	if i := slices.IndexFunc(g.notices, func(known cn.Notice) bool { return n.Number != "" && known.Number == n.Number }); i >= 0 {
		if !unread(g.notices[i]) {
			return
		}
		g.notices = slices.Delete(g.notices, i, i+1)
	}
	n.URLs = append([]string{address}, n.URLs...)
	if !n.Certain() {
		doubts := append(n.Doubts, fmt.Sprintf("the title counts %d parties, the text lists %d and changes %d notices",
			n.Count, len(n.Parties), len(n.Effects)))
		n.Parties, n.Effects, n.Doubts = nil, nil, []string{"not taken in: " + doubts[0] + ": " + address}
	}
	g.notices = append(g.notices, n)
}
