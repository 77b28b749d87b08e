package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxName is how many characters of a name the API takes.
const maxName = 200

// result is what a screening comes to.
type result struct {
	Query   string
	Matched bool
	Count   int
	Rows    []entry
}

// has reports whether the result is a hit with the entry in its rows.
func (r result) has(e entry) bool {
	return r.Matched && r.Count > 0 && slices.ContainsFunc(r.Rows, func(row entry) bool { return row.ID == e.ID })
}

// none reports whether the result is a miss.
func (r result) none() bool { return !r.Matched && r.Count == 0 && len(r.Rows) == 0 }

// browsing takes the entry that is screened then. A page holds one whose name can be.
func browsing(ctx context.Context, v *visit) (string, error) {
	got, err := v.keyed(ctx, request{path: "/api/v1/sanctions?limit=10"})
	if err != nil {
		return "", err
	}
	var body struct {
		Total    int
		Rows     []entry
		Snapshot string
	}
	if err := got.decode(&body); err != nil {
		return "", err
	}
	i := slices.IndexFunc(body.Rows, func(e entry) bool {
		return e.ID != "" && e.Name != "" && utf8.RuneCountInString(e.Name) <= maxName
	})
	if i < 0 || body.Snapshot == "" {
		return "", got.wrong("there is no entry, or no snapshot")
	}
	v.entry, v.served = body.Rows[i], body.Snapshot
	return fmt.Sprintf("%d entries", body.Total), nil
}

func (v *visit) screen(ctx context.Context, name, more string) (answer, error) {
	return v.keyed(ctx, request{path: "/api/v1/screen?name=" + url.QueryEscape(name) + more})
}

func listedName(ctx context.Context, v *visit) (string, error) {
	if v.entry.ID == "" {
		return "", errNothingListed
	}
	got, err := v.screen(ctx, v.entry.Name, "")
	if err != nil {
		return "", err
	}
	var body result
	if err := got.decode(&body); err != nil {
		return "", err
	}
	if !body.has(v.entry) {
		return "", got.wrong("%s is not among the rows", v.entry.ID)
	}
	return v.entry.ID, nil
}

// nobody is a name that is on no list.
func nobody() string { return "Zorblatt " + rand.Text() }

func unlistedName(ctx context.Context, v *visit) (string, error) {
	got, err := v.screen(ctx, nobody(), "")
	if err != nil {
		return "", err
	}
	var body result
	if err := got.decode(&body); err != nil {
		return "", err
	}
	if !body.none() {
		return "", got.wrong("it is matched")
	}
	return "", nil
}

func batch(ctx context.Context, v *visit) (string, error) {
	if v.entry.ID == "" {
		return "", errNothingListed
	}
	sent, err := json.Marshal(map[string]any{"names": []string{v.entry.Name, nobody()}, "rows": true})
	if err != nil {
		return "", err
	}
	got, err := v.keyed(ctx, request{method: http.MethodPost, path: "/api/v1/screen", body: string(sent)})
	if err != nil {
		return "", err
	}
	var body struct{ Results []result }
	if err := got.decode(&body); err != nil {
		return "", err
	}
	if len(body.Results) != 2 || !body.Results[0].has(v.entry) || !body.Results[1].none() {
		return "", got.wrong("want a hit with %s, and a miss", v.entry.ID)
	}
	return "", nil
}

// spreadsheet must come through the gateway as the bytes that it is.
func spreadsheet(ctx context.Context, v *visit) (string, error) {
	if v.entry.ID == "" {
		return "", errNothingListed
	}
	got, err := v.screen(ctx, v.entry.Name, "&format=xlsx")
	if err != nil {
		return "", err
	}
	if got.status != http.StatusOK || !bytes.HasPrefix(got.body, []byte("PK")) {
		return "", got.wrong("want a file that begins with PK")
	}
	if _, err := zip.NewReader(bytes.NewReader(got.body), int64(len(got.body))); err != nil {
		return "", got.wrong("%v", err)
	}
	return "", nil
}

// changes asks for those since what is served, which are none.
func changes(ctx context.Context, v *visit) (string, error) {
	if v.served == "" {
		return "", errNothingListed
	}
	got, err := v.keyed(ctx, request{path: "/api/v1/changes?since=" + v.served})
	if err != nil {
		return "", err
	}
	var body struct{ From, To string }
	if err := got.decode(&body); err != nil {
		return "", err
	}
	if body.From != v.served || body.To == "" {
		return "", got.wrong("want changes from %s", v.served)
	}
	return "", nil
}

// export downloads the shortest list by the redirect, to which the key does not go along.
func export(ctx context.Context, v *visit) (string, error) {
	loaded := slices.DeleteFunc(slices.Clone(v.states), func(s state) bool { return s.Entries == 0 })
	if len(loaded) == 0 {
		return "", errNothingListed
	}
	shortest := slices.MinFunc(loaded, func(a, b state) int { return cmp.Compare(a.Entries, b.Entries) })
	path := "/api/v1/exports/" + shortest.Source + ".csv"
	described, err := v.keyed(ctx, request{path: path + "?redirect=false"})
	if err != nil {
		return "", err
	}
	var file struct{ SHA256 string }
	if err := described.decode(&file); err != nil {
		return "", err
	}
	moved, err := v.keyed(ctx, request{path: path})
	if err != nil {
		return "", err
	}
	to, err := moved.location(v.address)
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(v.address, "https:") && to.Scheme != "https" {
		return "", moved.wrong("it leads to %s, which is not https", to.Host)
	}
	got, err := v.call(ctx, request{path: to.String()})
	if err != nil {
		return "", err
	}
	if sum := sha256.Sum256(got.body); got.status != http.StatusOK || hex.EncodeToString(sum[:]) != file.SHA256 {
		return "", got.wrong("want %s.csv with the SHA-256 %s", shortest.Source, file.SHA256)
	}
	return fmt.Sprintf("%s.csv, %d bytes", shortest.Source, len(got.body)), nil
}
