package eu_test

import (
	"testing"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/lists/eu"
	"github.com/listward/listward/pkg/lists/liststest"
)

// TestFullDamagedFiles reads the list once: that costs seconds under the race
// detector. For the same reason it is an excerpt that is cut often.
func TestFullDamagedFiles(t *testing.T) {
	text := liststest.Read(t, "newer/eu/FULL-1_1.xml.gz")
	excerpt := func(n int) []byte {
		return liststest.Excerpt(t, text, "<sanctionEntity ", "</sanctionEntity>", n)
	}
	t.Run("cut", func(t *testing.T) {
		t.Parallel()
		liststest.CheckCuts(t, eu.Parse, text, 3, lists.ErrTruncated)
	})
	t.Run("excerpt cut", func(t *testing.T) {
		t.Parallel()
		liststest.CheckCuts(t, eu.Parse, excerpt(30), 20, lists.ErrTruncated)
	})
	t.Run("elements renamed", func(t *testing.T) {
		t.Parallel()
		liststest.CheckRenames(t, eu.Parse, excerpt(40), renames())
	})
	t.Run("bytes flipped", func(t *testing.T) {
		t.Parallel()
		liststest.CheckFlips(t, eu.Parse, excerpt(500), 500)
	})
}

func TestFullFlippedSample(t *testing.T) {
	liststest.CheckFlips(t, eu.Parse, readSample(t), 500)
}

// renames are the elements and attributes that we read, but for three that few
// records have and this list none: designationDate, ranges of years of birth, and
// remarks on names.
func renames() []liststest.Rename {
	const wholeName = "it is read only where wholeName is blank"
	const inDate = "it is read only beside a year, where the attribute birthdate is blank: 15 dates in 3,790"
	renames := []liststest.Rename{
		{Path: "export", Reason: lists.ErrRoot},
		{Path: "export/@xmlns", Reason: lists.ErrRoot, Says: "namespace"},
		{Path: "nameAlias/@firstName", Harmless: wholeName},
		{Path: "nameAlias/@middleName", Harmless: wholeName},
		{Path: "nameAlias/@lastName", Harmless: wholeName},
		{Path: "birthdate/@monthOfYear", Harmless: inDate},
		{Path: "birthdate/@dayOfMonth", Harmless: inDate},
		{Path: "address", Harmless: "of addresses only the acts that they cite are read"},
	}
	for _, path := range []string{
		"export/@generationDate", "sanctionEntity", "sanctionEntity/@euReferenceNumber",
		"subjectType", "subjectType/@code",
		"regulation", "regulation/@publicationDate", "regulation/@entryIntoForceDate",
		"regulation/@numberTitle", "regulation/@programme", "publicationUrl",
		"nameAlias", "nameAlias/@wholeName", "nameAlias/@nameLanguage", "nameAlias/@strong",
		"regulationSummary", "regulationSummary/@publicationDate",
		"birthdate", "birthdate/@birthdate", "birthdate/@year", "birthdate/@circa", "birthdate/@calendarType",
		"citizenship", "citizenship/@countryIso2Code",
		"identification", "identification/@identificationTypeCode", "identification/@number",
	} {
		renames = append(renames, liststest.Rename{Path: path, Reason: lists.ErrSchema})
	}
	return renames
}
