package main

import (
	"context"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/clients"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/scaffold"
)

// makes executes a plan and prints which files were made and what to type next. JSON names the scripts of the place
// that can become tools, too.
func (p program) makes(plan scaffold.Plan, at scaffold.Place, asJSON bool, scripts ...string) error {
	report, err := write(plan, at)
	if err != nil {
		return err
	}
	c := p.console(p.out)
	if asJSON {
		return c.JSON(struct {
			Created []string `json:"created"`
			Kept    []string `json:"kept"`
			Changed []string `json:"changed"`
			Scripts []string `json:"adoptable,omitempty"`
		}{at.All(report.Created), at.All(report.Kept), at.All(report.Changed), scripts})
	}
	for _, f := range at.All(report.Created) {
		c.OK("created %s", f)
	}
	for _, f := range at.All(report.Changed) {
		c.OK("added to %s", f)
	}
	for _, f := range at.All(report.Kept) {
		c.Say("  kept %s as it is", f)
	}
	if plan.Note != "" {
		c.Say("\n%s", plan.Note)
	}
	if len(plan.Next) > 0 {
		c.Say("\nnext:")
	}
	for _, words := range plan.Next {
		if words[len(words)-1] == "install" {
			words = append(words, p.presentClient()...)
		}
		if command := at.Command(words); command != "cd ." { // the current folder already
			c.Say("  %s", command)
		}
	}
	return nil
}

// presentClient returns the flag of install for the first client that is on this machine; without it, install lists
// them.
func (p program) presentClient() []string {
	for _, c := range clients.All() {
		if c.Present(p.machine()) {
			return []string{"--client", c.Name}
		}
	}
	return nil
}

// write writes the files of a plan. If it is interrupted, none of them is left.
func write(plan scaffold.Plan, at scaffold.Place) (scaffold.Report, error) {
	ctx, stop := untilEnded(context.Background())
	defer stop()
	return plan.Write(ctx, at.Path)
}
