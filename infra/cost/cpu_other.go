//go:build !unix

package main

import (
	"errors"
	"time"
)

// childrenCPU is told by Unix systems.
func childrenCPU() (time.Duration, error) { return 0, errors.ErrUnsupported }
