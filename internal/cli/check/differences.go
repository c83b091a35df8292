package check

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/scaffold"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// A Difference is an intended difference between this program and the Bash program, mcp-bash 1.x,
// whose projects it serves.
type Difference struct {
	ID   string // as in env-sh
	Then string // what the Bash program does
	Now  string // what this one does
	Why  string

	// find returns the places in a project that the difference affects, as file or file:line.
	find func(*contents) []string
}

// Touching calls each with those [Differences] that affect the project, and where. The error is that ctx ended.
func (r Report) Touching(ctx context.Context, each func(d Difference, places []string)) error {
	for _, d := range Differences() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if places := d.find(r.contents); len(places) > 0 {
			each(d, places)
		}
	}
	return nil
}

// Differences returns the known differences that files of a project can show; docs/MIGRATING.md has the others too.
func Differences() []Difference {
	return []Difference{
		{"env-sh", "The server does not read `server.d/env.sh`; only `run-tool --with-server-env` does",
			"the server reads it where it is plain assignments, and runs any other one with `MCPBASH_ALLOW_PROJECT_HOOKS=true`",
			"its documents promise it", existing("server.d/env.sh")},
		{"direct-tools", "Files directly in `tools/` are not tools unless they are registered",
			"executables there are tools", "the smallest project is one script", (*contents).directTools},
		{"helper-tools", "Every script below `tools/`, helpers too, becomes a tool of its own",
			"a folder with metadata, `tool.sh` or `NAME.sh` is one tool, at most two folders below `tools/`; folders such as " +
				"`lib` hold helpers",
			"helpers are not for clients", (*contents).helperTools},
		{"prompt-readme", "Every file below `prompts/` is a prompt, READMEs and images too",
			"a README without metadata and an image are not prompts; a README beside a described resource " +
				"that is named like its folder is not a resource", "they are not for clients", (*contents).promptReadmes},
		{"prompt-script", "The text of an executable prompt is the prompt",
			"it is run, and what it prints is the prompt", "prompts can be made of what is true now", (*contents).promptScripts},
		{"prompt-blanks", "Only `{{name}}` is replaced in a prompt", "`{{ name }}` is replaced too",
			"many templates are written so", matching("prompts", `\{\{([ \t]+\w+[ \t]*|\w+[ \t]+)\}\}`)},
		{"yaml-metadata", "Metadata in YAML is not read",
			"`.meta.yaml` and `.meta.yml` are read where there is no `.meta.json`",
			"the specification has both", (*contents).yamlMetadata},
		{"progress-limit", "A tool without `timeoutSecs` may run for ever",
			"`MCPBASH_DEFAULT_TOOL_TIMEOUT` (30 seconds; 0: no limit) ends it, unless its progress extends it",
			"the documents promise it, and a tool that hangs must not hold its client", (*contents).unlimitedTools},
		{"jq-order", "`jq` keeps the order of keys (`keys_unsorted`, `to_entries`)",
			"in the `jq` that is built in, and serves where none is installed, keys are sorted",
			"it is gojq, in every command and function the same", inScripts(`\bkeys_unsorted\b`)},
		{"jq-regex", "`jq` has lookahead, lookbehind and backreferences in patterns, and the flags l, n, p, s and x",
			"the `jq` that is built in has none of them: its patterns are RE2, which are matched in linear time",
			"it is gojq, in every command and function the same", inScripts(
				`\b(test|match|capture|scan|sub|gsub|splits?)\(.*(\(\?(=|!|<=|<!)|\\\\[1-9]|; *"[gim]*[lnpsx][a-z]*"\))`)},
		{"framework-files", "`MCPBASH_HOME` has the program's own `lib`, `handlers` and `scaffold`",
			"the program is one file; only providers and the SDK are files, while a server runs",
			"nothing needs to be installed beside it", inScripts(`MCPBASH_HOME\}?"?/(lib|handlers|scaffold|bootstrap)\b`)},
		{"remote-token", "`MCPBASH_REMOTE_TOKEN` is passed on to every tool", "no script gets it",
			"it is the secret between the server and its proxy", inScripts(`\bMCPBASH_REMOTE_TOKEN\b`)},
		{"internal-variables",
			"Tools get `MCPBASH_WORKER_KEY`, `MCPBASH_DIRECT_FD`, `MCPBASH_TRACE_FILE` and `MCP_UI_REGISTRY_*`",
			"there are none", "they are the Bash program's own", inScripts(
				`\b(MCPBASH_WORKER_KEY|MCPBASH_DIRECT_FD|MCPBASH_TRACE_FILE|MCP_UI_REGISTRY_\w+)\b`)},
		{"mcpb-conf", "`mcpb.conf` is run as a shell script",
			"it is data: assignments of plain text, in which only variables that it has set itself are replaced",
			"making a bundle runs nothing of the project", matching("mcpb.conf",
				"^[ \t]*(export +)?MCPB_\\w+=.*(\\$\\(|`|\\$\\{?(HOME|PWD|USER|PATH)\\b)")},
	}
}

// existing returns a find function for a file that exists.
func existing(name string) func(*contents) []string {
	return func(c *contents) []string {
		if files.Exists(filepath.Join(c.project.Root(), filepath.FromSlash(name))) {
			return []string{name}
		}
		return nil
	}
}

// matching returns a find function for the lines of a file, or of the files below a folder, that match a pattern.
func matching(name, pattern string) func(*contents) []string {
	expression := regexp.MustCompile(pattern)
	return func(c *contents) (places []string) {
		for _, path := range filesBelow(filepath.Join(c.project.Root(), name), anyDepth) {
			places = append(places, c.lines(path, expression, false)...)
		}
		return places
	}
}

// inScripts returns a find function for the lines of scripts that match a pattern, except comments.
func inScripts(pattern string) func(*contents) []string {
	expression := regexp.MustCompile(pattern)
	return func(c *contents) (places []string) {
		for _, t := range c.scripts {
			places = append(places, c.lines(t.path, expression, true)...)
		}
		return places
	}
}

// lines returns the lines of a file that match a pattern; in scripts, comments are left out.
func (c *contents) lines(path string, pattern *regexp.Regexp, isScript bool) (places []string) {
	text, err := read(path)
	if err != nil {
		return nil
	}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if pattern.Match(line) && !(isScript && bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#"))) {
			places = append(places, fmt.Sprintf("%s:%d", c.project.Rel(path), n))
		}
	}
	return places
}

// directTools returns tools directly in tools/.
func (c *contents) directTools() (places []string) {
	if files.Exists(filepath.Join(c.project.ServerDir(), "register.json")) {
		return nil // register.json lists the tools
	}
	for _, t := range c.tools {
		if t.Dir == c.project.ToolsDir() {
			places = append(places, c.described(t.Path, t.MetadataFile))
		}
	}
	return places
}

// helperTools returns scripts that are tools for the Bash program, but not for this program.
func (c *contents) helperTools() (places []string) {
	if files.Exists(filepath.Join(c.project.ServerDir(), "register.json")) {
		return nil
	}
	served := make(map[string]bool)
	for _, t := range c.tools {
		served[t.Path] = true
	}
	for _, path := range filesBelow(c.project.ToolsDir(), anyDepth) {
		name := filepath.Base(path)
		if filepath.Dir(path) == c.project.ToolsDir() || strings.HasSuffix(name, ".meta.json") ||
			name == "smoke.sh" || served[path] {
			continue
		}
		if files.Exists(strings.TrimSuffix(path, filepath.Ext(path))+".meta.json") || files.Exists(path+".meta.json") {
			continue // a tool that is left out for a fault
		}
		if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 || isShellFile(name) || beginsAsScript(path) {
			places = append(places, c.project.Rel(path))
		}
	}
	return places
}

func beginsAsScript(path string) bool {
	text, err := files.Read(path, maxScript)
	return err == nil && bytes.HasPrefix(text, []byte("#!"))
}

func (c *contents) promptReadmes() (places []string) {
	for _, path := range filesBelow(filepath.Join(c.project.Root(), "prompts"), anyDepth) {
		stem, _, _ := strings.Cut(filepath.Base(path), ".")
		served := false
		for _, p := range c.prompts {
			served = served || p.Path == path
		}
		if strings.EqualFold(stem, "README") && !served && !scaffold.IsReadme(path) {
			places = append(places, c.project.Rel(path))
		}
	}
	return places
}

func (c *contents) promptScripts() (places []string) {
	for _, p := range c.prompts {
		if p.Executable && p.Messages == nil && p.Path != "" {
			places = append(places, c.project.Rel(p.Path))
		}
	}
	return places
}

func (c *contents) yamlMetadata() (places []string) {
	for _, path := range filesBelow(c.project.Root(), anyDepth) {
		if strings.HasSuffix(path, ".meta.yaml") || strings.HasSuffix(path, ".meta.yml") {
			places = append(places, c.project.Rel(path))
		}
	}
	return places
}

// unlimitedTools returns tools without a time limit that report progress, as slow tools do.
func (c *contents) unlimitedTools() (places []string) {
	progress := regexp.MustCompile(`\bmcp_(progress|run_with_progress)\b|\bMCP_PROGRESS_STREAM\b`)
	for _, t := range c.tools {
		if t.Timeout == nil && len(c.lines(t.Path, progress, true)) > 0 {
			places = append(places, c.project.Rel(t.Path))
		}
	}
	return slices.Compact(places)
}
