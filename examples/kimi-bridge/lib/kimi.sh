# shellcheck shell=bash
# What the four tools share: a prompt is made of parts, and kimi is run with it.
# It needs the SDK to be sourced first, and works in Bash 3.2.

readonly KIMI_PROMPT_BYTES=16777216 # the whole prompt may have
readonly KIMI_ARGUMENT_BYTES=131071 # an argument may have on Linux

# kimi_stop TYPE MESSAGE HINT ends the tool with a result that says what to do.
kimi_stop() {
	mcp_error "$1" "$2" --hint "$3"
	exit 0
}

# kimi_begin starts the prompt with what the client asks for, and takes the
# settings together: defaults, then the file, then variables.
kimi_begin() {
	local prompt roots file=${HOME:-}/.config/kimi-mcp/config.json
	mcp_config_load --file "$file" --defaults '{"model":"k2","timeout":30,"fileBytes":1048576,"args":["--quiet"],"input":"stdin"}' ||
		kimi_stop configuration "$file is no JSON object" "mend it, as in {\"model\":\"k2\",\"timeout\":60}, or remove it"
	kimi_model=$(mcp_config_get .model --default "")
	kimi_timeout=$(mcp_config_get .timeout --default 30)
	kimi_file_bytes=$(mcp_config_get .fileBytes --default 1048576)
	kimi_input=$(mcp_config_get .input --default stdin)
	kimi_model=${KIMI_MCP_MODEL:-$kimi_model}
	kimi_timeout=${KIMI_MCP_TIMEOUT:-$kimi_timeout}
	kimi_file_bytes=${KIMI_MCP_FILE_BYTES:-$kimi_file_bytes}
	[[ $kimi_timeout =~ ^[1-9][0-9]{0,5}$ ]] ||
		kimi_stop configuration "the timeout is \"$kimi_timeout\"" "set KIMI_MCP_TIMEOUT, or timeout in $file, to whole seconds, as in 60"
	[[ $kimi_file_bytes =~ ^[1-9][0-9]{0,9}$ ]] ||
		kimi_stop configuration "the largest file is \"$kimi_file_bytes\"" "set KIMI_MCP_FILE_BYTES, or fileBytes in $file, to a number of bytes, as in 1048576"
	[[ $kimi_input == stdin || $kimi_input == argument ]] ||
		kimi_stop configuration "input is \"$kimi_input\" in $file" "write \"stdin\" or \"argument\""

	mcp_roots_list -v roots
	kimi_root=${roots%%$'\n'*}
	kimi_roots=${roots//$'\n'/, }
	kimi_root=${kimi_root:-$PWD}
	kimi_dir=$(mktemp -d "${TMPDIR:-/tmp}/kimi-bridge.XXXXXX")
	kimi_pid='' kimi_lock=''
	trap kimi_end EXIT
	trap 'exit 143' TERM INT HUP

	mcp_args_get -v prompt .prompt
	[[ $prompt =~ [^[:space:]] ]] || kimi_stop validation_error "the prompt is empty" "say in prompt what kimi should do"
	printf '%s\n' "$prompt" >"$kimi_dir/prompt"
}

# kimi_say HEADING TEXT adds a part to the prompt; nothing if there is no text.
kimi_say() {
	[[ -z $2 ]] || printf '\n%s: %s\n' "$1" "$2" >>"$kimi_dir/prompt"
}

# kimi_files adds the files that the client names, each under its path.
kimi_files() {
	local count i path full size
	mcp_args_get -v count '.files // [] | length'
	for ((i = 0; i < count; i++)); do
		# shellcheck disable=SC2016 # the variable is one of the filter
		mcp_args_get -v path --arg i "$i" '.files[$i | tonumber]'
		full=$path
		[[ $full == /* ]] || full=$kimi_root/$full
		mcp_roots_contains "$full" ||
			kimi_stop permission_denied "$path lies outside of the folders that this server may read" "name a file in $kimi_roots"
		[[ -e $full ]] || kimi_stop not_found "there is no file $path" "paths start at $kimi_root; look there for the right name"
		[[ -f $full && -r $full ]] || kimi_stop permission_denied "$path cannot be read" "name a regular file that the user of the server may read"
		size=$(wc -c <"$full")
		((size <= kimi_file_bytes)) || kimi_stop validation_error "$path has $((size)) bytes" "a file may have at most $kimi_file_bytes: leave it out, put the part that matters into the prompt, or allow more with KIMI_MCP_FILE_BYTES or fileBytes in ~/.config/kimi-mcp/config.json"
		printf '\nFile: %s\n' "$path" >>"$kimi_dir/prompt"
		cat -- "$full" >>"$kimi_dir/prompt"
		[[ -z $(tail -c 1 "$full" | tr -d '\n\0') ]] || echo >>"$kimi_dir/prompt"
		size=$(wc -c <"$kimi_dir/prompt")
		((size <= KIMI_PROMPT_BYTES)) || kimi_stop validation_error "the files are too much for one prompt" "all together may have at most $KIMI_PROMPT_BYTES bytes: name fewer"
	done
}

# kimi_run asks kimi and prints the result. Calls of one server wait for each
# other: two that change the same files would spoil each other's work.
kimi_run() {
	command -v kimi >/dev/null ||
		kimi_stop not_found "there is no kimi in the PATH of this server" "install the kimi command line, or start the server with a PATH that has it: $PATH"
	local count i arg code size args
	mcp_config_get -v count '.args // [] | length'
	args=()
	for ((i = 0; i < count; i++)); do
		# shellcheck disable=SC2016 # the variable is one of the filter
		mcp_jq -v arg --arg i "$i" '.args[$i | tonumber]' "$MCP_CONFIG_JSON"
		args+=("$arg")
	done
	[[ -z $kimi_model ]] || args+=(--model "$kimi_model")
	if [[ $kimi_input == argument ]]; then
		size=$(wc -c <"$kimi_dir/prompt")
		((size <= KIMI_ARGUMENT_BYTES)) || kimi_stop validation_error "the prompt has $((size)) bytes, too much for an argument" "name fewer or smaller files"
		args+=(--prompt "$(cat "$kimi_dir/prompt")")
		: >"$kimi_dir/prompt"
	fi
	kimi_wait_for_others
	cd -- "$kimi_root" || kimi_stop permission_denied "$kimi_root cannot be entered" "let the client name another root"
	kimi ${args[@]+"${args[@]}"} <"$kimi_dir/prompt" >"$kimi_dir/out" 2>"$kimi_dir/err" &
	kimi_pid=$!
	SECONDS=0
	while kill -0 "$kimi_pid" 2>/dev/null; do
		((SECONDS <= kimi_timeout)) ||
			kimi_stop timeout "kimi did not answer within $kimi_timeout seconds" "ask for less at once, or allow more with KIMI_MCP_TIMEOUT or timeout in ~/.config/kimi-mcp/config.json"
		sleep 0.1
	done
	code=0
	wait "$kimi_pid" || code=$?
	kimi_pid=''
	kimi_result "$code"
}

# kimi_result CODE tells what kimi said.
kimi_result() {
	local out err why
	out=$(tr -d '\0' <"$kimi_dir/out")
	err=$(tail -c 2000 "$kimi_dir/err" | tr -d '\0')
	why=$(mcp_extract_cli_error "$out" "$err" "$1")
	case $1 in
	0) ;;
	[1-9]) kimi_stop cli_error "kimi ended with code $1: $why" "this comes from the kimi command line itself: run it in a terminal, and see whether it is logged in and knows the model \"$kimi_model\"" ;;
	10 | 11 | 12 | 13) kimi_stop cli_error "the wrapper around kimi ended with code $1: $why" "the kimi in the PATH is a script around the command line: see that what it wraps is installed, and how it wants to be called" ;;
	126 | 127) kimi_stop cli_error "kimi could not be started: $why" "see that $(command -v kimi) can be run by hand" ;;
	*) kimi_stop cli_error "kimi ended with code $1: $why" "codes over 128 mean that a signal ended it; run it in a terminal to see more" ;;
	esac
	[[ $out =~ [^[:space:]] ]] || kimi_stop cli_error "kimi said nothing" "ask again, or run it in a terminal to see more${err:+; on stderr it said: $err}"
	printf '{"content":[{"type":"text","text":%s}],"isError":false}\n' "$(mcp_json_escape "$out")"
}

# kimi_wait_for_others returns once this call is the only one of this server.
# The lock is a link to the process that holds it, beside the SDK, in the private
# folder of the server.
kimi_wait_for_others() {
	local lock=${MCP_SDK%/*}/kimi-bridge.lock holder
	until ln -s "$$" "$lock" 2>/dev/null; do
		holder=$(readlink "$lock") || continue
		kill -0 "$holder" 2>/dev/null || rm -f -- "$lock" # it was killed
		sleep 0.1
	done
	kimi_lock=$lock
}

# kimi_end leaves nothing behind, however the tool ends.
kimi_end() {
	[[ -z $kimi_pid ]] || kill "$kimi_pid" 2>/dev/null || true
	[[ -z $kimi_lock ]] || rm -f -- "$kimi_lock"
	rm -rf -- "$kimi_dir"
}
