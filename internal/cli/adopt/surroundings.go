package adopt

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// A variable is a variable that a script uses, and where.
type variable struct {
	name string
	line int
}

var (
	// public matches the names of variables that come from the environment rather than from the script.
	public = lazyregexp.New(`^[A-Z][A-Z0-9_]{2,}$`)
	// passed matches those that tools get in any case, and that shells set.
	passed = lazyregexp.New(`^(?:PATH|HOME|SHELL|TMPDIR|USER|LOGNAME|TZ|LANG|LC_.*|MCP_.*|MCPBASH_.*|OLDPWD|PWD|IFS` +
		`|OPT(?:ARG|IND|ERR)|S?RANDOM|SECONDS|LINENO|E?UID|PPID|BASH.*|HOST(?:NAME|TYPE)|OSTYPE|MACHTYPE|FUNCNAME` +
		`|PIPESTATUS|REPLY|COLUMNS|LINES|TERM|SHLVL|DIRSTACK|GROUPS|EPOCH.*|COPROC|ZSH.*|KSH.*)$`)
	// imported matches a line of Python that imports a module.
	imported = lazyregexp.New(`(?m)^\s*(?:from|import)\s+(\w+)`)
	// started matches how scripts name files of the folder that they are started in.
	started = lazyregexp.New("(?:(?:^|[\"'(;&|`]|\\b(?:exec|then|do|else)\\s)\\s*" +
		`(\.|source|bash|sh|python3?|perl|ruby|node)\s+["']?(?:\./)?|(?:^|[\s"'(;&|])\./)(\w[\w./-]*)`)
	// held matches how shell scripts put their own path into a variable, named how scripts use their own name, and ask
	// whether they are run, and located how they find what lies beside them.
	held  = lazyregexp.New(`(?m)^\s*(?:local |readonly )?(\w+)="?` + itsPath + `"?\s*$`)
	named = lazyregexp.New(`basename[\s(]*` + itsPath + `|Path\(` + itsPath + `\)\.(?:name|stem)|` +
		itsPath + `\s*(?:==|eq)\s*` + itsPath + `|` + itsPath + `"?\s*\|.*\.\*/`)
	located = lazyregexp.New(`\bFindBin\b|\b__dir(?:__|name\b)|(?:^|[^.\w])(?:__FILE__|__file__|__filename\b)|` +
		`\brequire_relative\b|\bimport\.meta\b|(?:\brequire\(|\bfrom )['"]\.|` +
		`(?:dirname|fileparse|readlink|\bexpr|\w*real_?path|abs_?path|rel2abs|expand_path|Path|path\.(?:split|resolve))` +
		`(?:\s+-\w+)*[\s("-]*` + itsPath + `|\$\{(?:0|BASH_SOURCE(?:\[\w*\])?)%|` +
		`(?:echo|printf)\s+(?:\S+\s+)?"?` + itsPath + `"?\s*\||` +
		itsPath + `(?:/|[._-][a-z]\w*["'\x60\s]|\W*=~\s*(?:m?.\^?\(\.|s.\\?/\[))`)
	// fetched matches how scripts in other languages than shell read a variable of the environment.
	fetched = lazyregexp.New(`(?:\bos\.environ(?:\.get\(|\[)|\bgetenv\(|\bENV(?:\.fetch\(|[\[{])|` +
		`\bprocess\.env(?:\.|\[)|\bENVIRON\[)\s*["']?([A-Z][A-Z0-9_]+)`)
)

// itsPath matches what holds the path of a script.
const itsPath = `(?:\$0\b|\$\{0\}|\$\{?BASH_SOURCE(?:\[\w*\])?\}?|\$PROGRAM_NAME|` +
	`sys\.argv\[0\]|process\.argv\[1\]|__FILE__|__file__|__filename)`

// locates records that a script looks for its folder.
func (r *Reading) locates(lines []string) {
	text := strings.Join(lines, "\n")
	for _, m := range held.Get().FindAllStringSubmatch(text, -1) {
		text = strings.NewReplacer("$"+m[1], "$0", "${"+m[1], "${0").Replace(text)
	}
	r.Beside = slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool {
		return !remark.Get().MatchString(line) && located.Get().MatchString(named.Get().ReplaceAllString(line, ""))
	})
}

// fetches records the variables that a script in another language than shell reads, and that it looks for its folder.
func (r *Reading) fetches(lines []string) {
	r.locates(lines)
	for i, line := range lines {
		for _, m := range fetched.Get().FindAllStringSubmatch(line, -1) {
			r.reads(m[1], i+1)
		}
	}
}

// reads records that a script reads a variable of its environment.
func (r *Reading) reads(name string, line int) {
	known := slices.ContainsFunc(r.variables, func(v variable) bool { return v.name == name })
	if !known && public.Get().MatchString(name) && !passed.Get().MatchString(name) {
		r.variables = append(r.variables, variable{name, line})
	}
}

// lets says how the tool gets the variables that the script reads.
func (r *Reading) lets() {
	if len(r.variables) == 0 {
		return
	}
	var names []string
	for _, v := range r.variables {
		names = append(names, v.name)
	}
	all := strings.Join(names, ",")
	r.doubt(r.variables[0].line, "it reads "+all+": a tool gets no such variable unless you set "+
		"MCPBASH_TOOL_ENV_MODE=allowlist and MCPBASH_TOOL_ENV_ALLOWLIST="+all)
}

// imports records that a Python script imports a module that is beside it.
func (r *Reading) imports(path string, text []byte) {
	for _, m := range imported.Get().FindAllSubmatch(text, -1) {
		module := filepath.Join(filepath.Dir(path), string(m[1]))
		r.Beside = r.Beside || files.Exists(module+".py") || files.Exists(filepath.Join(module, "__init__.py"))
	}
}

// startsIn finds a file that the script uses from the folder that it is started in, which is the project for a tool: if
// it is only beside the script, the tool starts there.
func (s *Source) startsIn(root string) {
	folder := filepath.Dir(s.Path)
	if s.Beside {
		return
	}
	for i, line := range strings.Split(undocumented(string(s.Text)), "\n") {
		m := started.Get().FindStringSubmatch(line)
		if m == nil || strings.HasPrefix(strings.TrimSpace(line), "#") || m[2] == filepath.Base(s.Path) ||
			oneOf(". source", m[1]) && !strings.Contains(m[0], "/") && !isBash(s.Text) ||
			!files.Exists(filepath.Join(folder, m[2])) || files.Exists(filepath.Join(root, m[2])) {
			continue
		}
		inside, ok := within(root, folder)
		if ok {
			s.Draft.Folder = inside
			s.doubt(i+1, "it uses "+m[2]+" of the folder that it is started in, so the tool starts there")
		} else {
			s.doubt(i+1, "it uses "+m[2]+" of the folder that it is started in, which is the project for a tool: "+
				"run mcp-bash init there instead")
		}
		return
	}
}

// isBash reports whether a script is for bash, which also sources a file of the folder that it is started in.
func isBash(text []byte) bool {
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.HasPrefix(first, "#!") && strings.Contains(first, "bash")
}

// missing records what the script needs and the PATH of env has not: its interpreter, and programs that it calls
// without looking for them first.
func (r *Reading) missing(path string, env []string) {
	if fault := process.Inspect(path, env); fault != nil {
		r.doubt(1, fault.Reason+": "+fault.Hint)
	}
	var names []string
	line := 0
	for _, p := range r.programs {
		if !p.Optional && process.LookPath(p.Name, env) == "" {
			names, line = append(names, p.Name), p.Line
		}
	}
	switch len(names) {
	case 0:
	case 1:
		r.doubt(line, "it calls "+names[0]+", which is not on the PATH")
	default:
		r.doubt(0, "it calls "+console.Count(len(names), "program")+" that are not on the PATH: "+strings.Join(names, ", "))
	}
}
