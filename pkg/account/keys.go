package account

import (
	"cmp"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/listward/listward/pkg/api"
	"github.com/listward/listward/pkg/keys"
)

// keyForm is what a form of a key has.
type keyForm struct{ Label, Domains string }

func (v *visit) keyForm() keyForm {
	return keyForm{v.PostForm.Get("label"), v.PostForm.Get("domains")}
}

// domains are the lines of the form, which blanks and commas part as well, Chinese ones
// too: of "、" a domain's normal form would make nothing, and one host of two.
func (f keyForm) domains() []string {
	return strings.FieldsFunc(f.Domains, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;，；、", r) })
}

// problem is what is wrong with a form, and in which field.
type problem struct{ Field, Message string }

// refusal is what the person is told of what the store refuses, nil for other errors.
func (v *visit) refusal(err error) (*api.Error, problem) {
	for _, known := range []struct {
		is          error
		code, field string
		message     string
	}{
		{keys.ErrLabel, api.InvalidParameter, "label", v.t("Write a label of at most 60 characters on one line.")},
		{keys.ErrDomain, api.InvalidParameter, "domains", v.t("Write hosts such as shop.example.com or *.example.com, one a line, without https://, port or path.")},
		{keys.ErrTooManyDomains, api.InvalidParameter, "domains", v.t("A key can be locked to at most 20 domains. *.example.com stands for all hosts below example.com.")},
		{keys.ErrNoPlan, string(keys.MembershipRequired), "", v.t("You need a running plan to create a key.")},
		{keys.ErrTooManyKeys, api.TooManyKeys, "", v.t("You have five active keys. Revoke one to create another.")},
		{keys.ErrTooManyCreated, api.TooManyKeys, "", v.t("You have created 20 keys today. You can create more from 00:00 UTC.")},
		{keys.ErrKeyExists, api.FormExpired, "", v.t("This form was sent before, and its key was shown then. If you have not copied it, revoke it and create another.")},
		{keys.ErrUnknownKey, api.NotFound, "", v.t("Your account has no such key.")},
		{keys.ErrUnknownAccount, api.SignInRequired, "", v.t("Your account and its keys are deleted.")},
	} {
		if errors.Is(err, known.is) {
			return &api.Error{Code: known.code, Message: known.message, Param: known.field}, problem{known.field, known.message}
		}
	}
	return nil, problem{}
}

// refused tells of an error of the store: a form that is refused is shown again, with
// what was typed, to who reads HTML.
func (v *visit) refused(err error, again func(problem) (api.Document, error)) (api.Document, error) {
	told, why := v.refusal(err)
	if told == nil {
		return v.unavailable(err)
	}
	if again == nil || told.Code == api.NotFound || told.Code == api.SignInRequired {
		return api.Document{}, told
	}
	return v.again(told, why, again)
}

// again shows a form once more with what is wrong, under the error's status and code, to
// who reads HTML.
func (v *visit) again(told *api.Error, why problem, show func(problem) (api.Document, error)) (api.Document, error) {
	if !api.AsksForHTML(v.Header) {
		return api.Document{}, told
	}
	v.refusedAs = told.Code
	document, err := show(why)
	document.Status = told.Status()
	return document, err
}

func (v *visit) listKeys() (api.Document, error) { return v.keysPage(keyForm{}, problem{}) }

func (v *visit) keysPage(form keyForm, why problem) (api.Document, error) {
	all, err := v.area.store.Keys(v.Context(), v.account.ID)
	if err != nil {
		return v.unavailable(err)
	}
	p := struct {
		frame
		Active, Revoked []keyView
		Full, Revoking  bool
		Once            string // see createKey
		Form            keyForm
		Problem         problem
	}{frame: v.frame("keys", v.t("API keys")), Once: rand.Text(), Form: form, Problem: why, Revoking: v.URL.Query().Has("revoked")}
	for _, k := range slices.Backward(all) {
		if k.Revoked.IsZero() {
			p.Active = append(p.Active, keyView{k})
		} else {
			p.Revoked = append(p.Revoked, keyView{k})
		}
	}
	p.Full = len(p.Active) >= keys.MaxActive
	return v.show("keys.html", p)
}

// createKey shows the new key, this once. A form that is sent again, by a second click or
// by loading the page anew, comes to the same key, which is there already.
func (v *visit) createKey() (api.Document, error) {
	form := v.keyForm()
	drawn, err := v.area.drawn(v.account.ID, cmp.Or(v.PostForm.Get("once"), rand.Text()))
	if err != nil {
		return v.unavailable(err)
	}
	secret, err := keys.New(drawn)
	if err != nil {
		return v.unavailable(err)
	}
	key, err := v.area.store.CreateKey(v.Context(), v.account.ID, keys.NewKey{
		Secret: secret, Label: form.Label, Domains: form.domains(), Now: v.now,
	})
	if err != nil {
		return v.refused(err, func(why problem) (api.Document, error) { return v.keysPage(form, why) })
	}
	return v.show("created.html", struct {
		frame
		Key keyView
		example
	}{v.frame("keys", v.t("Your new key")), keyView{key}, newExample(key, secret.Reveal())})
}

// example is what the snippets for a key have in them.
type example struct{ Shown, Origin string }

// newExample shows a key, or what stands for one that is not shown any more.
func newExample(key keys.Key, shown string) example {
	if len(key.Domains) == 0 {
		return example{Shown: shown}
	}
	host := key.Domains[0]
	if below, found := strings.CutPrefix(host, "*."); found {
		host = "www." + below
	}
	return example{shown, "https://" + host}
}

// findKey reads the key of the path, which must be the account's own.
func (v *visit) findKey() (keys.Key, error) {
	all, err := v.area.store.Keys(v.Context(), v.account.ID)
	if err != nil {
		return keys.Key{}, err
	}
	for _, k := range all {
		if k.ID == v.key {
			return k, nil
		}
	}
	return keys.Key{}, keys.ErrUnknownKey
}

func (v *visit) showKey() (api.Document, error) {
	key, err := v.findKey()
	if err != nil {
		return v.refused(err, nil)
	}
	return v.keyPage(key, keyForm{key.Label, strings.Join(key.Domains, "\n")}, problem{})
}

func (v *visit) keyPage(key keys.Key, form keyForm, why problem) (api.Document, error) {
	return v.show("key.html", struct {
		frame
		Key     keyView
		Form    keyForm
		Problem problem
		Saved   bool
		example
	}{v.frame("keys", keyView{key}.Name()), keyView{key}, form, why, v.URL.Query().Has("saved"), newExample(key, "YOUR_KEY")})
}

// changeKey saves label and domains.
func (v *visit) changeKey() (api.Document, error) {
	key, err := v.findKey()
	if err == nil && !key.Revoked.IsZero() {
		err = keys.ErrUnknownKey
	}
	if err != nil {
		return v.refused(err, nil)
	}
	form := v.keyForm()
	// Both are checked before either is saved.
	if _, err = keys.ParseLabel(form.Label); err == nil {
		err = v.area.store.LockKey(v.Context(), v.account.ID, key.ID, form.domains())
	}
	if err == nil {
		err = v.area.store.LabelKey(v.Context(), v.account.ID, key.ID, form.Label)
	}
	if err != nil {
		return v.refused(err, func(why problem) (api.Document, error) { return v.keyPage(key, form, why) })
	}
	return v.redirect(v.address + "/account/keys/" + key.ID + "?saved"), nil
}

func (v *visit) askRevoke() (api.Document, error) {
	key, err := v.findKey()
	if err != nil {
		return v.refused(err, nil)
	}
	return v.show("revoke.html", struct {
		frame
		Key keyView
	}{v.frame("keys", v.t("Revoke a key")), keyView{key}})
}

func (v *visit) revokeKey() (api.Document, error) {
	if err := v.area.store.RevokeKey(v.Context(), v.account.ID, v.key, v.now); err != nil {
		return v.refused(err, nil)
	}
	return v.redirect(v.address + "/account/keys?revoked"), nil
}
