package refresh

import (
	"io"
	"time"

	"github.com/listward/listward/pkg/fetch"
	"github.com/listward/listward/pkg/lists/eu"
	"github.com/listward/listward/pkg/lists/eux"
	"github.com/listward/listward/pkg/lists/ofac"
	"github.com/listward/listward/pkg/lists/un"
	"github.com/listward/listward/pkg/sanction"
)

// Source is a publisher's list: the files that make it up and how they are read.
type Source struct {
	Name sanction.Source
	// Files are read in this order. An entry that stands in several is united
	// into the first (decisions section 1). A source without files is a set of
	// notices, see notices.go.
	Files []File
}

// File is one file of a publisher.
type File struct {
	fetch.File
	Parse func(io.Reader) (sanction.List, error)
	// KeepIDs is set where the publisher gives no ids, see keepIDs.
	KeepIDs bool
}

const (
	// ofacExports is where the Sanctions List Service answers with a redirect to a
	// short-lived address. The compressed form has a tenth of the size.
	ofacExports = "https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/"
	unList      = "https://scsanctions.un.org/resources/xml/en/consolidated.xml"
	// fsfExport is the Commission's financial sanctions file. The token is a public,
	// fixed value, which the Commission's own feed shows too.
	fsfExport = "https://webgate.ec.europa.eu/fsd/fsf/public/files/xmlFullSanctionsList_1_1/content?token=dG9rZW4tMjAxNw"
	// celexTexts is where the EU's Publications Office answers with a text.
	celexTexts = "https://publications.europa.eu/resource/celex/"
)

// Sources returns the table of lists, in the order of sanction.Sources. The SDN
// file comes before the Consolidated one, for its date of listing decides.
//
// The limits are several times the size of today: SDN 126 MB, Consolidated 4, UN
// 2, EU 25, EUX 2. The Commission's server makes its file while the caller waits,
// which takes more than a minute.
func Sources() []Source {
	return []Source{
		{Name: sanction.OFAC, Files: []File{
			{Parse: ofac.Parse, File: fetch.File{Path: "ofac/SDN_ENHANCED.XML", URL: ofacExports + "SDN_ENHANCED.ZIP",
				Patience: 2 * time.Minute, Limit: 512 << 20}},
			{Parse: ofac.Parse, File: fetch.File{Path: "ofac/CONS_ENHANCED.XML", URL: ofacExports + "CONS_ENHANCED.ZIP",
				Patience: time.Minute, Limit: 64 << 20}},
		}},
		{Name: sanction.UN, Files: []File{
			{Parse: un.Parse, File: fetch.File{Path: "un/consolidated.xml", URL: unList,
				Patience: time.Minute, Limit: 32 << 20}},
		}},
		{Name: sanction.EU, Files: []File{
			{Parse: eu.Parse, File: fetch.File{Path: "eu/FULL-1_1.xml", URL: fsfExport,
				Patience: 3 * time.Minute, Limit: 128 << 20}},
		}},
		{Name: sanction.EUX, Files: []File{
			{Parse: eux.Parse, KeepIDs: true, File: fetch.File{Path: "eux/02014R0833.xhtml", URL: celexTexts, Celex: "02014R0833",
				Patience: 2 * time.Minute, Limit: 32 << 20}},
		}},
		{Name: sanction.CN},
	}
}
