package account

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/listward/listward/pkg/api"
	"github.com/listward/listward/pkg/billing"
	"github.com/listward/listward/pkg/keys"
)

// What is told where no payments are set up, as on one machine, and where there was none
// yet.
var (
	errNoPayments = &api.Error{Code: api.NotFound, Message: "No payments are set up here: an operator grants plans."}
	errNotPaid    = &api.Error{Code: api.NotFound, Message: "You have not paid yet: subscribe first."}
)

// overview is the first page: an invitation, or the plan and its use.
func (v *visit) overview() (api.Document, error) {
	if v.session.Account != "" {
		var told *api.Error
		if err := v.readAccount(); errors.As(err, &told) && told.Code != api.SignInRequired {
			return api.Document{}, err
		}
	}
	if v.session.Account == "" {
		return v.show("welcome.html", struct {
			frame
			Deleted bool
		}{v.frame("", v.t("Your Listward account")), v.URL.Query().Has("deleted")})
	}
	paid := v.URL.Query().Has("paid")
	if paid && v.area.payments != nil {
		v.syncPayment()
	}
	usage, all, err := v.usage()
	if err != nil {
		return v.unavailable(err)
	}
	return v.show("overview.html", struct {
		frame
		Plan  planView
		Today []dayUse
		Chart chart
		Paid  bool
	}{v.frame("overview", v.t("Overview")), v.planView(), v.today(usage, all), newChart(usage, v.now), paid})
}

// syncPayment looks at the subscription of who comes from paying, before the webhook may
// have come. If it fails, the webhook will do.
func (v *visit) syncPayment() {
	err := v.area.payments.Sync(v.Context(), v.account.ID)
	if err == nil {
		err = v.readAccount()
	}
	if err != nil {
		v.area.log.WarnContext(v.Context(), "subscription not read after payment", "account", v.account.ID, "error", err)
	}
}

func (v *visit) usage() ([]keys.Usage, []keys.Key, error) {
	usage, err := v.area.store.Usage(v.Context(), v.account.ID, v.now)
	if err != nil {
		return nil, nil, err
	}
	all, err := v.area.store.Keys(v.Context(), v.account.ID)
	return usage, all, err
}

// planView is what the overview says of the plan.
type planView struct {
	keys.Account
	Active, PastDue, Subscribed, Ended bool
	// Payments says whether the plan can be paid here.
	Payments bool
}

func (v *visit) planView() planView {
	a := v.account
	subscribed := a.Subscription.PaidUntil.After(v.now)
	return planView{
		Account: a, Active: a.ActiveUntil.After(v.now), PastDue: a.Subscription.Status == "past_due",
		Subscribed: subscribed, Ended: !a.ActiveUntil.IsZero() && !a.ActiveUntil.After(v.now), Payments: v.area.payments != nil,
	}
}

// checkout leads to where the plan is paid.
func (v *visit) checkout() (api.Document, error) {
	if v.area.payments == nil {
		return api.Document{}, errNoPayments
	}
	home := v.address + "/account"
	to, err := v.area.payments.Checkout(v.Context(), v.account.ID, home+"?paid", home)
	if errors.Is(err, billing.ErrSubscribed) {
		return v.portal()
	}
	if errors.Is(err, keys.ErrUnknownAccount) {
		return v.refused(err, nil)
	}
	if err != nil {
		return v.unavailable(err)
	}
	return v.redirect(to), nil
}

// portal leads to where the subscription is changed.
func (v *visit) portal() (api.Document, error) {
	if v.area.payments == nil {
		return api.Document{}, errNoPayments
	}
	if v.account.Customer == "" {
		return api.Document{}, errNotPaid
	}
	to, err := v.area.payments.Portal(v.Context(), v.account.ID, v.address+"/account")
	if err != nil {
		return v.unavailable(err)
	}
	return v.redirect(to), nil
}

func (v *visit) data() (api.Document, error) { return v.dataPage(problem{}) }

func (v *visit) dataPage(why problem) (api.Document, error) {
	return v.show("data.html", struct {
		frame
		Plan    planView
		Problem problem
	}{v.frame("data", v.t("Your data")), v.planView(), why})
}

// exported is all that is stored of an account, and who is signed in to it.
type exported struct {
	ExportedAt time.Time    `json:"exported_at"`
	Email      string       `json:"email"`
	Account    keys.Account `json:"account"`
	Keys       []keys.Key   `json:"keys"`
	Usage      []keys.Usage `json:"usage"`
}

// export is the account as a file (decisions section 6).
func (v *visit) export() (api.Document, error) {
	usage, all, err := v.usage()
	if err != nil {
		return v.unavailable(err)
	}
	text, err := json.MarshalIndent(exported{v.now.UTC().Truncate(time.Second), v.session.Email, v.account, all, usage}, "", "  ")
	if err != nil {
		return api.Document{}, fmt.Errorf("write the export: %w", err)
	}
	v.header.Set("Content-Disposition", `attachment; filename=listward-account.json`)
	return api.Document{Type: "application/json; charset=utf-8", Body: append(text, '\n')}, nil
}

// deleteAccount ends the subscription first: nobody pays for what is gone.
func (v *visit) deleteAccount() (api.Document, error) {
	if v.PostForm.Get("confirm") != "yes" {
		message := v.t("Tick the box to delete your account.")
		return v.again(&api.Error{Code: api.InvalidParameter, Param: "confirm", Message: message}, problem{"confirm", message}, v.dataPage)
	}
	if err := v.unsubscribe(); err != nil {
		return v.unavailable(err)
	}
	deleted, err := v.area.store.DeleteAccount(v.Context(), v.account.ID)
	if err != nil && !errors.Is(err, keys.ErrUnknownAccount) {
		return v.unavailable(err)
	}
	v.area.log.InfoContext(v.Context(), "account deleted", "account", v.account.ID)
	if deleted.Customer != "" && v.area.payments != nil {
		// Another tab may have opened a checkout meanwhile; from now on none can.
		if err := v.area.payments.CancelCustomer(v.Context(), deleted.Customer); err != nil {
			v.area.log.ErrorContext(v.Context(), "a deleted account may still be paid for: cancel its customer at Stripe",
				"customer", deleted.Customer, "error", err)
		}
	}
	v.setCookie(sessionCookie, "", 0)
	return v.redirect(v.address + "/account?deleted"), nil
}

// unsubscribe cancels what the account pays for. Where payments are not set up any more,
// that cannot be done.
func (v *visit) unsubscribe() error {
	if v.account.Customer == "" {
		return nil
	}
	if v.area.payments == nil {
		return fmt.Errorf("delete account %s: it has a customer, and no payments are set up to cancel with", v.account.ID)
	}
	return v.area.payments.Cancel(v.Context(), v.account.ID)
}
