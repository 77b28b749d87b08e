package refresh_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/edition"
	"github.com/listward/listward/pkg/lists/liststest"
	"github.com/listward/listward/pkg/sanction"
)

// spoilt is a file of the newer lists, and ways to spoil it each of which must be
// refused with a reason that has the words.
type spoilt struct {
	source sanction.Source
	path   string
	// open, end and every make the excerpt, see liststest.Excerpt; without open it is
	// the whole file.
	open, end string
	every     int
	lost      map[string]spoil
}

// spoil takes what the pattern matches out of a file, or leaves with in its place.
type spoil struct{ pattern, with, words string }

func spoiltFiles() []spoilt {
	return []spoilt{
		{sanction.OFAC, sdn, "<entity ", "</entity>", 40, map[string]spoil{
			"no vessels":      {`(?s)<entity id="\d+">\s*<generalInfo>\s*<identityId>\d+</identityId>\s*<entityType refId="\d+">Vessel</entityType>.*?</entity>`, "", "are gone"},
			"no aliases":      {`(?s)<name id="\d+">\s*<isPrimary>false</isPrimary>.*?</name>`, "", "names"},
			"no IMO numbers":  {`IMO \d{7}`, "none", "documentNumber of a vessel"},
			"no dates":        {` datePublished="[^"]*"`, "", "datePublished"},
			"a name renamed":  {`formattedFullName`, "fullName", "formattedFullName"},
			"another root":    {`sanctionsData`, "data", "root"},
			"a type renamed":  {`entityType`, "type", "entityType"},
			"no native names": {`Cyrillic`, "Latin", ""}, // this file has too few to tell
		}},
		{sanction.OFAC, cons, "", "", 0, map[string]spoil{
			"no aliases":      {`(?s)<name id="\d+">\s*<isPrimary>false</isPrimary>.*?</name>`, "", "names"},
			"no native names": {`(?s)<translation id="\d+">\s*<isPrimary>false</isPrimary>.*?</translation>`, "", "native-script names"},
		}},
		{sanction.UN, un, "", "", 0, map[string]spoil{
			"no entities":     {`(?s)<ENTITIES>.*</ENTITIES>`, "<ENTITIES></ENTITIES>", "273 are gone"},
			"no aliases":      {`(?s)<INDIVIDUAL_ALIAS>.*?</INDIVIDUAL_ALIAS>`, "", "INDIVIDUAL_ALIAS"},
			"blank aliases":   {`<ALIAS_NAME>[^<]*</ALIAS_NAME>`, "<ALIAS_NAME></ALIAS_NAME>", "ALIAS_NAME"},
			"no native names": {`<NAME_ORIGINAL_SCRIPT>[^<]*</NAME_ORIGINAL_SCRIPT>`, "", "NAME_ORIGINAL_SCRIPT"},
			"no dates":        {`<LISTED_ON>[^<]*</LISTED_ON>`, "", "LISTED_ON"},
			"no full dates":   {`(<LISTED_ON>\d{4})[^<]*`, "$1", "dates"},
		}},
		{sanction.EU, "eu/FULL-1_1.xml", "<sanctionEntity ", "</sanctionEntity>", 8, map[string]spoil{
			"no aliases":         {`(?s)(</nameAlias>|<nameAlias[^>]*/>)\s*<nameAlias.*</nameAlias>`, "$1", "names"},
			"no native names":    {`wholeName="[^"a-zA-Z]*"`, `wholeName=""`, "native-script names"},
			"no dates":           {`(publicationDate|entryIntoForceDate|designationDate)="[^"]*"`, `$1=""`, "Date"},
			"no persons":         {`code="person" classificationCode="P"`, `code="enterprise" classificationCode="E"`, "individual"},
			"an element renamed": {`nameAlias`, "name", "nameAlias"},
		}},
		{sanction.EUX, eux, "", "", 0, map[string]spoil{
			"no vessels":       {`(?s)<div class="eli-subdivision" id="anx_XLII">.*?</table>`, `<div class="eli-subdivision" id="anx_XLII">`, "XLII"},
			"no aliases":       {`(?s)</p><p class="tbl-norm">(Local name|A\.k\.a|a\.k\.a)[^<]*`, "", "names"},
			"no native names":  {`[\p{Cyrillic}\p{Han}\p{Arabic}]+`, "", "native-script names"},
			"no IMO numbers":   {`<td><p class="tbl-norm">(IMO )?\d{7}</p></td>`, `<td><p class="tbl-norm"></p></td>`, "annex XLII 672 are gone"},
			"no dates":         {`\d{1,2}(\.\d{1,2}\. ?| \w+ )20\d\d\.?</p></td></tr>`, "</p></td></tr>", "annex IV 942 are gone"}, // it is in the id
			"a column renamed": {`Vessel name`, "Ship", "XLII"},
		}},
	}
}

// TestFullSpoiltFilesAreRefused spoils each source's file in every way that decisions
// section 1 names, and cuts it: the source is refused with the
// reason, and what was served stays.
func TestFullSpoiltFilesAreRefused(t *testing.T) {
	for _, s := range spoiltFiles() {
		t.Run(s.path, func(t *testing.T) {
			t.Parallel()
			text := liststest.Read(t, "newer/"+s.path+".gz")
			if s.open != "" {
				text = liststest.Excerpt(t, text, s.open, s.end, s.every)
			}
			b := newBench(t)
			whole := strings.TrimSpace(string(text))
			if state := b.mustRun(files(t, map[string]string{s.path: whole})).State(s.source); state.Status != edition.OK {
				t.Fatalf("the file as it is: %s, %s", state.Status, state.Detail)
			}
			served := b.served()
			for what, how := range s.lost {
				text := regexp.MustCompile(how.pattern).ReplaceAllString(whole, how.with)
				if text == whole {
					t.Errorf("%s: nothing was changed", what)
				}
				if how.words != "" {
					b.refuses(what, s, text, how.words, served)
				}
			}
			random := rand.New(rand.NewPCG(833, 1))
			for range 2 { // of twenty cuts each parser's own tests make sure
				b.refuses("cut", s, whole[:random.IntN(len(whole))], "", served)
			}
		})
	}
}

// refuses runs on a spoilt file and expects a refusal for a reason with the words,
// after which the same is served as before.
func (b *bench) refuses(what string, s spoilt, text, words string, served []string) {
	b.t.Helper()
	state := b.mustRun(files(b.t, map[string]string{s.path: text})).State(s.source)
	if state.Status != edition.Stale || !strings.HasPrefix(state.Detail, s.path+": ") || !strings.Contains(state.Detail, words) {
		b.t.Errorf("%s: %s, %q, want stale because of %q in %s", what, state.Status, state.Detail, words, s.path)
	}
	if diff := cmp.Diff(served, b.served()); diff != "" {
		b.t.Errorf("%s: what is served changed (-before +after):\n%s", what, diff)
	}
}
