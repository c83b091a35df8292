package sdk

import (
	"cmp"
	"context"
	"errors"
	"math/big"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk/filter"
)

// The exit codes of jq.
const (
	jqUsage   = 2
	jqCompile = 3
	jqRun     = 5
)

var forFilters = spec{"--arg": 2, "--default": 1}

// get answers mcp_args_get and mcp_meta_get: [OPTION...] FILTER [OPTION...]. The default is
// used for null and for no output.
func (c *Channel) get(ctx context.Context, doc []byte, args []string) answer {
	options, args, err := forFilters.leading(args)
	if err != nil {
		return helperError(jqUsage, "%v", err)
	}
	g, err := forFilters.parse(args, 1)
	if err != nil {
		return helperError(jqUsage, "%v", err)
	}
	g.options = append(options, g.options...)
	if len(g.args) == 0 {
		return helperError(jqUsage, "requires a jq filter such as .name")
	}
	return g.filtered(ctx, g.args[0], orEmpty(doc), nil)
}

// filtered answers with what a filter prints. For null and no output it is the default, if that was given, else
// missing, unless that is nil.
func (g given) filtered(ctx context.Context, text string, doc []byte, missing *answer) answer {
	out, err := filter.Run(ctx, text, doc, variables(g.options)...)
	if err != nil {
		return filterTrouble(err)
	}
	if isMissing(out) {
		if d, ok := g.value("--default"); ok {
			return print(d)
		} else if missing != nil {
			return *missing
		}
	}
	return printAll(out)
}

// jq answers mcp_jq: [--arg NAME VALUE]... FILTER [TEXT].
func (c *Channel) jq(ctx context.Context, args []string) answer {
	options, args, err := spec{"--arg": 2}.leading(args)
	switch {
	case err != nil:
		return helperError(jqUsage, "%v", err)
	case len(args) == 0:
		return helperError(jqUsage, "requires a jq filter and a text")
	case len(args) == 1:
		return answer{kind: input}
	case strings.HasPrefix(args[0], "-") && len(args[0]) > 1:
		return helperError(jqUsage, "unknown option %s: mcp_jq always prints strings without quotes and one value a line; "+
			"call it as mcp_jq [--arg NAME VALUE]... FILTER [TEXT]", args[0])
	case len(args) > 2:
		return helperError(jqUsage, "too many arguments; options come before the filter, quotes around the text")
	}
	return given{options: options}.filtered(ctx, args[0], []byte(args[1]), nil)
}

func variables(options []option) []filter.Var {
	var vars []filter.Var
	for _, o := range options {
		if o.name == "--arg" {
			vars = append(vars, filter.Var{Name: o.values[0], Value: o.values[1]})
		}
	}
	return vars
}

func filterTrouble(err error) answer {
	var compile *filter.CompileError
	switch {
	case errors.As(err, &compile):
		return helperError(jqCompile, "%v", err)
	case errors.Is(err, filter.ErrInput):
		return helperError(jqUsage, "%v", err)
	default:
		return helperError(jqRun, "%v", err)
	}
}

func isMissing(out []filter.Output) bool {
	return len(out) == 0 || len(out) == 1 && out[0].IsNull()
}

func printAll(out []filter.Output) answer {
	if len(out) == 0 {
		return silent(0)
	}
	var b strings.Builder
	for i, o := range out {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.Write(o.Text())
	}
	return print(b.String())
}

// require answers mcp_args_require: FILTER [MESSAGE]. An empty text counts as missing.
func (c *Channel) require(ctx context.Context, args []string) answer {
	missing := invalid(cmp.Or(arg(args, 1), arg(args, 0)+" is required"))
	a := given{}.filtered(ctx, arg(args, 0), orEmpty(c.call.Args), &missing)
	if a.kind == output && a.value == "" {
		return missing
	}
	return a
}

// single runs the filter of a helper that takes a single value. If the default or an error is
// the answer, it is returned as early, with an empty value.
func (c *Channel) single(ctx context.Context, g given) (value string, early *answer) {
	if len(g.args) == 0 {
		a := helperError(jqUsage, "requires a jq filter such as .name")
		return "", &a
	}
	out, err := filter.Run(ctx, g.args[0], orEmpty(c.call.Args))
	if err != nil {
		a := filterTrouble(err)
		return "", &a
	}
	if !isMissing(out) {
		return string(out[0].JSON()), nil
	}
	a := invalid(g.args[0] + " is required")
	if d, ok := g.value("--default"); ok {
		a = print(d)
	}
	return "", &a
}

// boolArgument answers mcp_args_bool: FILTER [--default B]. It prints true or false.
func (c *Channel) boolArgument(ctx context.Context, args []string) answer {
	g, err := spec{"--default": 1}.parse(args, 1)
	if err != nil {
		return helperError(1, "%v", err)
	}
	value, early := c.single(ctx, g)
	if early != nil {
		if b, ok := boolean(early.value); ok && early.kind == output { // a default has the same form as a value
			return print(b)
		}
		return *early
	}
	if text, ok := unquote(json.Value(value)); ok {
		value = text
	}
	if b, ok := boolean(value); ok {
		return print(b)
	}
	return invalid(g.args[0] + " must be true or false")
}

// boolean parses the usual spellings of true and false.
func boolean(text string) (string, bool) {
	switch strings.ToLower(text) {
	case "true", "1", "yes", "on":
		return "true", true
	case "false", "0", "no", "off":
		return "false", true
	}
	return "", false
}

// intArgument answers mcp_args_int: FILTER [--default N] [--min N] [--max N]. Integers
// may be of any size and written in any way, as 1e2 or 5.0, or a string of digits.
func (c *Channel) intArgument(ctx context.Context, args []string) answer {
	g, err := spec{"--default": 1, "--min": 1, "--max": 1}.parse(args, 1)
	if err != nil {
		return helperError(1, "%v", err)
	}
	value, early := c.single(ctx, g)
	if early != nil {
		return *early
	}
	if text, ok := unquote(json.Value(value)); ok {
		if value = text; strings.Trim(strings.TrimPrefix(text, "-"), "0123456789") != "" {
			value = ""
		}
	}
	n, ok := integer(value)
	if !ok {
		return invalid(g.args[0] + " must be an integer")
	}
	for _, bound := range []struct {
		option, sign string
		broken       int // the result of comparing a value beyond the bound with it
	}{{"--min", ">=", -1}, {"--max", "<=", 1}} {
		text, given := g.value(bound.option)
		if !given {
			continue
		}
		limit, ok := integer(text)
		if !ok {
			return helperError(1, "%s %q is not an integer", bound.option, text)
		}
		if n.Cmp(limit) == bound.broken {
			return invalid(g.args[0] + " must be " + bound.sign + " " + limit.String())
		}
	}
	return print(n.String())
}

// integer parses a JSON number whose value is an integer.
func integer(literal string) (*big.Int, bool) {
	digits, ok := json.Whole(literal)
	if !ok {
		return nil, false
	}
	return new(big.Int).SetString(digits, 10)
}
