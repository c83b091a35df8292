package main

import "github.com/mcp-bash/mcp-bash/v2/internal/operator"

// settings are what the operator says in variables, as the commands of this program use it.
type settings struct{ operator.Settings }

// readSettings reads the settings of an environment, and what is wrong with it.
func readSettings(env map[string]string) (settings, []string) {
	s, complaints := operator.Read(env)
	return settings{s}, complaints
}

// readServed reads the settings of a server for the project at root, or the one that is found
// without it. There may be none.
func readServed(env map[string]string, root string) (settings, map[string]string, []string) {
	s, env, complaints := operator.ReadServed(env, root)
	return settings{s}, env, complaints
}

// readProject reads the settings that hold for a project, and makes its environment that of the
// program.
func (p *program) readProject(root string) (settings, []string) {
	s, env, complaints := operator.ReadProject(p.env, root)
	p.env = env
	return settings{s}, complaints
}
