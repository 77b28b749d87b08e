package account_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/listward/listward/infra/issuer"
	"github.com/listward/listward/pkg/account"
	"github.com/listward/listward/pkg/api"
	"github.com/listward/listward/pkg/apigw"
	"github.com/listward/listward/pkg/billing"
	"github.com/listward/listward/pkg/billing/billingtest"
	"github.com/listward/listward/pkg/keys"
	"github.com/listward/listward/pkg/keys/bolt"
)

// world is the account area on a server, with its issuer and a Stripe.
type world struct {
	*testing.T
	url    string
	store  keys.Store
	stripe *billingtest.Stripe
	log    bytes.Buffer
	late   time.Duration // what the area's clock is ahead
	down   bool          // the issuer does not answer

	payments *billing.Biller
	before   func() // what happens before the area deletes an account
}

// watched is the store as the area has it.
type watched struct {
	keys.Store
	world *world
}

func (s watched) DeleteAccount(ctx context.Context, id string) (keys.Account, error) {
	if s.world.before != nil {
		s.world.before()
	}
	return s.Store.DeleteAccount(ctx, id)
}

// site hosts a Lambda handler as API Gateway does, without a stage.
func site(h lambda.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		header := r.Header.Clone()
		header.Set("X-Forwarded-Proto", cmp.Or(r.Header.Get("X-Test-Proto"), "http"))
		payload, _ := json.Marshal(events.APIGatewayProxyRequest{
			HTTPMethod: r.Method, Path: r.URL.EscapedPath(), MultiValueHeaders: header, MultiValueQueryStringParameters: r.URL.Query(),
			Body: base64.StdEncoding.EncodeToString(body), IsBase64Encoded: true,
			RequestContext: events.APIGatewayProxyRequestContext{DomainName: r.Host, Path: r.URL.EscapedPath(), RequestID: "r-1"},
		})
		out, err := h.Invoke(r.Context(), payload)
		var answer events.APIGatewayProxyResponse
		if err == nil {
			err = json.Unmarshal(out, &answer)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		for name, values := range answer.MultiValueHeaders {
			w.Header()[http.CanonicalHeaderKey(name)] = values
		}
		w.WriteHeader(answer.StatusCode)
		_, _ = io.WriteString(w, answer.Body)
	}
}

func newWorld(t *testing.T) *world { return newWorldWith(t, true) }

func newWorldWith(t *testing.T, paid bool) *world {
	t.Helper()
	w := &world{T: t}
	now := func() time.Time { return time.Now().Add(w.late) }
	store, err := bolt.Open(filepath.Join(t.TempDir(), "keys"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	w.store, w.stripe = store, billingtest.New(t, now)
	log := slog.New(slog.NewJSONHandler(&w.log, nil))
	payments := billing.New(store, billing.Config{Key: billingtest.Key, Price: billingtest.Price, WebhookSecret: billingtest.WebhookSecret, URL: w.stripe.URL}, now, log)
	if !paid {
		payments = nil
	}
	w.payments = payments
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	w.url = server.URL
	people := issuer.New(strings.TrimPrefix(server.URL, "http://"))
	area, err := account.New(account.Config{Issuer: people.URL(), Client: issuer.Client, SealKey: [32]byte{1}, PaymentHosts: []string{w.stripe.URL}},
		watched{store, w}, payments, now, log)
	if err != nil {
		t.Fatal(err)
	}
	mux.HandleFunc(issuer.Path, func(rw http.ResponseWriter, r *http.Request) {
		if w.down {
			http.Error(rw, "<html>maintenance</html>", http.StatusBadGateway)
			return
		}
		people.ServeHTTP(rw, r)
	})
	mux.Handle("/", site(apigw.Handler(area.Handler(&api.Edge{Now: now, Log: log}))))
	return w
}

// person is a browser without a script.
type person struct {
	*world
	client *http.Client
}

func (w *world) person() *person {
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.Fatal(err)
	}
	return &person{w, &http.Client{Jar: jar}}
}

// signedIn is a person with an account of a name and a plan.
func (w *world) signedIn(name string) *person {
	w.Helper()
	p := w.person()
	p.client.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if r.URL.Path == issuer.Path+"authorize" {
			query := r.URL.Query()
			query.Set("login_hint", name)
			r.URL.RawQuery = query.Encode()
		}
		return nil
	}
	if page := p.get("/account/login"); page.status != http.StatusOK || !strings.Contains(page.body, name+"@listward.example") {
		w.Fatalf("sign-in: %d %s", page.status, page.body)
	}
	return p
}

func (p *person) id() string {
	p.Helper()
	var exported struct{ Account keys.Account }
	if err := json.Unmarshal([]byte(p.get("/account/data.json").body), &exported); err != nil {
		p.Fatal(err)
	}
	return exported.Account.ID
}

// grant gives the person's account a plan.
func (p *person) grant() *person {
	p.Helper()
	if err := p.store.SetPlan(p.Context(), p.id(), time.Now().AddDate(1, 0, 0)); err != nil {
		p.Fatal(err)
	}
	return p
}

type page struct {
	status   int
	body     string
	header   http.Header
	location string // where the last request went
}

func (p *person) send(method, path string, body io.Reader, header map[string]string) page {
	p.Helper()
	r, err := http.NewRequestWithContext(p.Context(), method, p.url+path, body)
	if err != nil {
		p.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	for name, value := range header {
		r.Header.Set(name, value)
	}
	answer, err := p.client.Do(r)
	if err != nil {
		p.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		p.Fatal(err)
	}
	return page{answer.StatusCode, string(text), answer.Header, answer.Request.URL.Path}
}

func (p *person) get(path string) page {
	p.Helper()
	return p.send(http.MethodGet, path, nil, nil)
}

// token is that of the session's forms.
func (p *person) token() string {
	p.Helper()
	found := regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(p.get("/account/keys").body)
	if found == nil {
		p.Fatal("the page of keys has no token")
	}
	return found[1]
}

// post sends a form with the session's token.
func (p *person) post(path string, fields ...string) page {
	p.Helper()
	return p.submit(path, append(fields, "token", p.token())...)
}

func (p *person) submit(path string, fields ...string) page {
	p.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return p.send(http.MethodPost, path, strings.NewReader(form.Encode()), map[string]string{"Content-Type": "application/x-www-form-urlencoded"})
}

var codeOf = regexp.MustCompile(`<meta name="error-code" content="([^"]*)">`)

// wantRefused expects the page of an error.
func (p *person) wantRefused(got page, status int, code, what string) {
	p.Helper()
	found := codeOf.FindStringSubmatch(got.body)
	if got.status != status || found == nil || found[1] != code {
		p.Errorf("%s: %d %q at %s, want %d %s", what, got.status, found, got.location, status, code)
	}
}

var plainKey = regexp.MustCompile(`id="plain" readonly value="(lw_[0-9A-Za-z]{36})"`)

// createKey creates a key and returns it as shown.
func (p *person) createKey(fields ...string) string {
	p.Helper()
	created := p.post("/account/keys", fields...)
	found := plainKey.FindStringSubmatch(created.body)
	if created.status != http.StatusOK || found == nil {
		p.Fatalf("create a key: %d %s", created.status, created.body)
	}
	return found[1]
}

func (p *person) keys() []keys.Key {
	p.Helper()
	all, err := p.store.Keys(p.Context(), p.id())
	if err != nil {
		p.Fatal(err)
	}
	return all
}

func TestKeyIsShownOnce(t *testing.T) {
	p := newWorld(t).signedIn("ada").grant()
	plain := p.createKey("label", "Büro <b>", "domains", "Shop.example, *.bücher.example")
	for _, path := range []string{"/account", "/account/keys", "/account/keys/" + p.keys()[0].ID, "/account/data.json"} {
		if got := p.get(path); got.status != http.StatusOK || strings.Contains(got.body, plain) {
			t.Errorf("%s: %d, with the key: %v", path, got.status, strings.Contains(got.body, plain))
		}
	}
	if strings.Contains(p.log.String(), plain) || strings.Contains(p.log.String(), "ada@") {
		t.Errorf("the log has the key or the address: %s", &p.log)
	}
	key := p.keys()[0]
	if key.Label != "Büro <b>" || fmt.Sprint(key.Domains) != "[shop.example *.xn--bcher-kva.example]" {
		t.Errorf("stored: %+v", key)
	}
	if list := p.get("/account/keys").body; !strings.Contains(list, "Büro &lt;b&gt;") || strings.Contains(list, "<b>") {
		t.Error("the label is not shown as text")
	}
}

func TestFormsAreRefused(t *testing.T) {
	p := newWorld(t).signedIn("ada")
	got := p.post("/account/keys", "label", "x")
	p.wantRefused(got, 403, "membership_required", "a key without a plan")
	if !strings.Contains(got.body, "You need a running plan") {
		t.Error("the page does not say why")
	}
	p.grant()
	for _, tt := range []struct{ label, domains, says string }{
		{strings.Repeat("x", 61), "", "at most 60 characters"},
		{"x", "https://shop.example", "without https://"},
		{"x", strings.Repeat("a.example\nb.example\n", 11), "at most 20 domains"},
	} {
		got := p.post("/account/keys", "label", tt.label, "domains", tt.domains)
		if got.status != http.StatusBadRequest || !strings.Contains(got.body, tt.says) || !strings.Contains(got.body, strings.TrimSpace(tt.domains)) {
			t.Errorf("label %q, domains %q: %d, want 400 with %q and what was typed", tt.label, tt.domains, got.status, tt.says)
		}
	}
	for range keys.MaxActive {
		p.createKey()
	}
	if got := p.post("/account/keys"); got.status != http.StatusConflict || !strings.Contains(got.body, "five active keys") {
		t.Errorf("a sixth key: %d", got.status)
	}
	json := p.send(http.MethodPost, "/account/keys", strings.NewReader("token="+url.QueryEscape(p.token())),
		map[string]string{"Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"})
	if json.status != http.StatusConflict || !strings.Contains(json.body, `"code":"too_many_keys"`) {
		t.Errorf("a sixth key, asked for as JSON: %d %s", json.status, json.body)
	}
}

// TestFormSentTwice: a second click, or the page loaded anew, creates no second key.
func TestFormSentTwice(t *testing.T) {
	p := newWorld(t).signedIn("ada").grant()
	token := p.token()
	once := regexp.MustCompile(`name="once" value="([^"]+)"`).FindStringSubmatch(p.get("/account/keys").body)
	if once == nil {
		t.Fatal("the form has no value of its own")
	}
	first := p.submit("/account/keys", "token", token, "once", once[1])
	if plainKey.FindString(first.body) == "" || strings.Contains(first.body, "?lang=") {
		t.Errorf("the first time: %d, with a link that loses the key: %v", first.status, strings.Contains(first.body, "?lang="))
	}
	second := p.submit("/account/keys", "token", token, "once", once[1])
	p.wantRefused(second, 403, "form_expired", "the same form again")
	if !strings.Contains(second.body, "This form was sent before") || len(p.keys()) != 1 {
		t.Errorf("the second time: %d keys, %s", len(p.keys()), second.body)
	}
	other := p.signedIn("mallory").grant()
	if got := other.post("/account/keys", "once", once[1]); plainKey.FindString(got.body) == plainKey.FindString(first.body) || got.status != 200 {
		t.Errorf("another account with the same value: %d", got.status)
	}
}

func TestChineseCommas(t *testing.T) {
	p := newWorld(t).signedIn("ada").grant()
	p.createKey("domains", "a.example、b.example，c.example；d.example\u3000e.example")
	if got := fmt.Sprint(p.keys()[0].Domains); got != "[a.example b.example c.example d.example e.example]" {
		t.Errorf("stored: %s", got)
	}
}

// TestOtherSites: a page of another site has the cookies sent along and no token.
func TestOtherSites(t *testing.T) {
	w := newWorld(t)
	p, other := w.signedIn("ada").grant(), w.signedIn("mallory").grant()
	p.createKey("label", "mine")
	id := p.keys()[0].ID
	for _, path := range []string{"/account/keys", "/account/keys/" + id, "/account/keys/" + id + "/revoke", "/account/delete", "/account/logout", "/account/checkout", "/account/portal"} {
		for what, token := range map[string]string{"none": "", "another session's": other.token(), "a wrong one": "x"} {
			p.wantRefused(p.submit(path, "token", token, "confirm", "yes"), 403, "form_expired", "POST "+path+" with the token: "+what)
		}
		if got := p.send(http.MethodPost, path+"?token="+url.QueryEscape(p.token()), nil, nil); got.status != 403 {
			t.Errorf("POST %s with the token in the address: %d", path, got.status)
		}
	}
	if all := p.keys(); len(all) != 1 || !all[0].Revoked.IsZero() {
		t.Errorf("the keys are now %+v", all)
	}
}

func TestKeysOfOthers(t *testing.T) {
	w := newWorld(t)
	p, other := w.signedIn("ada").grant(), w.signedIn("mallory").grant()
	p.createKey("label", "mine")
	key := p.keys()[0]
	for _, id := range []string{key.ID, "key_0000000000000000", "..%2f..", "%3Cscript%3E"} {
		other.wantRefused(other.get("/account/keys/"+id), 404, "not_found", "look at "+id)
		other.wantRefused(other.get("/account/keys/"+id+"/revoke"), 404, "not_found", "ask to revoke "+id)
		other.wantRefused(other.post("/account/keys/"+id, "label", "stolen", "domains", "evil.example"), 404, "not_found", "change "+id)
		other.wantRefused(other.post("/account/keys/"+id+"/revoke"), 404, "not_found", "revoke "+id)
	}
	if now := p.keys()[0]; now.Label != "mine" || now.Domains != nil || !now.Revoked.IsZero() {
		t.Errorf("the key is now %+v", now)
	}
}
