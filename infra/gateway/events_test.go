package gateway_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"
)

// eventType returns a pointer to the type that an event is an example of, by what
// only that kind of event has.
func eventType(event map[string]any) any {
	switch {
	case event["detail-type"] != nil:
		return new(events.EventBridgeEvent)
	case event["type"] == "REQUEST":
		return new(events.APIGatewayCustomAuthorizerRequestTypeRequest)
	default:
		return new(events.APIGatewayProxyRequest)
	}
}

// The events of `sam local invoke` hold nothing that the functions' types do not
// know, and are of routes that the template has.
func TestEvents(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root(t), "events", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d events (%v), want some", len(files), err)
	}
	routes := map[string][]string{}
	for _, f := range service(t).Functions {
		for _, r := range f.Routes {
			routes[r.Path] = append(routes[r.Path], r.Method)
		}
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := decode(t, source)
			typed := eventType(want)
			if err := json.Unmarshal(source, typed); err != nil {
				t.Fatalf("decode as %T: %v", typed, err)
			}
			again, err := json.Marshal(typed)
			if err != nil {
				t.Fatalf("encode %T: %v", typed, err)
			}
			if diff := cmp.Diff(want, decode(t, again)); diff != "" {
				t.Errorf("as %T and back (-want +got):\n%s", typed, diff)
			}
			if resource, ok := want["resource"].(string); ok {
				methods := routes[resource]
				if !slices.Contains(methods, "ANY") && !slices.Contains(methods, want["httpMethod"].(string)) {
					t.Errorf("%v %s is no route of the template, which has %q there", want["httpMethod"], resource, methods)
				}
			}
		})
	}
}

func decode(t *testing.T, source []byte) map[string]any {
	t.Helper()
	var event map[string]any
	if err := json.Unmarshal(source, &event); err != nil {
		t.Fatalf("decode %.100s: %v", source, err)
	}
	return event
}
