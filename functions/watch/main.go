// Command watch is the hourly look at what is served, for the alarms.
package main

import (
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/listward/listward/pkg/cloud"
)

func main() {
	log := cloud.Log()
	watcher, err := cloud.Watcher(os.Getenv, os.Stdout)
	if err != nil {
		log.Error("cannot start", "error", err)
		os.Exit(1)
	}
	lambda.Start(watcher.Watch)
}
