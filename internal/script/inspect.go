package script

import (
	"bytes"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// Inspect tells, without starting it, why the system would refuse to start the program or
// script at path, in the words in which Run would. More than one thing may be wrong. A fault of
// the permissions is fs.ErrPermission. env is the environment that it would get, of which PATH
// counts. On Windows, which looks at no #! line, only what is wrong with the file is told.
func Inspect(path string, env []string) []*StartError {
	told := func(f fault, err error, interpreter []string) *StartError {
		return &StartError{Path: path, Reason: f.reason, Hint: f.hint, Interpreter: interpreter, Err: err}
	}
	if f := faultOfFile(path); f != (fault{}) {
		return []*StartError{told(f, nil, nil)}
	}
	if runtime.GOOS == "windows" {
		return nil
	}
	var all []*StartError
	head := readHead(path)
	s := parseShebang(head)
	interpreter := s.command()
	if interpreter == nil {
		interpreter = byEnding(path)
	}
	if f := faultOfPermission(path, interpreter); f != (fault{}) {
		all = append(all, told(f, fs.ErrPermission, interpreter))
	}
	if f := faultOfHead(head, s, env); f != (fault{}) {
		all = append(all, told(f, nil, interpreter))
	}
	return all
}

// faultOfHead tells what the first bytes of a program would make the system refuse.
func faultOfHead(head []byte, s shebang, env []string) fault {
	switch {
	case !bytes.HasPrefix(head, []byte("#!")):
		if isProgram(head) || len(head) == 0 { // built for which system, only a start tells
			return fault{}
		}
		return faultOfContents(head, syscall.ENOEXEC)
	case s.program == "":
		return faultOfShebang(s, nil)
	case s.cr && (s.argument == "" || s.viaEnv() != "" || s.isShell()):
		return lineEndings
	}
	if info, err := os.Stat(s.program); err != nil || info.IsDir() || !mayExecute(s.program) {
		return faultOfShebang(s, err)
	}
	if wanted := s.viaEnv(); wanted != "" && !onPath(wanted, env) {
		return faultOfEnv(wanted)
	}
	return fault{}
}
