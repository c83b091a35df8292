package sdk

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/shelltest"
)

// manyArgs are arguments of all kinds; those that the tool gets at its start must equal the answers
// of the server.
const manyArgs = `{"name":"Ada","name":"Bob","quote":"it's $(x) \"y\" \\n","lines":" a\n\nb\n","empty":"","yes":true,"no":false,
"n":12,"zero":0,"minus":-3,"minuszero":-0,"big":123456789012345678901234567890,"fraction":2.50,"exponent":1e2,"null":null,
"list":[1],"object":{"a":1},"digits":"007","word":"YES","nul":"a\u0000b","escape":"\u001b\u0001\u007f","wide":"é😀",
"and":"or","NAME":"upper","a-b":1,"a.b":"c","":"none","ä":"ö","lone":"\ud800","long":"LONG"}`

// Each shell is held against what the server answers in the first one. Of these values, those that are not known at
// the start are asked for in every shell, too.
func TestValuesKnownAtTheStartEqualTheServersAnswers(t *testing.T) {
	inOneShell(t)
	is := is.New(t)
	const script = `
set +e
_mcp_rare : # what each of the processes would read anew
into_v() { v=old; $helper -v v "$filter" $more; code=$?; printf '[%s] code %s\n' "$v" "$code"; }
both() { $helper "$filter" $more; echo "code $?"; into_v; }
for helper in mcp_args_get mcp_args_require mcp_args_int mcp_args_bool; do
	for filter in .name .quote .lines .empty .yes .no .n .zero .minus .minuszero .big .fraction .exponent .null .list .object \
		.digits .word .nul .escape .wide .and .NAME .Name .a-b .a.b .ä .lone .long .none . '' '. name' '.name .quote' ' .name ' .name_; do
		for more in "${mores[@]}"; do
			case "$more/$filter" in # a value of each kind has all options
			/* | */.name | */.empty | */.yes | */.n | */.zero | */.minus | */.fraction) ;;
			*/.null | */.list | */.digits | */.none | */) ;;
			*) continue ;;
			esac
			printf '%s %s %s\n' "$helper" "$filter" "$more"
			if [[ $helper == mcp_args_get ]]; then # it ends no tool
				both
				continue
			fi
			( # both in one process, unless the first ends it
				both
				exit 99
			)
			code=$?
			[[ $code == 99 ]] || {
				echo "code $code"
				(into_v)
			}
		done
	done
	($helper; echo $?; $helper -v v; echo $?)
done 2>&1
`
	args := []byte(strings.ReplaceAll(manyArgs, "LONG", strings.Repeat("x", maxKnownText+1)))
	for _, option := range []string{"mores=('' '--default 7' '--min 1' message)", "mores=(''); shopt -s nocasematch"} {
		x := tool{call: Call{Args: args}}
		want := x.run(t, "_mcp_args=\n"+option+script).stdout // the server's answers
		is.True(strings.Contains(want, "mcp_args_get .name \nBob\ncode 0\n[Bob] code 0\n"))
		shelltest.Each(t, func(t *testing.T, s shelltest.Shell) {
			is := is.New(t)
			x := tool{call: Call{Args: args}, shell: s.Command}
			known := x.run(t, `[[ $_mcp_args == *" .name "*" .quote "* ]] || echo "nothing is known"`+"\n"+option+script)
			is.Equal(cmp.Diff(want, known.stdout), "")
		})
	}
}

func TestKnownValuesNeedNoServer(t *testing.T) {
	is := is.New(t)
	x := connected(nil)
	x.call.Args = []byte(`{"name":"Ada","n":3,"dry":true}`)
	e := x.startAndClose(t, `
echo >ready
until [ -e closed ]; do :; done
mcp_args_get .name --default x
mcp_args_require .name "who?"
mcp_args_int .n
mcp_args_bool .dry
`)()
	is.Equal(e.String(), `stdout "Ada\nAda\n3\ntrue\n", stderr "", code 0`)
}

func TestValuesKnownAtTheStartAreBounded(t *testing.T) {
	is := is.New(t)
	many := `{"a":"` + strings.Repeat(`x`, maxKnownText) + `"`
	for _, name := range []string{"b", "c", "d", "e", "f"} {
		many += `,"` + name + `":"` + strings.Repeat("y", maxKnownText-7) + `"`
	}
	told := known([]byte(many + "}"))
	is.True(len(told) <= maxKnown)
	is.True(strings.HasSuffix(told, "_mcp_args=' .a  .b  .c '")) // as many as fit
	is.Equal(known([]byte(`{"a":"`+strings.Repeat("x", maxKnownArgs)+`"}`)), "")
	is.Equal(known(nil), "")
	is.Equal(known([]byte(`[1]`)), "")
}
