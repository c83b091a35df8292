package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/check"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// patience is how long a program may take to print its version.
const patience = 5 * time.Second

// oldestBash is the version of macOS; the program and its SDK need no newer version.
const oldestBash = "3.2"

// bash checks the bash that a shell finds, and the bash that a desktop program finds.
func (e *examination) bash(ctx context.Context) []Finding {
	e.report.Runtime.System = e.System
	e.report.Runtime.JSONTool = "built-in"
	var all []Finding
	path, text := e.bashOn(ctx, e.path())
	e.report.Runtime.BashPath, e.report.Runtime.BashVersion = path, text
	switch {
	case path == "":
		all = failed("runtime.bash_missing", "bash was not found on PATH, so scripts and hooks for it do not run%s",
			whereBash())
	case IsVersion(text) && older(text, oldestBash):
		all = failed("runtime.bash_too_old", "%s is bash %s; the SDK needs 3.2 or newer", path, text)
	}
	desktop, _ := process.Lookup(e.Desktop, "PATH")
	path, text = e.bashOn(ctx, desktop)
	e.report.Runtime.DesktopBashPath, e.report.Runtime.DesktopBashVersion = path, text
	switch {
	case e.report.Runtime.BashPath == "": // reported above
	case path == "":
		all = append(all, Finding{ID: "desktop.bash_missing", Severity: check.Warning,
			Message: fmt.Sprintf("desktop programs find no bash: %s is not on their PATH", e.report.Runtime.BashPath)})
	case text != e.report.Runtime.BashVersion:
		all = append(all, Finding{ID: "desktop.bash_differs", Severity: check.Info,
			Message: fmt.Sprintf("desktop programs run %s, version %s; your shell runs %s, version %s", path, text,
				e.report.Runtime.BashPath, e.report.Runtime.BashVersion)})
	}
	return all
}

// withPath returns the environment of the user with another PATH.
func (e *examination) withPath(list string) (env []string) {
	for name, value := range e.Env {
		env = append(env, name+"="+value)
	}
	return process.With(env, "PATH="+list)
}

// whereBash describes where to get bash on Windows.
func whereBash() string {
	if runtime.GOOS != "windows" {
		return ""
	}
	return "; install Git for Windows (https://gitforwindows.org), which brings one, or run mcp-bash in WSL"
}

var bashVersion = lazyregexp.New(`version (\d+\.\d+(?:\.\d+)?)`)

// bashOn finds the bash on a PATH, and asks for its version.
func (e *examination) bashOn(ctx context.Context, list string) (path, version string) {
	if path = onPath("bash", list); runtime.GOOS == "windows" { // there bash need not be on the PATH
		path = process.Interpreter("bash", e.withPath(list))
	}
	if path == "" {
		return "", ""
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	said := process.Head{Limit: 4 << 10}
	if _, err := e.Check.Runner.Run(ctx,
		process.Command{Path: path, Args: []string{"--version"}, Env: []string{"LC_ALL=C"}, Stdout: &said}); err != nil {
		return path, ""
	}
	if match := bashVersion.Get().FindStringSubmatch(said.Text()); match != nil {
		version = match[1]
	}
	return path, version
}

// temp checks whether files can be created and executed in the folder for temporary files: the
// server keeps the folders of calls there, and the jq for machines without jq.
func (e *examination) temp(ctx context.Context) []Finding {
	r := &e.report.Runtime
	r.TempRoot = e.Temp
	const set = "set MCPBASH_TMP_ROOT or TMPDIR to a folder that can be written"
	info, err := os.Stat(e.Temp)
	if err != nil || !info.IsDir() {
		return failed("runtime.tmp_root_missing", "the folder for temporary files, %s, does not exist; %s", e.Temp, set)
	}
	dir, err := os.MkdirTemp(e.Temp, "mcpbash.doctor.")
	if err != nil {
		return failed("runtime.tmp_root_unwritable", "nothing can be written to %s; %s", e.Temp, set)
	}
	defer os.RemoveAll(dir)
	r.TempRootWritable = true
	if r.TempRootExecutes = e.executes(ctx, filepath.Join(dir, "probe")); !r.TempRootExecutes {
		return []Finding{{ID: "runtime.tmp_root_noexec", Severity: check.Warning,
			Message: fmt.Sprintf("programs in %s may not be started, so tools find no jq where none is installed; "+
				"set MCPBASH_TMP_ROOT to another folder", e.Temp)}}
	}
	return nil
}

// executes reports whether a script at path can be started.
func (e *examination) executes(ctx context.Context, path string) bool {
	if runtime.GOOS == "windows" {
		return true
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700); err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ended, err := e.Check.Runner.Run(ctx, process.Command{Path: "/bin/sh", Args: []string{"-c", `exec "$0"`, path}})
	return err == nil && ended.ExitCode == 0
}

// path returns the PATH of the user. On Windows its name is case-insensitive.
func (e *examination) path() string {
	if path := e.Env["PATH"]; path != "" || runtime.GOOS != "windows" {
		return path
	}
	return e.Env["Path"]
}

// onPath finds a program in a list of folders; "" if it is in none of them.
func onPath(name, list string) string { return process.LookPath(name, []string{"PATH=" + list}) }
