package clients

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

// edited are entries that users have edited, by client. OLD is the path of the program.
var edited = map[string][]string{
	"cursor": {
		`{"mcpServers": {"weather": {"command": "OLD", "args": ["serve"], ` +
			`"env": {"MCPBASH_PROJECT_ROOT": "/weather", "MCPBASH_LOG_FILE": "/log"}, "timeout": 60, "disabled": true}}}`,
		`{
  "mcpServers": {
    // of the team
    "weather": {
      "disabled": false, // for now
      "command": /* here */ "OLD", // by hand
      "args": [
        "serve", // always
      ],
      "env": {
        // where the log goes
        "MCPBASH_LOG_FILE": "/log",
        "MCPBASH_PROJECT_ROOT": "/weather",
      },
    },
  },
}
`,
	},
	"opencode": {
		`{"mcp": {"weather": {"type": "local", "command": ["OLD", "serve"], ` +
			`"environment": {"MCPBASH_PROJECT_ROOT": "/weather", "A": "1"}, "enabled": false}}}`,
	},
	"codex": {
		strings.ReplaceAll(`[mcp_servers.weather] # ours
command = "OLD" # here
args = [
  "serve", # always
]
env = { A = "1", MCPBASH_PROJECT_ROOT = "/weather" }
startup_timeout_sec = 20

[mcp_servers.weather.tools.x]
approval = "never"
`, "\n", "\r\n"),
		`model = "x"

[mcp_servers.weather.env] # variables
A = "1"
MCPBASH_PROJECT_ROOT = "/weather"

[mcp_servers.weather]
args = ['serve']
command = "OLD"
`,
		`[mcp_servers]
weather = { command = "OLD", args = ["serve"], env = { MCPBASH_PROJECT_ROOT = "/weather", A = "1" }, enabled = false } #
`,
		`mcp_servers.weather.command = "OLD" # here
mcp_servers.weather.args = ["serve"]
mcp_servers.weather.env.MCPBASH_PROJECT_ROOT = "/weather"
mcp_servers.weather.env.A = "1"

[tui]
x = 1
`,
	},
	"goose": {
		`extensions:
  # ours
  weather:
    enabled: false
    type: stdio
    cmd: OLD # here
    args:
    - serve # always
    envs:
      # where the log goes
      MCPBASH_LOG_FILE: /log
      MCPBASH_PROJECT_ROOT: '/weather'
    timeout: 900
    env_keys: []

GOOSE_MODEL: x
`,
		"extensions: {weather: {type: stdio, cmd: \"OLD\", args: [serve], " +
			"envs: {MCPBASH_PROJECT_ROOT: /weather, A: \"1\"}, timeout: 900}} # all\n",
	},
	"librechat": {
		`mcpServers:
  weather:
    type: stdio
    command: OLD # here
    args: [ serve ]
    env: { MCPBASH_PROJECT_ROOT: /weather, A: "1" } # both
    timeout: 60
`,
	},
}

func TestAnUpdateOnlyChangesTheMembersThatDiffer(t *testing.T) {
	for name, texts := range edited {
		for _, text := range texts {
			t.Run(name, func(t *testing.T) {
				is := is.New(t)
				text := strings.ReplaceAll(text, "OLD", "/old/mcp-bash")
				f := fileOf(t, name, text)
				is.True(install(t, f, "weather", For("/old/mcp-bash", "/weather"), false).Empty()) // it is as it should be
				install(t, f, "weather", For("/new/mcp-bash", "/weather"), false)
				is.Equal(get(t, f.Path), strings.ReplaceAll(text, "/old/", "/new/")) // every other byte stays
			})
		}
	}
}

func TestAnUpdateAddsWhatIsMissingAndKeepsTheRest(t *testing.T) {
	for _, test := range []struct{ client, before, after string }{
		{
			"cursor", `{"mcpServers": {"weather": {"command": "mcp-bash", "timeout": 60}}}`,
			`{"mcpServers": {"weather": {"command": "/mcp-bash", "timeout": 60, "args": ["serve"], ` +
				`"env": {"MCPBASH_PROJECT_ROOT": "/weather"}}}}`,
		},
		{
			"vscode", `{
  "servers": {
    "weather": {
      "command": "mcp-bash",
      "env": {
        "A": "1" // mine
      }
    }
  }
}
`,
			`{
  "servers": {
    "weather": {
      "command": "/mcp-bash",
      "env": {
        "A": "1", // mine
        "MCPBASH_PROJECT_ROOT": "/weather"
      },
      "type": "stdio",
      "args": ["serve"]
    }
  }
}
`,
		},
		{
			"codex", `[mcp_servers.weather]
command = "mcp-bash"
env = {A = "1"}
# last

[mcp_servers.weather.tools.x]
y = 1
`,
			`[mcp_servers.weather]
command = "/mcp-bash"
env = { MCPBASH_PROJECT_ROOT = "/weather", A = "1"}
args = ["serve"]
# last

[mcp_servers.weather.tools.x]
y = 1
`,
		},
		{
			"codex", "[mcp_servers.weather.env]\nMCPBASH_PROJECT_ROOT = \"/weather\"",
			`[mcp_servers.weather]
command = "/mcp-bash"
args = ["serve"]
[mcp_servers.weather.env]
MCPBASH_PROJECT_ROOT = "/weather"`,
		},
		{
			"codex", "[mcp_servers.weather]\ncommand = \"mcp-bash\"\nenv.A = \"1\" # mine",
			`[mcp_servers.weather]
command = "/mcp-bash"
env.A = "1" # mine
env.MCPBASH_PROJECT_ROOT = "/weather"
args = ["serve"]
`,
		},
		{
			"codex", "mcp_servers.weather = { command = \"mcp-bash\", env = {} }\n",
			"mcp_servers.weather = { args = [\"serve\"], command = \"/mcp-bash\", " +
				"env = { MCPBASH_PROJECT_ROOT = \"/weather\" } }\n",
		},
		{
			"goose", `extensions:
  weather:
    cmd: mcp-bash # mine
    args:
    - -C
    - /weather
    timeout: 5
  # end
x: 1
`,
			`extensions:
  weather:
    cmd: /mcp-bash # mine
    args:
      - serve
    timeout: 5
    type: stdio
    envs:
      MCPBASH_PROJECT_ROOT: /weather
  # end
x: 1
`,
		},
		{
			"librechat", "mcpServers:\n  weather: {command: mcp-bash, env: {}}",
			"mcpServers:\n  weather: {\"args\": [\"serve\"], \"type\": \"stdio\", " +
				"command: \"/mcp-bash\", env: {\"MCPBASH_PROJECT_ROOT\": \"/weather\"}}",
		},
		{
			"librechat", "mcpServers:\n  weather:\n    type: stdio\n    command: mcp-bash\n    env:\n      A: '1'",
			`mcpServers:
  weather:
    type: stdio
    command: /mcp-bash
    env:
      A: '1'
      MCPBASH_PROJECT_ROOT: /weather
    args:
      - serve
`,
		},
	} {
		t.Run(test.client, func(t *testing.T) {
			is := is.New(t)
			f := fileOf(t, test.client, test.before)
			install(t, f, "weather", For("/mcp-bash", "/weather"), false)
			is.Equal(get(t, f.Path), test.after)
			uninstall(t, f, "weather")
			is.Equal(get(t, f.Path), test.before)
		})
	}
}

func TestWhatAUserAddsToTheEntryDoesNotKeepTheFileFromBecomingWhatItWas(t *testing.T) {
	is := is.New(t)
	f := fileOf(t, "cursor", "{ \"a\" : 1 }")
	install(t, f, "weather", For("/old/mcp-bash", "/weather"), false)
	put(t, f.Path, strings.Replace(get(t, f.Path), `"args"`, `"timeout": 60, "args"`, 1))
	install(t, f, "weather", For("/new/mcp-bash", "/weather"), false)
	is.True(strings.Contains(get(t, f.Path), `"timeout": 60`))
	is.True(uninstall(t, f, "weather").Restored)
	is.Equal(get(t, f.Path), "{ \"a\" : 1 }")
}

func TestAnEntryOfAnotherProjectIsReplacedAsAWhole(t *testing.T) {
	is := is.New(t)
	f := fileOf(t, "cursor",
		`{"mcpServers": {"weather": {"command": "/mcp-bash", `+
			`"env": {"MCPBASH_PROJECT_ROOT": "/other", "A": "1"}, "timeout": 60}}}`)
	install(t, f, "weather", For("/mcp-bash", "/weather"), true)
	is.Equal(get(t, f.Path),
		`{"mcpServers": {"weather": {"command": "/mcp-bash", "args": ["serve"], `+
			`"env": {"MCPBASH_PROJECT_ROOT": "/weather"}}}}`)
}
