package main

import (
	"fmt"
	"strings"
)

const million = 1e6

// report is what stands in the README.
func report(m measured) string {
	var out strings.Builder
	perMillion(&out, m)
	perPlan(&out, m)
	basis(&out, m)
	return out.String()
}

func perMillion(out *strings.Builder, m measured) {
	fmt.Fprintf(out, "US$ for a million screenings of one name in a month, by the memory of `screen`, which is deployed with %d MB:\n\n", functionMemory)
	out.WriteString("| memory | warm call | start | API Gateway | Lambda | DynamoDB | S3 | logs | traffic | US$ per million |\n")
	out.WriteString("|---|---|---|---|---|---|---|---|---|---|\n")
	for _, memory := range memories() {
		b, warm, start := billFor(usage{figures: m.Screen, memory: memory, monthly: million}, m.Authorizer)
		fmt.Fprintf(out, "| %s MB | %.0f ms | %.0f ms |", thousands(memory), warm, start)
		for _, part := range []float64{b.gateway, b.lambda, b.dynamo, b.s3, b.logs, b.traffic, b.total()} {
			fmt.Fprintf(out, " %.2f |", part*million)
		}
		out.WriteString("\n")
	}
}

// plan is a way to use up a plan.
type plan struct {
	every string // call
	names int    // in each call
	usage
}

func plans(m measured) []plan {
	of := func(f figures, download int) usage {
		return usage{figures: f, memory: functionMemory, monthly: callsOfPlan, download: download}
	}
	return []plan{
		{"screens one listed name", 1, of(m.Screen, 0)},
		{fmt.Sprintf("screens %d listed names, with rows", namesOfBatch), namesOfBatch, of(m.Batch, 0)},
		{fmt.Sprintf("screens %d short words that meet 40 rows and more, with rows", namesOfBatch), namesOfBatch, of(m.Crowded, 0)},
		{fmt.Sprintf("downloads `%s`", m.Export.Name), 0, of(m.Screen, m.Export.Bytes)},
	}
}

func perPlan(out *strings.Builder, m measured) {
	fmt.Fprintf(out, "\nWhat one plan of US$%.2f costs at full use, %d keys × %s calls × %d days = %s calls in a month, where every call\n\n",
		planPrice, keysOfPlan, thousands(callsOfKey), daysOfMonth, thousands(callsOfPlan))
	out.WriteString("| | names | sent a call | US$ | of the price |\n|---|---|---|---|---|\n")
	for _, p := range plans(m) {
		b, _, _ := billFor(p.usage, m.Authorizer)
		cost := b.total() * callsOfPlan
		names := "–"
		if p.names > 0 {
			names = thousands(p.names * callsOfPlan)
		}
		fmt.Fprintf(out, "| %s | %s | %s kB | %.2f | %.0f %% |\n",
			p.every, names, thousands((p.Answer+p.download+500)/1000), cost, 100*cost/planPrice)
	}
}

func basis(out *strings.Builder, m measured) {
	fmt.Fprintf(out, "\nMeasured on %s on %s with lists of %s entries, by the real bootstraps on engines of DynamoDB and S3: the processor's "+
		"time of a warm call (%.0f µs of `screen`, %.0f µs of the authorizer, %.1f ms of a batch), the time from a process's start to its first answer "+
		"(%.0f ms, %.0f ms), the bytes of answers and log lines. ",
		m.Machine, m.Day, thousands(m.Entries), m.Screen.CPU, m.Authorizer.CPU, m.Batch.CPU/1000, m.Screen.Start, m.Authorizer.Start)
	fmt.Fprintf(out, "The model: a function has its memory's share of a CPU, all of one from %s MB, and a start has a whole one; "+
		"%.0f %% of the calls meet a start; DynamoDB takes %d ms, S3 %d ms. ", thousands(wholeCPU), coldShare*100, dynamoWait, s3Wait)
	out.WriteString("Its limits: a processor of AWS counts as fast as this one, short calls often get more than their share, and connections " +
		"encrypt nothing here. Prices are those of us-east-1 in `infra/cost/prices.go`, without free tiers. Not in it is what costs the same " +
		"without calls: the daily refresh, storage, alarms, metrics and sign-in.\n")
}

// thousands writes a number with commas.
func thousands(n int) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
