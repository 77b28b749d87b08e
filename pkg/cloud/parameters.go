package cloud

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ssm"

	"github.com/listward/listward/pkg/awsenv"
	"github.com/listward/listward/pkg/keys"
)

// The parameters below the path in PARAMETERS (AWS Systems Manager). The template writes
// the client's id; the others are secrets that an operator puts there once (README).
const (
	clientParameter        = "oidc-client"
	sealParameter          = "seal-key" // base64 of 32 random bytes
	stripeKeyParameter     = "stripe-key"
	stripeWebhookParameter = "stripe-webhook-secret"
)

// settings are the parameters by their names below the path.
type settings map[string]string

// parameters reads them all.
func parameters(ctx context.Context, getenv func(string) string) (settings, error) {
	config, err := awsenv.Config(getenv)
	if err != nil {
		return nil, err
	}
	path, err := variable(getenv, "PARAMETERS")
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

// sealKey is the secret that seals cookies, and of which the key of tokens is made.
func (s settings) sealKey() (key [32]byte, err error) {
	raw, err := base64.StdEncoding.DecodeString(s[sealParameter])
	if err != nil || len(raw) != len(key) {
		return key, fmt.Errorf("%w: parameter %s, base64 of 32 random bytes", ErrMissing, sealParameter)
	}
	return [32]byte(raw), nil
}

func tokenKey(ctx context.Context, getenv func(string) string) (keys.TokenKey, error) {
	all, err := parameters(ctx, getenv)
	if err != nil {
		return keys.TokenKey{}, err
	}
	secret, err := all.sealKey()
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
