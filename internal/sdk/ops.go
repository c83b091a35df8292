package sdk

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"
)

// do runs an operation. An operation has the name of its helper without "mcp_", and gets the
// helper's arguments. What it needs from the shell, such as the working folder, follows its
// name after a space, and becomes the first argument.
func (c *Channel) do(ctx context.Context, name string, args []string) answer {
	if op, context, ok := strings.Cut(name, " "); ok {
		name, args = op, append([]string{context}, args...)
	}
	if slices.ContainsFunc(args, func(a string) bool { return !utf8.ValidString(a) }) {
		c.notUTF8.Do(func() { c.reportNotUTF8(ctx, name) })
	}
	// Otherwise -v would be the question, which nobody means.
	if at := slices.Index(args, "-v"); at == 0 && name == "sample" || at == 1 && strings.HasPrefix(name, "elicit") {
		return helperError(1, "does not take -v; write answer=$(mcp_%s ...)", name)
	}
	if op, ok := operations[name]; ok {
		return op.run(c, ctx, args)
	}
	return helperError(1, "unknown helper: the SDK that the tool sources is from another version than the server")
}

// operationOf returns the operation with a name and what it needs from the shell.
func operationOf(name string) operation {
	name, _, _ = strings.Cut(name, " ")
	return operations[name]
}

// An operation is what answers a helper.
type operation struct {
	run func(c *Channel, ctx context.Context, args []string) answer
	// quick: it only computes something from its arguments, which takes microseconds if they fit
	// into a line.
	quick bool
	// result: what it prints is a CallToolResult.
	result bool
}

// does returns the operation that needs nothing but its arguments.
func does(f func(args []string) answer) operation {
	return operation{run: func(_ *Channel, _ context.Context, args []string) answer { return f(args) }}
}

// quick is does for what only computes.
func quick(f func(args []string) answer) operation { return operation{run: does(f).run, quick: true} }

// result is quick for what prints a CallToolResult.
func result(f func(args []string) answer) operation {
	return operation{run: does(f).run, quick: true, result: true}
}

// operations are all that a tool can ask for, by name.
var operations = map[string]operation{
	"args_raw": {run: func(c *Channel, _ context.Context, _ []string) answer {
		return print(string(orEmpty(c.call.Args)))
	}},
	"meta_raw": {run: func(c *Channel, _ context.Context, _ []string) answer {
		return print(string(orEmpty(c.call.Meta)))
	}},
	"args_get": {run: func(c *Channel, ctx context.Context, args []string) answer {
		return c.get(ctx, c.call.Args, args)
	}},
	"meta_get": {run: func(c *Channel, ctx context.Context, args []string) answer {
		return c.get(ctx, c.call.Meta, args)
	}},
	"args_require": {run: (*Channel).require},
	"args_bool":    {run: (*Channel).boolArgument},
	"args_int":     {run: (*Channel).intArgument},
	"jq":           {run: (*Channel).jq},

	"json_escape":   quick(jsonEscape),
	"json_obj":      quick(jsonObject),
	"json_arr":      quick(jsonArray),
	"is_valid_json": quick(func(args []string) answer { return yes(isOneValue(arg(args, 0))) }),
	"json_truncate": quick(truncate),

	"emit_json":         quick(emitJSON),
	"result":            result(ownResult),
	"result_success":    result(resultSuccess),
	"result_error":      result(resultError),
	"result_text":       result(resultText),
	"resources":         quick(resources),
	"error":             {run: (*Channel).error, result: true},
	"fail":              quick(fail),
	"extract_cli_error": quick(cliError),

	"progress":      {run: (*Channel).progress},
	"log":           {run: (*Channel).log},
	"log_text":      {run: (*Channel).logText},
	"time":          quick(clock),
	"pause":         {run: (*Channel).pause},
	"progress_line": {run: (*Channel).progressLine},

	"roots_list":     withRoots(rootsList),
	"roots_count":    withRoots(rootsCount),
	"roots_contains": withRoots(rootsContain),
	"require_path":   withRoots(requirePath),
	"path_normalize": does(pathNormalize),
	"path_collapse":  quick(pathCollapse),

	"elicit":                     {run: (*Channel).elicit},
	"elicit_url":                 {run: (*Channel).elicitURL},
	"elicit_string":              {run: (*Channel).elicitString},
	"elicit_confirm":             {run: (*Channel).elicitConfirm},
	"elicit_choice":              elicitChoice(false, false),
	"elicit_titled_choice":       elicitChoice(true, false),
	"elicit_multi_choice":        elicitChoice(false, true),
	"elicit_titled_multi_choice": elicitChoice(true, true),
	"ask":                        {run: (*Channel).askRaw},
	"sample":                     {run: (*Channel).sample},

	"config_merge":          does(configMerge),
	"config_get":            {run: (*Channel).configGet},
	"download_safe":         {run: (*Channel).downloadSafe},
	"download_safe_or_fail": {run: (*Channel).downloadOrFail},

	"client_supports":    {run: (*Channel).clientSupports, quick: true},
	"require_capability": {run: (*Channel).requireCapability, result: true},
	"client_supports_ui": {quick: true, run: func(c *Channel, _ context.Context, _ []string) answer {
		return yes(c.supports("ui"))
	}},
	"result_with_ui":      result(resultWithUI),
	"result_with_ui_data": result(resultWithUIData),
	"tool_meta_with_ui":   quick(toolMetaWithUI),
	"ui_form":             does(uiForm),
	"ui_table":            does(uiTable),
}

// orEmpty returns {} for arguments or _meta that a request left out.
func orEmpty(object []byte) []byte {
	if len(object) == 0 {
		return []byte("{}")
	}
	return object
}

// arg returns the i-th argument, empty if there are fewer.
func arg(args []string, i int) string {
	if i < len(args) {
		return args[i]
	}
	return ""
}
