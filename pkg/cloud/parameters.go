package cloud

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ssm"

	"github.com/listward/listward/pkg/awsenv"
	"github.com/listward/listward/pkg/keys"
)

// The parameters below the paths in ACCOUNT_PARAMETERS, EMBED_PARAMETERS and
// STRIPE_PARAMETERS (AWS Systems Manager): each function may read those that it needs.
// The template writes the client's id and the address; the others an operator puts there
// once (README). What is there holds for functions that start after.
const (
	clientParameter  = "oidc-client"
	addressParameter = "address"   // public, without a slash at its end, if there is a domain
	sealParameter    = "seal-key"  // base64 of 32 random bytes
	tokenParameter   = "token-key" // the same
	stripeParameter  = "key"
	priceParameter   = "price"
	webhookParameter = "webhook-secret"
	insteadParameter = "url" // of what stands in Stripe's place, for tests
)

// ErrParameter is returned when a parameter that a function cannot do without is not
// there, or is not what it must be.
var ErrParameter = errors.New("missing parameter of AWS Systems Manager")

// settings are the parameters by their names below the path.
type settings map[string]string

// parameters reads those below the path in a variable.
func parameters(ctx context.Context, getenv func(string) string, name string) (settings, error) {
	config, err := awsenv.Config(getenv)
	if err != nil {
		return nil, err
	}
	path, err := variable(getenv, name)
	if err != nil {
		return nil, err
	}
	values := settings{}
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

// secret is a parameter that is base64 of 32 bytes.
func (s settings) secret(name string) (key [32]byte, err error) {
	raw, err := base64.StdEncoding.DecodeString(s[name])
	if err != nil || len(raw) != len(key) {
		return key, fmt.Errorf("%w: %s, base64 of 32 random bytes", ErrParameter, name)
	}
	return [32]byte(raw), nil
}

func tokenKey(ctx context.Context, getenv func(string) string) (keys.TokenKey, error) {
	all, err := parameters(ctx, getenv, "EMBED_PARAMETERS")
	if err != nil {
		return keys.TokenKey{}, err
	}
	secret, err := all.secret(tokenParameter)
	if err != nil {
		return keys.TokenKey{}, err
	}
	return keys.NewTokenKey(secret[:])
}

// lazyTokens reads the key of tokens when the first token comes, since most functions
// that judge calls never meet one. A failure is not remembered.
func lazyTokens(getenv func(string) string) keys.TokenKeys {
	var mu sync.Mutex
	var known *keys.TokenKey
	return func(ctx context.Context) (keys.TokenKey, error) {
		mu.Lock()
		defer mu.Unlock()
		if known != nil {
			return *known, nil
		}
		key, err := tokenKey(ctx, getenv)
		if err == nil {
			known = &key
		}
		return key, err
	}
}
