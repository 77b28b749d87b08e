// Command embed is the function behind GET /embed.
package main

import (
	"os"

	"github.com/listward/listward/pkg/cloud"
)

func main() {
	if err := cloud.Serve(os.Getenv, cloud.Embed); err != nil {
		os.Exit(1)
	}
}
