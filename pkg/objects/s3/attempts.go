package s3

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// conflictCode is S3's answer to a conditional Put that meets another one which
// is under way: nothing was written, and the condition was not decided.
const conflictCode = "ConditionalRequestConflict"

// attempts is the client's retryer, for one Put. It also repeats after a
// conflict, and remembers the last attempt of which S3 did not say that nothing
// was written.
type attempts struct {
	aws.Retryer
	unclear error
}

func (a *attempts) watch(o *s3.Options) {
	a.Retryer = retry.AddWithErrorCodes(o.Retryer, conflictCode)
	o.Retryer = a
}

// IsErrorRetryable is asked by the SDK after each failed attempt. A 4xx answer
// means that the attempt wrote nothing; after anything else it may have.
func (a *attempts) IsErrorRetryable(err error) bool {
	if s := status(err); s < 400 || s >= 500 {
		a.unclear = err
	}
	return a.Retryer.IsErrorRetryable(err)
}
