package main

import (
	"bufio"
	"errors"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/wrap"
)

// acceptPins shows what is withheld in a file of pins, and accepts it; at a terminal it asks before.
func (p program) acceptPins(o wrapOptions, names, argv []string) error {
	if argv != nil || o.Pins != "" {
		return console.UsageError{Err: errors.New("--accept starts no server: leave out --pin and the command")}
	}
	pins, err := wrap.ReadPins(o.accept)
	if err != nil {
		return console.Usagef("--accept: %w", err)
	}
	changes, err := pins.Changes(names)
	if err != nil {
		return console.UsageError{Err: err}
	}
	out := p.console(p.out)
	if len(changes) == 0 {
		out.OK("nothing is withheld")
		return nil
	}
	for _, c := range changes {
		before := "pinned " + c.Kind + " " + c.Name
		if c.Before == "" {
			before = "no " + c.Kind + " " + c.Name
		}
		out.Diff(udiff.Unified(before, "withheld "+c.Kind+" "+c.Name, c.Before, c.After))
	}
	if isTerminal(p.in) {
		answer, _ := out.Ask(bufio.NewReader(p.in), "accept? [y/N] ")
		if !strings.EqualFold(answer, "y") && !strings.EqualFold(answer, "yes") {
			return nil
		}
	}
	if err := pins.Accept(changes); err != nil {
		return err
	}
	out.OK("accepted: %d", len(changes))
	return nil
}
