// Command reconcile is the daily look at all subscriptions, for events that were lost.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/listward/listward/pkg/cloud"
)

func main() {
	log := cloud.Log()
	biller, err := cloud.Biller(context.Background(), os.Getenv, log)
	if err != nil {
		log.Error("cannot start", "error", err)
		os.Exit(1)
	}
	lambda.Start(func(ctx context.Context) error {
		if biller == nil {
			log.InfoContext(ctx, "no payments are set up")
			return nil
		}
		tally, err := biller.Reconcile(ctx)
		log.InfoContext(ctx, "reconciled", "tally", tally)
		return err
	})
}
