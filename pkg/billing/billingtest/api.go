package billingtest

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// answer is of a request to the API.
type answer struct {
	status int
	body   any
	asked  [sha256.Size]byte // what was asked, for an answer that is kept
}

// call is a request to the API with its parameters, under the lock.
type call struct {
	*http.Request
	params url.Values
	base   string // of the address by which it was asked
}

// endpoint serves a call. Its parameters are those that it may have; of name[any]
// stands name[].
type endpoint struct {
	params []string
	serve  func(call) answer
}

// routeAPI has the calls that package billing makes, and no others.
func (s *Stripe) routeAPI() {
	for route, e := range map[string]endpoint{
		"POST /v1/customers":                     {[]string{"metadata[]"}, s.createCustomer},
		"POST /v1/checkout/sessions":             {[]string{"mode", "customer", "client_reference_id", "line_items[0][price]", "line_items[0][quantity]", "success_url", "cancel_url"}, s.createSession},
		"GET /v1/checkout/sessions":              {[]string{"customer", "status", "limit", "starting_after"}, s.listSessions},
		"GET /v1/checkout/sessions/{id}":         {nil, s.getSession},
		"POST /v1/checkout/sessions/{id}/expire": {nil, s.expireSession},
		"POST /v1/billing_portal/sessions":       {[]string{"customer", "return_url"}, s.createPortal},
		"GET /v1/subscriptions":                  {[]string{"customer", "status", "limit", "starting_after"}, s.listSubscriptions},
		"DELETE /v1/subscriptions/{id}":          {nil, s.cancelSubscription},
	} {
		s.mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) { s.serveAPI(w, r, e) })
	}
	s.mux.HandleFunc("/v1/", func(w http.ResponseWriter, r *http.Request) {
		s.serveAPI(w, r, endpoint{serve: func(call) answer {
			return refuse(http.StatusNotFound, "", "", "Unrecognized request URL")
		}})
	})
}

func (s *Stripe) serveAPI(w http.ResponseWriter, r *http.Request, e endpoint) {
	form, err := formOf(r)
	if err != nil {
		reply(w, refuse(http.StatusBadRequest, "", "", err.Error()))
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, Request{Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Form: form})
	fail := s.fail
	s.mu.Unlock()
	if fail != nil {
		if f := fail(r); f != nil {
			if f.Retry != "" {
				w.Header().Set("Stripe-Should-Retry", f.Retry)
			}
			w.WriteHeader(f.Status)
			_, _ = io.WriteString(w, f.Body) // the client hears of it
			return
		}
	}
	s.mu.Lock()
	a := s.once(r, form, e)
	s.mu.Unlock()
	reply(w, a)
}

func formOf(r *http.Request) (string, error) {
	if r.Method != http.MethodPost {
		return r.URL.RawQuery, nil
	}
	body, err := io.ReadAll(r.Body)
	return string(body), err
}

// once answers a request that has the idempotency key of an earlier one as that one.
func (s *Stripe) once(r *http.Request, form string, e endpoint) answer {
	key, asked := r.Header.Get("Idempotency-Key"), sha256.Sum256([]byte(r.Method+r.URL.Path+"?"+form))
	kept, found := s.answered[key]
	if found && key != "" {
		if kept.asked != asked {
			return refuse(http.StatusBadRequest, "idempotency_error", "", "Keys for idempotent requests can only be used with the same parameters they were first used with.")
		}
		return kept
	}
	a := s.answer(r, form, e)
	a.asked = asked
	s.answered[key] = a
	return a
}

func (s *Stripe) answer(r *http.Request, form string, e endpoint) answer {
	if key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "); key != Key {
		return refuse(http.StatusUnauthorized, "", "", "Invalid API Key provided: "+key)
	}
	params, err := url.ParseQuery(form)
	if err != nil {
		return refuse(http.StatusBadRequest, "", "", err.Error())
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		family, _, _ := strings.Cut(name, "[")
		if !slices.Contains(e.params, name) && !slices.Contains(e.params, family+"[]") {
			return refuse(http.StatusBadRequest, "parameter_unknown", name, "Received unknown parameter: "+name)
		}
	}
	return e.serve(call{Request: r, params: params, base: "http://" + r.Host})
}

func reply(w http.ResponseWriter, a answer) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Request-Id", "req_test")
	body, err := json.Marshal(a.body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(body) // the client hears of it
}

func refuse(status int, code, param, message string) answer {
	refusal := map[string]any{"type": "invalid_request_error", "message": message}
	if code != "" {
		refusal["code"] = code
	}
	if param != "" {
		refusal["param"] = param
	}
	return answer{status: status, body: map[string]any{"error": refusal}}
}

func noSuch(what, param, id string) answer {
	return refuse(http.StatusNotFound, "resource_missing", param, fmt.Sprintf("No such %s: '%s'", what, id))
}

func ok(body any) answer { return answer{status: http.StatusOK, body: body} }

func (s *Stripe) createCustomer(c call) answer {
	metadata := map[string]string{}
	for name := range c.params {
		if key, ours := strings.CutPrefix(name, "metadata["); ours {
			metadata[strings.TrimSuffix(key, "]")] = c.params.Get(name)
		}
	}
	return ok(s.addCustomer(metadata).object())
}

func (s *Stripe) knows(customer string) bool {
	return slices.Contains(s.customerIDs(), customer)
}

func (s *Stripe) createSession(c call) answer {
	p := c.params
	switch {
	case p.Get("mode") != "subscription" || p.Get("line_items[0][quantity]") != "1":
		return refuse(http.StatusBadRequest, "parameter_missing", "mode", "This is no subscription to one plan.")
	case !s.knows(p.Get("customer")):
		return noSuch("customer", "customer", p.Get("customer"))
	case p.Get("line_items[0][price]") != Price:
		return noSuch("price", "line_items[0][price]", p.Get("line_items[0][price]"))
	}
	for _, name := range []string{"success_url", "cancel_url"} {
		if !absolute(p.Get(name)) {
			return refuse(http.StatusBadRequest, "url_invalid", name, "Not a valid URL")
		}
	}
	id := s.draw("cs")
	s.sessions = append(s.sessions, session{
		id: id, customer: p.Get("customer"), price: p.Get("line_items[0][price]"),
		reference: p.Get("client_reference_id"), status: "open", created: s.now(),
		success: p.Get("success_url"), cancel: p.Get("cancel_url"), url: c.base + "/c/pay/" + id,
	})
	return ok(s.sessions[len(s.sessions)-1].object())
}

func absolute(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func (s *Stripe) session(id string) *session {
	at := slices.IndexFunc(s.sessions, func(x session) bool { return x.id == id })
	if at < 0 {
		return nil
	}
	return &s.sessions[at]
}

func (s *Stripe) getSession(c call) answer {
	x := s.session(c.PathValue("id"))
	if x == nil {
		return noSuch("checkout.session", "id", c.PathValue("id"))
	}
	return ok(x.object())
}

func (s *Stripe) expireSession(c call) answer {
	x := s.session(c.PathValue("id"))
	switch {
	case x == nil:
		return noSuch("checkout.session", "id", c.PathValue("id"))
	case x.status != "open":
		return refuse(http.StatusBadRequest, "", "", "Only Checkout Sessions with a status in [\"open\"] can be expired.")
	}
	x.status, x.url = "expired", ""
	return ok(x.object())
}

func (s *Stripe) createPortal(c call) answer {
	customer, back := c.params.Get("customer"), c.params.Get("return_url")
	switch {
	case !s.knows(customer):
		return noSuch("customer", "customer", customer)
	case !absolute(back):
		return refuse(http.StatusBadRequest, "url_invalid", "return_url", "Not a valid URL")
	}
	id := s.draw("bps")
	s.portals = append(s.portals, portal{id: id, customer: customer, back: back, url: c.base + "/p/session/" + id, created: s.now()})
	return ok(s.portals[len(s.portals)-1].object())
}

func (s *Stripe) cancelSubscription(c call) answer {
	for _, sub := range s.subscriptions {
		if sub.ID == c.PathValue("id") && sub.Status != "canceled" && sub.Status != "incomplete_expired" {
			sub.Status = "canceled"
			return ok(s.set(sub).object())
		}
	}
	return noSuch("subscription", "id", c.PathValue("id"))
}

func (s *Stripe) listSubscriptions(c call) answer {
	return page(s, c, s.subscriptions, func(sub Subscription) listed {
		hidden := c.params.Get("status") == "" && sub.Status == "canceled"
		return listed{sub.ID, sub.Customer, sub.Status, hidden, sub.object()}
	})
}

func (s *Stripe) listSessions(c call) answer {
	return page(s, c, s.sessions, func(x session) listed {
		return listed{x.id, x.customer, x.status, false, x.object()}
	})
}

// listed is what a list must know of an object.
type listed struct {
	id, customer, status string
	hidden               bool
	object               map[string]any
}

// page lists the objects of a customer, the newest first.
func page[T any](s *Stripe, c call, all []T, look func(T) listed) answer {
	customer, status, after := c.params.Get("customer"), c.params.Get("status"), c.params.Get("starting_after")
	if !s.knows(customer) {
		return noSuch("customer", "customer", customer)
	}
	limit, err := limitOf(c)
	if err != nil {
		return refuse(http.StatusBadRequest, "parameter_invalid_integer", "limit", err.Error())
	}
	data, more, begun := []map[string]any{}, false, after == ""
	for _, one := range slices.Backward(all) {
		o := look(one)
		if o.customer != customer || o.hidden || status != "" && status != "all" && o.status != status {
			continue
		}
		switch {
		case !begun:
			begun = o.id == after
		case len(data) == limit:
			more = true
		default:
			data = append(data, o.object)
		}
	}
	if !begun {
		return noSuch("object", "starting_after", after)
	}
	return ok(map[string]any{"object": "list", "url": c.URL.Path, "has_more": more, "data": data})
}

func limitOf(c call) (int, error) {
	if !c.params.Has("limit") {
		return 10, nil
	}
	limit, err := strconv.Atoi(c.params.Get("limit"))
	if err == nil && (limit < 1 || limit > 100) {
		err = errors.New("a limit is between 1 and 100")
	}
	return limit, err
}
