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

// errNoPayments is told where no payments are set up, as on one machine.
var errNoPayments = &api.Error{Code: api.NotFound, Message: "No payments are set up here: an operator grants plans."}

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
	if err != nil {
		return v.unavailable(err)
	}
	return v.redirect(to), nil
}

// portal leads to where the subscription is changed.
func (v *visit) portal() (api.Document, error) {
	if v.area.payments == nil || v.account.Customer == "" {
		return api.Document{}, errNoPayments
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
		told := &api.Error{Code: api.InvalidParameter, Param: "confirm", Message: v.t("Tick the box to delete your account.")}
		if !api.AsksForHTML(v.Header) {
			return api.Document{}, told
		}
		document, err := v.dataPage(problem{told.Param, told.Message})
		document.Status = told.Status()
		return document, err
	}
	if v.area.payments != nil {
		if err := v.area.payments.Cancel(v.Context(), v.account.ID); err != nil {
			return v.unavailable(err)
		}
	}
	if err := v.area.store.DeleteAccount(v.Context(), v.account.ID); err != nil && !errors.Is(err, keys.ErrUnknownAccount) {
		return v.unavailable(err)
	}
	v.area.log.InfoContext(v.Context(), "account deleted", "account", v.account.ID)
	v.setCookie(sessionCookie, "", 0)
	return v.redirect(v.address + "/account?deleted"), nil
}
