// Command account is the account area at /account.
package main

import (
	"os"

	"github.com/listward/listward/pkg/cloud"
)

func main() {
	if err := cloud.Serve(os.Getenv, cloud.Account); err != nil {
		os.Exit(1)
	}
}
