package api

import (
	"fmt"
	"net/http"

	"github.com/listward/listward/pkg/keys"
)

// The error codes of spec section 7 and decisions section 4 that are not
// verdicts of the authorizer (those are keys.Code).
const (
	missingName      = "missing_name"
	nameTooLong      = "name_too_long"
	tooManyNames     = "too_many_names"
	invalidFormat    = "invalid_format"
	invalidSource    = "invalid_source"
	invalidType      = "invalid_type"
	invalidLimit     = "invalid_limit"
	invalidOffset    = "invalid_offset"
	invalidSince     = "invalid_since"
	snapshotChanged  = "snapshot_changed"
	InvalidParameter = "invalid_parameter"
	InvalidBody      = "invalid_body"
	NotFound         = "not_found"
	MethodNotAllowed = "method_not_allowed"
	BodyTooLarge     = "body_too_large"
	internalError    = "internal_error"
	Unavailable      = string(keys.Unavailable)
	quotaExceeded    = string(keys.QuotaExceeded)
)

// The codes of the pages beside the API alone.
const (
	SignInRequired = "sign_in_required"
	FormExpired    = "form_expired"
	TooManyKeys    = "too_many_keys"
)

// errorTable is the one place that gives a code its status and the words that
// tell a caller what to do. It is never written.
var errorTable = map[string]struct {
	status int
	advice string
}{
	string(keys.MissingKey):         {http.StatusUnauthorized, "Send your API key in the header \"Authorization: Bearer lw_...\"."},
	string(keys.InvalidKey):         {http.StatusUnauthorized, "This API key is not valid or was revoked. Check it, or create another one in your account."},
	string(keys.MembershipRequired): {http.StatusForbidden, "The plan of this key's account is not active. Renew it in your account; the key works again at once."},
	string(keys.DomainNotAllowed):   {http.StatusForbidden, "This key is locked to other domains. Call from one of them, or change the key's domains in your account."},
	quotaExceeded:                   {http.StatusTooManyRequests, "The daily allowance of this key is used up. It is whole again at the time in X-RateLimit-Reset (00:00 UTC)."},
	missingName:                     {http.StatusBadRequest, "Give a name that holds at least one letter or digit."},
	nameTooLong:                     {http.StatusBadRequest, fmt.Sprintf("Shorten the name to %d characters.", maxName)},
	tooManyNames:                    {http.StatusBadRequest, fmt.Sprintf("Send at most %d names in one call.", maxNames)},
	invalidFormat:                   {http.StatusBadRequest, "format is one of json, xlsx, csv, ndjson; leave it out for json."},
	invalidSource:                   {http.StatusBadRequest, "source is one of OFAC, UN, EU, EUX, CN; leave it out for all of them."},
	invalidType:                     {http.StatusBadRequest, "type is one of entity, individual, vessel, aircraft; leave it out for all of them."},
	invalidLimit:                    {http.StatusBadRequest, fmt.Sprintf("limit is a whole number from 1 to %d.", maxLimit)},
	invalidOffset:                   {http.StatusBadRequest, "offset is a whole number from 0 on: the value of next of the page before."},
	invalidSince:                    {http.StatusBadRequest, "since is a day as YYYY-MM-DD, or the snapshot id that an earlier answer gave as \"to\"."},
	snapshotChanged:                 {http.StatusConflict, "The lists have changed since the page before. Begin again with offset=0 and without snapshot."},
	InvalidParameter:                {http.StatusBadRequest, "Check the spelling of the parameters; each may be given once."},
	InvalidBody:                     {http.StatusBadRequest, "Send a JSON object such as {\"names\": [\"First Name\", \"Second Name\"]}, with \"rows\": true for the matching entries."},
	NotFound:                        {http.StatusNotFound, "There is nothing at this address. The API's endpoints are under /api/v1."},
	MethodNotAllowed:                {http.StatusMethodNotAllowed, "This address does not take this method; the header Allow names those that it takes."},
	BodyTooLarge:                    {http.StatusRequestEntityTooLarge, "Send at most 1 MiB in one call; split the batch."},
	Unavailable:                     {http.StatusServiceUnavailable, "The service cannot answer right now. Try again after the seconds in Retry-After."},
	SignInRequired:                  {http.StatusUnauthorized, "Sign in at /account first."},
	FormExpired:                     {http.StatusForbidden, "This form is not of your session, or your session has ended. Open the page again and repeat."},
	TooManyKeys:                     {http.StatusConflict, fmt.Sprintf("An account has at most %d active keys, and creates at most %d in a UTC day. Revoke one, or wait.", keys.MaxActive, keys.MaxCreatedPerDay)},
	internalError:                   {http.StatusInternalServerError, "The service failed. Try again; if it goes on, tell us the time and the request id."},
}

// Error is a failure that a caller is told of. It never holds a cause: what goes
// wrong inside is logged and shown as internal_error or Unavailable.
type Error struct {
	// Code is a key of the error table.
	Code string `json:"code"`
	// Message says what to do. Empty means the advice of the table.
	Message string `json:"message"`
	// Param names the parameter or body field at fault, where one is.
	Param string `json:"param,omitempty"`
	// Index is the position of the name at fault in a batch.
	Index *int `json:"index,omitempty"`
}

func (e *Error) Error() string { return e.Code }

// Status is the HTTP status that the error table has for its code.
func (e *Error) Status() int { return errorTable[e.Code].status }
