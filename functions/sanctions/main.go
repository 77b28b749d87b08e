// Command sanctions is the function behind GET /api/v1/sanctions.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/listward/listward/pkg/apigw"
	"github.com/listward/listward/pkg/cloud"
)

func main() {
	log := cloud.Log()
	edge, err := cloud.Edge(context.Background(), os.Getenv, log)
	if err != nil {
		log.Error("cannot start", "error", err)
		os.Exit(1)
	}
	lambda.Start(apigw.Handler(edge.Sanctions()))
}
