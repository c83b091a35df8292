package sdk

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// newer are patterns for features that Bash 3.2 lacks, each with an example that it must find. The
// list has those that are most often used by mistake.
var newer = []struct{ name, rule, example string }{
	{"${x@Q} (4.4)", `\$\{[A-Za-z_][A-Za-z0-9_]*(\[.\])?@`, `echo "${x@Q}"`},
	{"${x^^}, ${x,,} (4.0)", `\$\{[A-Za-z_0-9]+[\^,]`, `echo "${x,,}"`},
	{"{fd}> (4.1)", `\{[A-Za-z_]\w*\}[<>]`, `exec {fd}>file`},
	{"mapfile (4.0)", `\b(mapfile|readarray)\b`, `mapfile -t a`},
	{"associative arrays, references (4.0, 4.3)", `\b(declare|local|typeset)\s+-\w*[Ang]`, `local -A map`},
	{"BASHPID without a default (4.0)", `\$BASHPID|\$\{BASHPID\}`, `echo $BASHPID`},
	{"read -N, -i (4.0)", `\bread\b[^|;&]*\s-\w*[Ni]`, `read -r -N 5 x`},
	{"fractions in read -t (4.0)", `\bread\b[^|;&]*-t\s*"?[0-9]*\.`, `read -t 0.5 x`},
	{"printf -v of an element (4.1)", `printf\s+-v\s+\S*\[`, `printf -v a[1] x`},
	{"%(...)T (4.2)", `%[-0-9]*\(`, `printf '%(%F)T'`},
	{"|& (4.0)", `\|&`, `a |& b`},
	{"&>> (4.0)", `&>>`, `a &>>b`},
	{";& and ;;& (4.0)", `;;?&`, `a) b ;;&`},
	{"coproc (4.0)", `\bcoproc\b`, `coproc cat`},
	{"test -v (4.2)", `(\[\[?|test)\s+(!\s+)?-v\b`, `[[ -v x ]]`},
	{"negative lengths and subscripts (4.2)", `\$\{\w+:\s*[\w$]+:-|\[-[0-9]`, `echo "${x:0:-1}"`},
	{"variables of later shells", `\b(EPOCH(REALTIME|SECONDS)|SRANDOM|BASH_ARGV0|BASH_XTRACEFD|PIPESTATUS_)`, `echo $EPOCHSECONDS`},
	{"\\u in $'...' (4.2)", `\$'[^']*\\u`, `x=$'\u00e9'`},
	{"wait -n (4.3)", `\bwait\s+-`, `wait -n`},
	{"later options of shopt", `shopt\b.*(globstar|lastpipe|inherit_errexit|autocd|dirspell|localvar)`, `shopt -s lastpipe`},
	{"an array that may be empty, with nounset (4.4)", `[^+]"\$\{[A-Za-z_]\w*\[@\]\}"`, `for x in "${a[@]}"; do`},
	{"case within $(...), which 3.2 cannot parse", `\$\([^)]*\bcase\b`, `x=$(case $y in a) b ;; esac)`},
	{"<(...), which --posix has not", `[<>]\(`, `done < <(a)`},
	{"slices of $@, which 3.2 joins to one word if IFS has no blank", `\$\{@:`, `f "${@:2}"`},
	{"${!#}, which --posix reads as $!", `\$\{!#`, `echo "${!#}"`},
	{"return without a code, which in a trap is that of what the trap interrupted", `\breturn(\s*[;}]|\s*$)`, `x || return`},
	{"a special built-in with >, at which --posix ends", `(^|[;{&|]\s*)(:|eval|set|unset)\s+[^#"']*>`, `: >file`},
}

// scripts are the shell scripts of the SDK.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(shellFiles, "shell", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".sh") {
			var b []byte
			b, err = shellFiles.ReadFile(path)
			all[path] = string(b)
		}
		return err
	})
	if err != nil || len(all) < 4 {
		t.Fatal(err, len(all))
	}
	return all
}

var comment = regexp.MustCompile(`(^|\s)#\s.*`)

func TestTheSDKIsBash32(t *testing.T) {
	for _, n := range newer {
		rule := regexp.MustCompile(n.rule)
		if !rule.MatchString(n.example) {
			t.Errorf("the rule for %s does not find %q", n.name, n.example)
		}
		for path, text := range scripts(t) {
			for i, line := range strings.Split(text, "\n") {
				if !strings.HasSuffix(line, "# from Bash 4.1 on") && rule.MatchString(comment.ReplaceAllString(line, "")) {
					t.Errorf("%s:%d: %s: %s", path, i+1, n.name, strings.TrimSpace(line))
				}
			}
		}
	}
}

func TestShellcheckReportsNothing(t *testing.T) {
	inOneShell(t)
	shellcheck, err := exec.LookPath("shellcheck")
	if err != nil {
		t.Skip("shellcheck is not installed, so the SDK is not linted")
	}
	for path := range scripts(t) {
		if out, err := exec.Command(shellcheck, "-s", "bash", path).CombinedOutput(); err != nil {
			t.Errorf("%s\n%s", err, out)
		}
	}
}

func TestTheSDKStaysLean(t *testing.T) {
	is := is.New(t)
	b, err := shellFiles.ReadFile("shell/tool-sdk.sh")
	is.NoErr(err)
	is.True(len(b) < 12<<10)                    // every tool reads it
	is.True(bytes.Count(b, []byte("\n")) < 330) // rarely used helpers belong in tool-sdk.d
}

func TestInstalledFilesArePrivate(t *testing.T) {
	is := is.New(t)
	dir := filepath.Join(t.TempDir(), "a", "b")
	is.NoErr(os.MkdirAll(dir, 0o755))
	path, err := Install(dir)
	is.NoErr(err)
	is.Equal(path, dir)
	_, err = Install(dir) // a second time
	is.NoErr(err)
	names := []string{}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		is.NoErr(err)
		info, err := d.Info()
		is.NoErr(err)
		is.Equal(info.Mode().Perm()&0o077, fs.FileMode(0)) // readable and writable by the owner only
		if !d.IsDir() {
			inside, err := filepath.Rel(dir, path)
			is.NoErr(err)
			names = append(names, filepath.ToSlash(inside))
		}
		return nil
	})
	is.NoErr(err)
	is.Equal(strings.Join(names, " "), "mcp_sdk.py tool-sdk.d/byhand.sh tool-sdk.d/config.sh tool-sdk.d/rare.sh tool-sdk.d/run.sh tool-sdk.sh ui-sdk.sh")
	is.NoErr(os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	_, err = Install(filepath.Join(dir, "file"))
	is.True(strings.HasPrefix(err.Error(), "cannot install the SDK: "))
}

func TestHelpersWorkWithAnyIFS(t *testing.T) {
	for name, ifs := range map[string]string{"newline": `$'\n'`, "comma": ",", "empty": "", "blank": "' '"} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			x := connected(func(_ string, params json.RawMessage) (string, error) {
				return `{"action":"accept","content":{"choice":"small"}}`, nil
			})
			x.call.Args, x.call.Supports = []byte(`{"p":"a b"}`), having("elicitation", "ui")
			e := x.run(t, "IFS="+ifs+`
MCPBASH_DEBUG_LOG=log
mcp_elicit_choice 'Which size?' small large
mcp_with_retry 2 0 -- echo one two
mcp_run_with_progress --pattern '([0-9]+)%' --extract match1 --quiet -- printf '%s.' a b
echo
mcp_require_path .missing --allow-empty
mcp_path_normalize --physical /
mcp_download_safe --url http://x --out y
mcp_result_with_ui ui://x text '{"a":1}'
mcp_config_load --example "" || :
mcp_config_load --defaults '{"a":"b c"}'
mcp_config_get .a
mcp_args_get -v p .q --default none
mcp_jq -v q .a '{"a":1}'
mcp_json_arr "$p" "$q"
mcp_require_path -v q .missing --allow-empty
mcp_result_text_with_resource text --path /nowhere --mime text/plain
(mcp_require_capability sampling none) || :
(mcp_fail_invalid_args 'not that' '{"a":1}') || :
mcp_debug one two
read -r line <log
echo "${line#*] }"`)
			is.Equal(e.stdout, `{"action":"accept","content":{"choice":"small"}}
one two
a.b.

/
{"success":false,"error":{"type":"invalid_url","message":"URL must use https://"}}
{"content":[{"type":"text","text":"text"}],"structuredContent":{"a":1},"isError":false,"_meta":{"ui":{"resourceUri":"ui://x"}}}
b c
["none","1"]
{"content":[{"type":"text","text":"text"}],"isError":false}
{"code":-32602,"message":"not that","data":{"a":1}}
one two
`)
			is.Equal(e.stderr, "mcp_config_load: no configuration was found\n"+
				`mcp_require_capability: unknown capability "none"; use one of roots, sampling, sampling.tools, sampling.context, elicitation, elicitation.url, ui, tasks`+"\nnot that\n")
		})
	}
}
