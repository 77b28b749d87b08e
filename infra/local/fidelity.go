package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/listward/listward/pkg/history"
	"github.com/listward/listward/pkg/refresh"
	"github.com/listward/listward/pkg/sanction"
)

// fidelity prints what the lists hold and what publishing them would change in the
// data folder, and publishes nothing.
func fidelity(ctx context.Context, c config, out io.Writer) error {
	store, err := c.openObjects()
	if err != nil {
		return err
	}
	anew, err := c.otherKind()
	if err != nil {
		return err
	}
	r := &refresh.Refresher{Store: store, Origin: c.origin(nil), Now: time.Now, Log: slog.New(slog.DiscardHandler), Anew: anew}
	reports, err := r.Report(ctx)
	if ctx.Err() != nil {
		return errStopped
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "lists: %s\n\n", c.lists)
	printTallies(out, reports)
	read := 0
	for _, report := range reports {
		printFindings(out, report)
		read += len(report.Tallies)
	}
	if read == 0 {
		return fmt.Errorf("LISTS=%s: %w", quoted(c.lists), errNoneOK)
	}
	return nil
}

func printTallies(out io.Writer, reports []refresh.Report) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	kinds := []sanction.Kind{sanction.Primary, sanction.Alias, sanction.Former, sanction.Weak, sanction.Native}
	row := func(cells ...any) {
		for _, cell := range cells {
			fmt.Fprint(table, cell, "\t")
		}
		fmt.Fprintln(table)
	}
	row("source", "type", "entries", "names", "primary", "alias", "former", "weak", "native",
		"IMOs", "tail numbers", "birth dates", "countries", "without a date")
	for _, report := range reports {
		for _, t := range report.Tallies {
			cells := []any{report.State.Source, t.Type, t.Entries, sum(t.Kinds)}
			for _, kind := range kinds {
				cells = append(cells, t.Kinds[kind])
			}
			row(append(cells, t.IMOs, t.Registrations, t.BirthDates, t.Countries, t.Undated)...)
		}
	}
	_ = table.Flush() // fails only when out does, which the shell reports
}

func sum[K comparable](counts map[K]int) int {
	total := 0
	for n := range maps.Values(counts) {
		total += n
	}
	return total
}

// printFindings prints what cannot stand in the table. What was left out and what
// must be looked at is named in full.
func printFindings(out io.Writer, report refresh.Report) {
	s := report.State
	fmt.Fprintf(out, "\n%s  %s", s.Source, s.Status)
	if s.ListDate != "" {
		fmt.Fprintf(out, ", list of %s", s.ListDate)
	}
	fmt.Fprintln(out)
	if report.Refused {
		fmt.Fprintf(out, "  refused: %s\n", s.Detail)
	}
	if len(report.Tallies) == 0 {
		return
	}
	scripts := map[string]int{}
	for _, t := range report.Tallies {
		for name, n := range t.Scripts {
			scripts[name] += n
		}
	}
	fmt.Fprintf(out, "  names by script: %s\n", listed(scripts))
	fmt.Fprintf(out, "  left out: %d\n", len(report.Rejected))
	for _, r := range report.Rejected {
		fmt.Fprintf(out, "    %s: %s\n", r.ID, r.Reason)
	}
	fmt.Fprintf(out, "  to be looked at: %d\n", len(report.Doubts))
	for _, doubt := range report.Doubts {
		fmt.Fprintf(out, "    %s\n", doubt)
	}
	printChanges(out, report.Changes)
}

// listed words counts, the greatest first.
func listed(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	var words []string
	for _, name := range names {
		words = append(words, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return strings.Join(words, ", ")
}

// shownIDs is how many ids of a kind of change are printed.
const shownIDs = 10

func printChanges(out io.Writer, changes []history.Change) {
	ids := map[history.Kind][]string{}
	fields := map[string]int{}
	for _, c := range changes {
		ids[c.Kind] = append(ids[c.Kind], c.Entry.ID)
		for _, field := range c.Fields {
			fields[field]++
		}
	}
	fmt.Fprintln(out, "  against what is served:")
	for _, kind := range []history.Kind{history.Added, history.Removed, history.Changed} {
		fmt.Fprintf(out, "    %s %d", kind, len(ids[kind]))
		if kind == history.Changed && len(fields) > 0 {
			fmt.Fprintf(out, " (%s)", listed(fields))
		}
		if shown := ids[kind][:min(shownIDs, len(ids[kind]))]; len(shown) > 0 {
			fmt.Fprintf(out, ": %s", strings.Join(shown, " "))
		}
		if more := len(ids[kind]) - shownIDs; more > 0 {
			fmt.Fprintf(out, " and %d more", more)
		}
		fmt.Fprintln(out)
	}
}
