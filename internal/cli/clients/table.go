package clients

// All returns all clients, in the order of the manual.
func All() []Client {
	mcpServers := shape{command: "command", args: "args", env: "env"}
	typed := shape{before: object{{"type", "stdio"}}, command: "command", args: "args", env: "env"}
	return []Client{
		{
			Name: "claude-desktop", Title: "Claude Desktop",
			user: func(m Machine) []string {
				file := []string{"Claude", "claude_desktop_config.json"}
				return append([]string{m.desktop(file...)}, m.packaged("Claude_*", file...)...)
			},
			format: jsonFormat{}, parent: "mcpServers", shape: mcpServers,
		},
		{
			Name: "claude-code", Alias: "claude-cli", Title: "Claude Code", Terminal: true,
			user: func(m Machine) []string {
				if dir := m.Env["CLAUDE_CONFIG_DIR"]; dir != "" {
					return []string{m.join(dir, ".claude.json")}
				}
				return []string{m.home(".claude.json")}
			},
			project: []string{".mcp.json"},
			format:  jsonFormat{}, parent: "mcpServers", shape: typed,
		},
		{
			Name: "cursor", Title: "Cursor",
			user:    func(m Machine) []string { return []string{m.home(".cursor", "mcp.json")} },
			project: []string{".cursor/mcp.json"},
			format:  jsonFormat{}, parent: "mcpServers", shape: mcpServers,
		},
		{
			Name: "windsurf", Title: "Windsurf",
			user:   func(m Machine) []string { return []string{m.home(".codeium", "windsurf", "mcp_config.json")} },
			format: jsonFormat{}, parent: "mcpServers", shape: mcpServers,
		},
		{
			Name: "vscode", Title: "VS Code",
			user: func(m Machine) []string {
				file := []string{"Code", "User", "mcp.json"}
				return append([]string{m.desktop(file...)}, m.flatpak("com.visualstudio.code", file...)...)
			},
			project: []string{".vscode/mcp.json"},
			format:  jsonFormat{}, parent: "servers", shape: typed,
		},
		{
			Name: "zed", Title: "Zed",
			user: func(m Machine) []string {
				switch m.OS {
				case "windows":
					return []string{m.roaming("Zed", "settings.json")}
				case "darwin":
					return []string{m.home(".config", "zed", "settings.json")}
				}
				return append([]string{m.xdg("zed", "settings.json")}, m.flatpak("dev.zed.Zed", "zed", "settings.json")...)
			},
			project: []string{".zed/settings.json"},
			format:  jsonFormat{}, parent: "context_servers", shape: mcpServers,
		},
		{
			Name: "codex", Title: "Codex", Terminal: true,
			user:    func(m Machine) []string { return []string{m.or("CODEX_HOME", ".codex", "config.toml")} },
			project: []string{".codex/config.toml"},
			format:  tomlFormat{}, parent: "mcp_servers", shape: mcpServers,
		},
		{
			Name: "gemini", Title: "Gemini CLI", Terminal: true,
			user:    func(m Machine) []string { return []string{m.home(".gemini", "settings.json")} },
			project: []string{".gemini/settings.json"},
			format:  jsonFormat{}, parent: "mcpServers", shape: mcpServers,
		},
		{
			Name: "goose", Title: "goose",
			user: func(m Machine) []string {
				if m.OS == "windows" {
					return []string{m.roaming("Block", "goose", "config", "config.yaml")}
				}
				return []string{m.xdg("goose", "config.yaml")}
			},
			format: yamlFormat{}, parent: "extensions",
			shape: shape{
				before:  object{{"enabled", true}, {"type", "stdio"}, {"name", serverName{}}},
				command: "cmd", args: "args", env: "envs",
				after: object{{"timeout", 300}},
			},
		},
		{
			Name: "opencode", Title: "opencode", Terminal: true,
			user: func(m Machine) []string {
				return []string{m.xdg("opencode", "opencode.json"), m.xdg("opencode", "opencode.jsonc")}
			},
			project: []string{"opencode.json", "opencode.jsonc"},
			format:  jsonFormat{}, parent: "mcp",
			shape: shape{
				before:  object{{"type", "local"}},
				command: "command", env: "environment",
				after: object{{"enabled", true}},
			},
		},
		{
			Name: "librechat", Title: "LibreChat",
			project: []string{"librechat.yaml"},
			format:  yamlFormat{}, parent: "mcpServers", shape: typed,
			snippet: jsonFormat{}, // JSON is YAML too, and what existing scripts read
		},
	}
}
