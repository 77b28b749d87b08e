// Command batch is the function behind POST /api/v1/screen.
package main

import (
	"os"

	"github.com/listward/listward/pkg/api"
	"github.com/listward/listward/pkg/cloud"
)

func main() {
	if err := cloud.Serve(os.Getenv, cloud.Lists((*api.Edge).Batch)); err != nil {
		os.Exit(1)
	}
}
