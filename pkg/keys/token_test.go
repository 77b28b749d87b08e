package keys_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/listward/listward/pkg/keys"
)

func newTokenKey(t testing.TB, secret string) keys.TokenKey {
	t.Helper()
	key, err := keys.NewTokenKey([]byte(secret))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestToken(t *testing.T) {
	key, secret := newTokenKey(t, "a"), newSecret(t)
	token := key.Mint(secret.Hash(), noon)
	for _, tt := range []struct {
		key   keys.TokenKey
		token string
		at    time.Time
		ok    bool
	}{
		{key, token, noon.Add(-time.Hour), true},
		{key, token, noon.Add(-time.Nanosecond), true},
		{key, token, noon, false},
		{newTokenKey(t, "b"), token, noon.Add(-time.Hour), false},
		{key, strings.TrimPrefix(token, "lwe_"), noon.Add(-time.Hour), false},
		{key, token + "A", noon.Add(-time.Hour), false},
		{key, "lwe_", noon.Add(-time.Hour), false},
		{key, "", noon.Add(-time.Hour), false},
		{key, secret.Reveal(), noon.Add(-time.Hour), false},
	} {
		hash, err := tt.key.Open(tt.token, tt.at)
		if tt.ok && (err != nil || hash != secret.Hash()) || !tt.ok && (!errors.Is(err, keys.ErrToken) || hash != keys.Hash{}) {
			t.Errorf("Open(%.12s…, %v) = %x, error %v; want ok %v", tt.token, tt.at, hash, err, tt.ok)
		}
	}
	if strings.Contains(token, secret.Reveal()[3:]) {
		t.Error("the token holds the key")
	}
}

// TestChangedTokens: no token that differs in a character is taken.
func TestChangedTokens(t *testing.T) {
	key := newTokenKey(t, "a")
	token := key.Mint(newSecret(t).Hash(), noon)
	rapid.Check(t, func(rt *rapid.T) {
		at := rapid.IntRange(0, len(token)-1).Draw(rt, "place")
		char := rapid.SampledFrom([]rune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ \n")).Draw(rt, "character")
		changed := token[:at] + string(char) + token[at+1:]
		if _, err := key.Open(changed, noon.Add(-time.Minute)); changed != token && !errors.Is(err, keys.ErrToken) {
			rt.Errorf("Open of a token with %q at %d: error %v", char, at, err)
		}
	})
}
