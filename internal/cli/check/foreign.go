package check

import (
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/shellfile"
)

// parsers are the words with which interpreters parse a script, without running any of it or writing beside it.
// Perl is not among them: its -c runs BEGIN blocks.
var parsers = map[string][]string{
	"python": {"-I", "-c", "import ast, sys; ast.parse(open(sys.argv[1], 'rb').read(), sys.argv[1])"},
	"ruby":   {"-c"},
	"node":   {"--check"},
	"php":    {"-l"},
}

var (
	faultLine = lazyregexp.New(`line (\d+)|:(\d+)(?::|$)`)
	place     = lazyregexp.New(`^.*:\d+: `)
	faultText = lazyregexp.New(`(?i)syntax ?error|indentationerror|taberror|parse error`)
)

// foreign has the interpreter of a script that is not for a shell parse it.
func (c *contents) foreign(ctx context.Context, t *source) []Message {
	words, _ := interpreterOf(t.text)
	if len(words) == 0 || !t.started || c.options.Runner == nil {
		return nil
	}
	name := path.Base(words[0])
	with := parsers[strings.TrimRight(name, "0123456789.")]
	found := process.LookPath(name, c.options.Env)
	switch {
	case found == "":
		return nil // an error of its own
	case with == nil:
		return []Message{{Level: Info, Rule: "syntax",
			Message: fmt.Sprintf("%v: it is not known how %s parses a script without "+
				"running any of it", shellfile.ErrNotParsed, name)}}
	}
	ctx, cancel := context.WithTimeout(ctx, shellPatience)
	defer cancel()
	said := &process.Head{Limit: 16 << 10}
	ended, err := c.options.Runner.Run(ctx, process.Command{Path: found, Args: append(with[:len(with):len(with)], t.path),
		Env: c.options.Env, Stdout: said, Stderr: said})
	text := string(said.Bytes())
	if err != nil || ended.ExitCode == 0 || !faultText.Get().MatchString(text) {
		return nil
	}
	m := Message{Level: Error, Rule: "syntax", Message: name + " cannot parse it",
		Hint: "fix the line, or one before it that is incomplete"}
	for said := range strings.Lines(text) {
		if faultText.Get().MatchString(said) {
			m.Message += ": " + strings.TrimSpace(place.Get().ReplaceAllString(said, ""))
			break
		}
	}
	for said := range strings.Lines(text) {
		_, where, names := strings.Cut(said, path.Base(t.path))
		if at := faultLine.Get().FindStringSubmatch(strings.TrimSpace(where)); names && at != nil {
			m.Line, _ = strconv.Atoi(at[1] + at[2])
			break
		}
	}
	return []Message{m}
}
