// Command refresh is the daily run that brings the publishers' lists into service.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/listward/listward/pkg/cloud"
)

func main() {
	log := cloud.Log()
	refresher, err := cloud.Refresher(os.Getenv, log)
	if err != nil {
		log.Error("cannot start", "error", err)
		os.Exit(1)
	}
	// An operator may order that one file is accepted although it lost much: {"accept":
	// "its SHA-256"} (infra/monitoring/RUNBOOK.md). The schedule orders nothing.
	lambda.Start(func(ctx context.Context, order struct{ Accept string }) error {
		run := *refresher
		run.AcceptLoss = order.Accept
		pointer, err := run.Run(ctx)
		if err != nil {
			return err
		}
		log.InfoContext(ctx, "published", "snapshot", pointer.Snapshot, "sources", pointer.Sources)
		return nil
	})
}
