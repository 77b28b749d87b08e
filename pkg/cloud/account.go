package cloud

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ssm"

	"github.com/listward/listward/pkg/account"
	"github.com/listward/listward/pkg/api"
	"github.com/listward/listward/pkg/awsenv"
	"github.com/listward/listward/pkg/billing"
)

// The parameters below the path in PARAMETERS (AWS Systems Manager). The template writes
// the client's id; the others are secrets that an operator puts there once (README).
const (
	clientParameter        = "oidc-client"
	sealParameter          = "seal-key" // base64 of 32 random bytes
	stripeKeyParameter     = "stripe-key"
	stripeWebhookParameter = "stripe-webhook-secret"
)

// stripeHosts are the pages of payment that Stripe sends people to.
func stripeHosts() []string {
	return []string{"https://checkout.stripe.com", "https://billing.stripe.com"}
}

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
	secrets, err := parameters(ctx, getenv)
	if err != nil {
		return nil, err
	}
	issuer, err := variable(getenv, "OIDC_ISSUER")
	if err != nil {
		return nil, err
	}
	signOut, err := variable(getenv, "SIGN_OUT_URL")
	if err != nil {
		return nil, err
	}
	c := account.Config{Issuer: issuer, Client: secrets[clientParameter], SignOut: signOut, PaymentHosts: stripeHosts()}
	key, err := base64.StdEncoding.DecodeString(secrets[sealParameter])
	if err != nil || len(key) != len(c.SealKey) || c.Client == "" {
		return nil, fmt.Errorf("%w: parameters %s and %s", ErrMissing, clientParameter, sealParameter)
	}
	copy(c.SealKey[:], key)
	return account.New(c, store, biller(getenv, secrets, store, log), time.Now, log)
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
	secrets, err := parameters(ctx, getenv)
	if err != nil {
		return nil, fmt.Errorf("configure the payments: %w", err)
	}
	return biller(getenv, secrets, store, log), nil
}

func biller(getenv func(string) string, secrets map[string]string, store billing.Accounts, log *slog.Logger) *billing.Biller {
	price := getenv("STRIPE_PRICE")
	if secrets[stripeKeyParameter] == "" || price == "" {
		return nil
	}
	return billing.New(store, billing.Config{
		Key: secrets[stripeKeyParameter], Price: price, WebhookSecret: secrets[stripeWebhookParameter],
	}, time.Now, log)
}

// beside is the edge of pages that do not answer from the lists.
func beside(log *slog.Logger) *api.Edge { return &api.Edge{Now: time.Now, Log: log} }

// parameters are those below the path in PARAMETERS, by the rest of their names.
func parameters(ctx context.Context, getenv func(string) string) (map[string]string, error) {
	config, err := awsenv.Config(getenv)
	if err != nil {
		return nil, err
	}
	path, err := variable(getenv, "PARAMETERS")
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	pages := ssm.NewGetParametersByPathPaginator(ssm.NewFromConfig(config), &ssm.GetParametersByPathInput{
		Path: &path, WithDecryption: aws.Bool(true),
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the parameters below %s: %w", path, err)
		}
		for _, p := range page.Parameters {
			values[strings.TrimPrefix(aws.ToString(p.Name), path+"/")] = aws.ToString(p.Value)
		}
	}
	return values, nil
}
