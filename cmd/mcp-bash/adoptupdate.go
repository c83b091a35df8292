package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/adopt"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/ask"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/scaffold"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// tool finds a tool of the project.
func (a *adoption) tool(root, name string) (*catalog.Tool, error) {
	s, _, err := a.readProject(root)
	if err != nil {
		return nil, err
	}
	opened, err := a.open(s, root, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	t, err := opened.Tool(context.Background(), name)
	if err != nil {
		tools, _ := opened.Tools(context.Background())
		return nil, fmt.Errorf("tool not found: %s; %s", name, ask.Instead(name, namesOf(tools.Items)))
	}
	return t, nil
}

// renew reads the original of a tool again, shows what changes, and changes the files of the tool unless the user does
// not want it.
func (a *adoption) renew(out *console.Console, at scaffold.Place, name string) error {
	t, err := a.tool(at.Path, name)
	if err != nil {
		return err
	}
	metadata := cmp.Or(t.MetadataFile, t.Path)
	r, err := adopt.ReadRecord(metadata)
	if err != nil {
		return err
	}
	from := filepath.FromSlash(r.From)
	if strings.Contains(r.From, "/") && !filepath.IsAbs(from) {
		from = filepath.Join(at.From, from)
	}
	again := adoption{program: a.program, inPlace: r.InPlace, runHelp: r.RunHelp, name: name}
	d, err := again.read(from, r.Command)
	if err != nil {
		return err
	}
	changes, kept, err := d.Update(at.Path, r, t.Path, metadata)
	if err != nil {
		return err
	}
	d.show(out)
	for _, place := range kept {
		out.Warn("you and the original have changed %s: yours stays", place)
	}
	if len(changes) == 0 {
		out.OK("%s is as its original", name)
		return nil
	}
	out.Say("")
	for i, c := range changes {
		inside, _ := filepath.Rel(at.Path, c.Path)
		changes[i].Name = at.All([]string{filepath.ToSlash(inside)})[0]
		if !adopt.IsRecord(c.Path) {
			out.Diff(udiff.Unified(changes[i].Name, changes[i].Name, c.Before, c.After))
		}
	}
	if a.answers != nil && !a.agrees(out, "\nchange the tool %s? [Y/n]: ", name) {
		out.Say("left %s as it is", name)
		return nil
	}
	for _, c := range changes {
		info, err := os.Stat(c.Path)
		if err == nil {
			err = files.Edit(c.Path, []byte(c.After), files.AccessOf(info), nil)
		}
		if err != nil {
			return err
		}
		if !adopt.IsRecord(c.Path) {
			out.OK("changed %s", c.Name)
		}
	}
	return nil
}
