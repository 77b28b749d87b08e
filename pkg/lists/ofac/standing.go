package ofac

import (
	"math"

	"github.com/listward/listward/pkg/lists"
)

// standing is an entity's place on one of OFAC's lists.
type standing struct {
	List      string `xml:",chardata"`
	Published string `xml:"datePublished,attr"`
}

// OFAC's names of the list of blocked parties, and of all its other lists taken
// together, on which every party of them stands besides.
const (
	sdnList          = "SDN List"
	consolidatedList = "Consolidated List"
)

// listNames returns the short names by which the lists are generally known. A
// list that is not known here keeps its published name.
func listNames(on []standing) []string {
	var names []string
	for _, s := range on {
		switch s.List {
		case consolidatedList:
		case sdnList:
			names = append(names, "SDN")
		case "Sectoral Sanctions Identifications List":
			names = append(names, "SSI")
		case "Non-SDN Palestinian Legislative Council List":
			names = append(names, "NS-PLC")
		case "CAPTA List":
			names = append(names, "CAPTA")
		case "Non-SDN Menu-Based Sanctions List":
			names = append(names, "NS-MBS")
		case "Non-SDN CMIC List":
			names = append(names, "NS-CMIC")
		case "FSE List":
			names = append(names, "FSE")
		default:
			names = append(names, s.List)
		}
	}
	return distinct(names)
}

// listedOn returns the day on which a party was put on the SDN list or, if it is
// not there, first on another; the Consolidated List, begun in 2014 with parties
// listed long before, counts only where it stands alone (decisions section 1).
func listedOn(on []standing) string {
	var first string
	best := math.MaxInt
	for _, s := range on {
		published := lists.Day(s.Published)
		switch rank := s.rank(); {
		case rank < best:
			best, first = rank, published
		case rank == best && published != "" && (first == "" || published < first):
			first = published
		}
	}
	return first
}

// rank orders the lists by their say in the date of listing, the first decides.
func (s standing) rank() int {
	switch s.List {
	case sdnList:
		return 0
	case consolidatedList:
		return 2
	}
	return 1
}
