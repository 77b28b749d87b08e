package main

import (
	"runtime"
	"testing"

	"github.com/listward/listward/pkg/snapshot"
)

func measureOpening(file []byte) error {
	var opened *snapshot.Snapshot
	var err error
	open := func() { opened, err = snapshot.Open(file) }
	report("open_ms", micros(median("", func(string) { open() }))/1e3, "ms")
	report("open_allocs", testing.AllocsPerRun(10, open), "allocations")
	report("file_mb", float64(len(file))/1e6, "MB")
	var before, after runtime.MemStats
	opened = nil
	runtime.GC()
	runtime.ReadMemStats(&before)
	open()
	runtime.GC()
	runtime.ReadMemStats(&after)
	report("heap_extra_mb", (float64(after.HeapAlloc)-float64(before.HeapAlloc))/1e6, "MB")
	runtime.KeepAlive(opened)
	return err
}
