// Command authorizer gives the verdict on each call: key, plan, domain, allowance.
package main

import (
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/listward/listward/pkg/apigw"
	"github.com/listward/listward/pkg/cloud"
)

func main() {
	log := cloud.Log()
	authorizer, err := cloud.Authorizer(os.Getenv, log)
	if err != nil {
		log.Error("cannot start", "error", err)
		os.Exit(1)
	}
	lambda.Start(apigw.Authorizer(authorizer))
}
