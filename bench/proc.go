package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// processorTime returns what all threads of a process have used so far, as the
// scheduler counts it.
func processorTime(pid int) (time.Duration, error) {
	var sum time.Duration
	err := eachTask(pid, "schedstat", func(data []byte) {
		first, _, _ := bytes.Cut(data, []byte(" "))
		ns, _ := strconv.ParseInt(string(first), 10, 64)
		sum += time.Duration(ns)
	})
	return sum, err
}

// wakeups returns how many times the threads of a process have waited so far.
func wakeups(pid int) (n int, err error) {
	err = eachTask(pid, "status", func(data []byte) {
		n += field(data, "voluntary_ctxt_switches:")
	})
	return n, err
}

// resident returns the resident memory of a process in MiB, and how much of it is not pages of
// files: those of a program are shared by all its processes, and the system can drop them.
func resident(pid int) (all, anonymous float64, err error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return float64(field(data, "VmRSS:")) / 1024, float64(field(data, "RssAnon:")) / 1024, err
}

func eachTask(pid int, name string, f func([]byte)) error {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/%s", pid, name))
	for _, file := range files {
		data, readErr := os.ReadFile(file)
		if readErr != nil {
			continue // the thread has ended
		}
		f(data)
	}
	return err
}

// field returns the number after a name that begins a line.
func field(data []byte, name string) int {
	for line := range bytes.Lines(data) {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
			n, _ := strconv.Atoi(string(bytes.Fields(rest)[0]))
			return n
		}
	}
	return 0
}
