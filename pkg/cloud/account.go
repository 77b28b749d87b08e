package cloud

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/listward/listward/pkg/account"
	"github.com/listward/listward/pkg/api"
	"github.com/listward/listward/pkg/billing"
	"github.com/listward/listward/pkg/embed"
)

// Account builds the account area.
func Account(ctx context.Context, getenv func(string) string, log *slog.Logger) (http.Handler, error) {
	area, err := newArea(ctx, getenv, log)
	if err != nil {
		return nil, fmt.Errorf("configure the account area: %w", err)
	}
	return area.Handler(beside(log)), nil
}

func newArea(ctx context.Context, getenv func(string) string, log *slog.Logger) (*account.Area, error) {
	store, err := keyStore(getenv)
	if err != nil {
		return nil, err
	}
	own, err := parameters(ctx, getenv, "ACCOUNT_PARAMETERS")
	if err != nil {
		return nil, err
	}
	stripe, err := stripeConfig(ctx, getenv)
	if err != nil {
		return nil, err
	}
	c := account.Config{Client: own[clientParameter], Address: own[addressParameter], PaymentHosts: stripe.Hosts()}
	if c.Issuer, err = variable(getenv, "OIDC_ISSUER"); err != nil {
		return nil, err
	}
	if c.SignOut, err = variable(getenv, "SIGN_OUT_URL"); err != nil {
		return nil, err
	}
	if c.SealKey, err = own.secret(sealParameter); err != nil {
		return nil, err
	}
	if c.Client == "" {
		return nil, fmt.Errorf("%w: %s", ErrParameter, clientParameter)
	}
	return account.New(c, store, biller(stripe, store, log), time.Now, log)
}

// Billing builds what takes Stripe's events.
func Billing(ctx context.Context, getenv func(string) string, log *slog.Logger) (http.Handler, error) {
	b, err := Biller(ctx, getenv, log)
	if err != nil {
		return nil, err
	}
	return billing.Handler(beside(log), b), nil
}

// Biller sells the plan; nil where the operator has put no Stripe key there.
func Biller(ctx context.Context, getenv func(string) string, log *slog.Logger) (*billing.Biller, error) {
	store, err := keyStore(getenv)
	if err != nil {
		return nil, fmt.Errorf("configure the payments: %w", err)
	}
	stripe, err := stripeConfig(ctx, getenv)
	if err != nil {
		return nil, fmt.Errorf("configure the payments: %w", err)
	}
	return biller(stripe, store, log), nil
}

func stripeConfig(ctx context.Context, getenv func(string) string) (billing.Config, error) {
	secrets, err := parameters(ctx, getenv, "STRIPE_PARAMETERS")
	if err != nil {
		return billing.Config{}, err
	}
	return billing.Config{
		Key: secrets[stripeParameter], Price: secrets[priceParameter], WebhookSecret: secrets[webhookParameter], URL: secrets[insteadParameter],
	}, nil
}

func biller(c billing.Config, store billing.Accounts, log *slog.Logger) *billing.Biller {
	if c.Key == "" || c.Price == "" {
		return nil
	}
	return billing.New(store, c, time.Now, log)
}

// beside is the edge of pages that do not answer from the lists.
func beside(log *slog.Logger) *api.Edge { return &api.Edge{Now: time.Now, Log: log} }

// Embed builds the search box.
func Embed(ctx context.Context, getenv func(string) string, log *slog.Logger) (http.Handler, error) {
	tokens, err := tokenKey(ctx, getenv)
	if err != nil {
		return nil, fmt.Errorf("configure the search box: %w", err)
	}
	box, err := embed.New(tokens, time.Now)
	if err != nil {
		return nil, err
	}
	return box.Handler(beside(log)), nil
}
