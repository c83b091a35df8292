package main

import (
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/bench/project"
)

func (b *bench) callsProject() (string, error) { return b.project("calls", project.MakeCalls) }

// calls measures sequential calls of scripts that do nothing, alternating with the
// bare start of the same script.
func (b *bench) calls() error {
	const p10 = 0.1
	sh := b.add(row{name: "call of a no-op sh script, p10", quantile: p10, unit: asTime, base: bare, goal: 1.25})
	bash := b.add(row{name: "call of a no-op #!/usr/bin/env bash script, p10",
		quantile: p10, unit: asTime, base: bare, goal: 1})
	own := b.add(row{name: "the server's own processor time a call", quantile: 0.5, unit: asTime, base: floor, goal: 1.15})
	if sh == nil && bash == nil && own == nil {
		return nil
	}
	dir, err := b.callsProject()
	if err != nil {
		return err
	}
	all, end, err := b.open(dir)
	if err != nil {
		return err
	}
	defer end()
	for _, one := range []struct {
		r    *row
		tool string
	}{{sh, project.Sh}, {bash, project.Bash}} {
		script := filepath.Join(dir, "tools", one.tool, "tool.sh")
		for i := range b.rounds * 10 {
			began := time.Now()
			if err := spawn(script); err != nil {
				return err
			}
			one.r.took(bare, began)
			for _, s := range b.servers {
				c := all[s]
				before, _ := processorTime(c.cmd.Process.Pid)
				began := time.Now()
				if err := c.callTool(one.tool); err != nil {
					return err
				}
				one.r.took(s, began)
				after, _ := processorTime(c.cmd.Process.Pid)
				if one.tool == project.Sh && i > 0 {
					own.put(s, float64(after-before))
				}
			}
		}
	}
	return nil
}

// took records the time since began.
func (r *row) took(subject string, began time.Time) {
	r.put(subject, float64(time.Since(began)))
}

// spawn starts a command without arguments and without streams, and waits for its
// end: vfork, exec, wait.
func spawn(argv ...string) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	fd := null.Fd()
	pid, err := syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{fd, fd, fd}})
	if err != nil {
		return err
	}
	_, err = syscall.Wait4(pid, nil, 0, nil)
	for err == syscall.EINTR {
		_, err = syscall.Wait4(pid, nil, 0, nil)
	}
	return err
}

// inFlight measures concurrent calls.
func (b *bench) inFlight() error {
	r := b.add(row{name: "64 calls in flight, calls a second",
		quantile: 0.5, unit: asRate, more: true, base: floor, goal: 0.95})
	if r == nil {
		return nil
	}
	const window, calls = 64, 640
	dir, err := b.callsProject()
	if err != nil {
		return err
	}
	all, end, err := b.open(dir)
	if err != nil {
		return err
	}
	defer end()
	for range max(3, b.rounds/3) {
		for _, s := range b.servers {
			began := time.Now()
			if err := all[s].flood(window, calls, "tools/call", `{"name":"`+project.Sh+`","arguments":{}}`); err != nil {
				return err
			}
			r.put(s, calls/time.Since(began).Seconds())
		}
	}
	return nil
}

// flood keeps window requests in flight until n have been answered.
func (c *client) flood(window, n int, method, params string) error {
	sent := 0
	for ; sent < window; sent++ {
		if _, err := c.send(method, params); err != nil {
			return err
		}
	}
	for answered := 0; answered < n; {
		line, err := c.line()
		if err != nil {
			return err
		}
		_, ok, err := idOf(line)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		answered++
		if sent < n {
			if _, err := c.send(method, params); err != nil {
				return err
			}
			sent++
		}
	}
	return nil
}
