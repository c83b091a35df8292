//go:build unix

package process

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// noop is a script that does nothing, the yardstick for what a run costs.
func noop(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "noop.sh")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexit 0\n"), 0o755); err != nil {
		b.Fatal(err)
	}
	return path
}

func bareExec(b *testing.B, path string) {
	var out, errs bytes.Buffer
	c := exec.Command(path)
	c.Env = os.Environ()
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		b.Error(err)
	}
}

func run(b *testing.B, path string) {
	out, errs := Head{Limit: 10 << 20}, Tail{Limit: 4096}
	res, err := runner.Run(b.Context(), Command{Path: path, Env: os.Environ(), Stdout: &out, Stderr: &errs})
	if err != nil || res.ExitCode != 0 {
		b.Error(res, err)
	}
}

func BenchmarkBareExec(b *testing.B) {
	path := noop(b)
	b.ReportAllocs()
	for b.Loop() {
		bareExec(b, path)
	}
}

func BenchmarkRun(b *testing.B) {
	path := noop(b)
	b.ReportAllocs()
	for b.Loop() {
		run(b, path)
	}
}

// BenchmarkSideBySide runs both in turns, alone and 64 at a time, so that other load on the
// machine meets both alike, and reports how many times the bare time a Run takes.
func BenchmarkSideBySide(b *testing.B) {
	for _, n := range []int{1, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			path := noop(b)
			var bare, ours time.Duration
			for i := 0; b.Loop(); i++ {
				if i%2 == 0 {
					bare += together(n, func() { bareExec(b, path) })
				}
				ours += together(n, func() { run(b, path) })
				if i%2 == 1 {
					bare += together(n, func() { bareExec(b, path) })
				}
			}
			b.ReportMetric(float64(bare)/float64(b.N*n), "ns/bare")
			b.ReportMetric(float64(ours)/float64(b.N*n), "ns/run")
			b.ReportMetric(float64(ours)/float64(bare), "run/bare")
		})
	}
}

// together runs n of f at the same time and returns how long all took.
func together(n int, f func()) time.Duration {
	var all sync.WaitGroup
	began := time.Now()
	for range n {
		all.Go(f)
	}
	all.Wait()
	return time.Since(began)
}
