package process

import (
	"fmt"
	"strings"
)

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
