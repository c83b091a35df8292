package process

import (
	"bytes"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

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
	s := parseShebang(head)
	wanted := s.viaEnv()
	var f fault
	var err error
	switch {
	case ready.Path != path: // run through its interpreter
		if wanted != "" && !onPath(wanted, env) {
			f, err = faultOfEnv(wanted), fs.ErrNotExist
		}
	case runtime.GOOS == "windows":
		f = faultOfNative(path, head)
	default:
		if f = faultOfPermission(path); f != (fault{}) {
			err = fs.ErrPermission
		} else {
			f = faultOfHead(path, head, s, env)
		}
	}
	return f.of(path, err)
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
	return fault{"Windows cannot start it: its name ends in none of .exe, .com, .bat and .cmd, and its first line names no interpreter",
		"begin the file with a line like #!/usr/bin/env bash"}
}

// faultOfHead returns why the system would refuse a program because of its first bytes.
func faultOfHead(path string, head []byte, s shebang, env []string) fault {
	switch {
	case !bytes.HasPrefix(head, []byte("#!")):
		if isProgram(head) || len(head) == 0 { // only a start shows whether it is for this system
			return fault{}
		}
		return faultOfContents(path, head, syscall.ENOEXEC)
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
