// Package account is the account area at /account: signing in, the plan and its payment,
// keys, usage, and the export and deletion of an account (decisions section 5). It is for
// people with a browser; it needs no script, and takes no API key.
//
// An [Area] serves it, hosted by [api.Edge.Beside]. Who is signed in stands in a sealed
// cookie and nowhere else. Every POST must carry the token of its session, which only our
// own pages have: that is what keeps other sites from acting for a person.
package account

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/listward/listward/pkg/api"
	"github.com/listward/listward/pkg/apigw"
	"github.com/listward/listward/pkg/billing"
	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/locale"
)

// visitTime is how long an answer may take, with all that it asks of others: less than
// the function has.
const visitTime = 20 * time.Second

// maxForm is the size of a form's body in bytes: twenty domains fit twice.
const maxForm = 64 << 10

// Config is what an Area takes from its surroundings.
type Config struct {
	// Issuer is the URL of the OpenID Connect issuer, and Client our id there. The client
	// is public: it has no secret, and PKCE.
	Issuer, Client string
	// Realm stands for the issuer in the ids of accounts. Empty stands for its URL.
	Realm string
	// SignOut is where the issuer ends its own session, as Amazon Cognito does at
	// /logout. Empty for none.
	SignOut string
	// SealKey seals the cookies. With another, everybody signs in anew.
	SealKey [32]byte
	// Address is the public address without a slash at its end, if it is not the one by
	// which API Gateway was called: the issuer sends people back to one address alone.
	Address string
	// PaymentHosts are the origins of the pages of payment: forms lead to no others.
	PaymentHosts []string
}

// Area serves the account area. It is safe for concurrent use.
type Area struct {
	store    keys.Store
	payments *billing.Biller // nil where no payments are set up
	issuer   *issuer
	realm    string
	signOut  string
	address  string
	seal     [32]byte
	sealer   sealer
	pages    pages
	now      func() time.Time
	log      *slog.Logger
}

// New returns an Area. Without payments, which may be nil, plans are an operator's to
// grant.
func New(c Config, store keys.Store, payments *billing.Biller, now func() time.Time, log *slog.Logger) (*Area, error) {
	sealer, err := newSealer(c.SealKey)
	if err != nil {
		return nil, fmt.Errorf("make the account area: %w", err)
	}
	targets := slices.Clone(c.PaymentHosts)
	if out, err := url.Parse(c.SignOut); err == nil && out.Host != "" {
		targets = append(targets, out.Scheme+"://"+out.Host)
	}
	pages, err := readPages(targets)
	if err != nil {
		return nil, fmt.Errorf("make the account area: %w", err)
	}
	a := &Area{
		store: store, payments: payments, realm: c.Realm, signOut: c.SignOut, address: c.Address, seal: c.SealKey, sealer: sealer, pages: pages, now: now, log: log,
		issuer: &issuer{url: c.Issuer, client: c.Client, now: now, http: &http.Client{Timeout: issuerTimeout}},
	}
	if a.realm == "" {
		a.realm = c.Issuer
	}
	return a, nil
}

// Handler makes the area's handler.
func (a *Area) Handler(e *api.Edge) http.Handler {
	return e.Beside("account", a.page, a.sorry)
}

// visit is one request to the area.
type visit struct {
	*http.Request
	area    *Area
	header  http.Header // of the response
	now     time.Time
	address string // public, without a slash at its end
	lang    locale.Lang
	session session
	// account is that of the session, as stored.
	account keys.Account
	// key is the id of a key in the path.
	key string
	// refusedAs is the code of the error that a page shows.
	refusedAs string
}

// step answers a visit.
type step func(*visit) (api.Document, error)

// routes are the area's pages by path and method. Those of open need no session.
func routes() (open, signedIn map[string]map[string]step) {
	open = map[string]map[string]step{
		"/account":          {http.MethodGet: (*visit).overview},
		"/account/login":    {http.MethodGet: (*visit).login},
		"/account/callback": {http.MethodGet: (*visit).returned},
	}
	signedIn = map[string]map[string]step{
		"/account/logout":           {http.MethodPost: (*visit).logout},
		"/account/checkout":         {http.MethodPost: (*visit).checkout},
		"/account/portal":           {http.MethodPost: (*visit).portal},
		"/account/keys":             {http.MethodGet: (*visit).listKeys, http.MethodPost: (*visit).createKey},
		"/account/keys/{id}":        {http.MethodGet: (*visit).showKey, http.MethodPost: (*visit).changeKey},
		"/account/keys/{id}/revoke": {http.MethodGet: (*visit).askRevoke, http.MethodPost: (*visit).revokeKey},
		"/account/data":             {http.MethodGet: (*visit).data},
		"/account/data.json":        {http.MethodGet: (*visit).export},
		"/account/delete":           {http.MethodPost: (*visit).deleteAccount},
	}
	return open, signedIn
}

// route finds the pattern of a path and the key's id in it.
func route(path string) (pattern, key string) {
	parts := strings.Split(strings.TrimSuffix(path, "/"), "/")
	if len(parts) > 3 && parts[2] == "keys" {
		key, parts[3] = parts[3], "{id}"
	}
	return strings.Join(parts, "/"), key
}

// page answers every request to the area.
func (a *Area) page(header http.Header, r *http.Request) (api.Document, error) {
	ctx, cancel := context.WithTimeout(r.Context(), visitTime)
	defer cancel()
	v := a.visit(header, r.WithContext(ctx))
	pattern, key := route(r.URL.Path)
	v.key = key
	open, signedIn := routes()
	if steps, found := open[pattern]; found {
		return v.take(steps)
	}
	steps, found := signedIn[pattern]
	if !found {
		return api.Document{}, &api.Error{Code: api.NotFound, Message: "There is no such page in the account area."}
	}
	if steps[r.Method] == nil {
		return v.take(steps)
	}
	if err := v.admit(); err != nil {
		return api.Document{}, err
	}
	return v.take(steps)
}

func (a *Area) visit(header http.Header, r *http.Request) *visit {
	header.Set("Cache-Control", "private, no-store")
	header.Set("Referrer-Policy", "same-origin")
	v := &visit{Request: r, area: a, header: header, now: a.now(), address: cmp.Or(a.address, apigw.Address(r.Context()))}
	v.lang = v.chooseLanguage()
	v.session = v.readSession()
	return v
}

func (v *visit) take(steps map[string]step) (api.Document, error) {
	if step := steps[v.Method]; step != nil {
		return step(v)
	}
	var methods []string
	for method := range steps {
		methods = append(methods, method)
	}
	slices.Sort(methods)
	v.header.Set("Allow", strings.Join(methods, ", "))
	return api.Document{}, &api.Error{Code: api.MethodNotAllowed}
}

// admit lets through who is signed in to an account that is there, with a POST only from
// a form of that session.
func (v *visit) admit() error {
	if v.session.Account == "" {
		return &api.Error{Code: api.SignInRequired}
	}
	if v.Method == http.MethodPost {
		if err := v.checkForm(); err != nil {
			return err
		}
	}
	return v.readAccount()
}

// checkForm reads the form of a POST, which must have the session's token.
func (v *visit) checkForm() error {
	v.Body = http.MaxBytesReader(nil, v.Body, maxForm)
	if err := v.ParseForm(); err != nil {
		if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
			return &api.Error{Code: api.BodyTooLarge, Message: "Send less text."}
		}
		return &api.Error{Code: api.InvalidBody, Message: "Send a form."}
	}
	if subtle.ConstantTimeCompare([]byte(v.PostForm.Get("token")), []byte(v.session.Token)) != 1 {
		return &api.Error{Code: api.FormExpired}
	}
	return nil
}

// readAccount reads the account of the session. One that was deleted elsewhere ends it.
func (v *visit) readAccount() error {
	account, err := v.area.store.Account(v.Context(), v.session.Account)
	// One that was made anew has the same id.
	if errors.Is(err, keys.ErrUnknownAccount) || err == nil && !account.Created.Equal(v.session.Created) {
		v.session = session{}
		v.setCookie(sessionCookie, "", 0)
		return &api.Error{Code: api.SignInRequired}
	}
	if err != nil {
		_, err = v.unavailable(err)
		return err
	}
	v.account = account
	return nil
}

// unavailable logs why the person must come back later.
func (v *visit) unavailable(err error) (api.Document, error) {
	v.area.log.ErrorContext(v.Context(), "account area", "request_id", apigw.RequestID(v.Context()), "error", err)
	return api.Document{}, &api.Error{Code: api.Unavailable}
}

// redirect leads on with a GET.
func (v *visit) redirect(to string) api.Document {
	v.header.Set("Location", to)
	return api.Document{Status: http.StatusSeeOther, Type: "text/plain; charset=utf-8"}
}
