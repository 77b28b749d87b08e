package cn

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrRegister is returned when the register in the program cannot be decoded.
var ErrRegister = errors.New("the register of notices is damaged")

// registerText holds the notices that we have written down from the official
// texts, in the form of [Notice]. The title of UEL-2024-1 counts three companies;
// the third is only warned.
//
//go:embed register.json
var registerText string

// Register returns the notices of the register in the order of their dates. Each
// was checked against its text, or says in its doubts what was not. The caller
// owns the result. The error is ErrRegister.
func Register() ([]Notice, error) {
	decoder := json.NewDecoder(strings.NewReader(registerText))
	decoder.DisallowUnknownFields()
	var notices []Notice
	if err := decoder.Decode(&notices); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRegister, err)
	}
	return notices, nil
}

// Confirmed settles the doubts of a notice by the register: one that stands there
// with the same parties and effects, and without a doubt, was checked. It adds the
// addresses that the register knows. The register is only read.
func Confirmed(n Notice, register []Notice) Notice {
	for _, known := range register {
		if known.Number != n.Number || known.Published != n.Published ||
			!slices.Equal(known.Parties, n.Parties) || !slices.EqualFunc(known.Effects, n.Effects, Effect.equal) {
			continue
		}
		if len(known.Doubts) == 0 {
			n.Doubts = nil
		}
		for _, url := range known.URLs {
			if !slices.Contains(n.URLs, url) {
				n.URLs = append(n.URLs, url)
			}
		}
	}
	return n
}
