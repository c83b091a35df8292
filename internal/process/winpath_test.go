package process

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

// winMachine is a machine with these files, and a usual environment.
func winMachine(files ...string) winPath {
	there := make(map[string]bool)
	for _, f := range files {
		there[strings.ToLower(f)] = true
	}
	return winPath{
		env: []string{
			`Path=C:\Windows\System32;C:\Windows;"C:\Program Files\Git\cmd";` +
				`C:\Users\me\AppData\Local\Microsoft\WindowsApps;D:\bin`,
			`PATHEXT=.COM;.EXE;.BAT;.CMD;.VBS;.JS`, `ProgramFiles=C:\Program Files`, `LOCALAPPDATA=C:\Users\me\AppData\Local`,
		},
		file: func(path string) bool { return there[strings.ToLower(path)] },
	}
}

const (
	git    = `C:\Program Files\Git\cmd\git.exe`
	wsl    = `C:\Windows\System32\bash.exe`
	store  = `C:\Users\me\AppData\Local\Microsoft\WindowsApps\`
	ofTool = `C:\p\tool`
)

func TestOnWindowsTheFirstLineOfAScriptChoosesItsInterpreter(t *testing.T) {
	for _, c := range []struct {
		name  string
		files string // apart from each other by |
		file  string
		line  string
		want  string // what is started, words apart by |, or the fault
	}{
		{"bash on PATH", `D:\bin\bash.exe`, ofTool, "#!/usr/bin/env bash", `D:\bin\bash.exe|C:/p/tool`},
		{"the folders of Unix are not there", `D:\bin\bash.exe`, ofTool, "#!/bin/bash -e", `D:\bin\bash.exe|-e|C:/p/tool`},
		{"an interpreter by its path there", `E:\py\python.exe`, ofTool, `#!E:\py\python.exe -u`,
			`E:\py\python.exe|-u|C:/p/tool`},
		{"a relative path", `D:\bin\bash.exe`, `tools\x.sh`, "", `D:\bin\bash.exe|./tools/x.sh`},
		{"env with options of the interpreter", `D:\bin\bash.exe`, ofTool, "#!/usr/bin/env -S A=1 bash -eu",
			`D:\bin\bash.exe|-eu|C:/p/tool`},
		{"a line that was saved there", `D:\bin\bash.exe`, ofTool, "#!/usr/bin/env bash\r", `D:\bin\bash.exe|C:/p/tool`},
		{"sh is bash", `D:\bin\bash.exe`, ofTool, "#!/bin/sh", `D:\bin\bash.exe|C:/p/tool`},
		{"the ending, without such a line", `D:\bin\bash.exe`, ofTool + ".sh", "echo", `D:\bin\bash.exe|C:/p/tool.sh`},
		{"the line before the ending", `D:\bin\bash.exe|D:\bin\python3.exe`, ofTool + ".sh", "#!/usr/bin/env python3",
			`D:\bin\python3.exe|C:/p/tool.sh`},
		{"Python is python there", `D:\bin\python.exe`, ofTool + ".py", "#!/usr/bin/env python3",
			`D:\bin\python.exe|C:/p/tool.py`},
		{"or its launcher", `C:\Windows\py.exe`, ofTool + ".py", "#!/usr/bin/python3", `C:\Windows\py.exe|-3|C:/p/tool.py`},
		{"or python3 for python", `D:\bin\python3.exe`, ofTool + ".py", "#!/usr/bin/env python",
			`D:\bin\python3.exe|C:/p/tool.py`},
		{"not what only offers to install it", store + `python3.exe|C:\Windows\py.exe`, ofTool + ".py", "",
			`C:\Windows\py.exe|-3|C:/p/tool.py`},
		{"unless it is all there is", store + `python3.exe`, ofTool + ".py", "", store + `python3.exe|C:/p/tool.py`},
		{"the bash of Git, which is not on PATH", git + `|C:\Program Files\Git\bin\bash.exe`, ofTool, "#!/usr/bin/env bash",
			`C:\Program Files\Git\bin\bash.exe|C:/p/tool`},
		{"where it is usual, too", `C:\Users\me\AppData\Local\Programs\Git\bin\bash.exe`, ofTool, "#!/usr/bin/env bash",
			`C:\Users\me\AppData\Local\Programs\Git\bin\bash.exe|C:/p/tool`},
		{"with its sh", git + `|C:\Program Files\Git\bin\sh.exe|C:\Program Files\Git\bin\bash.exe`, ofTool, "#!/bin/sh",
			`C:\Program Files\Git\bin\sh.exe|C:/p/tool`},
		{"and other programs that it brings", git + `|C:\Program Files\Git\usr\bin\perl.exe`, ofTool, "#!/usr/bin/perl -w",
			`C:\Program Files\Git\usr\bin\perl.exe|-w|C:/p/tool`},
		{"before the bash of WSL", wsl + "|" + git + `|C:\Program Files\Git\bin\bash.exe`, ofTool, "#!/usr/bin/env bash",
			`C:\Program Files\Git\bin\bash.exe|C:/p/tool`},
		{"PowerShell", `C:\Windows\System32\powershell.exe`, ofTool + ".ps1", "",
			`C:\Windows\System32\powershell.exe|-NoProfile|-ExecutionPolicy|Bypass|-File|C:/p/tool.ps1`},
		{"a batch file as interpreter", `D:\bin\node.cmd`, ofTool + ".js", "", `D:\bin\node.cmd|C:/p/tool.js`},

		{"no bash", "", ofTool, "#!/usr/bin/env bash",
			"the interpreter bash in its #! line is not on PATH; install Git for Windows (https://gitforwindows.org)," +
				" which brings bash, or run mcp-bash in WSL"},
		{"no bash for the ending", "", ofTool + ".sh", "",
			"the interpreter bash that the ending of its name asks for is not on PATH; install Git for Windows " +
				"(https://gitforwindows.org), which brings bash, or run mcp-bash in WSL"},
		{"only that of WSL", wsl, ofTool, "#!/bin/bash",
			"the interpreter bash in its #! line is not on PATH; the one of WSL cannot read paths of Windows; " +
				"install Git for Windows (https://gitforwindows.org), which brings bash, or run mcp-bash in WSL"},
		{"no Python", "", ofTool, "#!/usr/bin/env python3",
			"the interpreter python3 in its #! line is not on PATH; install Python (https://www.python.org), or pass " +
				"a PATH that has python3, python or py"},
		{"nothing else", "", ofTool, "#!/usr/bin/env deno",
			"the interpreter deno in its #! line is not on PATH; install it, or pass a PATH that has it"},
		{"options without -S", `D:\bin\bash.exe`, ofTool, "#!/usr/bin/env bash -e",
			"the interpreter bash -e in its #! line is not on PATH; write #!/usr/bin/env -S bash -e"},
		{"an option of env", `D:\bin\bash.exe`, ofTool, "#!/usr/bin/env -i bash",
			"its #! line asks env for something that Windows has not; write a line like #!/usr/bin/env bash"},
		{"nothing tells", `D:\bin\bash.exe`, ofTool, "echo", ofTool},
	} {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			ready, fault := winMachine(strings.Split(c.files, "|")...).started(Command{Path: c.file},
				parseShebang([]byte(c.line+"\n")))
			got := strings.Join(append([]string{ready.Path}, ready.Args...), "|")
			if fault != nil {
				got = fault.Reason + "; " + fault.Hint
			}
			is.Equal(got, c.want)
		})
	}
}

func TestVariablesOfAFirstLineAreSetOnWindowsToo(t *testing.T) {
	is := is.New(t)
	w := winMachine(`D:\bin\bash.exe`)
	ready, fault := w.started(Command{Path: ofTool, Args: []string{"one"}, Env: []string{"B=2"}},
		parseShebang([]byte("#!/usr/bin/env -S A=1 bash\n")))
	is.True(fault == nil)
	is.Equal(strings.Join(ready.Env, " "), "B=2 A=1")
	is.Equal(strings.Join(ready.Args, " "), "C:/p/tool one")
}

func TestProgramsOfWindowsAreFoundByTheirEndings(t *testing.T) {
	w := winMachine(`D:\bin\npm.cmd`, `D:\bin\npm`, `D:\bin\a.exe`, `D:\bin\a.bat`, `D:\bin\x.y.exe`, `C:\Windows\b.exe`,
		`D:\bin\b.exe`, `sub\c.exe`, `D:\bin\d.js`)
	for name, want := range map[string]string{
		"npm": `D:\bin\npm.cmd`, "npm.cmd": `D:\bin\npm.cmd`, "a": `D:\bin\a.exe`, "A.BAT": `D:\bin\A.BAT`,
		"x.y": `D:\bin\x.y.exe`,
		"b":   `C:\Windows\b.exe`, `D:\bin\b`: `D:\bin\b.exe`, "D:/bin/b.exe": `D:\bin\b.exe`,
		`sub\c`: "", "c": "", "d": "", "d.js": "", "": "",
	} {
		t.Run(name, func(t *testing.T) { is.New(t).Equal(w.find(name), want) })
	}
	t.Run("without PATHEXT", func(t *testing.T) {
		is := is.New(t)
		w.env = []string{`PATH=relative;D:\bin`}
		is.Equal(w.find("npm"), `D:\bin\npm.cmd`)
	})
}

func TestABatchFileGetsItsArgumentsAndNoCommands(t *testing.T) {
	for _, c := range []struct{ arg, want string }{
		{"plain", "plain"},
		{"", `""`},
		{"two words", `"two words"`},
		{"&calc", `"&calc"`},
		{`"&calc&"`, `"""&calc&"""`},
		{"%PATH%", `"%%cd:~,%PATH%%cd:~,%"`},
		{"a^b|c>d<e(f)", `"a^b|c>d<e(f)"`},
		{"100!", `"100!"`},
		{`C:\a b\`, `"C:\a b\\"`},
		{`C:\a`, `"C:\a"`},
		{"größe", `"größe"`},
		{"a,b;c=d", `"a,b;c=d"`},
	} {
		t.Run(c.arg, func(t *testing.T) {
			is := is.New(t)
			line, f := batchLine(`C:\w\cmd.exe`, "C:/p q/t.bat", []string{"1", c.arg})
			is.Equal(f, fault{})
			is.Equal(line, `"C:\w\cmd.exe" /e:ON /v:OFF /d /c ""C:\p q\t.bat" 1 `+c.want+`"`)
		})
	}
}

func TestWhatABatchFileCannotBeGivenIsRefused(t *testing.T) {
	is := is.New(t)
	for _, arg := range []string{"a\nb", "a\r&calc"} {
		_, f := batchLine("cmd", "t.bat", []string{arg})
		is.Equal(f.reason, "its argument 1 has a line break, with which a batch file cannot be called")
	}
	_, f := batchLine("cmd", "t.bat", []string{strings.Repeat("x", 8200)})
	is.True(strings.Contains(f.reason, "too long for a batch file"))
}

func TestWhatWindowsCannotStartIsToldBeforehand(t *testing.T) {
	is := is.New(t)
	is.Equal(faultOfNative("a.bat", []byte("@echo off")), fault{})
	is.Equal(faultOfNative("a.EXE", []byte("MZ..")), fault{})
	is.True(strings.Contains(faultOfNative("a.exe", []byte("\x7fELF")).reason, "another system"))
	is.True(strings.Contains(faultOfNative("a.exe", []byte("text")).reason, "not a program for Windows"))
	is.True(strings.Contains(faultOfNative("a", []byte("text")).reason, "names no interpreter"))
}
