package ofac_test

import (
	"testing"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/lists/liststest"
	"github.com/listward/listward/pkg/lists/ofac"
)

// TestFullDamagedFiles reads the SDN list once: that costs seconds under the
// race detector. For the same reason it is the Consolidated list that is cut often.
func TestFullDamagedFiles(t *testing.T) {
	sdn := liststest.Read(t, "newer/ofac/SDN_ENHANCED.XML.gz")
	cons := liststest.Read(t, "newer/ofac/CONS_ENHANCED.XML.gz")
	t.Run("SDN list cut", func(t *testing.T) {
		t.Parallel()
		liststest.CheckCuts(t, ofac.Parse, sdn, 3, lists.ErrTruncated)
	})
	t.Run("Consolidated list cut", func(t *testing.T) {
		t.Parallel()
		liststest.CheckCuts(t, ofac.Parse, cons, 20, lists.ErrTruncated)
	})
	t.Run("elements renamed", func(t *testing.T) {
		t.Parallel()
		liststest.CheckRenames(t, ofac.Parse, excerpt(t, sdn, 60), renames())
	})
	t.Run("bytes flipped", func(t *testing.T) {
		t.Parallel()
		liststest.CheckFlips(t, ofac.Parse, excerpt(t, sdn, 1600), 500)
	})
}

func TestFullFlippedSample(t *testing.T) {
	liststest.CheckFlips(t, ofac.Parse, readSample(t, "CONS_ENHANCED.XML"), 500)
}

// excerpt is the list with every nth entity and few of the reference values, which
// are half of a short excerpt otherwise.
func excerpt(t *testing.T, text []byte, n int) []byte {
	t.Helper()
	text = liststest.Excerpt(t, text, "<entity ", "</entity>", n)
	for _, table := range []string{"referenceValue", "featureType"} {
		text = liststest.Excerpt(t, text, "<"+table+" ", "</"+table+">", 50)
	}
	return text
}

// renames are the elements and attributes that we read, and those around them.
func renames() []liststest.Rename {
	const notRead = "it is not read: what is in it is found wherever it stands"
	return []liststest.Rename{
		{Path: "sanctionsData", Reason: lists.ErrRoot},
		{Path: "sanctionsData/@xmlns", Reason: lists.ErrRoot, Says: "namespace"},
		{Path: "publicationInfo", Harmless: notRead},
		{Path: "dataAsOf", Reason: lists.ErrSchema, Says: "date"},
		{Path: "referenceValues", Harmless: "the tables are not read"},
		{Path: "entities", Harmless: notRead},
		{Path: "entity", Reason: lists.ErrNoEntries, Says: "no entries"},
		{Path: "entity/@id", Reason: lists.ErrSchema},
		{Path: "generalInfo", Reason: lists.ErrSchema},
		{Path: "entityType", Reason: lists.ErrSchema},
		{Path: "sanctionsLists", Reason: lists.ErrSchema},
		{Path: "sanctionsList", Reason: lists.ErrSchema},
		{Path: "sanctionsList/@datePublished", Reason: lists.ErrSchema},
		{Path: "sanctionsPrograms", Reason: lists.ErrSchema},
		{Path: "sanctionsProgram", Reason: lists.ErrSchema},
		{Path: "names", Reason: lists.ErrSchema},
		{Path: "names/name", Reason: lists.ErrSchema},
		{Path: "names/isPrimary", Reason: lists.ErrSchema},
		{Path: "names/aliasType", Reason: lists.ErrSchema},
		{Path: "names/isLowQuality", Reason: lists.ErrSchema},
		{Path: "names/translations", Reason: lists.ErrSchema},
		{Path: "names/translation", Reason: lists.ErrSchema},
		{Path: "names/script", Reason: lists.ErrSchema},
		{Path: "'Latin'", Reason: lists.ErrSchema},
		{Path: "names/formattedFullName", Reason: lists.ErrSchema},
		{Path: "names/formattedFirstName", Reason: lists.ErrSchema},
		{Path: "names/formattedLastName", Reason: lists.ErrSchema},
		{Path: "features", Reason: lists.ErrSchema},
		{Path: "features/feature", Reason: lists.ErrSchema},
		{Path: "feature/type", Reason: lists.ErrSchema},
		{Path: "feature/value", Reason: lists.ErrSchema},
		{Path: "'Birthdate'", Reason: lists.ErrSchema},
		{Path: "identityDocuments", Reason: lists.ErrSchema},
		{Path: "identityDocument", Reason: lists.ErrSchema},
		{Path: "identityDocument/type", Reason: lists.ErrSchema},
		{Path: "identityDocument/documentNumber", Reason: lists.ErrSchema},
	}
}
