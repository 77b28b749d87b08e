package keys

import (
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
	"time"
)

// TokenTime is how long the token of a search box can be used (decisions section 5).
const TokenTime = time.Hour

// tokenPrefix tells a token from a key; no key has the length of one.
const tokenPrefix = "lwe_"

// ErrToken is returned by [TokenKey.Open] for what is no token, or no longer one.
var ErrToken = errors.New("not a token of a search box, or it has ended")

// TokenKey makes and reads tokens: what a search box calls the API with in place of the
// key, for an hour. A token names the key by its hash and proves that /embed made it. It
// may be copied, but only the API's own pages pass the domain lock with it.
type TokenKey [sha256.Size]byte

// TokenKeys gives the key, which may have to be fetched. It is called concurrently.
type TokenKeys func(context.Context) (TokenKey, error)

// NewTokenKey derives a key from a secret that also seals other things.
func NewTokenKey(secret []byte) (TokenKey, error) {
	derived, err := hkdf.Key(sha256.New, secret, nil, "listward search box", sha256.Size)
	if err != nil {
		return TokenKey{}, err
	}
	return TokenKey(derived), nil
}

// String shows nothing of the key.
func (TokenKey) String() string { return "token key" }

// Mint makes a token for a key that ends at a time, to the second.
func (k TokenKey) Mint(h Hash, ends time.Time) string {
	body := binary.BigEndian.AppendUint64(append([]byte(nil), h[:]...), uint64(ends.Unix()))
	return tokenPrefix + base64.RawURLEncoding.EncodeToString(append(body, k.sum(body)...))
}

// Open returns the hash of the key that a token was made for, or ErrToken.
func (k TokenKey) Open(token string, now time.Time) (Hash, error) {
	text, isToken := strings.CutPrefix(token, tokenPrefix)
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	const bodyLength = sha256.Size + 8
	if !isToken || err != nil || len(raw) != bodyLength+sha256.Size {
		return Hash{}, ErrToken
	}
	body := raw[:bodyLength]
	ends := time.Unix(int64(binary.BigEndian.Uint64(body[sha256.Size:])), 0)
	if !hmac.Equal(raw[bodyLength:], k.sum(body)) || !ends.After(now) {
		return Hash{}, ErrToken
	}
	return Hash(body[:sha256.Size]), nil
}

func (k TokenKey) sum(body []byte) []byte {
	mac := hmac.New(sha256.New, k[:])
	mac.Write(body)
	return mac.Sum(nil)
}
