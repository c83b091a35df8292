package main

import "github.com/mcp-bash/mcp-bash/v2/internal/operator"

// settings are the operator's variables, as the commands of this program use them.
type settings struct{ operator.Settings }

// readSettings returns the settings of an environment, and what is wrong with them.
func readSettings(env map[string]string) (settings, []string) {
	s, complaints := operator.Read(env)
	return settings{s}, complaints
}

// readServed returns the settings of a server for the project at root, or for the project that is
// found if root is empty. There may be no project.
func readServed(env map[string]string, root string) (settings, map[string]string, []string) {
	s, env, complaints := operator.ReadServed(env, root)
	return settings{s}, env, complaints
}

// readProject returns the settings for a project, and makes the project's environment that of the
// program.
func (p *program) readProject(root string) (settings, []string) {
	s, env, complaints := operator.ReadProject(p.env, root)
	p.env = env
	return settings{s}, complaints
}
