// Package doctor looks at what a server needs besides its project: the shell, the programs that
// scripts call, the folder for temporary files, the variables. [Examine] does all of it;
// [HealthChecks] runs the project's own checks, for supervisors too.
//
// Each check is a method that returns findings and knows nothing of the others, but the project is
// read once for all of them: reading it can run its register.sh.
package doctor

import (
	"context"
	"fmt"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/check"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// A Finding is something that a check found.
type Finding struct {
	ID       string      `json:"id"` // as in runtime.bash_missing
	Severity check.Level `json:"severity"`
	Message  string      `json:"message"`
	Fixable  bool        `json:"fixable"` // --fix repairs it
	Command  string      `json:"suggestedCommand,omitempty"`
}

// failed is a finding that something does not work.
func failed(id, format string, args ...any) []Finding {
	return []Finding{{ID: id, Severity: check.Error, Message: fmt.Sprintf(format, args...)}}
}

// An Action is what fixes a finding.
type Action struct {
	ID      string `json:"id"` // of the finding
	Message string `json:"message"`
	Command string `json:"command,omitempty"`
}

// A Report holds all findings. As JSON it is for programs, in the format of SchemaVersion.
type Report struct {
	SchemaVersion   int       `json:"schemaVersion"`
	ExitCode        int       `json:"exitCode"`
	Findings        []Finding `json:"findings"`
	ProposedActions []Action  `json:"proposedActions"`
	ActionsTaken    []Action  `json:"actionsTaken"`
	Framework       Framework `json:"framework"`
	Runtime         Runtime   `json:"runtime"`
	Project         *Project  `json:"project"` // nil without one
	Errors          int       `json:"errors"`
	Warnings        int       `json:"warnings"`
}

// SchemaVersion is the version of a Report's JSON format.
const SchemaVersion = 1

// Framework is about this program.
type Framework struct {
	Path    string `json:"path"`
	Exists  bool   `json:"exists"`
	Version string `json:"version"`
}

// Runtime is about the machine.
type Runtime struct {
	System             string `json:"system"` // as in linux/amd64
	BashPath           string `json:"bashPath"`
	BashVersion        string `json:"bashVersion"`
	DesktopBashPath    string `json:"desktopBashPath"` // the bash that desktop programs find
	DesktopBashVersion string `json:"desktopBashVersion"`
	JSONTool           string `json:"jsonTool"`
	TempRoot           string `json:"tmpRoot"`
	TempRootWritable   bool   `json:"tmpRootWritable"`
	TempRootExecutes   bool   `json:"tmpRootExecutable"`
	// limits of scripts that this system cannot enforce, and why
	LimitsNotHeld  []string `json:"limitsNotHeld,omitempty"`
	Sandbox        bool     `json:"sandbox"`                  // tools can run in a sandbox, and cannot escape
	SandboxMissing string   `json:"sandboxMissing,omitempty"` // why not

	MissingOnDesktop  int `json:"missingOnDesktop"` // programs that desktop programs do not find
	MissingEverywhere int `json:"missing"`          // programs that are not installed
}

// Project is about the project.
type Project struct {
	Root            string `json:"root"`
	ServerMetaValid bool   `json:"serverMetaValid"`
	Tools           int    `json:"toolsCount"`
	RegistryExists  bool   `json:"registryExists"`
}

// Options describe what is examined.
type Options struct {
	Program    string // path of this program, absolute
	Version    string // of it
	MinVersion string // required version; empty for any
	System     string // as in linux/amd64

	Env     map[string]string // variables of the user
	Desktop []string          // variables, as NAME=value, that desktop programs pass to servers
	// Meant returns the variable that is meant by a name that is almost one of the server's, and "" for other names.
	Meant func(name string) string
	// Complaints are invalid values of variables, and why they are not used.
	Complaints []string
	Temp       string // the folder for temporary files
	Cgroup     string // parent of the cgroups of scripts; empty for none

	CageAll bool // the operator runs all tools in a sandbox

	Root        string        // of the project; empty for none
	ServerDir   string        // its server.d/, absolute
	RegistryDir string        // the folder of its cached lists, absolute
	Check       check.Options // how it is checked; with Fix, what can be repaired is
	Health      hooks.Host    // its own checks
}

// Examine runs all checks. The error is that the folder is not a project, or that ctx ended.
func Examine(ctx context.Context, o Options) (Report, error) {
	e := &examination{Options: o, report: Report{
		SchemaVersion: SchemaVersion, Findings: []Finding{}, ProposedActions: []Action{}, ActionsTaken: []Action{},
	}}
	e.add(e.framework())
	e.add(e.bash(ctx))
	e.add(e.temp(ctx))
	e.report.Runtime.LimitsNotHeld = process.Unheld(e.Cgroup)
	e.add(e.quarantine())
	e.add(e.variables())
	if o.Root == "" {
		e.add(e.sandbox(ctx))
	}
	if o.Root != "" {
		e.report.Project = &Project{Root: o.Root}
		found, err := e.project(ctx)
		if err != nil {
			return e.report, err
		}
		e.add(found)
		e.add(e.programs())
		if found, err = e.differences(ctx); err != nil {
			return e.report, err
		}
		e.add(found)
		e.add(e.sandbox(ctx))
		e.add(e.requirements())
		e.add(e.registry())
		e.add(e.health(ctx))
	}
	return e.report, context.Cause(ctx)
}

// An examination is a running Examine.
type examination struct {
	Options
	report    Report
	checked   check.Report // of the project
	sandboxed int          // how many tools must run in a sandbox
}

// add adds findings to the report.
func (e *examination) add(found []Finding) {
	for _, f := range found {
		switch f.Severity {
		case check.Error:
			e.report.Errors++
		case check.Warning:
			e.report.Warnings++
		}
		if f.Command != "" && f.Severity != check.Info {
			action := Action{f.ID, f.Message, f.Command}
			if !slices.Contains(e.report.ProposedActions, action) {
				e.report.ProposedActions = append(e.report.ProposedActions, action)
			}
		}
		e.report.Findings = append(e.report.Findings, f)
	}
	if e.report.Errors > 0 {
		e.report.ExitCode = 1
	}
}
