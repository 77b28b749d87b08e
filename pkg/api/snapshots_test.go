package api_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/listward/listward/pkg/sanction"
)

// TestSnapshotThatCameBack is told of as it was published first, in whole seconds:
// evidence of that time cites it.
func TestSnapshotThatCameBack(t *testing.T) {
	l := newTimeline(t)
	l.fraction = 123456789 * time.Nanosecond
	one, two := party("UN-1", sanction.Entity, "ALPHA"), party("UN-2", sanction.Entity, "BETA")
	l.publish(t, one)
	l.publish(t, one, two)
	l.publish(t, one)
	for i, want := range []string{"2026-11-18T12:00:00Z", "2026-11-18T13:00:00Z"} {
		answer := callAt(t, l.edge.Snapshots(), "/api/v1/snapshots/"+l.snapshots[i], passes.Context(), nil)
		var got struct {
			Snapshot    string
			PublishedAt string `json:"published_at"`
		}
		if err := json.Unmarshal([]byte(answer.Body), &got); err != nil || got.Snapshot != l.snapshots[i] || got.PublishedAt != want {
			t.Errorf("%d %s, error %v, want it published at %s", answer.StatusCode, answer.Body, err, want)
		}
	}
}

// TestUnknownSnapshot: the history may have begun anew since, so nothing is said of what
// was served.
func TestUnknownSnapshot(t *testing.T) {
	l := newTimeline(t)
	l.publish(t, party("UN-1", sanction.Entity, "ALPHA"))
	answer := callAt(t, l.edge.Snapshots(), "/api/v1/snapshots/"+strings.Repeat("0", 64), passes.Context(), nil)
	if answer.StatusCode != 404 || code(t, answer) != "not_found" || !strings.Contains(answer.Body, "No snapshot of this id is known here.") {
		t.Errorf("%d %s", answer.StatusCode, answer.Body)
	}
}
