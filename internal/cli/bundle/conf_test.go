package bundle

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/shellfile"
)

func TestTheConfigurationIsReadAsAShellWouldReadIt(t *testing.T) {
	is := is.New(t)
	var c Config
	err := parseConfig([]byte(`# about us
MCPB_NAME=weather
export MCPB_VERSION="1.2.3"
who='Ada'
MCPB_AUTHOR_NAME="${who} Lovelace, \$1"
MCPB_AUTHOR_EMAIL=$who@example.com
MCPB_INCLUDE="data more/data"
MCPB_KEYWORDS=(one "two")
MCPB_PRIVACY_POLICIES="https://a.example/p,
https://b.example/p"
MCPB_STATIC=False
MCPB_USER_CONFIG_ENV_MAP="api_key=API_KEY, city=CITY"
`), "mcpb.conf", &c)
	is.NoErr(err)
	want := Config{
		Name: "weather", Version: "1.2.3",
		Author:          Author{Name: "Ada Lovelace, $1", Email: "Ada@example.com"},
		Include:         []string{"data", "more/data"},
		Keywords:        []string{"one", "two"},
		PrivacyPolicies: []string{"https://a.example/p", "https://b.example/p"},
		Dynamic:         true,
		UserConfigEnv:   map[string]string{"api_key": "API_KEY", "city": "CITY"},
	}
	is.Equal(cmp.Diff(want, c), "") // every key has its value
}

func TestTheConfigurationIsNeverRunAndFaultsNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"MCPB_NAME=$(touch gone)":          "mcpb.conf:1: MCPB_NAME: $(touch gone) is not evaluated; write plain text",
		"\nMCPB_NAME=`id`":                 "mcpb.conf:2: MCPB_NAME: `id` is not evaluated; write plain text",
		"rm -rf x":                         "mcpb.conf:1: commands are not run; write NAME=\"value\"",
		"MCPB_NAME=a rm x":                 "mcpb.conf:1: commands are not run; write NAME=\"value\"",
		"if true; then MCPB_NAME=a; fi":    "mcpb.conf:1: only assignments are allowed; write NAME=\"value\"",
		"MCPB_NAME=a > file":               "mcpb.conf:1: only assignments are allowed; write NAME=\"value\"",
		"MCPB_NAME=a &":                    "mcpb.conf:1: only assignments are allowed; write NAME=\"value\"",
		"MCPB_NAME=$HOME":                  "mcpb.conf:1: MCPB_NAME: $HOME is not set in this file; write '$' for a dollar sign",
		"MCPB_NAME=${a:-b}":                "mcpb.conf:1: MCPB_NAME: ${a:-b} is not supported; write plain text or $NAME",
		"MCPB_NAME=$((1+1))":               "mcpb.conf:1: MCPB_NAME: $((1+1)) is not evaluated; write plain text",
		"MCPB_NAME+=a":                     "mcpb.conf:1: unsupported form of assignment; write NAME=\"value\"",
		"MCPB_NAEM=a":                      "mcpb.conf:1: MCPB_NAEM: is not known; `mcp-bash bundle --help` lists the names",
		"MCPB_STATIC=perhaps":              "mcpb.conf:1: MCPB_STATIC: \"perhaps\" must be true or false",
		"MCPB_USER_CONFIG_ENV_MAP=api_key": "mcpb.conf:1: MCPB_USER_CONFIG_ENV_MAP: \"api_key\" must be key=VARIABLE: its variable is not defined",
		"\n\nMCPB_NAME='a":                 "mcpb.conf:3: reached EOF without closing quote `'`",
		"MCPB_NAME=" + strings.Repeat("a", shellfile.ValueBytes+1): "mcpb.conf:1: MCPB_NAME: the value is longer than 4096 bytes",
		strings.Repeat("#", shellfile.FileBytes+1):                 "mcpb.conf has 65537 bytes; at most 65536 are read",
	} {
		t.Run(want, func(t *testing.T) {
			is := is.New(t)
			err := parseConfig([]byte(text), "mcpb.conf", &Config{})
			is.True(err != nil) // it is refused
			is.Equal(err.Error(), want)
		})
	}
}

func TestAllFaultsOfAConfigurationAreTold(t *testing.T) {
	is := is.New(t)
	err := parseConfig([]byte("MCPB_A=1\nMCPB_NAME=ok\nls\n"), "mcpb.conf", &Config{})
	is.Equal(len(strings.Split(err.Error(), "\n")), 2) // one for each faulty line
}

func FuzzConfig(f *testing.F) {
	for _, seed := range []string{"MCPB_NAME=a", "a='x'\nb=\"$a\"", "x=(1 2)", "$(", "export A=1", "A=$'\\x41'", "A=~/x", "A=<(x)", "A=${a[1]}", "A={1..9}", "A=@(x)"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		_ = parseConfig(text, "mcpb.conf", &Config{}) // it returns
	})
}
