package script

import (
	"fmt"
	"strings"
)

// batchLine is the command line with which cmd.exe runs a batch file so that it gets exactly these
// arguments. cmd.exe reads its command line in its own way: with the quotes of all other programs, an
// argument such as "&calc" would be a command. The error is a fault of an argument that it cannot carry.
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
	if b.Len() > batchMost {
		return "", fault{fmt.Sprintf("its arguments are too long for a batch file: %d bytes, and cmd.exe takes %d", b.Len(), batchMost),
			"let it read them from stdin or from MCP_TOOL_ARGS_JSON"}
	}
	return b.String(), fault{}
}

// batchMost is the length of a line that cmd.exe reads.
const batchMost = 8191

// batchWord writes one argument. A quote is written twice, and a % followed by a variable that is
// empty, so that no text between two of them is taken for the name of one.
func batchWord(arg string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789#$*+-./:?@_"
	if arg != "" && strings.Trim(arg, plain) == "" {
		return arg
	}
	slashes := len(arg) - len(strings.TrimRight(arg, `\`)) // before a quote they would quote it, for the programs that it calls
	return `"` + strings.NewReplacer(`"`, `""`, `%`, `%%cd:~,%`).Replace(arg) + strings.Repeat(`\`, slashes) + `"`
}
