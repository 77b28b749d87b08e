package api

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/contract"
	"github.com/listward/listward/pkg/history"
	"github.com/listward/listward/pkg/listing"
	"github.com/listward/listward/pkg/sanction"
)

// promised is the part of the OpenAPI document that these tests compare.
type promised struct {
	Codes      map[string]int `json:"x-error-codes"`
	Components struct {
		Schemas map[string]struct {
			Properties map[string]any `json:"properties"`
			Required   []string       `json:"required"`
		} `json:"schemas"`
	} `json:"components"`
}

func readContract(t *testing.T) promised {
	t.Helper()
	var p promised
	if err := json.Unmarshal(contract.OpenAPI(), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestContractHasTheErrorTable: the document names every code with its status, and one
// more, which API Gateway gives by itself.
func TestContractHasTheErrorTable(t *testing.T) {
	want := map[string]int{"throttled": 429}
	for code, row := range errorTable {
		want[code] = row.status
	}
	for _, code := range []string{SignInRequired, FormExpired, TooManyKeys} {
		delete(want, code) // the document is of the API, not of the pages beside it
	}
	if diff := cmp.Diff(want, readContract(t).Codes); diff != "" {
		t.Errorf("codes (-code +document):\n%s", diff)
	}
}

// TestContractHasTheTypes: each schema has the fields of the type that is answered with,
// and requires those that are never left out.
func TestContractHasTheTypes(t *testing.T) {
	schemas := readContract(t).Components.Schemas
	for name, value := range map[string]any{
		"Screening": screening{}, "ScreeningRow": hit{}, "BatchScreening": batchScreening{}, "BatchResult": batchResult{},
		"Entry": listing.Entry{}, "EntryPage": browsing{}, "Sources": statistics{}, "SourceStatistics": sourceRow{},
		"ChangePage": difference{}, "ChangeRow": changeRow{}, "Download": download{}, "SourceState": sourceState{},
		"Snapshot": history.Publication{}, "SnapshotSource": history.Source{}, "PublisherFile": history.File{},
	} {
		all, always := fieldsOfType(reflect.TypeOf(value))
		schema := schemas[name]
		if diff := cmp.Diff(slices.Sorted(slices.Values(all)), slices.Sorted(maps.Keys(schema.Properties))); diff != "" {
			t.Errorf("fields of %s (-type +schema):\n%s", name, diff)
		}
		if diff := cmp.Diff(slices.Sorted(slices.Values(always)), slices.Sorted(slices.Values(schema.Required))); diff != "" {
			t.Errorf("required fields of %s (-type +schema):\n%s", name, diff)
		}
	}
}

// fieldsOfType returns the JSON names of a struct's fields, and of those without
// omitempty.
func fieldsOfType(t reflect.Type) (all, always []string) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" && field.Anonymous {
			inner, required := fieldsOfType(field.Type)
			all, always = append(all, inner...), append(always, required...)
			continue
		}
		if all = append(all, name); options == "" {
			always = append(always, name)
		}
	}
	return all, always
}

// TestFormerValuesInCells: what was a list, or was not there, reads in a cell as it does
// in the row's own.
func TestFormerValuesInCells(t *testing.T) {
	before := sanction.Entry{ID: "UN-1", Source: sanction.UN, Names: []sanction.Name{{Text: "A"}, {Text: "B b"}, {Text: "C"}}, Countries: []string{"LY", "TN"}}
	row, err := changeRowOf(history.Change{Kind: history.Changed, Entry: before, Before: &before, Fields: []string{"aliases", "countries", "imo", "registrations"}})
	if err != nil {
		t.Fatal(err)
	}
	cells := row.Cells()
	const want = "aliases: B b; C\ncountries: LY; TN\nimo: \nregistrations: "
	if got := cells[len(cells)-1]; got != want || len(cells) != len(changeColumns()) {
		t.Errorf("before is %q, want %q; %d cells for %d columns", got, want, len(cells), len(changeColumns()))
	}
}
