package main

import (
	"testing"

	"github.com/listward/listward/pkg/keys"
)

// TestDemoKeyIsMadeAnew: who tried revocation or deletion on the demo account has a key
// that works at the next start.
func TestDemoKeyIsMadeAnew(t *testing.T) {
	c := testConfig(t, sampleLists)
	before := ""
	for _, revoke := range []bool{true, true, false} {
		s := runStack(t, c)
		key := demoKey(t, c)
		if got := s.useKey(t, key, ""); got != "200" || key == before {
			t.Errorf("after a start: %s, with the key of before: %v", got, key == before)
		}
		secret, err := keys.Parse(key)
		if err != nil {
			t.Fatal(err)
		}
		if before = key; revoke {
			runCommand(t, c, nil, "key", "revoke", demoAccount(), secret.Hash().ID())
		}
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
	}
}
