package billingtest

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"slices"
)

// The hosted pages, with ids for those who drive a browser.
const pages = `
{{define "head"}}<!doctype html><html lang="en"><meta charset="utf-8"><title>Stripe of the tests</title>{{end}}
{{define "checkout"}}{{template "head"}}<h1>Listward, US$19.90 a month</h1>
<form method="post"><button id="pay">Subscribe</button></form>
<p><a id="back" href="{{.}}">Back</a></p>{{end}}
{{define "portal"}}{{template "head"}}<h1>Your subscription</h1>
<form method="post"><button id="cancel">Cancel subscription</button></form>
<p><a id="back" href="{{.}}">Back</a></p>{{end}}`

func (s *Stripe) routePages() {
	t := template.Must(template.New("").Parse(pages))
	s.mux.HandleFunc("GET /c/pay/{id}", func(w http.ResponseWriter, r *http.Request) {
		if x, found := s.openSession(r.PathValue("id")); found {
			show(w, t.Lookup("checkout"), x.cancel)
		} else {
			http.Error(w, "This checkout is not open any more.", http.StatusGone)
		}
	})
	s.mux.HandleFunc("POST /c/pay/{id}", func(w http.ResponseWriter, r *http.Request) {
		next, err := s.Pay(r.PathValue("id"))
		leave(w, r, next, err)
	})
	s.mux.HandleFunc("GET /p/session/{id}", func(w http.ResponseWriter, r *http.Request) {
		if p, found := s.portal(r.PathValue("id")); found {
			show(w, t.Lookup("portal"), p.back)
		} else {
			http.Error(w, ErrNoPage.Error(), http.StatusNotFound)
		}
	})
	s.mux.HandleFunc("POST /p/session/{id}", func(w http.ResponseWriter, r *http.Request) {
		next, err := s.End(r.PathValue("id"))
		leave(w, r, next, err)
	})
}

func show(w http.ResponseWriter, t *template.Template, back string) {
	var page bytes.Buffer
	if err := t.Execute(&page, back); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = page.WriteTo(w) // the browser hears of it
}

func leave(w http.ResponseWriter, r *http.Request, next string, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}

// ErrNoPage is returned by Pay and End for what is not open.
var ErrNoPage = errors.New("there is no such page, or it is not open any more")

// Pay does what the button of a checkout does: the customer has an active subscription
// then, the event checkout.session.completed is delivered, and the browser goes to
// next. id is the last part of the page's address.
func (s *Stripe) Pay(id string) (next string, err error) {
	s.mu.Lock()
	x := s.session(id)
	if x == nil || x.status != "open" {
		s.mu.Unlock()
		return "", fmt.Errorf("pay %s: %w", id, ErrNoPage)
	}
	x.subscription = s.set(Subscription{Customer: x.customer, Price: x.price}).ID
	x.status, x.url = "complete", ""
	paid := *x
	s.mu.Unlock()
	return paid.success, s.send("checkout.session.completed", paid.object())
}

// End does what the button of the portal does: the customer's subscriptions end with
// their periods, customer.subscription.updated is delivered for each, and the browser
// goes to next. id is the last part of the page's address.
func (s *Stripe) End(id string) (next string, err error) {
	p, found := s.portal(id)
	if !found {
		return "", fmt.Errorf("end by %s: %w", id, ErrNoPage)
	}
	for _, sub := range s.Subscriptions(p.customer) {
		if sub.Status == "canceled" || sub.Status == "incomplete_expired" {
			continue
		}
		sub.CancelAtPeriodEnd = true
		if err := s.send("customer.subscription.updated", s.Set(sub).object()); err != nil {
			return "", err
		}
	}
	return p.back, nil
}

func (s *Stripe) openSession(id string) (session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.session(id)
	if x == nil || x.status != "open" {
		return session{}, false
	}
	return *x, true
}

func (s *Stripe) portal(id string) (portal, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.portals, func(p portal) bool { return p.id == id })
	if at < 0 {
		return portal{}, false
	}
	return s.portals[at], true
}

// send delivers an event, if somebody wants any. That it is refused is an error.
func (s *Stripe) send(kind string, object any) error {
	s.mu.Lock()
	address := s.deliver
	s.mu.Unlock()
	if address == "" {
		return nil
	}
	payload, signature := s.EventOf(kind, object)
	r, err := http.NewRequest(http.MethodPost, address, bytes.NewReader(payload))
	if err != nil {
		return fmt.Errorf("deliver %s: %w", kind, err)
	}
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	r.Header.Set("Stripe-Signature", signature)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("deliver %s: %w", kind, err)
	}
	answer, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err == nil && response.StatusCode >= 300 {
		err = fmt.Errorf("%w: status %d, %s", ErrRefused, response.StatusCode, answer)
	}
	if err != nil {
		return fmt.Errorf("deliver %s: %w", kind, err)
	}
	return nil
}

// ErrRefused is returned by Pay and End when the event was delivered and not taken.
var ErrRefused = errors.New("the event was refused")
