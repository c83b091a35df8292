package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// interceptors measures what one rule adds to a call through mcp-bash wrap: the difference to wrap without rules, which
// is bare, in the same round. The call lists the tools of the minimal server.
func (b *bench) interceptors() error {
	const hook = `"type":"validation","hooks":[{"events":[%q],"phase":"request"}]`
	const stays = "#!/usr/bin/env bash\nwhile IFS= read -r q; do echo '{\"valid\":true}'; done\n"
	dir, err := b.tools(10)
	if err != nil {
		return err
	}
	server := b.commands[floor](dir)
	for i, rule := range []struct {
		name, event, meta, script string
		size                      int // of a text in the params
		most                      time.Duration
	}{
		{name: "a rule in jq: added to a call of 1 KiB", event: "tools/list", size: 1 << 10,
			meta: `"jq":"._meta.text | test(\"rm -rf\") | not"`, most: 15 * time.Microsecond},
		{name: "a rule that stays, in bash: added to a call", event: "tools/list",
			meta: `"stay":true`, script: stays, most: 150 * time.Microsecond},
		{name: "a rule for other messages: added to a call of 1 KiB", event: "prompts/get", size: 1 << 10,
			meta: `"jq":"false"`},
	} {
		r := b.add(row{name: rule.name, quantile: 0.5, unit: asTime, base: bare, most: float64(rule.most)})
		if r == nil {
			continue
		}
		rules, err := b.project(fmt.Sprintf("rules-%d", i), func(dir string) error {
			meta, script := filepath.Join(dir, "rule", "rule.meta.json"), filepath.Join(dir, "rule", "rule.sh")
			err := errors.Join(os.MkdirAll(filepath.Dir(meta), 0o755),
				os.WriteFile(meta, fmt.Appendf(nil, "{"+hook+",%s}", rule.event, rule.meta), 0o644))
			if rule.script != "" {
				err = errors.Join(err, os.WriteFile(script, []byte(rule.script), 0o755))
			}
			return err
		})
		if err != nil {
			return err
		}
		without := append([]string{b.binary(ours), "wrap", "--"}, server...)
		with := append([]string{b.binary(ours), "wrap", "--interceptors", rules, "--"}, server...)
		params := `{"cursor":"","_meta":{"text":"` + strings.Repeat("x", rule.size) + `"}}`
		if err := b.added(r, without, with, params); err != nil {
			return err
		}
	}
	return nil
}

// added measures calls to one server, ten at a time, and what the other one takes more.
func (b *bench) added(r *row, without, with []string, params string) error {
	const calls = 10
	all := map[string]*client{}
	for subject, command := range map[string][]string{bare: without, ours: with} {
		var err error
		if all[subject], err = open(command); err != nil {
			return err
		}
		defer all[subject].close()
	}
	for range b.rounds * 10 {
		var alone time.Duration
		for _, s := range []string{bare, ours} {
			began := time.Now()
			for range calls {
				if _, err := all[s].call("tools/list", params); err != nil {
					return err
				}
			}
			alone = r.added(s, time.Since(began)/calls, alone)
		}
	}
	return nil
}
