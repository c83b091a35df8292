package main

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/bench/project"
)

// starts measures a server from its start to its first useful answer.
func (b *bench) starts() error {
	if r := b.add(row{name: "start → initialize, 10 tools",
		quantile: 0.5, unit: asTime, base: floor, goal: 2.5}); r != nil {
		dir, err := b.tools(10)
		if err != nil {
			return err
		}
		for range b.rounds {
			for _, s := range b.servers {
				began := time.Now()
				c, err := open(b.commands[s](dir))
				if err != nil {
					return err
				}
				r.series(s).add(time.Since(began))
				c.close()
			}
		}
	}
	for _, full := range []struct {
		tools int
		cold  bool
		goal  float64
	}{{1000, false, 2}, {10000, false, 2.5}, {10000, true, 1.3}} {
		name := fmt.Sprintf("start → full list, %d tools, %s",
			full.tools, map[bool]string{false: "warm", true: "cold"}[full.cold])
		if full.cold && os.Geteuid() != 0 {
			continue // only root may empty the cache of the file system
		}
		r := b.add(row{name: name, quantile: 0.5, unit: asTime, base: floor, goal: full.goal})
		if r == nil {
			continue
		}
		dir, err := b.tools(full.tools)
		if err != nil {
			return err
		}
		rounds := max(3, b.rounds*10/full.tools)
		if full.tools <= 1000 {
			rounds = b.rounds
		}
		for range rounds {
			for _, s := range b.servers {
				if full.cold {
					if err := dropCaches(); err != nil {
						return err
					}
				}
				began := time.Now()
				c, err := open(b.commands[s](dir))
				if err != nil {
					return err
				}
				n, err := c.list()
				if err != nil {
					return err
				}
				r.series(s).add(time.Since(began))
				if n != full.tools {
					return fmt.Errorf("%s listed %d of %d tools", s, n, full.tools)
				}
				c.close()
			}
		}
	}
	return nil
}

// tools returns the project of n tools.
func (b *bench) tools(n int) (string, error) {
	return b.project(fmt.Sprintf("tools-%d", n), func(dir string) error { return project.Make(dir, n) })
}

// dropCaches drops the kernel's file system caches.
func dropCaches() error {
	syscall.Sync()
	return os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0)
}

// lists measures listing all pages when they were requested before.
func (b *bench) lists() error {
	r := b.add(row{name: "walk over 1,000 tools in 10 pages", quantile: 0.5, unit: asTime, base: floor, goal: 2})
	if r == nil {
		return nil
	}
	dir, err := b.tools(1000)
	if err != nil {
		return err
	}
	all, end, err := b.open(dir)
	if err != nil {
		return err
	}
	defer end()
	for i := range b.rounds*5 + 1 {
		for _, s := range b.servers {
			began := time.Now()
			if _, err := all[s].list(); err != nil {
				return err
			}
			if i > 0 {
				r.series(s).add(time.Since(began))
			}
		}
	}
	return nil
}
