// Command sanctions is the function behind GET /api/v1/sanctions.
package main

import (
	"os"

	"github.com/listward/listward/pkg/api"
	"github.com/listward/listward/pkg/cloud"
)

func main() {
	if err := cloud.Serve(os.Getenv, cloud.Lists((*api.Edge).Sanctions)); err != nil {
		os.Exit(1)
	}
}
