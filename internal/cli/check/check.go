// Package check reports what is wrong with a project before its client finds out.
//
// What the server serves is not judged a second time: the project is opened as the server opens
// it, and each of its faults becomes a [Message]. So an entry that the server leaves out is an
// error here, and one that is no error here is served. To that come the scripts, which the server
// does not look into before it starts them, and advice. Nothing of the project is run but what the
// server runs to list it: server.d/register.sh, where hooks are allowed.
package check

import (
	"cmp"
	"context"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
)

// A Level says how bad something is.
type Level string

const (
	Error   Level = "error"   // the server leaves it out, or its use fails
	Warning Level = "warning" // it works, but will not always do what is wanted
	Info    Level = "info"    // good to know
)

// A Message is one thing that was found, for people and, as JSON, for programs.
type Message struct {
	Level   Level  `json:"level"`
	Section string `json:"section"` // server, tools, resources, resourceTemplates, prompts, completions, providers, hooks or scripts
	Message string `json:"message"`
	File    string `json:"file,omitempty"`   // relative to the root, with slashes; absolute where it lies outside
	Line    int    `json:"line,omitempty"`   // counted from 1; absent where none is to blame
	Column  int    `json:"column,omitempty"` // in bytes, counted from 1
	Rule    string `json:"rule,omitempty"`   // what it is an offence against, as in exec-bit
	Hint    string `json:"hint,omitempty"`   // what to do
	Fixable bool   `json:"fixable,omitempty"`

	repair repair // what makes it good, if Fixable
}

// A Report is all that was found, in the order of files and lines.
type Report struct {
	Messages         []Message
	Errors, Warnings int // how many of the messages are such
	Fixes            int // that were made

	Tools     int              // that are served
	Sandboxed int              // of the tools, that ask for a sandbox
	Defaults  project.Identity // what the server calls itself where metadata says nothing
}

// Options are what a check needs to know of the server. The zero value checks a project of the
// usual layout, with no variables set.
type Options struct {
	Project project.Options // as the server has it; a Logger is not needed, and no list is kept
	Env     []string        // what tools get, as NAME=value: interpreters are looked for on its PATH
	Hooks   hooks.Rules     // which hooks run

	// ProvidersDir is where the project's own providers are; empty for providers/ in the project.
	ProvidersDir string
	// Provides reports whether something reads URIs of a scheme; nil takes all to be read.
	Provides func(scheme string) bool
	// Readable returns why a resource with a URI could not be read, or nil; a nil function takes all
	// to be readable.
	Readable func(uri string) error
	// Helpers are the functions of the SDK, of which misspelt names are reported.
	Helpers []string
	// Listed reports whether the operator shows a tool to clients; nil shows all.
	Listed func(tool string) bool

	// Heard are faults that the server reported before it opened the project, as in
	// "server.d/env.sh:1: why".
	Heard []string

	// Runner asks shells whether they could read a script that seems to have a fault, without
	// running it: they have the last word. Nil asks none.
	Runner *script.Runner
	// Fix mends what can be mended before the verdict.
	Fix bool
	// Step is called with how many scripts of how many are looked through, by one goroutine at a time;
	// nil for nobody.
	Step func(done, total int)
}

// Project checks the project in the folder root. The error is that the folder is none, or that ctx
// ended.
func Project(ctx context.Context, root string, o Options) (Report, error) {
	report, err := inspect(ctx, root, o)
	if err != nil || !o.Fix {
		return report, err
	}
	notes, err := mend(root, report.Messages)
	if err != nil {
		return report, err
	}
	o.Step = nil
	if report, err = inspect(ctx, root, o); err != nil {
		return report, err
	}
	for _, n := range notes {
		if n.Level == Info {
			report.Fixes++
		}
	}
	report.add(notes...)
	return report, nil
}

func inspect(ctx context.Context, root string, o Options) (Report, error) {
	var report Report
	found, err := load(ctx, root, o)
	if err != nil {
		return report, err
	}
	scripts, err := found.lint(ctx, o)
	if err != nil {
		return report, err
	}
	report.Tools, report.Defaults = len(found.tools), found.project.Defaults()
	for _, t := range found.tools {
		if t.Sandbox != nil && !t.Sandbox.None {
			report.Sandboxed++
		}
	}
	report.add(found.messages...)
	report.add(found.unrun(o.Hooks)...)
	report.add(scripts...)
	report.add(found.advice(o)...)
	return report, nil
}

// add sorts messages in, and counts them.
func (r *Report) add(messages ...Message) {
	for _, m := range messages {
		switch m.Level {
		case Error:
			r.Errors++
		case Warning:
			r.Warnings++
		}
	}
	r.Messages = append(r.Messages, messages...)
	slices.SortStableFunc(r.Messages, func(a, b Message) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
