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
	switch name {
	case "args_raw":
		return print(string(orEmpty(c.call.Args)))
	case "meta_raw":
		return print(string(orEmpty(c.call.Meta)))
	case "args_get":
		return c.get(ctx, c.call.Args, args)
	case "meta_get":
		return c.get(ctx, c.call.Meta, args)
	case "args_require":
		return c.require(ctx, args)
	case "args_bool":
		return c.boolArgument(ctx, args)
	case "args_int":
		return c.intArgument(ctx, args)
	case "jq":
		return c.jq(ctx, args)

	case "json_escape":
		return jsonEscape(args)
	case "json_obj":
		return jsonObject(args)
	case "json_arr":
		return jsonArray(args)
	case "is_valid_json":
		return yes(isOneValue(arg(args, 0)))
	case "json_truncate":
		return truncate(args)

	case "emit_json":
		return emitJSON(args)
	case "result":
		return ownResult(args)
	case "result_success":
		return resultSuccess(args)
	case "result_error":
		return resultError(args)
	case "result_text":
		return resultText(args)
	case "resources":
		return resources(args)
	case "error":
		return c.error(ctx, args)
	case "fail":
		return fail(args)
	case "extract_cli_error":
		return cliError(args)

	case "progress":
		return c.progress(ctx, args)
	case "log":
		return c.log(ctx, args)
	case "log_text":
		return c.logText(ctx, args)
	case "time":
		return clock()
	case "pause":
		return pause(ctx, args)
	case "progress_line":
		return c.progressLine(ctx, args)

	case "roots_list":
		return c.rootsList(ctx)
	case "roots_count":
		return c.rootsCount(ctx)
	case "roots_contains":
		return c.rootsContain(ctx, args)
	case "require_path":
		return c.requirePath(ctx, args)
	case "path_normalize":
		return pathNormalize(args)
	case "path_collapse":
		return pathCollapse(args)

	case "elicit":
		return c.elicit(ctx, args)
	case "elicit_url":
		return c.elicitURL(ctx, args)
	case "elicit_string":
		return c.elicitString(ctx, args)
	case "elicit_confirm":
		return c.elicitConfirm(ctx, args)
	case "elicit_choice":
		return c.elicitChoice(ctx, args, false, false)
	case "elicit_titled_choice":
		return c.elicitChoice(ctx, args, true, false)
	case "elicit_multi_choice":
		return c.elicitChoice(ctx, args, false, true)
	case "elicit_titled_multi_choice":
		return c.elicitChoice(ctx, args, true, true)
	case "ask":
		return c.askRaw(ctx, args)
	case "sample":
		return c.sample(ctx, args)

	case "config_merge":
		return configMerge(args)
	case "config_get":
		return c.configGet(ctx, args)
	case "download_safe":
		return c.download(ctx, args)
	case "download_safe_or_fail":
		return c.downloadOrFail(ctx, args)

	case "client_supports":
		return c.clientSupports(args)
	case "require_capability":
		return c.requireCapability(args)
	case "client_supports_ui":
		return yes(c.supports("ui"))
	case "result_with_ui":
		return resultWithUI(args)
	case "result_with_ui_data":
		return resultWithUIData(args)
	case "tool_meta_with_ui":
		return toolMetaWithUI(args)
	case "ui_form":
		return uiForm(args)
	case "ui_table":
		return uiTable(args)
	}
	return helperError(1, "unknown helper: the SDK that the tool sources is from another version than the server")
}

// isQuick reports whether an operation only computes something from its arguments, which
// takes microseconds if they fit into a line.
func isQuick(name string) bool {
	op, _, _ := strings.Cut(name, " ")
	switch op {
	case "json_escape", "json_obj", "json_arr", "is_valid_json", "json_truncate",
		"emit_json", "result", "result_success", "result_error", "result_text", "extract_cli_error", "fail", "resources",
		"result_with_ui", "result_with_ui_data", "tool_meta_with_ui", "client_supports", "client_supports_ui", "path_collapse", "time":
		return true
	}
	return false
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
