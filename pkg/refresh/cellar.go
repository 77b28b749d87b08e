package refresh

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// catalogue is the Publications Office's own.
const catalogue = "https://publications.europa.eu/webapi/rdf/sparql"

var errNoText = errors.New("the catalogue names no consolidated text")

// newestText returns the number of the newest consolidated text of an act, such as
// "02014R0833-20260724". It ends with the date, so the greatest is the newest.
func (w Web) newestText(ctx context.Context, act string) (string, error) {
	question := fmt.Sprintf(`PREFIX cdm: <http://publications.europa.eu/ontology/cdm#>
SELECT DISTINCT ?c WHERE { ?x cdm:resource_legal_id_celex ?c . FILTER(STRSTARTS(STR(?c), "%s-")) }`, act)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, cmp.Or(w.Catalogue, catalogue), strings.NewReader(question))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/sparql-query")
	r.Header.Set("Accept", "application/sparql-results+json")
	body, err := w.do(r)
	if err != nil {
		return "", err
	}
	defer body.Close() // read-only: nothing is lost
	var answer struct {
		Results struct {
			Bindings []struct{ C struct{ Value string } }
		}
	}
	if err := json.NewDecoder(body).Decode(&answer); err != nil {
		return "", fmt.Errorf("read the catalogue's answer: %w", err)
	}
	newest := ""
	for _, b := range answer.Results.Bindings {
		if strings.HasPrefix(b.C.Value, act+"-") {
			newest = max(newest, b.C.Value)
		}
	}
	if newest == "" {
		return "", errNoText
	}
	return newest, nil
}
