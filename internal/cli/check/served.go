package check

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// contents are what the server would serve, and its messages about the rest.
type contents struct {
	options    Options
	project    *catalog.Project
	identity   catalog.Identity
	tools      []*catalog.Tool
	resources  []*catalog.Resource
	templates  []*catalog.Template
	prompts    []*catalog.Prompt
	completers []*catalog.Completer
	rules      []*catalog.Interceptor
	messages   []Message
	reported   map[string]bool     // texts of the faults that are among the messages
	fields     map[string][]string // their fields, by file

	scripts   []*source       // of the project
	functions map[string]bool // that they define
	withArgv  map[string]bool // scripts of tools that get words on their command line, or that adopt will give them to
}

// load opens a project as the server does.
func load(ctx context.Context, root string, o Options) (*contents, error) {
	captured := &logCapture{}
	o.Project.Logger = slog.New(captured)
	if !o.Project.Static {
		o.Project.Folders.Registry = "" // a check writes nothing
	}
	p, err := catalog.Open(root, o.Project)
	if err != nil {
		return nil, err
	}
	c := &contents{options: o, project: p, reported: make(map[string]bool), fields: make(map[string][]string)}
	var faults []catalog.Fault
	c.identity, faults = p.Identity()
	c.addFaults("server", faults)
	_, faults = p.Roots()
	c.addFaults("server", faults)
	var errs [6]error
	c.tools, errs[0] = list(ctx, c, "tools", p.Tools)
	c.resources, errs[1] = list(ctx, c, "resources", p.Resources)
	c.templates, errs[2] = list(ctx, c, "resourceTemplates", p.Templates)
	c.prompts, errs[3] = list(ctx, c, "prompts", p.Prompts)
	c.completers, errs[4] = list(ctx, c, "completions", p.Completers)
	c.rules, errs[5] = list(ctx, c, "interceptors", p.Interceptors)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	c.documents()
	c.schemas()
	c.withArgv = make(map[string]bool)
	for _, t := range c.tools {
		c.withArgv[t.Path] = c.withArgv[t.Path] || plain(t) || members(t.Metadata)["argv"] != nil
	}
	for _, t := range c.targets() {
		c.scripts = append(c.scripts, t.read())
	}
	c.functions = functionsOf(c.scripts)
	c.addLogged(append(slices.Clone(o.Reported), captured.lines...))
	return c, nil
}

// report adds a message.
func (c *contents) report(m Message) { c.messages = append(c.messages, m) }

// list reads a list. Its faults are reported; the error is that ctx ended.
func list[T catalog.Entry](ctx context.Context, c *contents, section string,
	read func(context.Context) (catalog.Snapshot[T], error)) ([]T, error) {
	s, err := read(ctx)
	var failed *catalog.RegistrationError
	switch {
	case errors.As(err, &failed):
		c.reported[err.Error()] = true
		c.addFaults("server", failed.Faults)
		return nil, nil
	case err != nil:
		return nil, err
	}
	c.addFaults(section, s.Faults)
	return s.Items, nil
}

// icons matches the fields of icons in faults. An entry with invalid icons is served, but without the
// icons that its author wants to show.
var icons = lazyregexp.New(`(^|\.)icons(\.|$)`)

// addFaults adds a message for each of the server's faults, once.
func (c *contents) addFaults(section string, faults []catalog.Fault) {
	for _, f := range faults {
		if c.reported[f.String()] {
			continue
		}
		c.reported[f.String()] = true
		m := Message{Level: Error, Rule: "left-out", Section: section, File: f.File, Line: f.Line, Message: f.Reason,
			Hint: f.Hint}
		if f.Warning {
			m.Level, m.Rule = Warning, "metadata"
		}
		if section == "server" && c.identity.Metadata == nil && f.File == c.project.Rel(c.identity.MetadataFile) {
			m.Level, m.Rule = Error, "left-out" // nothing of the file is used
		}
		if icons.Get().MatchString(f.Field) {
			m.Level = Error
		}
		if f.Field != "" {
			c.fields[f.File] = append(c.fields[f.File], f.Field)
			m.Message = f.Field + ": " + m.Message
		}
		c.report(m)
	}
}

// addLogged adds messages for what the server only logs.
func (c *contents) addLogged(lines []string) {
	for _, line := range lines {
		if c.reported[line] {
			continue
		}
		c.reported[line] = true
		m := Message{Level: Warning, Rule: "server", Section: "server", Message: line}
		place, rest, _ := strings.Cut(line, ": ")
		file, number, _ := strings.Cut(place, ":")
		if rest != "" && files.Exists(filepath.Join(c.project.Root(), file)) {
			m.File, m.Message = file, rest
			m.Line, _ = strconv.Atoi(number) // 0 if there is none
		}
		c.report(m)
	}
}

// A logCapture is a log handler that keeps warnings. It must be used by one goroutine at a time.
type logCapture struct{ lines []string }

func (*logCapture) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }
func (e *logCapture) WithAttrs([]slog.Attr) slog.Handler         { return e }
func (e *logCapture) WithGroup(string) slog.Handler              { return e }

func (e *logCapture) Handle(_ context.Context, r slog.Record) error {
	line := r.Message
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "error" {
			line += ": " + a.Value.String()
		}
		return true
	})
	e.lines = append(e.lines, line)
	return nil
}
