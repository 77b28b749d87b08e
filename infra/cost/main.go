// Command cost computes what screening costs on AWS, from named prices and from what
// was measured of the deployed functions.
//
//	cost                 prints the tables of the README
//	cost measure LISTS   measures with a folder of full lists, and prints what measured.json holds
//
// What it was measured on and what is assumed where nothing can be measured without
// an account is printed with the tables.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

var errUsage = errors.New("usage: cost | cost measure LISTS")

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	switch {
	case len(args) == 0:
		m, err := lastMeasured()
		if err != nil {
			return err
		}
		_, err = io.WriteString(out, report(m))
		return err
	case len(args) == 2 && args[0] == "measure":
		m, err := measure(ctx, ".", os.DirFS(args[1]))
		if err != nil {
			return err
		}
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(m)
	}
	return errUsage
}

//go:embed measured.json
var measuredFile []byte

var errMeasured = errors.New("read measured.json")

// lastMeasured is what stands in measured.json.
func lastMeasured() (measured, error) {
	var m measured
	if err := json.Unmarshal(measuredFile, &m); err != nil {
		return measured{}, fmt.Errorf("%w: %w", errMeasured, err)
	}
	return m, nil
}
