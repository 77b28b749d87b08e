package cloud_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/cloud"
)

// TestWatcherNeedsItsVariables: a variable that the template forgot is named when the
// function starts.
func TestWatcherNeedsItsVariables(t *testing.T) {
	all := map[string]string{
		"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "LISTS_BUCKET": "lists", "STACK": "listward",
	}
	if _, err := cloud.Watcher(func(name string) string { return all[name] }, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, missing := range []string{"LISTS_BUCKET", "STACK"} {
		_, err := cloud.Watcher(func(name string) string {
			if name == missing {
				return ""
			}
			return all[name]
		}, io.Discard)
		if !errors.Is(err, cloud.ErrMissing) || !strings.Contains(err.Error(), missing) {
			t.Errorf("without %s: error %v, want ErrMissing that names it", missing, err)
		}
	}
}
