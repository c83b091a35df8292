package main

import (
	"bytes"
	"fmt"
	"os"
	"time"
)

// pings measures the pipeline alone: sequential pings, and windows of 64 that are
// written at once.
func (b *bench) pings() error {
	one := b.add(row{name: "a ping, there and back", quantile: 0.5, unit: asTime, base: floor})
	many := b.add(row{name: "a window of 64 pings, pings a second",
		quantile: 0.5, unit: asRate, more: true, base: floor, goal: 0.25})
	if one == nil && many == nil {
		return nil
	}
	dir, err := b.tools(10)
	if err != nil {
		return err
	}
	all, end, err := b.open(dir)
	if err != nil {
		return err
	}
	defer end()
	for range b.rounds * 30 {
		for _, s := range b.servers {
			began := time.Now()
			if _, err := all[s].call("ping", "{}"); err != nil {
				return err
			}
			one.took(s, began)
		}
	}
	const window, windows = 64, 100
	var lines bytes.Buffer
	for i := range window {
		fmt.Fprintf(&lines, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", 1_000_000+i)
	}
	for range b.rounds {
		for _, s := range b.servers {
			began := time.Now()
			for range windows {
				if err := all[s].window(lines.Bytes(), window); err != nil {
					return err
				}
			}
			many.put(s, window*windows/time.Since(began).Seconds())
		}
	}
	return nil
}

// window writes lines at once and reads n answers.
func (c *client) window(lines []byte, n int) error {
	if _, err := c.in.Write(lines); err != nil {
		return err
	}
	for range n {
		if _, err := c.line(); err != nil {
			return err
		}
	}
	return nil
}

// sizes measures the programs as they are released.
func (b *bench) sizes() error {
	r := b.add(row{name: "the program, stripped", quantile: 0.5, unit: asMiB, base: floor})
	if r == nil {
		return nil
	}
	for _, s := range b.servers {
		info, err := os.Stat(b.binary(s))
		if err != nil {
			return err
		}
		r.put(s, float64(info.Size())/(1<<20))
	}
	return nil
}
