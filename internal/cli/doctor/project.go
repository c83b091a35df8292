package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/check"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// reported are the rules of a check that are reported individually: those about the machine rather
// than about what the author wrote.
var reported = map[string]string{
	"exec-bit":         "project.not_executable",
	"crlf":             "project.line_endings",
	"bom":              "project.byte_order_mark",
	"interpreter":      "project.interpreter_missing",
	"hook-unsafe":      "project.hook_unsafe",
	"hook-not-allowed": "project.hook_not_allowed",
	"no-policy-check":  "project.no_policy_check",
	"metadata":         "project.metadata",
}

// project checks the project as validate does, and repairs what can be repaired if that is asked for.
func (e *examination) project(ctx context.Context) ([]Finding, error) {
	o := e.Check
	o.ShellCheck = "" // validate shows what it says
	r, err := check.Project(ctx, e.Root, o)
	if err != nil {
		return nil, err
	}
	e.checked = r
	if e.sandboxed = r.Sandboxed; e.CageAll {
		e.sandboxed = r.Tools
	}
	e.report.Project.Tools, e.report.Project.ServerMetaValid = r.Tools, true
	var all []Finding
	if e.Check.ShellCheck == "" {
		all = append(all, Finding{ID: "deps.shellcheck", Severity: check.Info,
			Message: "shellcheck is not installed, so validate does not show what it would find in the scripts"})
	}
	others := 0
	for _, m := range r.Messages {
		id := reported[m.Rule]
		switch {
		case m.Rule == "fixed":
			e.report.ActionsTaken = append(e.report.ActionsTaken,
				Action{ID: "project.fixed", Message: m.File + ": " + m.Message})
		case m.Rule == "server-optional": // validate reports it
		case m.Section == "server" && m.Level != check.Info && strings.HasPrefix(filepath.Base(m.File), "server."):
			e.report.Project.ServerMetaValid = false
			all = append(all, Finding{ID: "project.server_meta_invalid", Severity: check.Warning,
				Message: m.Place() + m.Message, Command: "mcp-bash validate"})
		case id != "":
			f := Finding{ID: id, Severity: m.Level, Message: m.Place() + m.Message, Fixable: m.Fixable}
			if f.Fixable {
				f.Command = "mcp-bash doctor --fix"
			} else if m.Hint != "" {
				f.Message += "; " + m.Hint
			}
			all = append(all, f)
		case m.Level == check.Error:
			others++
		}
	}
	if others > 0 {
		all = append(all, Finding{ID: "project.invalid", Severity: check.Error, Command: "mcp-bash validate",
			Message: fmt.Sprintf("the project's files have %s, so not all of it is served",
				console.Count(others, "more error"))})
	}
	return all, nil
}

// programs looks up the programs that scripts call, on the PATH of the user's shell and on that of
// desktop programs.
func (e *examination) programs() []Finding {
	desktop, _ := process.Lookup(e.Desktop, "PATH")
	var all []Finding
	for _, p := range e.checked.Programs() {
		path := onPath(p.Name, e.path())
		f := Finding{Severity: check.Warning}
		switch {
		case onPath(p.Name, desktop) != "" || p.Name == "jq" || p.Optional && path == "":
			continue // every tool has a jq; and a script that checks for a program works without it
		case path == "":
			e.report.Runtime.MissingEverywhere++
			f.ID, f.Message = "deps.missing", fmt.Sprintf("%s:%d calls %s, which is not on PATH", p.File, p.Line, p.Name)
		default:
			e.report.Runtime.MissingOnDesktop++
			f.ID = "desktop.program_missing"
			f.Message = fmt.Sprintf("%s:%d calls %s, which is in %s, where desktop programs do not look", p.File, p.Line,
				p.Name, filepath.Dir(path))
			f.Command = fmt.Sprintf("add PATH=%s:%s to the variables of the client's entry", filepath.Dir(path), desktop)
			if p.Optional {
				f.Severity = check.Info
			}
		}
		all = append(all, f)
	}
	return all
}

// registry checks for the cached lists that a server with MCPBASH_STATIC_REGISTRY serves.
func (e *examination) registry() []Finding {
	_, err := os.Stat(filepath.Join(e.RegistryDir, "tools.json"))
	e.report.Project.RegistryExists = err == nil
	if err == nil || !e.Check.Project.Static {
		return nil
	}
	return []Finding{{ID: "project.registry_missing", Severity: check.Warning, Command: "mcp-bash registry refresh",
		Message: "MCPBASH_STATIC_REGISTRY is set, but there are no cached lists, so the project is read"}}
}
