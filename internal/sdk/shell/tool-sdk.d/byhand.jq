# What the server makes of JSON, for tools that run by hand. The input is an array: the
# operation, what it knows of the shell, and what the helper was given.

def values($text): if $text | test("^\\s*$") then [] else try [$text | fromjson] catch [] end;

def shown: if . == null then "" elif type == "string" then . else tojson end;

def failed: (if (.type | shown) == "" then .type = "internal_error" else . end)
	| (if (.message | shown) == "" then .message = "the tool failed" else . end)
	| {content: [{type: "text", text: (.message | shown)}], structuredContent: {success: false, error: .}, isError: true};

def summary:
	if type == "array" then "Success: array with \(length) items"
	elif type == "object" then "Success: object with \(length) keys"
	else tostring | if length > 100 then .[:100] + "…" else . end end;

def succeeded($text; $limit):
	values($text) as $v
	| if ($v | length) == 0 then
		{type: "invalid_json", message: (if ($text | test("^\\s*$")) then "the result is empty" else "the result is not one JSON value" end)} | failed
	else
		{success: true, result: $v[0]} as $s
		| {content: [{type: "text", text: (if ($v[0] | tojson | utf8bytelength) > $limit then ($v[0] | summary) else ($s | tojson) end)}],
		   structuredContent: $s, isError: false}
	end;

# The options behind the first n arguments, as pairs of name and value.
def options($n): [.[$n:] as $o | range(0; $o | length; 2) as $i | {key: ($o[$i] | ltrimstr("--")), value: $o[$i + 1]}];

def refused($type; $message): {result: null, truncated: false, error: {type: $type, message: $message}};

def truncated($json; $limit; $path):
	values($json) as $v
	| ($v[0] | tojson | utf8bytelength) as $size
	| if ($v | length) == 0 then refused("invalid_json"; "that is not one JSON value")
	elif $path != null and ($path | test("^(\\.|(\\.[A-Za-z_][A-Za-z0-9_]*)+)$") | not) then
		refused("invalid_path_syntax"; "\($path | tojson) is no path; write it as .a.b, or . for the JSON itself")
	else
		(if $path != null then $path | split(".") | map(select(. != ""))
		 elif ($v[0] | type) == "object" then ["results"] else [] end) as $names
		| (try ($v[0] | getpath($names)) catch null) as $items
		| if $path != null and $items == null then refused("path_not_found"; "there is no \($path)")
		elif $path != null and ($items | type) != "array" then
			refused("invalid_array_path"; ".\($names | join(".")) is not an array, so nothing can be left out of it")
		elif $size <= $limit then {result: $v[0], truncated: false}
		elif ($items | type) != "array" then
			refused("output_too_large"; "\($size) bytes are more than \($limit), and there is no array to shorten; name it with --array-path")
		else
			($size - ($items | tojson | utf8bytelength) + 2) as $base
			| ([foreach $items[] as $i ($base - 1; . + 1 + ($i | tojson | utf8bytelength)) | select(. <= $limit)] | length) as $kept
			| if $kept == 0 then refused("output_too_large"; "not even the first of \($items | length) items fits into \($limit) bytes")
			else {result: ($v[0] | setpath($names; $items[:$kept])), truncated: true, kept: $kept, total: ($items | length)} end
		end
	end;

def cli_error($out; $err; $code):
	(values($out)[0] | if type == "object" then . else {} end) as $o
	| [ ($o.error | objects | .message | strings),
	    ($o.error | strings),
	    (if $o.success == false or $o.ok == false or $o.status == "error" then $o.message | strings else empty end),
	    ($o.errors | arrays | .[0] | objects | .message | strings),
	    ($err | sub("^\\s+"; "") | sub("\\s+$"; "")),
	    "CLI exited with code \(if $code == "" then "1" else $code end)"
	  ] | map(select(. != "")) | .[0];

. as $in
| $in[0] as $op | $in[1] as $context | $in[2:] as $a
| ($a[0] // "") as $first
| if $op == "result_success" then succeeded($first; ($a[1] // $context | tonumber)) | tojson
  elif $op == "result_text" then {content: [{type: "text", text: $first}], isError: false} | tojson
  elif $op == "result_error" then
	(values($first)[0] | if type == "object" then . else
		{type: "internal_error", message: "the tool failed with an error that is no JSON object", raw: (values($first)[0] // $first)} end)
	| failed | tojson
  elif $op == "error" then
	($a | options(2) | from_entries) as $o
	| {type: $first, message: ($a[1] // "")}
	  + (if $o.hint then {hint: $o.hint} else {} end)
	  + (if $o.data then {data: (values($o.data)[0] // $o.data)} else {} end)
	| failed | tojson
  elif $op == "fail" then
	(if ($a[1] // "") == "" then "Tool failed" else $a[1] end) as $message
	| {code: (try ($first | tonumber | floor) catch -32603), message: $message}
	  + (if ($a[2] // "") == "" then {} else {data: (values($a[2])[0] // $a[2])} end)
	| tojson, $message
  elif $op == "json_truncate" then
	($a | options(if ($a[1] // "--") | startswith("--") then 1 else 2 end) | from_entries) as $o
	| truncated($first; ($a[1] // "" | try tonumber catch 102400); $o["array-path"]) | tojson
  elif $op == "extract_cli_error" then cli_error($first; $a[1] // ""; $a[2] // "")
  elif $op == "resources" then
	[reduce ($a | options(0))[] as $o ([]; if $o.key == "path" then . + [{path: $o.value}]
		elif $o.key == "mime" then .[-1].mimeType = $o.value else .[-1].uri = $o.value end) | .[]] | tojson
  elif $op == "config_merge" then
	reduce range(1; $a | length; 2) as $i ({}; . + (values($a[$i])[0] | if type == "object" then . else error("\($a[$i - 1]) is not a JSON object") end)) | tojson
  elif $op == "result_with_ui" or $op == "result_with_ui_data" then
	(if $first == "" then $context else $first end) as $uri
	| {content: [{type: "text", text: ($a[1] // "")}]}
	+ (if ($a[2] // "") == "" then {} else {structuredContent: ($a[2] | fromjson)} end)
	+ {isError: false}
	+ (if $uri == "" then {} else {_meta: {ui: {resourceUri: $uri}}} end) | tojson
  elif $op == "tool_meta_with_ui" then
	{ui: {resourceUri: $first, visibility: (($a[1] // "") | if . == "" then "model,app" else . end | [scan("[a-z]+")])}} | tojson
  else error("unknown operation \($op)") end
