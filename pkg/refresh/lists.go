package refresh

import (
	"io"

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
	// notices, see readNotices.
	Files []File
}

// File is one file of a publisher.
type File struct {
	// Path is where the file stands in a folder of lists; ".gz" may follow.
	Path string
	// URL is the publisher's address. Where Celex is set it is the address of the
	// consolidated texts of that act, which end with the number of each.
	URL string
	// Celex is the number of an EU act whose newest consolidated text is read, as
	// consolidated texts begin with it: "02014R0833".
	Celex string
	Parse func(io.Reader) (sanction.List, error)
}

// ofacExports is where the Sanctions List Service answers with a redirect to a
// short-lived address.
const ofacExports = "https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/"

// fsfExport is the Commission's financial sanctions file. The token is a public,
// fixed value, which the Commission's own feed shows too.
const fsfExport = "https://webgate.ec.europa.eu/fsd/fsf/public/files/xmlFullSanctionsList_1_1/content?token=dG9rZW4tMjAxNw"

// Sources returns the table of lists, in the order of sanction.Sources. The SDN
// file comes before the Consolidated one, for its date of listing decides.
func Sources() []Source {
	return []Source{
		{Name: sanction.OFAC, Files: []File{
			{Path: "ofac/SDN_ENHANCED.XML", URL: ofacExports + "SDN_ENHANCED.XML", Parse: ofac.Parse},
			{Path: "ofac/CONS_ENHANCED.XML", URL: ofacExports + "CONS_ENHANCED.XML", Parse: ofac.Parse},
		}},
		{Name: sanction.UN, Files: []File{
			{Path: "un/consolidated.xml", URL: "https://scsanctions.un.org/resources/xml/en/consolidated.xml", Parse: un.Parse},
		}},
		{Name: sanction.EU, Files: []File{
			{Path: "eu/FULL-1_1.xml", URL: fsfExport, Parse: eu.Parse},
		}},
		{Name: sanction.EUX, Files: []File{
			{Path: "eux/02014R0833.xhtml", URL: "https://publications.europa.eu/resource/celex/", Celex: "02014R0833", Parse: eux.Parse},
		}},
		{Name: sanction.CN},
	}
}
