package account

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	// sessionTime is how long a sign-in lasts.
	sessionTime = 8 * time.Hour
	// signInTime is how long a person may take at the issuer.
	signInTime = 10 * time.Minute
)

var errSeal = errors.New("not a cookie of ours")

// session is who is signed in. It is kept in the cookie alone.
type session struct {
	Account string    `json:"account"`
	Created time.Time `json:"created"` // when the account was
	Email   string    `json:"email"`
	Expires time.Time `json:"expires"`
	// Token stands in the session's forms, so that no other site can send one.
	Token string `json:"token"`
}

// signIn is what the callback must find as it was when the person left for the issuer.
type signIn struct {
	State    string    `json:"state"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"` // PKCE, RFC 7636
	Expires  time.Time `json:"expires"`
}

// sealer makes cookies that nobody else can read or make, by AES-256-GCM.
type sealer struct{ aead cipher.AEAD }

func newSealer(key [32]byte) (sealer, error) {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return sealer{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return sealer{aead}, err
}

// seal writes a value for a cookie of a name, in which alone it can be read.
func (s sealer) seal(name string, value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, text, []byte(name))), nil
}

// open reads what seal wrote, or returns errSeal.
func (s sealer) open(name, sealed string, value any) error {
	text, err := base64.RawURLEncoding.DecodeString(sealed)
	if err == nil {
		text, err = s.aead.Open(nil, nil, text, []byte(name))
	}
	if err == nil {
		err = json.Unmarshal(text, value)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errSeal, err)
	}
	return nil
}

// drawn is randomness that only this area can repeat, for a form that is sent twice.
func (a *Area) drawn(account, form string) (io.Reader, error) {
	bytes, err := hkdf.Key(sha256.New, a.seal[:], []byte(account), "listward key of a form\n"+form, 1024)
	if err != nil {
		return nil, fmt.Errorf("draw for a form: %w", err)
	}
	return strings.NewReader(string(bytes)), nil
}

// The cookies. That of the sign-in must come back from another site with the callback,
// and the session's with the redirect behind it: both are Lax.
const (
	sessionCookie  = "listward-session"
	signInCookie   = "listward-sign-in"
	languageCookie = "listward-language"
)

// cookieName has the prefix by which browsers refuse a cookie that a neighbouring host
// or an open connection could have set (RFC 6265bis section 4.1.3).
func (v *visit) cookieName(name string) string {
	if v.secure() {
		return "__Host-" + name
	}
	return name
}

// secure is false on one machine alone, which has no TLS.
func (v *visit) secure() bool { return strings.HasPrefix(v.address, "https://") }

// setCookie sets a cookie for a time, or takes it away with none.
func (v *visit) setCookie(name, value string, lasts time.Duration) {
	cookie := &http.Cookie{
		Name: v.cookieName(name), Value: value, Path: "/", MaxAge: int(lasts.Seconds()),
		HttpOnly: true, Secure: v.secure(), SameSite: http.SameSiteLaxMode,
	}
	if lasts <= 0 {
		cookie.MaxAge = -1
	}
	v.header.Add("Set-Cookie", cookie.String())
}

// setSealed sets a cookie that only this area reads.
func (v *visit) setSealed(name string, value any, lasts time.Duration) error {
	sealed, err := v.area.sealer.seal(v.cookieName(name), value)
	if err != nil {
		return fmt.Errorf("seal cookie %s: %w", name, err)
	}
	v.setCookie(name, sealed, lasts)
	return nil
}

// cookie reads a cookie, empty when there is none or when there are several: which of
// them is ours cannot be told.
func (v *visit) cookie(name string) string {
	if all := v.CookiesNamed(v.cookieName(name)); len(all) == 1 {
		return all[0].Value
	}
	return ""
}

// readSession returns the zero session for who is not signed in.
func (v *visit) readSession() session {
	var s session
	if v.area.sealer.open(v.cookieName(sessionCookie), v.cookie(sessionCookie), &s) != nil || !s.Expires.After(v.now) {
		return session{}
	}
	return s
}
