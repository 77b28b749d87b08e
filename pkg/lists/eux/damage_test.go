package eux_test

import (
	"testing"

	"github.com/listward/listward/pkg/lists"
	"github.com/listward/listward/pkg/lists/eux"
	"github.com/listward/listward/pkg/lists/liststest"
)

const full = "newer/eux/02014R0833.xhtml.gz"

// excerpt is the text with the first and every nth row of each table.
func excerpt(t *testing.T, n int) []byte {
	t.Helper()
	return liststest.Excerpt(t, liststest.Read(t, full), "<tr>", "</tr>", n)
}

func TestFullCutFiles(t *testing.T) {
	liststest.CheckCuts(t, eux.Parse, liststest.Read(t, full), 20, lists.ErrTruncated)
}

func TestFullRenamedElements(t *testing.T) {
	liststest.CheckRenames(t, eux.Parse, excerpt(t, 10), []liststest.Rename{
		{Path: "html", Reason: lists.ErrRoot},
		{Path: "html/@xmlns", Reason: lists.ErrRoot, Says: "namespace"},
		{Path: "p", Reason: lists.ErrSchema, Says: "title-annex-1"},
		{Path: "p/@class", Reason: lists.ErrSchema, Says: "title-annex-1"},
		{Path: "'title-annex-1'", Reason: lists.ErrSchema},
		{Path: "'ANNEX'", Reason: lists.ErrSchema, Says: "title of Annex III"},
		{Path: "div", Harmless: "the title tells the annex where no division does"},
		{Path: "div/@id", Harmless: "the title tells the annex where no division does"},
		{Path: "table", Harmless: "it is not read: a row is one wherever it stands"},
		{Path: "tr", Reason: lists.ErrSchema},
		{Path: "td", Harmless: "every child of a row is a cell"},
		{Path: "'02014R0833'", Reason: lists.ErrSchema, Says: "02014R0833"},
		{Path: "'Name'", Reason: lists.ErrSchema, Says: "header row"},
		{Path: "'Vessel name'", Reason: lists.ErrSchema, Says: "header row"},
		{Path: "'IMO number'", Reason: lists.ErrSchema},
		{Path: "'Identifying Information'", Reason: lists.ErrSchema, Says: "identifying information"},
		{Path: "'Date of listing'", Reason: lists.ErrSchema, Says: "date in Annex IV"},
		{Path: "'Date of application'", Reason: lists.ErrSchema, Says: "date in Annex XIV"},
		{Path: "'Entry into force'", Reason: lists.ErrSchema, Says: "date in Annex XLIV"},
	})
}

func TestFullFlippedBytes(t *testing.T) {
	t.Run("excerpt", func(t *testing.T) { liststest.CheckFlips(t, eux.Parse, excerpt(t, 60), 500) })
	t.Run("sample", func(t *testing.T) { liststest.CheckFlips(t, eux.Parse, readSample(t), 500) })
}
