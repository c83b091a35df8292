package clients

// All returns all clients, in the order of the manual.
func All() []Client {
	mcpServers := shape{
		command: "command", args: "args", env: "env",
		remote: remoteShape{url: "url", headers: "headers"},
	}
	typed, windsurf, codex, gemini := mcpServers, mcpServers, mcpServers, mcpServers
	typed.before, typed.remote.local, typed.remote.kind = object{{"type", "stdio"}}, "stdio", "http"
	librechat := typed
	librechat.remote.kind = "streamable-http"
	windsurf.remote.url, gemini.remote.url = "serverUrl", "httpUrl"
	codex.remote = remoteShape{
		url: "url", headers: "http_headers", variable: "bearer_token_env_var", passed: "env_vars",
	}
	return []Client{
		{
			Name: "claude-desktop", Title: "Claude Desktop",
			user: []userFile{
				{folder: desktop, path: "Claude/claude_desktop_config.json"},
				{on: "windows", folder: local, path: "Packages/Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json"},
			},
			format: jsonFormat{}, parent: "mcpServers", shape: mcpServers,
		},
		{
			Name: "claude-code", Alias: "claude-cli", Title: "Claude Code", Terminal: true,
			user:    []userFile{{variable: "CLAUDE_CONFIG_DIR", folder: home, path: ".claude.json"}},
			project: []string{".mcp.json"},
			format:  jsonFormat{}, parent: "mcpServers", shape: typed,
		},
		{
			Name: "cursor", Title: "Cursor",
			user:    []userFile{{folder: home, path: ".cursor/mcp.json"}},
			project: []string{".cursor/mcp.json"},
			format:  jsonFormat{}, parent: "mcpServers", shape: mcpServers,
		},
		{
			Name: "windsurf", Title: "Windsurf",
			user:   []userFile{{folder: home, path: ".codeium/windsurf/mcp_config.json"}},
			format: jsonFormat{}, parent: "mcpServers", shape: windsurf,
		},
		{
			Name: "vscode", Title: "VS Code",
			user: []userFile{
				{folder: desktop, path: "Code/User/mcp.json"},
				{on: "linux", folder: home, path: ".var/app/com.visualstudio.code/config/Code/User/mcp.json"}, // Flatpak
			},
			project: []string{".vscode/mcp.json"},
			format:  jsonFormat{}, parent: "servers", shape: typed,
		},
		{
			Name: "zed", Title: "Zed",
			user: []userFile{
				{on: "windows", folder: roaming, path: "Zed/settings.json"},
				{on: "darwin", folder: home, path: ".config/zed/settings.json"},
				{on: "linux", folder: xdg, path: "zed/settings.json"},
				{on: "linux", folder: home, path: ".var/app/dev.zed.Zed/config/zed/settings.json"},
			},
			project: []string{".zed/settings.json"},
			format:  jsonFormat{}, parent: "context_servers", shape: mcpServers,
		},
		{
			Name: "codex", Title: "Codex", Terminal: true,
			user:    []userFile{{variable: "CODEX_HOME", folder: home, path: ".codex/config.toml"}},
			project: []string{".codex/config.toml"},
			format:  tomlFormat{}, parent: "mcp_servers", shape: codex,
		},
		{
			Name: "gemini", Title: "Gemini CLI", Terminal: true,
			user:    []userFile{{folder: home, path: ".gemini/settings.json"}},
			project: []string{".gemini/settings.json"},
			format:  jsonFormat{}, parent: "mcpServers", shape: gemini,
		},
		{
			Name: "goose", Title: "goose",
			user: []userFile{
				{on: "windows", folder: roaming, path: "Block/goose/config/config.yaml"},
				{on: "darwin", folder: xdg, path: "goose/config.yaml"},
				{on: "linux", folder: xdg, path: "goose/config.yaml"},
			},
			format: yamlFormat{}, parent: "extensions",
			shape: shape{
				before:  object{{"enabled", true}, {"type", "stdio"}, {"name", serverName{}}},
				command: "cmd", args: "args", env: "envs",
				after:  object{{"timeout", 300}},
				remote: remoteShape{url: "uri", headers: "headers", local: "stdio", kind: "streamable_http"},
			},
		},
		{
			Name: "opencode", Title: "opencode", Terminal: true,
			user: []userFile{
				{folder: xdg, path: "opencode/opencode.json"}, {folder: xdg, path: "opencode/opencode.jsonc"},
			},
			project: []string{"opencode.json", "opencode.jsonc"},
			format:  jsonFormat{}, parent: "mcp",
			shape: shape{
				before:  object{{"type", "local"}},
				command: "command", env: "environment",
				after:  object{{"enabled", true}},
				remote: remoteShape{url: "url", headers: "headers", local: "local", kind: "remote"},
			},
		},
		{
			Name: "librechat", Title: "LibreChat",
			project: []string{"librechat.yaml"},
			format:  yamlFormat{}, parent: "mcpServers", shape: librechat,
			snippet: jsonFormat{}, // JSON is YAML too, and what existing scripts read
		},
	}
}
