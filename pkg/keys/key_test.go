package keys_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/listward/listward/pkg/keys"
)

// example is a key whose check characters were computed by other means than ours
// (Python's zlib.crc32 gives 0xd048f28a).
const example = "lw_0123456789ABCDEFGHIJKLMNOPQRST3oUJtS"

func newSecret(t testing.TB) keys.Secret {
	t.Helper()
	secret, err := keys.New(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

func TestNew(t *testing.T) {
	form := regexp.MustCompile(`^lw_[0-9A-Za-z]{36}$`)
	seen := map[string]bool{}
	for range 1000 {
		plain := newSecret(t).Reveal()
		if !form.MatchString(plain) || seen[plain] {
			t.Errorf("New gives %q, want another one of the form %v each time", plain, form)
		}
		seen[plain] = true
	}
}

// TestNewIsUnbiased draws each character about 2,000 times. Bytes taken modulo 62
// would give eight of them 2,420 times.
func TestNewIsUnbiased(t *testing.T) {
	random := mathrand.NewChaCha8([32]byte{1})
	drawn := map[rune]int{}
	for range 62 * 2000 / 30 {
		secret, err := keys.New(random)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range secret.Reveal()[3:33] {
			drawn[c]++
		}
	}
	if len(drawn) != 62 {
		t.Errorf("%d different characters were drawn, want 62", len(drawn))
	}
	for c, n := range drawn {
		if n < 1800 || n > 2200 {
			t.Errorf("%c was drawn %d times, want about 2,000", c, n)
		}
	}
}

func TestDrawingFails(t *testing.T) {
	short := func() io.Reader { return strings.NewReader("too short") }
	if got, err := keys.New(short()); !errors.Is(err, io.ErrUnexpectedEOF) || got != (keys.Secret{}) {
		t.Errorf("New from a short source: %v, error %v, want %v", got, err, io.ErrUnexpectedEOF)
	}
	if got, err := keys.NewAccountID(short()); !errors.Is(err, io.ErrUnexpectedEOF) || got != "" {
		t.Errorf("NewAccountID from a short source: %q, error %v, want %v", got, err, io.ErrUnexpectedEOF)
	}
}

func TestNewAccountID(t *testing.T) {
	got, err := keys.NewAccountID(rand.Reader)
	if form := regexp.MustCompile(`^acct_[0-9A-Za-z]{16}$`); err != nil || !form.MatchString(got) {
		t.Errorf("NewAccountID gives %q, error %v, want the form %v", got, err, form)
	}
}

func TestParse(t *testing.T) {
	for _, s := range []string{
		"", "lw_", "lw", example[:38], example + "0", " " + example, example + "\n",
		strings.ToLower(example), "LW_" + example[3:], "xx_" + example[3:],
		example[:38] + "é", strings.Replace(example, "A", "-", 1),
	} {
		if got, err := keys.Parse(s); !errors.Is(err, keys.ErrMalformed) || got != (keys.Secret{}) {
			t.Errorf("Parse(%q): %v, error %v, want %v", s, got, err, keys.ErrMalformed)
		}
	}
	if got, err := keys.Parse(example); err != nil || got.Reveal() != example {
		t.Errorf("Parse(%q): %q, error %v", example, got.Reveal(), err)
	}
}

// TestParseOtherAlphabet gives the right check characters to a wrong body, which
// only the alphabet can refuse.
func TestParseOtherAlphabet(t *testing.T) {
	const s = "lw_0123456789-BCDEFGHIJKLMNOPQRST0oV15Q"
	if _, err := keys.Parse(s); !errors.Is(err, keys.ErrMalformed) {
		t.Errorf("Parse(%q): error %v, want %v", s, err, keys.ErrMalformed)
	}
}

func TestParseFindsSlips(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		plain := newSecret(t).Reveal()
		if got, err := keys.Parse(plain); err != nil || got.Reveal() != plain {
			rt.Fatalf("Parse(%q): %q, error %v", plain, got.Reveal(), err)
		}
		slipped := []byte(plain)
		slipped[rapid.IntRange(0, len(plain)-1).Draw(rt, "at")] = rapid.Byte().Draw(rt, "byte")
		if _, err := keys.Parse(string(slipped)); string(slipped) != plain && !errors.Is(err, keys.ErrMalformed) {
			rt.Fatalf("Parse(%q): error %v, want %v since it was %q", slipped, err, keys.ErrMalformed, plain)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(example)
	f.Add("lw_")
	f.Add("Bearer " + example)
	f.Fuzz(func(t *testing.T, s string) {
		secret, err := keys.Parse(s)
		if err != nil && (!errors.Is(err, keys.ErrMalformed) || secret != keys.Secret{}) {
			t.Errorf("Parse(%q): %v with error %v, want nothing with %v", s, secret, err, keys.ErrMalformed)
		}
		if err == nil && secret.Reveal() != s {
			t.Errorf("Parse(%q) reveals %q", s, secret.Reveal())
		}
	})
}

func TestHash(t *testing.T) {
	secret, err := keys.Parse(example)
	if err != nil {
		t.Fatal(err)
	}
	want := sha256.Sum256([]byte(example))
	if got := secret.Hash(); got != want {
		t.Errorf("Hash is %x, want %x", got, want)
	}
	if got, want := secret.Hash().ID(), "key_"+hex.EncodeToString(want[:])[:16]; got != want {
		t.Errorf("ID is %q, want %q", got, want)
	}
}

func TestSecretIsNotShown(t *testing.T) {
	secret := newSecret(t)
	plain := secret.Reveal()
	hint := "lw_…" + plain[35:]
	shown := map[string]string{"Hint": secret.Hint(), "String": secret.String()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%t"} {
		shown[verb] = fmt.Sprintf(verb, secret)
	}
	text, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	shown["JSON"] = strings.Trim(string(text), `"`)
	for how, got := range shown {
		if got != hint {
			t.Errorf("%s shows %q, want %q", how, got, hint)
		}
	}

	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("created", "key", secret, "in", []keys.Secret{secret})
	slog.New(slog.NewTextHandler(&log, nil)).Info("created", "key", secret)
	fmt.Fprintf(&log, "%+v %#v", struct{ unexported keys.Secret }{secret}, &secret)
	if strings.Contains(log.String(), plain[3:35]) || strings.Count(log.String(), hint) != 4 {
		t.Errorf("printed is %s, want only the hint %s of %s", log.String(), hint, plain)
	}
}

func TestZeroSecret(t *testing.T) {
	if s := (keys.Secret{}); s.Reveal() != "" || s.String() != "" {
		t.Errorf("the zero Secret reveals %q and prints %q, want nothing", s.Reveal(), s.String())
	}
}
