package check

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// lintPatience is how long shellcheck may take for all scripts of a project.
const lintPatience = 30 * time.Second

// unasked are the findings of shellcheck that are not shown: those about shells that it does not know, what
// this package says itself (a missing #! line, CR LF, a byte order mark), and what it cannot know of
// scripts that source each other (sourced files, variables that another one sets or uses).
const unasked = "SC1071,SC2187,SC2148,SC1017,SC1082,SC1090,SC1091,SC2034,SC2154"

// shellcheck reports what shellcheck says about scripts, which have no syntax errors, in one run. All that it
// says are warnings: the server starts these scripts, wherever shellcheck is installed.
func (c *contents) shellcheck(ctx context.Context, scripts []*source) {
	o := c.options
	if o.ShellCheck == "" || o.Runner == nil || len(scripts) == 0 {
		return
	}
	args := []string{"-S", "warning", "-f", "json1", "-e", unasked, "--"}
	sections := make(map[string]string)
	for _, s := range scripts {
		args, sections[s.path] = append(args, s.path), s.section
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lintPatience, fmt.Errorf("it took longer than %v", lintPatience))
	defer cancel()
	var out, complaint bytes.Buffer
	command := process.Command{Path: o.ShellCheck, Args: args, Dir: c.project.Root(), Env: o.Env}
	command.Stdout, command.Stderr = &out, &complaint
	_, err := o.Runner.Run(ctx, command)
	var said struct {
		Comments []struct {
			File, Message      string
			Line, Column, Code int
		}
	}
	if err == nil {
		err = json.Unmarshal(out.Bytes(), &said)
	}
	if err != nil {
		why, _, _ := strings.Cut(cmp.Or(complaint.String(), err.Error()), "\n")
		c.report(Message{Level: Warning, Rule: "shellcheck", Section: "scripts",
			Message: "shellcheck did not check the scripts: " + why, Hint: "run shellcheck yourself to see why"})
	}
	for _, s := range said.Comments {
		code := fmt.Sprintf("SC%d", s.Code)
		c.report(Message{Level: Warning, Rule: code, Section: sections[s.File], File: c.project.Rel(s.File),
			Line: s.Line, Column: s.Column, Message: fmt.Sprintf("%s (%s)", s.Message, code),
			Hint: "https://www.shellcheck.net/wiki/" + code})
	}
}

// sound reports whether a script is for a shell and can be read by it, going by what was found in it. A copy that adopt
// has made does not count: its style is that of a script elsewhere, and is not changed here.
func (s *source) sound(found []Message) bool {
	unread := func(m Message) bool { return m.Rule == "syntax" || m.Rule == "bashism" }
	folder, name := filepath.Split(s.path)
	copied := files.Exists(folder + "." + strings.TrimSuffix(name, filepath.Ext(name)) + ".adopted.json")
	return s.isShell && !copied && !slices.ContainsFunc(found, unread)
}
