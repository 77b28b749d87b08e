package un_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/lists/liststest"
	"github.com/listward/listward/pkg/lists/un"
)

const full = "newer/un/consolidated.xml.gz"

// excerpt is the list with every nth record.
func excerpt(t *testing.T, n int) []byte {
	t.Helper()
	text := liststest.Excerpt(t, liststest.Read(t, full), "<INDIVIDUAL>", "</INDIVIDUAL>", n)
	return liststest.Excerpt(t, text, "<ENTITY>", "</ENTITY>", n)
}

func TestFullCutFiles(t *testing.T) {
	liststest.CheckCuts(t, un.Parse, liststest.Read(t, full), 20, lists.ErrTruncated)
}

func TestFullRenamedElements(t *testing.T) {
	const few = "an excerpt has less than 20 such dates of birth; TestRenamedYearsOfBirth has more"
	renames := []liststest.Rename{
		{Path: "CONSOLIDATED_LIST", Reason: lists.ErrRoot},
		{Path: "CONSOLIDATED_LIST/@dateGenerated", Reason: lists.ErrSchema},
		{Path: "INDIVIDUAL_DATE_OF_BIRTH/FROM_YEAR", Harmless: few},
		{Path: "INDIVIDUAL_DATE_OF_BIRTH/TO_YEAR", Harmless: few},
		{Path: "INDIVIDUAL_DATE_OF_BIRTH/NOTE", Harmless: "one date of birth in a hundred has nothing but a note"},
	}
	for _, element := range []string{
		"INDIVIDUALS", "INDIVIDUAL", "ENTITIES", "ENTITY",
		"REFERENCE_NUMBER", "UN_LIST_TYPE", "LISTED_ON",
		"FIRST_NAME", "SECOND_NAME", "THIRD_NAME", "FOURTH_NAME", "NAME_ORIGINAL_SCRIPT",
		"INDIVIDUAL_ALIAS", "INDIVIDUAL_ALIAS/ALIAS_NAME", "INDIVIDUAL_ALIAS/QUALITY",
		"ENTITY_ALIAS", "ENTITY_ALIAS/ALIAS_NAME", "ENTITY_ALIAS/QUALITY",
		"NATIONALITY", "NATIONALITY/VALUE",
		"INDIVIDUAL_DATE_OF_BIRTH", "INDIVIDUAL_DATE_OF_BIRTH/TYPE_OF_DATE",
		"INDIVIDUAL_DATE_OF_BIRTH/DATE", "INDIVIDUAL_DATE_OF_BIRTH/YEAR",
	} {
		renames = append(renames, liststest.Rename{Path: element, Reason: lists.ErrSchema})
	}
	liststest.CheckRenames(t, un.Parse, excerpt(t, 8), renames)
}

func TestRenamedYearsOfBirth(t *testing.T) {
	const between = `<INDIVIDUAL_DATE_OF_BIRTH><TYPE_OF_DATE>BETWEEN</TYPE_OF_DATE>` +
		`<FROM_YEAR>1957</FROM_YEAR><TO_YEAR>1960</TO_YEAR></INDIVIDUAL_DATE_OF_BIRTH>`
	text := file(individual(strings.Repeat(between, 20)), "")
	parseOne(t, text)
	for _, element := range []string{"FROM_YEAR", "TO_YEAR"} {
		_, err := un.Parse(strings.NewReader(strings.ReplaceAll(text, element, "YEARS")))
		if !errors.Is(err, lists.ErrSchema) || !strings.Contains(err.Error(), element) {
			t.Errorf("without %s: error %v, want %v with that name", element, err, lists.ErrSchema)
		}
	}
}

func TestFullFlippedBytes(t *testing.T) {
	t.Run("excerpt", func(t *testing.T) { liststest.CheckFlips(t, un.Parse, excerpt(t, 60), 500) })
	t.Run("sample", func(t *testing.T) { liststest.CheckFlips(t, un.Parse, readSample(t), 500) })
}
