package cn

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/sanction"
)

// Review is a matter that a person must look at; while one is open, the source
// reports "review" (decisions section 1, CN).
type Review struct {
	// Notice is the number, or the title of what has none.
	Notice string
	Reason string
	// From is the day, YYYY-MM-DD, on which the matter arises: the end of a
	// suspension, or the day from which a listing is removed or cancelled. It is empty
	// for one that is open at once.
	From string
}

// home is the page of the Ministry's notices, for those whose address is unknown.
const home = "https://www.mofcom.gov.cn/zwgk/zcfb/"

// Fold works out the list that notices, in any order, leave in force, and what a
// person must look at. It reads no clock: a suspension that has ended keeps its
// mark with the day, whoever is removed or cancelled from a day after the date of
// the list stays on it, and a Review says from when either is open. The list has
// the date of the latest notice; the caller owns it. The error is lists.ErrNoEntries
// for notices that leave nobody listed, lists.ErrSchema when every party was
// rejected. A party without a name, or of a notice whose list is unknown, is left
// out and named in List.Rejected.
func Fold(notices []Notice) (sanction.List, []Review, error) {
	f := folding{}
	f.notices, f.reviews = unite(notices)
	for _, n := range f.notices {
		for _, doubt := range n.Doubts {
			f.review(n, doubt)
		}
		for _, party := range n.Parties {
			f.standing = append(f.standing, standing{notice: n, party: party})
		}
	}
	for _, n := range f.notices {
		for _, e := range n.Effects {
			f.apply(n, e)
		}
	}
	f.expiries()
	list, err := f.list()
	if err != nil {
		return sanction.List{}, nil, err
	}
	return list, f.reviews, nil
}

// unite orders notices by date and number, and makes one of those that are the same
// under several addresses. The doubts about each text of it stay open.
func unite(notices []Notice) (united []Notice, reviews []Review) {
	ordered := slices.Clone(notices)
	slices.SortStableFunc(ordered, func(a, b Notice) int {
		return cmp.Or(cmp.Compare(a.Published, b.Published), a.Number.compare(b.Number), cmp.Compare(a.Title, b.Title))
	})
	known := map[string]int{}
	for _, n := range ordered {
		key := cmp.Or(string(n.Number), n.Published+n.Title)
		i, met := known[key]
		if !met {
			known[key] = len(united)
			united = append(united, n)
			continue
		}
		first := &united[i]
		first.URLs = slices.Concat(first.URLs, n.URLs)
		for _, doubt := range n.Doubts {
			if !slices.Contains(first.Doubts, doubt) {
				first.Doubts = append(slices.Clip(first.Doubts), doubt)
			}
		}
		if !slices.Equal(first.Parties, n.Parties) || !slices.EqualFunc(first.Effects, n.Effects, Effect.equal) {
			reviews = append(reviews, Review{Notice: n.name(), Reason: "two texts of the notice differ in their parties or effects; the first counts"})
		}
	}
	return united, reviews
}

func (n Notice) name() string { return cmp.Or(string(n.Number), n.Title) }

// folding is the state of the lists while notices take effect in turn.
type folding struct {
	notices  []Notice // in the order of their dates
	standing []standing
	reviews  []Review
}

// standing is one listing and the last that happened to it.
type standing struct {
	notice Notice
	party  Party
	last   Effect
}

func (f *folding) review(n Notice, reason string) {
	f.reviews = append(f.reviews, Review{Notice: n.name(), Reason: reason})
}

// date is that of the list: the day of the latest notice.
func (f *folding) date() string { return f.notices[len(f.notices)-1].Published }

// apply brings an effect of n over the listings that it means. Whoever is to leave
// the list on a day behind its date stays: too long is safer than too short.
func (f *folding) apply(n Notice, e Effect) {
	met, held := false, e.delists() && e.From > f.date()
	for i := range f.standing {
		if s := &f.standing[i]; e.means(s, n) {
			met = true
			if e.Action != Adjust && !held {
				s.last = e
			}
		}
	}
	known := slices.ContainsFunc(f.notices, func(other Notice) bool { return e.Of != "" && other.Number == e.Of })
	switch {
	case e.Action == Adjust:
		f.review(n, fmt.Sprintf("it adjusts %s; what changes must be read", e.Of))
	case !met && (!known || len(e.Parties) > 0):
		f.review(n, fmt.Sprintf("its %s meets no listing", e.name()))
	case met && held:
		f.reviews = append(f.reviews, Review{Notice: n.name(), From: e.From,
			Reason: fmt.Sprintf("its %s is to take effect on %s", e.name(), e.From)})
	}
}

// means reports whether an effect of n is about a listing. Without an earlier
// notice it is about the parties that it names, as listed before n.
func (e Effect) means(s *standing, n Notice) bool {
	named := slices.ContainsFunc(e.Parties, s.party.same)
	switch {
	case e.Of != "" && e.Of != s.notice.Number, e.Program != "" && e.Program != s.notice.Program:
		return false
	case e.Of == "":
		return named && s.notice.Published < n.Published
	}
	return named || len(e.Parties) == 0
}

// expiries adds a review for each notice whose suspension has an end.
func (f *folding) expiries() {
	for _, s := range f.standing {
		if s.last.Action != Suspend || s.last.Until == "" {
			continue
		}
		ends := Review{Notice: s.notice.name(), From: s.last.Until,
			Reason: "the suspension until " + s.last.Until + " has ended without a further notice"}
		if !slices.Contains(f.reviews, ends) {
			f.reviews = append(f.reviews, ends)
		}
	}
}

func (f *folding) list() (sanction.List, error) {
	if len(f.standing) == 0 {
		return sanction.List{}, fmt.Errorf("%w: none of %d notices lists a party", lists.ErrNoEntries, len(f.notices))
	}
	b := lists.Builder{Date: f.date()}
	for _, s := range f.standing {
		e := s.entry()
		switch {
		case s.last.delists():
		case s.notice.Number == "" || s.notice.Program == "":
			b.Reject(e.ID, "the notice has no number or is about no known list")
		case len(e.Names) == 0:
			b.Reject(e.ID, "every name is missing")
		default:
			b.Add(e)
		}
	}
	return b.List()
}

// entry makes the entry of a listing. Its id is stable: the list, the notice and
// the place in it.
func (s standing) entry() sanction.Entry {
	_, number, _ := strings.Cut(string(s.notice.Number), "-")
	e := sanction.Entry{
		ID:       fmt.Sprintf("CN-%s-%s-%d", s.notice.Program, number, s.party.Ordinal),
		Source:   sanction.CN,
		Type:     sanction.Entity,
		Programs: []string{s.notice.Program + s.mark()},
		ListedOn: cmp.Or(s.notice.Effective, s.notice.Published),
		URL:      append(slices.Clone(s.notice.URLs), home)[0],
	}
	if s.party.Sub > 0 {
		e.ID += fmt.Sprintf("-%d", s.party.Sub)
	}
	if s.party.Individual {
		e.Type = sanction.Individual
	}
	e.AddName(sanction.Name{Text: s.party.Name, Kind: sanction.Primary})
	e.AddName(sanction.Name{Text: s.party.Native, Kind: sanction.Native})
	if len(e.Names) > 0 {
		e.Names[0].Kind = sanction.Primary
	}
	return e
}

// mark words what a standing measure's state is, behind its programme.
func (s standing) mark() string {
	switch {
	case s.last.Action == Stop:
		return " (stopped)"
	case s.last.Action == Suspend && s.last.Until == "":
		return " (suspended)"
	case s.last.Action == Suspend:
		return " (suspended until " + s.last.Until + ")"
	}
	return ""
}
