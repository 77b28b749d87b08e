package main

import "math"

// measured is what measuring found; see measure.
type measured struct {
	// Machine is what it was measured on, Day when (UTC), and Entries how many the
	// lists had.
	Machine string `json:"machine"`
	Day     string `json:"day"`
	Entries int    `json:"entries"`

	Authorizer figures `json:"authorizer"`
	// Screen screens one listed name, Batch a hundred of them with their rows, and
	// Crowded a hundred short words that meet as many rows as a batch shows.
	Screen  figures `json:"screen"`
	Batch   figures `json:"batch"`
	Crowded figures `json:"crowded_batch"`
	// Export is the largest bulk file.
	Export struct {
		Name  string `json:"name"`
		Bytes int    `json:"bytes"`
	} `json:"export"`
}

// figures are those of one function and kind of call.
type figures struct {
	// CPU is the time on a processor that a warm call takes, in µs, and Start the time
	// from a process's start to its first answer, in ms, without waiting for AWS.
	CPU   float64 `json:"cpu_us"`
	Start float64 `json:"start_ms"`
	// Answer and Log are bytes of a call: what goes to the caller, headers and all, and
	// what the function prints.
	Answer int `json:"answer_bytes"`
	Log    int `json:"log_bytes"`
}

// usage is one kind of call, and how it comes.
type usage struct {
	figures
	memory  int     // of the function, in MB
	monthly float64 // calls a month
	// download is the size in bytes of the file that the caller fetches after the call,
	// 0 for none.
	download int
}

// bill is what one call costs, in US$.
type bill struct{ gateway, lambda, dynamo, s3, logs, traffic float64 }

func (b bill) total() float64 {
	return b.gateway + b.lambda + b.dynamo + b.s3 + b.logs + b.traffic
}

// billFor computes the bill of a call, and the time that its function is billed when
// warm and when started, in ms.
func billFor(u usage, authorizer figures) (b bill, warm, start float64) {
	checks := checksOf(u.monthly)
	warm = warmTime(u.CPU, u.memory) + checks*s3Wait
	start = platformStart + u.Start + readsOfStart*s3Wait
	judging := warmTime(authorizer.CPU, authorizerMemory) + dynamoWait
	gets := checks + coldShare*readsOfStart
	sent := float64(u.Answer+u.download) * (1 + transport)
	if u.download > 0 {
		gets += 2 // the index of the exports, and the file
	}
	return bill{
		gateway: gatewayCall,
		lambda: 2*lambdaRequest + compute(u.memory, warm, start) +
			compute(authorizerMemory, judging, platformStart+authorizer.Start+dynamoConnect),
		dynamo:  dynamoWrite,
		s3:      gets * s3Get,
		logs:    float64(u.Log+authorizer.Log+accessLog+2*systemLog) / gb * logGB,
		traffic: sent / gb * trafficGB,
	}, warm, start
}

// warmTime is how long a call computes, in whole ms as Lambda bills: a function has its
// memory's share of a CPU, and no use for a second one.
func warmTime(cpu float64, memory int) float64 {
	share := min(1, float64(memory)/wholeCPU)
	return math.Ceil(cpu / 1000 / share)
}

// compute is the price of a call's time, a start's part of it included.
func compute(memory int, warm, start float64) float64 {
	seconds := (warm + coldShare*start) / 1000
	return seconds * float64(memory) / 1024 * lambdaGBSecond
}

// checksOf is how many looks at the pointer a call makes on average: one a minute, with
// the calls spread over the month and served by one function.
func checksOf(monthly float64) float64 {
	const minutes = daysOfMonth * 24 * 60
	return min(1, minutes/monthly)
}
