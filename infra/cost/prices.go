package main

// Prices in US$, of us-east-1, without free tiers, taxes and discounts, as of 2026-11-21.
// They were read from stored copies of the pages named, which tell what AWS's pages said on
// their dates: look at aws.amazon.com/<service>/pricing before relying on them.
const (
	// API Gateway, REST API, one call of the first 333 million a month
	// (awsforengineers.com/blog/aws-api-gateway-pricing-explained, 2025-05-19).
	gatewayCall = 3.50 / 1e6

	// Lambda, one request, and one GB-second on arm64, of the first 7.5 billion
	// (cloudchipr.com/blog/aws-lambda-pricing, 2024).
	lambdaRequest  = 0.20 / 1e6
	lambdaGBSecond = 0.0000133334

	// DynamoDB on demand, one write request unit: an item of up to 1 KB, in the
	// standard class, since 2024-11-01 (airbyte.com/data-engineering-resources/
	// dynamodb-pricing, 2025-07-21). The service reads no item apart from that.
	dynamoWrite = 0.625 / 1e6

	// S3 Standard, one GET: from memory, no page was found.
	s3Get = 0.0004 / 1000

	// CloudWatch Logs, one GB taken in, in the standard class
	// (go-cloud.io/aws-api-gateway-pricing, 2026).
	logGB = 0.50

	// What goes out to the internet, one GB of the first 10 TB a month
	// (awsforengineers.com, as above).
	trafficGB = 0.09

	gb = 1 << 30
)

// What cannot be measured without an account. Where the truth is a range, this is its
// dear end.
const (
	// coldShare of the calls meet a function that must be started.
	coldShare = 0.01
	// platformStart is Lambda's own part of a start in ms: what Go on arm64 takes to
	// say hello (maxday/lambda-perf, August 2026). A start has a whole CPU, whatever
	// the memory, and with a runtime of our own its time is billed.
	platformStart = 42
	// dynamoWait is how long a write takes, in ms: AWS promises single digits.
	// dynamoConnect is the first one's way through DNS and TLS besides.
	dynamoWait, dynamoConnect = 10, 50
	// s3Wait is how long a small object takes, in ms: 100 to 200 (S3 user guide,
	// "Optimizing Amazon S3 performance"). A start reads the pointer and the snapshot.
	s3Wait, readsOfStart = 150, 2
	// accessLog and systemLog are bytes of one call's access log line, and of the two
	// lines that Lambda adds to each invocation (platform.start, platform.report) unless
	// SystemLogLevel leaves them out.
	accessLog, systemLog = 400, 420
	// transport is what encryption and packets add to an answer, as a share of it.
	transport = 0.05
)

// What the contract and template.yaml say; tests compare.
const (
	planPrice    = 19.90
	keysOfPlan   = 5
	callsOfKey   = 1000 // a day
	daysOfMonth  = 30
	callsOfPlan  = keysOfPlan * callsOfKey * daysOfMonth
	namesOfBatch = 100
	// wholeCPU is the memory in MB with which a function has one CPU (Lambda
	// developer guide, "Configure Lambda function memory").
	wholeCPU         = 1769
	authorizerMemory = 128
	functionMemory   = 512
)

// memories are the sizes that the table compares, in MB.
func memories() []int { return []int{128, 256, functionMemory, 1024, wholeCPU} }
