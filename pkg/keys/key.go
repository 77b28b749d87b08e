// Package keys decides whether a call may pass: API keys, the plans of their
// accounts, domain locks and the daily allowance (decisions sections 4 and 5).
//
// An [Authorizer] turns the headers of a call into a [Verdict], which travels to
// the handlers as the authorizer's context. It asks a [Store], which keeps
// accounts and keys and counts calls; package bolt has the one for one machine
// and package dynamo that for AWS, and every store must pass keystest.Run. [New] draws a key and [Parse] reads
// one; only its [Hash] is ever stored. The package imports nothing of ours.
package keys

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"strings"
)

// The parts of a key: prefix, random characters, check characters.
const (
	prefix       = "lw_"
	randomLength = 30 // 178 bits
	checkLength  = 6  // the fewest base62 characters that hold 32 bits
	keyLength    = len(prefix) + randomLength + checkLength
	hintLength   = 4
	alphabet     = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// ErrMalformed is returned by [Parse] for a text that cannot be a key. The text
// is not in the error, since it may be a key with a slip of the finger.
var ErrMalformed = errors.New("not a well-formed API key")

// Secret is a whole key. However it is printed, logged or marshalled, it shows
// only its [Secret.Hint]; [Secret.Reveal] is the one way to the key. The zero
// Secret is no key. Secrets may be used concurrently; compare what they reveal.
type Secret struct {
	// plain is a pointer because fmt prints the unexported fields of others
	// without asking their methods, and of a pointer it prints the address.
	plain *string
}

// New draws a key: "lw_", 30 base62 characters, and 6 base62 characters of the
// CRC-32 (IEEE) over what stands before, so that a secret scanner knows a key
// without asking us. The random source must be cryptographically secure; its
// error is the only one that New returns, wrapped.
func New(random io.Reader) (Secret, error) {
	drawn, err := draw(random, randomLength)
	if err != nil {
		return Secret{}, fmt.Errorf("draw a key: %w", err)
	}
	plain := prefix + drawn
	plain += check(plain)
	return Secret{&plain}, nil
}

// Parse reads a key as a caller sent it, or returns [ErrMalformed]. A key that
// it accepts is not thereby known: ask a [Store].
func Parse(s string) (Secret, error) {
	body, prefixed := strings.CutPrefix(s, prefix)
	if !prefixed || len(s) != keyLength || strings.TrimLeft(body, alphabet) != "" {
		return Secret{}, ErrMalformed
	}
	if at := keyLength - checkLength; check(s[:at]) != s[at:] {
		return Secret{}, ErrMalformed
	}
	return Secret{&s}, nil
}

// NewAccountID draws an id for [Store.CreateAccount] where no outer identity
// gives one: "acct_" and 16 base62 characters (95 bits). It returns the random
// source's error, wrapped.
func NewAccountID(random io.Reader) (string, error) {
	drawn, err := draw(random, 16)
	if err != nil {
		return "", fmt.Errorf("draw an account id: %w", err)
	}
	return "acct_" + drawn, nil
}

// draw returns n base62 characters, each as likely as any other.
func draw(random io.Reader, n int) (string, error) {
	drawn, block := make([]byte, 0, n), make([]byte, n)
	for len(drawn) < n {
		if _, err := io.ReadFull(random, block); err != nil {
			return "", err
		}
		for _, b := range block {
			// 248 is 4 × 62: the bytes from there on would favour eight characters.
			if b < 248 && len(drawn) < n {
				drawn = append(drawn, alphabet[b%62])
			}
		}
	}
	return string(drawn), nil
}

func check(s string) string {
	sum := crc32.ChecksumIEEE([]byte(s))
	digits := make([]byte, checkLength)
	for i := checkLength - 1; i >= 0; i-- {
		digits[i] = alphabet[sum%62]
		sum /= 62
	}
	return string(digits)
}

// Reveal returns the key itself, to be shown once, at creation; empty for the
// zero Secret.
func (s Secret) Reveal() string {
	if s.plain == nil {
		return ""
	}
	return *s.plain
}

// Hint returns what may be displayed for good: the prefix and the key's own last
// four characters, as "lw_…x7Qa", by which its owner finds it in a configuration
// (decisions section 5). They are check characters and cost no secrecy worth
// counting. The zero Secret has an empty hint.
func (s Secret) Hint() string {
	if s.plain == nil {
		return ""
	}
	return prefix + "…" + s.Reveal()[keyLength-hintLength:]
}

// String returns the hint.
func (s Secret) String() string { return s.Hint() }

// Format prints the hint for every verb, %#v and %d among them.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.Hint()) }

// LogValue returns the hint.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.Hint()) }

// MarshalText returns the hint, so what is marshalled cannot be read back.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.Hint()), nil }

// Hash returns what a store keeps in place of the key.
func (s Secret) Hash() Hash { return sha256.Sum256([]byte(s.Reveal())) }

// Hash is the SHA-256 of a key. A fast hash is right for it: a key has 178
// random bits, so there is no dictionary to try.
type Hash [sha256.Size]byte

// ID returns the key's public id, "key_" and 16 hexadecimal digits, by which
// owners, operators and logs name it.
func (h Hash) ID() string { return "key_" + hex.EncodeToString(h[:8]) }
