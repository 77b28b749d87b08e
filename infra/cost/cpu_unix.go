//go:build unix

package main

import (
	"syscall"
	"time"
)

// childrenCPU is the processor time of all processes that this one has started and
// seen end.
func childrenCPU() (time.Duration, error) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &used); err != nil {
		return 0, err
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), nil
}
