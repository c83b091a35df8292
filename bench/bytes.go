package main

import (
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/bench/project"
)

// bytes measures large values in results and arguments.
func (b *bench) bytes() error {
	dir, err := b.callsProject()
	if err != nil {
		return err
	}
	text := strings.Repeat("a word and another one, ", 1<<20/24)
	large := `{"name":"` + project.Sh + `","arguments":{"text":"` + text + `"}}`
	for _, one := range []struct {
		name, params string
		goal         float64
	}{
		{"1 MiB of output", `{"name":"` + project.Out1 + `","arguments":{}}`, 1.3},
		{"8 MiB of output", `{"name":"` + project.Out8 + `","arguments":{}}`, 1.3},
		{"1 MiB of arguments", large, 2},
	} {
		r := b.add(row{name: one.name, quantile: 0.5, unit: asTime, base: floor, goal: one.goal})
		if r == nil {
			continue
		}
		all, end, err := b.open(dir)
		if err != nil {
			return err
		}
		for i := range b.rounds + 1 {
			for _, s := range b.servers {
				began := time.Now()
				if _, err := all[s].call("tools/call", one.params); err != nil {
					end()
					return err
				}
				if i > 0 {
					r.took(s, began)
				}
			}
		}
		end()
	}
	return nil
}
