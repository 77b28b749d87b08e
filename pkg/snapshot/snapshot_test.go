package snapshot_test

import (
	"bytes"
	"errors"
	"math/rand"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/listward/listward/pkg/sanction"
	"github.com/listward/listward/pkg/snapshot"
)

func sample() []sanction.Entry {
	return []sanction.Entry{
		{
			ID: "UN-QDi.901", Source: sanction.UN, Type: sanction.Individual, URL: "https://un.example/1",
			Names: []sanction.Name{
				{Text: "SA'AD BEN ALI", Kind: sanction.Primary},
				{Text: "Abu Tester", Kind: sanction.Alias, Weak: true},
				{Text: "سعد بن علي", Kind: sanction.Native},
			},
			Programs: []string{"Al-Qaida"}, ListedOn: "2001-02-03",
			BirthDates: []string{"1960", "circa 1962"}, Countries: []string{"TN", "IT"},
		},
		{
			ID: "OFAC-2", Source: sanction.OFAC, Type: sanction.Vessel, URL: "https://ofac.example/2",
			Names:    []sanction.Name{{Text: "M/V SEA STAR", Kind: sanction.Primary}, {Text: "OLD STAR", Kind: sanction.Former}},
			Programs: []string{"IRAN", "SDGT"}, Lists: []string{"SDN"}, IMOs: []string{"9187629", "9187629"},
		},
		{
			ID: "OFAC-3", Source: sanction.OFAC, Type: sanction.Aircraft, URL: "https://ofac.example/3",
			Names: []sanction.Name{{Text: "EP-IBC", Kind: sanction.Primary}}, Registrations: []string{"EP-OLD"},
		},
		{
			ID: "OFAC-1", Source: sanction.OFAC, Type: sanction.Individual, URL: "https://ofac.example/1",
			Names: []sanction.Name{{Text: "TESTER, Max", Kind: sanction.Primary, Reading: "Max TESTER"}},
		},
	}
}

func open(t testing.TB, entries []sanction.Entry) *snapshot.Snapshot {
	t.Helper()
	data, err := snapshot.Build(entries)
	if err != nil {
		t.Fatalf("Build: %v", err)
	}
	s, err := snapshot.Open(data)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return s
}

// shown is an entry as a snapshot gives it back: readings are searched only.
func shown(e sanction.Entry) sanction.Entry {
	e.Names = slices.Clone(e.Names)
	for i := range e.Names {
		e.Names[i].Reading = ""
	}
	return e
}

func TestRoundTripInRowOrder(t *testing.T) {
	s := open(t, sample())
	var got []sanction.Entry
	for e := range s.Entries() {
		got = append(got, s.Entry(e))
	}
	in := sample()
	want := []sanction.Entry{shown(in[2]), shown(in[1]), shown(in[3]), shown(in[0])}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries in the order source, name, id (-want +got):\n%s", diff)
	}
}

// TestBrowsing: lists are browsed in the order of source and id, and entries are found
// by their ids.
func TestBrowsing(t *testing.T) {
	s := open(t, sample())
	var got []string
	for i := range s.Entries() {
		e := s.Browsed(i)
		got = append(got, s.ID(e))
		if found, ok := s.ByID(s.ID(e)); !ok || found != e {
			t.Errorf("ByID(%q) = %d, %v, want %d", s.ID(e), found, ok, e)
		}
	}
	if want := []string{"OFAC-1", "OFAC-2", "OFAC-3", "UN-QDi.901"}; !slices.Equal(got, want) {
		t.Errorf("browsed %q, want %q", got, want)
	}
	for _, id := range []string{"", "OFAC-", "OFAC-4", "UN-QDi.9", "ZZ-1"} {
		if e, ok := s.ByID(id); ok {
			t.Errorf("ByID(%q) = %d, which is there", id, e)
		}
	}
}

func TestForms(t *testing.T) {
	s := open(t, sample())
	want := map[string][]snapshot.Form{
		"EP-IBC":        {{Text: "ep ibc"}},
		"M/V SEA STAR":  {{Text: "sea star"}},
		"OLD STAR":      {{Text: "old star"}},
		"TESTER, Max":   {{Text: "tester max", Distinctive: true}, {Text: "max tester", Distinctive: true}},
		"SA'AD BEN ALI": {{Text: "saad ben ali", Distinctive: true}, {Text: "sa ad ben ali", Split: true, Distinctive: true}},
		"Abu Tester":    {{Text: "abu tester"}},
		"سعد بن علي":    {{Text: "سعد بن علي", Distinctive: true}},
	}
	got := map[string][]snapshot.Form{}
	for n := range s.Names() {
		from, to := s.NameForms(n)
		for f := from; f < to; f++ {
			got[s.Name(n).Text] = append(got[s.Name(n).Text], s.Form(f))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("forms by name (-want +got):\n%s", diff)
	}
}

func TestIdentifiers(t *testing.T) {
	s := open(t, sample())
	for _, tt := range []struct {
		what string
		got  []int
		want []int
	}{
		{"IMO 9187629", s.ByIMO(9187629), []int{1}},
		{"IMO 9187628", s.ByIMO(9187628), nil},
		{"tail epibc, a name", s.ByRegistration("epibc"), []int{0}},
		{"tail epold, a registration", s.ByRegistration("epold"), []int{0}},
		{"tail ep", s.ByRegistration("ep"), nil},
		{"name of a person", s.ByRegistration("testermax"), nil},
	} {
		if !slices.Equal(tt.got, tt.want) {
			t.Errorf("%s: entries %v, want %v", tt.what, tt.got, tt.want)
		}
	}
}

func TestBuildDependsOnEntriesAlone(t *testing.T) {
	want, err := snapshot.Build(sample())
	if err != nil {
		t.Fatal(err)
	}
	for seed := range int64(10) {
		entries := sample()
		rand.New(rand.NewSource(seed)).Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
		got, err := snapshot.Build(entries)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("shuffle %d: other bytes (error %v)", seed, err)
		}
	}
}

func TestEmpty(t *testing.T) {
	s := open(t, nil)
	if s.Entries() != 0 || s.Names() != 0 || s.Forms() != 0 || s.ByIMO(1) != nil || s.ByRegistration("abcd") != nil {
		t.Errorf("an empty snapshot holds something: %d entries, %d names, %d forms", s.Entries(), s.Names(), s.Forms())
	}
}

func TestBuildRefuses(t *testing.T) {
	for what, change := range map[string]func(*sanction.Entry){
		"unknown source": func(e *sanction.Entry) { e.Source = "XX" },
		"unknown type":   func(e *sanction.Entry) { e.Type = "submarine" },
		"unknown kind":   func(e *sanction.Entry) { e.Names[0].Kind = "nickname" },
		"short IMO":      func(e *sanction.Entry) { e.IMOs = []string{"123"} },
		"signed IMO":     func(e *sanction.Entry) { e.IMOs = []string{"+123456"} },
	} {
		entries := sample()
		change(&entries[0])
		if data, err := snapshot.Build(entries); !errors.Is(err, snapshot.ErrBuild) || data != nil {
			t.Errorf("%s: Build gave %d bytes and error %v, want ErrBuild", what, len(data), err)
		}
	}
}

// TestOpenRefusesDamage cuts the file at every byte and flips every byte.
func TestOpenRefusesDamage(t *testing.T) {
	whole, err := snapshot.Build(sample())
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		refused(t, "cut", n, whole[:n])
		flipped := bytes.Clone(whole)
		flipped[n] ^= 0x41
		refused(t, "flipped", n, flipped)
	}
	refused(t, "longer by a byte", len(whole), append(bytes.Clone(whole), 0))
}

func refused(t *testing.T, how string, at int, data []byte) {
	t.Helper()
	s, err := snapshot.Open(data)
	named := errors.Is(err, snapshot.ErrFormat) || errors.Is(err, snapshot.ErrVersion) || errors.Is(err, snapshot.ErrDamaged)
	if s != nil || !named {
		t.Errorf("%s at byte %d: Open gave %v and error %v, want one of the sentinels", how, at, s, err)
	}
}

func TestOpenNamesVersion(t *testing.T) {
	data, err := snapshot.Build(sample())
	if err != nil {
		t.Fatal(err)
	}
	for _, offset := range []int{8, 12} {
		other := bytes.Clone(data)
		other[offset]++
		if _, err := snapshot.Open(other); !errors.Is(err, snapshot.ErrVersion) {
			t.Errorf("version field at %d changed: error %v, want ErrVersion", offset, err)
		}
	}
}

// TestRoundTripAnyEntries gives back whatever was put in.
func TestRoundTripAnyEntries(t *testing.T) {
	text := rapid.StringMatching(`[\pL\pN' .-]{1,12}`)
	entry := rapid.Custom(func(t *rapid.T) sanction.Entry {
		e := sanction.Entry{
			ID:     rapid.StringMatching(`[A-Z]{2}-[0-9]{1,4}`).Draw(t, "id"),
			Source: rapid.SampledFrom(sanction.Sources()).Draw(t, "source"),
			Type:   rapid.SampledFrom(sanction.Types()).Draw(t, "type"),
			URL:    text.Draw(t, "url"),
			Names:  []sanction.Name{{Text: text.Draw(t, "name"), Kind: sanction.Primary}},
		}
		if n := rapid.IntRange(0, 3).Draw(t, "programmes"); n > 0 {
			e.Programs = rapid.SliceOfN(rapid.StringMatching(`[\pL\pN]{1,5}( [\pL\pN]{1,5})?`), n, n).Draw(t, "programme")
		}
		return e
	})
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfNDistinct(entry, 0, 20, func(e sanction.Entry) string { return e.ID }).Draw(t, "entries")
		data, err := snapshot.Build(in)
		if err != nil {
			t.Fatalf("Build: %v", err)
		}
		s, err := snapshot.Open(data)
		if err != nil {
			t.Fatalf("Open: %v", err)
		}
		got := map[string]sanction.Entry{}
		for e := range s.Entries() {
			got[s.Entry(e).ID] = s.Entry(e)
		}
		want := map[string]sanction.Entry{}
		for _, e := range in {
			want[e.ID] = e
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestCheckPasses(t *testing.T) {
	for what, entries := range map[string][]sanction.Entry{"nothing": nil, "the sample": sample()} {
		if err := open(t, entries).Check(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
