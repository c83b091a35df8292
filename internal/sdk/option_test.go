package sdk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestATextThatLooksLikeTheOptionForAVariableIsText(t *testing.T) {
	for _, c := range []struct{ helper, want string }{
		{`mcp_json_escape "$1"`, `"-v"`},
		{`mcp_json_arr "$@"`, `["-v","PATH","z"]`},
		{`mcp_json_obj "$1" "$2"`, `{"-v":"PATH"}`},
		{`mcp_path_collapse "$1"`, `-v`},
		{`mcp_emit_text "$1"; echo`, `-v`},
		{`mcp_extract_cli_error "$1" "$2" 2`, `PATH`},
		{`mcp_error "$1" "$2" | mcp_jq '.structuredContent.error.type'`, `-v`},
		{`mcp_is_valid_json "$1" || echo no`, `no`},
	} {
		t.Run(c.helper, func(t *testing.T) {
			is := is.New(t)
			e := connected(nil).run(t, "set -- -v PATH z\nbefore=$PATH\n"+c.helper+"\n[ \"$PATH\" = \"$before\" ] && echo same")
			is.Equal(e.String(), `stdout "`+strings.ReplaceAll(c.want, `"`, `\"`)+`\nsame\n", stderr "", code 0`)
		})
	}
}

func TestTheNameOfAVariableRunsNothing(t *testing.T) {
	for _, name := range []string{`x[$(touch ran)]`, "x[`touch ran`]", `a b`, `1x`, ``, `x[`, `-v`} {
		for _, helper := range []string{"mcp_args_get -v NAME .name", "mcp_args_require -v NAME .name", "mcp_jq -v NAME . 1", "mcp_args_raw -v NAME"} {
			t.Run(helper+" "+name, func(t *testing.T) {
				is := is.New(t)
				x := connected(nil)
				x.call.Args = []byte(ada)
				e := x.run(t, "n='"+name+"'\n"+strings.Replace(helper, "NAME", `"$n"`, 1)+` || echo "code $?"`)
				is.True(strings.HasPrefix(e.String(), `stdout "code 2\n", stderr "`+strings.Fields(helper)[0]+`: -v `))
				is.True(strings.Contains(e.String(), "not the name of a variable"))
				_, err := os.Stat(filepath.Join(filepath.Dir(x.call.Dir), "ran"))
				is.True(os.IsNotExist(err))
			})
		}
	}
}

func TestAnElementOfAnArrayCanBeSet(t *testing.T) {
	is := is.New(t)
	x := connected(nil)
	x.call.Args = []byte(ada)
	is.Equal(x.run(t, `((BASH_VERSINFO[0] > 3)) || { echo Ada 5; exit; } # printf -v of 3.2 has no elements
i=2; mcp_args_get -v "names[i]" .name; mcp_jq -v 'names[3]' . 5; echo "${names[2]} ${names[3]}"`).String(), `stdout "Ada 5\n", stderr "", code 0`)
}
