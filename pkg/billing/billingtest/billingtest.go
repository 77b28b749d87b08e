// Package billingtest is a Stripe on this machine, for tests of what pays through it:
// the calls that package billing makes with their checks and their memory, the hosted
// pages that a browser sees, and signed events. That it takes and gives what Stripe
// does is tested against Stripe's own mock, which remembers nothing.
//
// A test calls [New]; a program that runs without one serves a [NewHandler]. The key,
// the price and the secret of the events are constants.
package billingtest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// What a biller of this Stripe is configured with.
const (
	Key           = "sk_test_listwardbillingtest"
	Price         = "price_listward"
	WebhookSecret = "whsec_listwardbillingtest"
)

// Period is of a subscription that is paid for on the hosted page.
const Period = 30 * 24 * time.Hour

// Subscription is one at this Stripe. Set fills what is zero.
type Subscription struct {
	ID       string // drawn
	Customer string
	Price    string // Price
	Status   string // active
	// Created and the period; from now on and a Period long.
	Created, Start, End time.Time
	// CancelAtPeriodEnd and CancelAt are the two ways in which one says that it ends.
	CancelAtPeriodEnd bool
	CancelAt          time.Time
}

// Request is one that was made to the API.
type Request struct {
	Method, Path string
	Header       http.Header
	Form         string // of the body or of the address, encoded
}

// Failure is an answer in place of the one that a request would have.
type Failure struct {
	Status int
	Body   string
	Retry  string // the header Stripe-Should-Retry: true, false, or empty for none
}

// Stripe is the fake. Its methods may be called concurrently.
type Stripe struct {
	// URL is where New serves it.
	URL string

	now     func() time.Time
	mux     *http.ServeMux
	mu      sync.Mutex
	drawn   int
	deliver string
	fail    func(*http.Request) *Failure

	customers     []customer
	sessions      []session
	portals       []portal
	subscriptions []Subscription // the newest last
	answered      map[string]answer
	requests      []Request
}

type customer struct {
	id       string
	created  time.Time
	metadata map[string]string
}

// session is a checkout.
type session struct {
	id, customer, price, reference, status string
	subscription                           string
	created                                time.Time
	success, cancel, url                   string
}

type portal struct {
	id, customer, back, url string
	created                 time.Time
}

// New serves a Stripe for a test, with nothing in it.
func New(t testing.TB, now func() time.Time) *Stripe {
	t.Helper()
	s := NewHandler(now)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// NewHandler returns a Stripe to be served by the caller. The pages that it hosts are
// at the address by which it is asked for them.
func NewHandler(now func() time.Time) *Stripe {
	s := &Stripe{now: now, mux: http.NewServeMux(), answered: make(map[string]answer)}
	s.routeAPI()
	s.routePages()
	return s
}

// ServeHTTP serves the API and the pages.
func (s *Stripe) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Fail has fail look at every request to the API from now on and answer it, or return
// nil to let it be. It may call the other methods, but not the API.
func (s *Stripe) Fail(fail func(*http.Request) *Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = fail
}

// DeliverTo has the hosted pages send a signed event of what is done on them to an
// address, before the browser goes on. Empty sends none, as at the beginning.
func (s *Stripe) DeliverTo(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deliver = address
}

// Set adds a subscription or replaces the one with its ID, and returns it as it is
// then. It sends no event.
func (s *Stripe) Set(sub Subscription) Subscription {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.set(sub)
}

func (s *Stripe) set(sub Subscription) Subscription {
	if sub.ID == "" {
		sub.ID = s.draw("sub")
	}
	if sub.Price == "" {
		sub.Price = Price
	}
	if sub.Status == "" {
		sub.Status = "active"
	}
	if sub.Created.IsZero() {
		sub.Created = s.now()
	}
	if sub.Start.IsZero() {
		sub.Start = s.now()
	}
	if sub.End.IsZero() {
		sub.End = sub.Start.Add(Period)
	}
	at := slices.IndexFunc(s.subscriptions, func(other Subscription) bool { return other.ID == sub.ID })
	if at < 0 {
		s.subscriptions = append(s.subscriptions, sub)
	} else {
		s.subscriptions[at] = sub
	}
	return sub
}

// Subscriptions returns those of a customer, the newest last.
func (s *Stripe) Subscriptions(customer string) []Subscription {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Subscription
	for _, sub := range s.subscriptions {
		if sub.Customer == customer {
			all = append(all, sub)
		}
	}
	return all
}

// AddCustomer adds a customer of nobody.
func (s *Stripe) AddCustomer() (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addCustomer(nil).id
}

func (s *Stripe) addCustomer(metadata map[string]string) customer {
	c := customer{id: s.draw("cus"), created: s.now(), metadata: metadata}
	s.customers = append(s.customers, c)
	return c
}

// Customers returns the ids of all customers, the newest last.
func (s *Stripe) Customers() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.customerIDs()
}

func (s *Stripe) customerIDs() []string {
	var ids []string
	for _, c := range s.customers {
		ids = append(ids, c.id)
	}
	return ids
}

// Requests returns what the API was asked, the refused included, the newest last.
func (s *Stripe) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Calls counts the Requests with a method to a path.
func (s *Stripe) Calls(method, path string) (n int) {
	for _, r := range s.Requests() {
		if r.Method == method && r.Path == path {
			n++
		}
	}
	return n
}

// draw returns an id that is not in use.
func (s *Stripe) draw(prefix string) string {
	s.drawn++
	return fmt.Sprintf("%s_test%06d", prefix, s.drawn)
}
