package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcp-bash/mcp-bash/v2/bench/project"
)

// ends measures how fast a server exits, and how fast a script ends after its
// client has cancelled it.
func (b *bench) ends() error {
	dir, err := b.callsProject()
	if err != nil {
		return err
	}
	if r := b.add(row{name: "end of input → exit, nothing at work",
		quantile: 0.5, unit: asTime, base: floor, goal: 1.4}); r != nil {
		for range b.rounds {
			for _, s := range b.servers {
				c, err := open(b.commands[s](dir))
				if err != nil {
					return err
				}
				// So that the session is not unused.
				if _, err := c.call("tools/list", "{}"); err != nil {
					return err
				}
				began := time.Now()
				if err := c.close(); err != nil {
					return fmt.Errorf("%s: %w", s, err)
				}
				r.took(s, began)
			}
		}
	}
	r := b.add(row{name: "cancel → process dead", quantile: 0.5, unit: asTime, base: floor, goal: 1.8})
	if r == nil {
		return nil
	}
	for _, s := range b.servers {
		// One server at a time: the tool writes its process id into its folder.
		c, err := open(b.commands[s](dir))
		if err != nil {
			return err
		}
		for range b.rounds {
			if err := b.cancel(c, dir, r, s); err != nil {
				return err
			}
		}
		c.close()
	}
	return nil
}

func (b *bench) cancel(c *client, dir string, r *row, subject string) error {
	file := filepath.Join(dir, "tools", project.Sleeper, "pid")
	id, err := c.send("tools/call", `{"name":"`+project.Sleeper+`","arguments":{}}`)
	if err != nil {
		return err
	}
	pid := 0
	for pid == 0 {
		if data, err := os.ReadFile(file); err == nil {
			pid, _ = strconv.Atoi(strings.TrimSpace(string(data)))
		}
		time.Sleep(time.Millisecond)
	}
	time.Sleep(3 * time.Millisecond) // let it exec sleep
	if err := os.Remove(file); err != nil {
		return err
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	began := time.Now()
	if err := c.notify("notifications/cancelled", fmt.Sprintf(`{"requestId":%d}`, id)); err != nil {
		return err
	}
	n, err := -1, error(unix.EINTR)
	for err == unix.EINTR { // the runtime sends its threads signals
		n, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 10000)
	}
	if err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("%s left the tool running for 10 s after it was cancelled", subject)
	}
	r.took(subject, began)
	return nil
}
