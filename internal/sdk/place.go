package sdk

import (
	"strconv"
	"strings"
)

// A Place is where a command failed and thereby ended its tool. It is the zero value if unknown: the tool
// ended itself, has traps of its own, or does not use the SDK.
type Place struct {
	Code     int    // the exit code
	File     string // the name of the script, or of a file that it sources, without its folder
	Line     int    // of the command, or, with a Function, of the call of the function
	Function string // in which the command is; empty outside of functions
	Command  string // the first line of its source text, unexpanded; empty if unknown
}

// maxCommand is the most bytes of a command that are shown.
const maxCommand = 200

// placeOf parses the fields of the line that reports a place.
func placeOf(fields []string) Place {
	for i, f := range fields {
		fields[i] = strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f {
				return ' '
			}
			return r
		}, strings.ToValidUTF8(f, "\ufffd"))
	}
	code, err := strconv.Atoi(fields[0])
	line, lineErr := strconv.Atoi(fields[2])
	if err != nil || lineErr != nil || line < 1 || fields[1] == "" {
		return Place{}
	}
	command := strings.TrimSpace(fields[4])
	if len(command) > maxCommand {
		command = strings.ToValidUTF8(command[:maxCommand], "") + "…"
	}
	return Place{code, fields[1], line, fields[3], command}
}

// String returns the place as in "tool.sh, line 5: ls /nonexistent".
func (p Place) String() string {
	where := p.File + ", "
	if p.Function != "" {
		where += "in " + p.Function + " called at "
	}
	where += "line " + strconv.Itoa(p.Line)
	if p.Command != "" {
		where += ": " + p.Command
	}
	return where
}

// At returns the place as in "tool.sh:5".
func (p Place) At() string { return p.File + ":" + strconv.Itoa(p.Line) }
