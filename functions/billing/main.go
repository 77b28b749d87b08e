// Command billing takes the events that Stripe sends to POST /billing/stripe.
package main

import (
	"os"

	"github.com/listward/listward/pkg/cloud"
)

func main() {
	if err := cloud.Serve(os.Getenv, cloud.Billing); err != nil {
		os.Exit(1)
	}
}
