package process

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// A fault is the reason why a command does not start, and a hint. The zero value means that there is no
// fault.
type fault struct{ reason, hint string }

// of returns the fault as that of the program at a path; err is the error of the system, if there was one. It is nil
// for no fault.
func (f fault) of(path string, err error) *StartError {
	if f == (fault{}) {
		return nil
	}
	return &StartError{Path: path, Reason: f.reason, Hint: f.hint, Err: err}
}

// explain finds out why the system refused to start c. The system's own error is vague
// ("no such file or directory" is also the answer to a missing interpreter), so the
// command is examined again, from the outside in.
func explain(c Command, err error) *StartError {
	if known, ok := errors.AsType[*StartError](err); ok {
		known.Path = c.Path
		return known
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	file := program(c)
	return cmp.Or(faultOfStrings(c), faultOfSystem(c, err), faultOfFolder(c.Dir), faultOfFile(file),
		faultOfPermission(file), faultOfContents(file, readHead(file), err, c.Env),
		fault{reason: err.Error()}).of(c.Path, err)
}

// program returns the path of c's program, relative to the server's working folder.
func program(c Command) string {
	if filepath.IsAbs(c.Path) {
		return c.Path
	}
	return filepath.Join(c.Dir, c.Path)
}

// headLength is how many bytes of a file the kernel examines.
const headLength = 256

func readHead(file string) []byte {
	head, _ := files.Head(file, headLength)
	return head
}

// faultOfStrings finds a NUL byte, at which the system takes a text to end.
func faultOfStrings(c Command) fault {
	has := func(texts ...string) bool { return strings.Contains(strings.Join(texts, ""), "\x00") }
	const hint = "remove it: for the system a text ends there"
	switch {
	case has(c.Path, c.Dir):
		return fault{"its path or working folder contains a NUL byte", hint}
	case has(c.Args...):
		return fault{"its arguments contain a NUL byte", hint}
	case has(c.Env...):
		return fault{"its environment contains a NUL byte", hint}
	}
	return fault{}
}

func faultOfFolder(dir string) fault {
	if dir == "" {
		return fault{}
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault{"its working folder " + dir + " does not exist", "create the folder"}
	case err != nil:
		return fault{"its working folder " + dir + " cannot be used: " + cause(err), "check the permissions of the folder"}
	case !info.IsDir():
		return fault{"its working folder " + dir + " is not a folder", "name a folder"}
	case !Executable(dir):
		return fault{"its working folder " + dir + " may not be entered", "check the permissions of the folder"}
	}
	return fault{}
}

// faultOfSystem explains errors that are clear by themselves.
func faultOfSystem(c Command, err error) fault {
	switch {
	case errors.Is(err, syscall.E2BIG):
		return fault{"its arguments and environment are too long for the system: " + longest(c),
			"pass long values through a file"}
	case errors.Is(err, syscall.ETXTBSY):
		return fault{"another program has it open for writing", "try again when it is saved"}
	}
	if e := Scarce(c.Path, err); e != nil {
		return fault{e.Reason, e.Hint}
	}
	return fault{}
}

func longest(c Command) string {
	name, size := "", -1
	for i, a := range c.Args {
		if len(a) > size {
			name, size = fmt.Sprintf("argument %d", i+1), len(a)
		}
	}
	for _, v := range c.Env {
		if len(v) > size {
			variable, _, _ := strings.Cut(v, "=")
			name, size = "variable "+variable, len(v)
		}
	}
	return fmt.Sprintf("%s has %d bytes", name, size)
}

func faultOfFile(file string) fault {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if target, err := os.Readlink(file); err == nil {
			return fault{"it is a link to " + target + ", which does not exist", "repair the link"}
		}
		return fault{"the file does not exist", "check the path"}
	case err != nil:
		return fault{"it cannot be looked at: " + cause(err), "check the permissions of its folders"}
	case info.IsDir():
		return fault{"it is a folder", "name the program in it"}
	case !info.Mode().IsRegular():
		return fault{"it is not a regular file", "name a program or a script"}
	case info.Size() == 0:
		return fault{"the file is empty", "write a script into it that begins with a line like #!/usr/bin/env bash"}
	}
	return fault{}
}

func faultOfPermission(file string) fault {
	if Executable(file) {
		return fault{}
	}
	hint := "run chmod +x " + file
	if info, err := os.Stat(file); err == nil && info.Mode()&0o111 != 0 {
		return fault{"this user may not execute it", hint + ", or check that its disk is not mounted with noexec"}
	}
	return fault{"it is not executable", hint + ", if it is a program"}
}

// faultOfContents explains why a file with permission to be executed cannot be.
func faultOfContents(file string, head []byte, err error, env []string) fault {
	has := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	const other = "get the program for this system, " + runtime.GOOS + "/" + runtime.GOARCH
	switch {
	case has("#!"):
		s := parseShebang(head)
		return cmp.Or(s.fault(env), fault{s.named() + "cannot be started: " + err.Error(), changeLine})
	case has("\xef\xbb\xbf#!"):
		return fault{"a byte order mark stands before its #! line", "save it as UTF-8 without BOM"}
	case has("\x7fELF") && errors.Is(err, fs.ErrNotExist):
		return fault{"the loader that the program asks for is not installed (it was built for another Linux)", other}
	case isProgram(head):
		return fault{"the program was built for another system or processor", other}
	case isFormatError(err) && IsBatch(file):
		return fault{"it is a batch file, which only Windows starts",
			"serve it on Windows, or write a shell script in its place"}
	case isFormatError(err):
		return fault{"the system cannot execute it: it is not a program, and its first line names no interpreter",
			"begin the file with a line like #!/usr/bin/env bash"}
	}
	return fault{}
}

// isProgram reports whether a file begins like a program for Linux, Windows or macOS.
func isProgram(head []byte) bool {
	return slices.ContainsFunc([]string{"\x7fELF", "MZ", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe"}, func(magic string) bool {
		return bytes.HasPrefix(head, []byte(magic))
	})
}

const changeLine = "install it, or change the line"

// named begins the reasons for which an interpreter cannot be used.
func (s shebang) named() string { return fmt.Sprintf("the interpreter %s in its #! line ", s.program) }

// fault explains why the interpreter of a #! line cannot be started, by the system or by env. It is the zero value if
// nothing is wrong with the line.
func (s shebang) fault(env []string) fault {
	wanted := s.viaEnv()
	info, err := os.Stat(s.program)
	switch {
	case s.cr && (s.argument == "" || wanted != "" || s.isShell()):
		return lineEndings
	case s.program == "":
		return fault{"its #! line names no interpreter", "write a line like #!/usr/bin/env bash"}
	case errors.Is(err, fs.ErrNotExist):
		return fault{s.named() + "does not exist", changeLine}
	case err != nil:
		return fault{s.named() + "cannot be looked at: " + cause(err), changeLine}
	case info.IsDir():
		return fault{s.named() + "is a folder", "change the line"}
	case !Executable(s.program):
		return fault{s.named() + "may not be executed", changeLine}
	case wanted != "" && !onPath(wanted, env) && strings.Contains(wanted, " "):
		return fault{fmt.Sprintf("the interpreter %q in its #! line is not on PATH", wanted),
			"write #!/usr/bin/env -S " + wanted}
	case wanted != "" && !onPath(wanted, env):
		return fault{fmt.Sprintf("the interpreter %q in its #! line is not on PATH", wanted),
			"install it, or pass a PATH that has it"}
	}
	return fault{}
}

// lineEndings is the fault of a script with Windows line endings.
var lineEndings = fault{
	"its #! line ends with CR LF, as on Windows, so the system looks for an interpreter whose name ends with CR",
	"save it with LF line ends, for example with sed -i 's/\\r$//'",
}

// explainExit returns an error if the exit code means that the script was never read: the
// program in the #! line was started, but could not handle the rest of the line. It returns nil
// if the script itself chose the code.
func explainExit(c Command, code int) *StartError {
	s := parseShebang(readHead(program(c)))
	// env ends with 126 if it has no permission for one of the folders on PATH.
	notFound := (code == 127 || code == 126) && s.viaEnv() != ""
	if notFound || s.cr && s.isShell() && strings.HasPrefix(s.argument, "-") {
		return s.fault(c.Env).of(c.Path, fs.ErrNotExist)
	}
	return nil
}

// onPath reports whether env would find a program.
func onPath(name string, env []string) bool {
	if strings.Contains(name, "/") && runtime.GOOS != "windows" {
		return Executable(name)
	}
	return Interpreter(filepath.Base(name), env) != ""
}

// cause returns the text of a file error without the operation and the path.
func cause(err error) string {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err.Error()
	}
	return err.Error()
}

// Inspect returns, without starting it, why the program or script at path could not be started, as the
// error that Run would return; nil if it could. env is the environment that it would get; only PATH is
// used.
func Inspect(path string, env []string) *StartError {
	if e := faultOfFile(path).of(path, nil); e != nil {
		return e
	}
	ready, refused := started(Command{Path: path, Env: env})
	if refused != nil {
		return refused
	}
	head := readHead(path)
	switch {
	case ready.Path != path: // run by its interpreter, which was found
		return nil
	case runtime.GOOS == "windows":
		return faultOfNative(path, head).of(path, nil)
	}
	if e := faultOfPermission(path).of(path, fs.ErrPermission); e != nil {
		return e
	}
	switch {
	case bytes.HasPrefix(head, []byte("#!")):
		return parseShebang(head).fault(env).of(path, nil)
	case isProgram(head), len(head) == 0: // only a start shows whether it is for this system
		return nil
	}
	return faultOfContents(path, head, syscall.ENOEXEC, env).of(path, nil)
}

// faultOfNative returns why Windows would refuse a file that is not run by an interpreter.
func faultOfNative(path string, head []byte) fault {
	switch {
	case IsBatch(path), bytes.HasPrefix(head, []byte("MZ")), winExt(path) == ".com": // these files may begin differently
		return fault{}
	case isProgram(head):
		return fault{"the program was built for another system or processor", "get the program for Windows"}
	case isNativeName(path):
		return fault{"it is not a program for Windows, whatever its name says",
			"build it for Windows, or name it for what it is"}
	}
	return fault{
		"Windows cannot start it: its name ends in none of .exe, .com, .bat and .cmd, and its first line names " +
			"no interpreter",
		"begin the file with a line like #!/usr/bin/env bash"}
}
