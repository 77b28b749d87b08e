package fetch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	// catalogue is the Publications Office's own.
	catalogue = "https://publications.europa.eu/webapi/rdf/sparql"
	// maxAnswer bounds the catalogue's answer, which has some kilobytes for an act.
	maxAnswer = 1 << 20
)

var (
	errNoText = errors.New("the catalogue names no consolidated text")
	// errPartial is for answers that the catalogue's database (Virtuoso) gave up on: it
	// sends what it had found by then, with status 200 and the header X-SQL-State. The
	// greatest number in it may be that of an old text.
	errPartial = errors.New("the catalogue's answer is incomplete")
)

// newestText returns the number of the newest consolidated text of an act, such as
// "02014R0833-20260724". It ends with the date, so the greatest is the newest. The
// errors are faults.
func (w Web) newestText(ctx context.Context, act string) (string, error) {
	// The office's server looks through all numbers for each act, hence one act only.
	question := fmt.Sprintf(`PREFIX cdm: <http://publications.europa.eu/ontology/cdm#>
SELECT DISTINCT ?c WHERE { ?x cdm:resource_legal_id_celex ?c . FILTER(STRSTARTS(STR(?c), "%s-")) }`, act)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, cmp.Or(w.Catalogue, catalogue), strings.NewReader(question))
	if err != nil {
		return "", fault{error: err, final: true}
	}
	r.Header.Set("Content-Type", "application/sparql-query")
	r.Header.Set("Accept", "application/sparql-results+json")
	answer, err := w.ask(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close() // read-only: nothing is lost
	newest, err := readNumbers(answer, act)
	if err != nil {
		return "", at(r.URL, fmt.Errorf("find the newest text of %s: %w", act, err))
	}
	return newest, nil
}

// readNumbers returns the greatest number in the catalogue's answer.
func readNumbers(answer *http.Response, act string) (string, error) {
	if answer.Header.Get("X-SQL-State") != "" {
		return "", errPartial
	}
	var found struct {
		Results struct {
			Bindings []struct{ C struct{ Value string } }
		}
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxAnswer)).Decode(&found); err != nil {
		return "", fmt.Errorf("read the catalogue's answer: %w", err)
	}
	newest := ""
	for _, b := range found.Results.Bindings {
		date, ours := strings.CutPrefix(b.C.Value, act+"-")
		if _, err := time.Parse("20060102", date); ours && err == nil {
			newest = max(newest, b.C.Value)
		}
	}
	if newest == "" {
		return "", errNoText
	}
	return newest, nil
}
