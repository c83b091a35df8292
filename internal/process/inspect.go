package process

import (
	"bytes"
	"io/fs"
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
	return fault{"Windows cannot start it: its name ends in none of .exe, .com, .bat and .cmd, and its first line names no interpreter",
		"begin the file with a line like #!/usr/bin/env bash"}
}
