// Command docs shows the documentation, and answers preflights and what no other
// function takes.
package main

import (
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/listward/listward/pkg/api"
	"github.com/listward/listward/pkg/apigw"
)

func main() {
	edge := &api.Edge{Now: time.Now, Log: slog.New(slog.NewJSONHandler(os.Stdout, nil))}
	lambda.Start(apigw.Handler(edge.Docs()))
}
