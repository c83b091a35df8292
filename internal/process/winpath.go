package process

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// winPath finds programs in a Windows environment, where the case of names does not matter. It checks
// for files through a function, so that it can be tested on all systems.
type winPath struct {
	env  []string
	file func(path string) bool // reports whether there is a file that can be started
}

// nativeEndings are the extensions of files that Windows itself starts.
var nativeEndings = []string{".com", ".exe", ".bat", ".cmd"}

// isNativeName reports whether Windows itself starts a file, by its extension.
func isNativeName(file string) bool { return slices.Contains(nativeEndings, winExt(file)) }

// IsBatch reports whether a file is a batch file of Windows, by its extension.
func IsBatch(file string) bool { return winExt(file) == ".bat" || winExt(file) == ".cmd" }

func winExt(file string) string { return strings.ToLower(path.Ext(winBase(file))) }

func winBase(file string) string { return file[strings.LastIndexAny(file, `/\:`)+1:] }

func winDir(file string) string { return file[:max(0, strings.LastIndexAny(file, `/\`))] }

// winAbs reports whether a path begins with a drive or a share.
func winAbs(file string) bool {
	return len(file) > 2 && file[1] == ':' && (file[2] == '\\' || file[2] == '/') || strings.HasPrefix(file, `\\`)
}

// value returns the value of the last variable with the given name.
func (w winPath) value(name string) (value string) {
	for _, v := range w.env {
		if n, text, ok := strings.Cut(v, "="); ok && strings.EqualFold(n, name) {
			value = text
		}
	}
	return value
}

// all returns the programs with the given name in the folders of PATH, in order. The current folder
// is searched only if PATH has it: a file of the project must not replace a program.
func (w winPath) all(name string) (found []string) {
	if strings.ContainsAny(name, `/\:`) {
		return w.in(winDir(name), winBase(name))
	}
	for dir := range strings.SplitSeq(w.value("PATH"), ";") {
		found = append(found, w.in(strings.Trim(dir, `"`), name)...)
	}
	return found
}

// in returns the programs with the given name in one folder, whose path must be absolute.
func (w winPath) in(dir, name string) (found []string) {
	if !winAbs(dir + `\`) {
		return nil
	}
	var names []string
	if isNativeName(name) {
		names = append(names, name)
	}
	endings := strings.Split(strings.ToLower(w.value("PATHEXT")), ";")
	endings = slices.DeleteFunc(endings,
		func(e string) bool { return !slices.Contains(nativeEndings, e) }) // .js and the like need an interpreter
	if len(endings) == 0 {
		endings = nativeEndings
	}
	for _, ending := range endings {
		names = append(names, name+ending)
	}
	for _, n := range names {
		if file := strings.TrimRight(strings.ReplaceAll(dir, "/", `\`), `\`) + `\` + n; w.file(file) {
			found = append(found, file)
		}
	}
	return found
}

// find returns the path of the program with the given name; empty if there is none.
func (w winPath) find(name string) string {
	all := w.all(name)
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

// otherNames maps a program to others that can replace it if it is missing, with their arguments.
var otherNames = map[string][][]string{
	"sh":         {{"bash"}},
	"dash":       {{"sh"}, {"bash"}},
	"ash":        {{"sh"}, {"bash"}},
	"python":     {{"python3"}, {"py"}},
	"python3":    {{"python"}, {"py", "-3"}},
	"pwsh":       {{"powershell", "-NoProfile", "-ExecutionPolicy", "Bypass"}}, // otherwise it refuses to run scripts
	"powershell": {{"pwsh"}},
	"nodejs":     {{"node"}},
}

// interpreter returns the command of the interpreter with the given name, or of one that can
// replace it, such as python for python3; nil if there is none.
func (w winPath) interpreter(name string) []string {
	choices := append([][]string{{name}}, otherNames[strings.TrimSuffix(name, ".exe")]...)
	for _, words := range choices {
		for _, file := range w.all(words[0]) {
			if !ofSystem(file) {
				return append([]string{file}, words[1:]...)
			}
		}
	}
	for _, words := range choices {
		if file := w.unixProgram(words[0]); file != "" {
			return append([]string{file}, words[1:]...)
		}
	}
	for _, words := range choices {
		for _, file := range w.all(words[0]) {
			if !ofWSL(file) {
				return append([]string{file}, words[1:]...)
			}
		}
	}
	return nil
}

// ofSystem reports whether a program is a stub of Windows, which only offers to install the program of
// that name, or starts it in WSL.
func ofSystem(file string) bool {
	return strings.HasSuffix(strings.ToLower(winDir(file)), `\windowsapps`) || ofWSL(file)
}

// ofWSL reports whether a program starts a shell in WSL, which cannot read paths of Windows.
func ofWSL(file string) bool {
	dir, name := strings.ToLower(winDir(file)), strings.ToLower(winBase(file))
	if name != "bash.exe" && name != "sh.exe" && name != "wsl.exe" {
		return false
	}
	for _, of := range []string{`\system32`, `\sysnative`, `\syswow64`, `\windowsapps`} {
		if strings.HasSuffix(dir, of) {
			return true
		}
	}
	return false
}

// unixProgram returns the path of a program of Git for Windows, which puts only git itself on PATH.
func (w winPath) unixProgram(name string) string {
	var homes []string
	for _, git := range w.all("git.exe") {
		home := winDir(winDir(git)) // of cmd\git.exe or bin\git.exe
		if strings.HasPrefix(strings.ToLower(winBase(home)), "mingw") {
			home = winDir(home)
		}
		homes = append(homes, home)
	}
	for _, v := range []string{"ProgramFiles", "ProgramW6432", "ProgramFiles(x86)"} {
		homes = append(homes, w.value(v)+`\Git`)
	}
	homes = append(homes, w.value("LOCALAPPDATA")+`\Programs\Git`)
	for _, home := range homes {
		for _, dir := range []string{`\bin`, `\usr\bin`} { // the programs in bin set up PATH themselves
			if found := w.in(home+dir, name); len(found) > 0 {
				return found[0]
			}
		}
	}
	return ""
}

// started is [started] for a file that Windows does not start by itself. The script's path is
// written with slashes, which shells need.
func (w winPath) started(c Command, s shebang) (Command, *StartError) {
	words, variables, f := w.reader(c.Path, s)
	switch {
	case f != fault{}:
		return c, &StartError{Path: c.Path, Reason: f.reason, Hint: f.hint, Err: fs.ErrNotExist}
	case words == nil:
		return c, nil
	}
	named := strings.ReplaceAll(c.Path, `\`, "/")
	if !winAbs(c.Path) {
		named = "./" + named // not an option, and not from PATH
	}
	c.Path, c.Args = words[0], slices.Concat(words[1:], []string{named}, c.Args)
	if len(variables) > 0 {
		c.Env = With(c.Env, variables...)
	}
	return c, nil
}

// reader returns the command that reads a script: the interpreter of its #! line, without its
// folders, which Windows does not have, or that of its extension. Without words and fault the
// interpreter is unknown.
func (w winPath) reader(file string, s shebang) (words, variables []string, f fault) {
	asks := "that the ending of its name asks for"
	switch words = s.command(); {
	case words == nil:
		words = ByEnding(winBase(file))
	case path.Base(s.program) == "env":
		asks = "in its #! line"
		if variables, words = s.envWords(); words == nil {
			return nil, nil,
				fault{"its #! line asks env for something that Windows has not", "write a line like #!/usr/bin/env bash"}
		}
	default:
		asks = "in its #! line"
	}
	if words == nil {
		return nil, nil, fault{}
	}
	name := winBase(words[0])
	found := w.interpreter(name)
	if winAbs(words[0]) && w.file(words[0]) {
		found = words[:1:1]
	}
	if found == nil {
		return nil, nil, w.missing(name, asks)
	}
	return append(found, words[1:]...), variables, fault{}
}

// missing returns the fault for an interpreter that is not installed, with a hint where to get it.
func (w winPath) missing(name, asks string) fault {
	f := fault{"the interpreter " + name + " " + asks + " is not on PATH", "install it, or pass a PATH that has it"}
	switch name {
	case "bash", "sh", "dash", "ash":
		f.hint = "install Git for Windows (https://gitforwindows.org), which brings bash, or run mcp-bash in WSL"
		if slices.ContainsFunc(w.all("bash"), ofWSL) {
			f.reason += "; the one of WSL cannot read paths of Windows"
		}
	case "python", "python3":
		f.hint = "install Python (https://www.python.org), or pass a PATH that has python3, python or py"
	}
	if strings.Contains(name, " ") {
		f.hint = "write #!/usr/bin/env -S " + name
	}
	return f
}

// batchLine returns the command line with which cmd.exe runs a batch file with exactly these arguments.
// cmd.exe parses its command line in its own way: with the usual quoting, an argument such as "&calc" would
// be run as a command. The fault is for an argument that cannot be passed.
func batchLine(shell, file string, args []string) (string, fault) {
	var b strings.Builder
	// Without extensions %cd:~,% below means something else; with delayed expansion ! would.
	b.WriteString(`"` + shell + `" /e:ON /v:OFF /d /c "` + `"` + strings.ReplaceAll(file, "/", `\`) + `"`)
	for i, arg := range args {
		if strings.ContainsAny(arg, "\r\n") {
			return "", fault{fmt.Sprintf("its argument %d has a line break, with which a batch file cannot be called", i+1),
				"let it read the arguments from stdin or from MCP_TOOL_ARGS_JSON"}
		}
		b.WriteString(" " + batchWord(arg))
	}
	b.WriteByte('"')
	if b.Len() > maxBatchLine {
		return "", fault{fmt.Sprintf("its arguments are too long for a batch file: %d bytes, and cmd.exe takes %d", b.Len(),
			maxBatchLine), "let it read them from stdin or from MCP_TOOL_ARGS_JSON"}
	}
	return b.String(), fault{}
}

// maxBatchLine is the longest command line that cmd.exe accepts.
const maxBatchLine = 8191

// batchWord returns one argument, quoted. A quote is doubled, and each % is followed by an expansion
// that is empty, so that text between two of them is not taken for the name of a variable.
func batchWord(arg string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789#$*+-./:?@_"
	if arg != "" && strings.Trim(arg, plain) == "" {
		return arg
	}
	// Before the closing quote they would escape it, for the programs that the batch file calls.
	slashes := len(arg) - len(strings.TrimRight(arg, `\`))
	return `"` + strings.NewReplacer(`"`, `""`, `%`, `%%cd:~,%`).Replace(arg) + strings.Repeat(`\`, slashes) + `"`
}
