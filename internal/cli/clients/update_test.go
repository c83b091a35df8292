package clients

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

// edited are entries that users have edited, by client. OLD is the path of the program.
var edited = map[string][]string{
	"cursor": {
		`{"mcpServers": {"weather": {"command": "OLD", "args": ["serve"], "env": {"MCPBASH_PROJECT_ROOT": "/weather", "MCPBASH_LOG_FILE": "/log"}, "timeout": 60, "disabled": true}}}`,
		"{\n  \"mcpServers\": {\n    // of the team\n    \"weather\": {\n      \"disabled\": false, // for now\n      \"command\": /* here */ \"OLD\", // by hand\n      \"args\": [\n        \"serve\", // always\n      ],\n" +
			"      \"env\": {\n        // where the log goes\n        \"MCPBASH_LOG_FILE\": \"/log\",\n        \"MCPBASH_PROJECT_ROOT\": \"/weather\",\n      },\n    },\n  },\n}\n",
	},
	"opencode": {
		`{"mcp": {"weather": {"type": "local", "command": ["OLD", "serve"], "environment": {"MCPBASH_PROJECT_ROOT": "/weather", "A": "1"}, "enabled": false}}}`,
	},
	"codex": {
		"[mcp_servers.weather] # ours\r\ncommand = \"OLD\" # here\r\nargs = [\r\n  \"serve\", # always\r\n]\r\nenv = { A = \"1\", MCPBASH_PROJECT_ROOT = \"/weather\" }\r\nstartup_timeout_sec = 20\r\n\r\n[mcp_servers.weather.tools.x]\r\napproval = \"never\"\r\n",
		"model = \"x\"\n\n[mcp_servers.weather.env] # variables\nA = \"1\"\nMCPBASH_PROJECT_ROOT = \"/weather\"\n\n[mcp_servers.weather]\nargs = ['serve']\ncommand = \"OLD\"\n",
		"[mcp_servers]\nweather = { command = \"OLD\", args = [\"serve\"], env = { MCPBASH_PROJECT_ROOT = \"/weather\", A = \"1\" }, enabled = false } # ours\n",
		"mcp_servers.weather.command = \"OLD\" # here\nmcp_servers.weather.args = [\"serve\"]\nmcp_servers.weather.env.MCPBASH_PROJECT_ROOT = \"/weather\"\nmcp_servers.weather.env.A = \"1\"\n\n[tui]\nx = 1\n",
	},
	"goose": {
		"extensions:\n  # ours\n  weather:\n    enabled: false\n    type: stdio\n    cmd: OLD # here\n    args:\n    - serve # always\n    envs:\n      # where the log goes\n      MCPBASH_LOG_FILE: /log\n      MCPBASH_PROJECT_ROOT: '/weather'\n    timeout: 900\n    env_keys: []\n\nGOOSE_MODEL: x\n",
		"extensions: {weather: {type: stdio, cmd: \"OLD\", args: [serve], envs: {MCPBASH_PROJECT_ROOT: /weather, A: \"1\"}, timeout: 900}} # all\n",
	},
	"librechat": {
		"mcpServers:\n  weather:\n    type: stdio\n    command: OLD # here\n    args: [ serve ]\n    env: { MCPBASH_PROJECT_ROOT: /weather, A: \"1\" } # both\n    timeout: 60\n",
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
			`{"mcpServers": {"weather": {"command": "/mcp-bash", "timeout": 60, "args": ["serve"], "env": {"MCPBASH_PROJECT_ROOT": "/weather"}}}}`,
		},
		{
			"vscode", "{\n  \"servers\": {\n    \"weather\": {\n      \"command\": \"mcp-bash\",\n      \"env\": {\n        \"A\": \"1\" // mine\n      }\n    }\n  }\n}\n",
			"{\n  \"servers\": {\n    \"weather\": {\n      \"command\": \"/mcp-bash\",\n      \"env\": {\n        \"A\": \"1\", // mine\n        \"MCPBASH_PROJECT_ROOT\": \"/weather\"\n      },\n      \"type\": \"stdio\",\n      \"args\": [\"serve\"]\n    }\n  }\n}\n",
		},
		{
			"codex", "[mcp_servers.weather]\ncommand = \"mcp-bash\"\nenv = {A = \"1\"}\n# last\n\n[mcp_servers.weather.tools.x]\ny = 1\n",
			"[mcp_servers.weather]\ncommand = \"/mcp-bash\"\nenv = { MCPBASH_PROJECT_ROOT = \"/weather\", A = \"1\"}\nargs = [\"serve\"]\n# last\n\n[mcp_servers.weather.tools.x]\ny = 1\n",
		},
		{
			"codex", "[mcp_servers.weather.env]\nMCPBASH_PROJECT_ROOT = \"/weather\"",
			"[mcp_servers.weather]\ncommand = \"/mcp-bash\"\nargs = [\"serve\"]\n[mcp_servers.weather.env]\nMCPBASH_PROJECT_ROOT = \"/weather\"",
		},
		{
			"codex", "[mcp_servers.weather]\ncommand = \"mcp-bash\"\nenv.A = \"1\" # mine",
			"[mcp_servers.weather]\ncommand = \"/mcp-bash\"\nenv.A = \"1\" # mine\nenv.MCPBASH_PROJECT_ROOT = \"/weather\"\nargs = [\"serve\"]\n",
		},
		{
			"codex", "mcp_servers.weather = { command = \"mcp-bash\", env = {} }\n",
			"mcp_servers.weather = { args = [\"serve\"], command = \"/mcp-bash\", env = { MCPBASH_PROJECT_ROOT = \"/weather\" } }\n",
		},
		{
			"goose", "extensions:\n  weather:\n    cmd: mcp-bash # mine\n    args:\n    - -C\n    - /weather\n    timeout: 5\n  # end\nx: 1\n",
			"extensions:\n  weather:\n    cmd: /mcp-bash # mine\n    args:\n      - serve\n    timeout: 5\n    type: stdio\n    envs:\n      MCPBASH_PROJECT_ROOT: /weather\n  # end\nx: 1\n",
		},
		{
			"librechat", "mcpServers:\n  weather: {command: mcp-bash, env: {}}",
			"mcpServers:\n  weather: {\"args\": [\"serve\"], \"type\": \"stdio\", command: \"/mcp-bash\", env: {\"MCPBASH_PROJECT_ROOT\": \"/weather\"}}",
		},
		{
			"librechat", "mcpServers:\n  weather:\n    type: stdio\n    command: mcp-bash\n    env:\n      A: '1'",
			"mcpServers:\n  weather:\n    type: stdio\n    command: /mcp-bash\n    env:\n      A: '1'\n      MCPBASH_PROJECT_ROOT: /weather\n    args:\n      - serve\n",
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
	f := fileOf(t, "cursor", `{"mcpServers": {"weather": {"command": "/mcp-bash", "env": {"MCPBASH_PROJECT_ROOT": "/other", "A": "1"}, "timeout": 60}}}`)
	install(t, f, "weather", For("/mcp-bash", "/weather"), true)
	is.Equal(get(t, f.Path), `{"mcpServers": {"weather": {"command": "/mcp-bash", "args": ["serve"], "env": {"MCPBASH_PROJECT_ROOT": "/weather"}}}}`)
}
