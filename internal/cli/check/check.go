// Package check reports what is wrong with a project before its client finds out.
//
// The rules for entries are those of the server: the project is opened as the server opens it, and
// each of its faults becomes a [Message]. So an entry that the server leaves out is an error here,
// and an entry without an error here is served. In addition, scripts are checked, which the server
// does not parse before it starts them, and advice is given. Nothing of the project is run except
// what the server runs to list it: server.d/register.sh, if hooks are allowed.
package check

import (
	"cmp"
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// A Level is the severity of a message.
type Level string

const (
	Error   Level = "error"   // the server leaves it out, or its use fails
	Warning Level = "warning" // it works, but not always as intended
	Info    Level = "info"    // good to know
)

// A Message is a finding, for people and, as JSON, for programs.
type Message struct {
	Level Level `json:"level"`
	// server, tools, resources, resourceTemplates, prompts, completions, providers, hooks or scripts
	Section string `json:"section"`
	Message string `json:"message"`
	File    string `json:"file,omitempty"`   // relative to the root, with slashes; absolute if it is outside
	Line    int    `json:"line,omitempty"`   // counted from 1; absent if it is about no particular line
	Column  int    `json:"column,omitempty"` // in bytes, counted from 1
	Rule    string `json:"rule,omitempty"`   // the rule that is violated, as in exec-bit
	Hint    string `json:"hint,omitempty"`   // what to do
	Fixable bool   `json:"fixable,omitempty"`

	repair repair // what fixes it, if Fixable
}

// Place returns where the finding is, as file:line:column followed by a colon and a blank, or as much of
// that as is known.
func (m Message) Place() string {
	at := strings.ReplaceAll(m.File, "\n", `\n`) // a name that looks like another line
	for _, n := range []int{m.Line, m.Column} {
		if n > 0 {
			at += fmt.Sprintf(":%d", n)
		}
	}
	if at != "" {
		at += ": "
	}
	return at
}

// A Report holds all findings, in the order of files and lines.
type Report struct {
	Messages         []Message
	Errors, Warnings int // the number of messages of these levels
	Fixes            int // how many were made

	Tools     int              // how many are served
	Sandboxed int              // how many of the tools ask for a sandbox
	Defaults  catalog.Identity // the server's name and version if metadata sets none

	contents *contents // of the project, for further questions
}

// Options describe the server that a project is checked for. The zero value checks a project with the
// usual layout, with no variables set.
type Options struct {
	Project catalog.Options // as the server uses them; a Logger is not needed, and no list is cached
	Env     []string        // variables of tools, as NAME=value: interpreters are looked up on its PATH
	Hooks   hooks.Rules     // which hooks run
	Page    int             // items on a page of a list

	// ProvidersDir is the folder of the project's own providers; empty for providers/ in the project.
	ProvidersDir string
	// Provides reports whether a provider reads URIs of a scheme; nil means all schemes.
	Provides func(scheme string) bool
	// Script reports whether the project has a provider with a name, which reads URIs of any scheme for
	// metadata that names it; nil means that it has none.
	Script func(name string) bool
	// Readable returns why a resource with a URI could not be read, or nil; a nil function means that
	// all are readable.
	Readable func(uri string) error
	// Helpers are the functions of the SDK; misspelt names of them are reported.
	Helpers []string
	// Listed reports whether the operator shows a tool to clients; nil means all tools.
	Listed func(tool string) bool

	// Reported are faults that the server reported before it opened the project, as in
	// "server.d/env.sh:1: why".
	Reported []string

	// Runner runs a shell to parse a script that seems to have a syntax error, without executing it:
	// the shell decides. Nil runs no shell.
	Runner *process.Runner
	// ShellCheck is the path of shellcheck, which Runner runs over the scripts; empty for none.
	ShellCheck string
	// Fix repairs what can be repaired, before the report.
	Fix bool
	// Step is called with the number of checked scripts and their total, by one goroutine at a time.
	// It may be nil.
	Step func(done, total int)
}

// Project checks the project in the folder root. The error is that the folder is not a project, or
// that ctx ended.
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
	report := Report{}
	found, err := load(ctx, root, o)
	if err != nil {
		return report, err
	}
	report.contents = found
	found.unrun()
	if err := found.lint(ctx); err != nil {
		return report, err
	}
	found.advise(ctx)
	report.Tools, report.Defaults = len(found.tools), found.project.Defaults()
	for _, t := range found.tools {
		if t.Sandbox != nil && !t.Sandbox.None {
			report.Sandboxed++
		}
	}
	report.add(found.messages...)
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
	sort.SliceStable(r.Messages, func(i, j int) bool {
		a, b := r.Messages[i], r.Messages[j]
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) < 0
	})
}
