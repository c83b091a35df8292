package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

// synonyms returns, by command, words that other programs use for it or that people try first.
func synonyms() map[string][]string {
	return map[string][]string{
		"add":       {"scaffold tool", "install"},
		"build":     {"bundle"},
		"check":     {"validate", "doctor"},
		"clients":   {"install"},
		"create":    {"new", "init", "scaffold tool"},
		"diagnose":  {"doctor"},
		"doc":       {"docs", "doctor"},
		"examples":  {"example"},
		"exec":      {"call"},
		"export":    {"bundle"},
		"generate":  {"scaffold"},
		"info":      {"version", "list"},
		"import":    {"adopt"},
		"inspect":   {"debug", "list"},
		"inspector": {"config --inspector"},
		"invoke":    {"call"},
		"launch":    {"serve"},
		"lint":      {"validate"},
		"logs":      {"debug"},
		"ls":        {"list"},
		"man":       {"docs", "help"},
		"manual":    {"docs"},
		"make":      {"new", "scaffold tool"},
		"pack":      {"bundle"},
		"package":   {"bundle"},
		"prompts":   {"list prompts", "get"},
		"push":      {"publish"},
		"refresh":   {"registry refresh"},
		"remove":    {"uninstall"},
		"resources": {"list resources", "read"},
		"rm":        {"uninstall"},
		"run":       {"serve", "call"},
		"server":    {"serve"},
		"setup":     {"install", "init"},
		"show":      {"list", "config"},
		"start":     {"serve"},
		"status":    {"health", "doctor"},
		"test":      {"validate", "call"},
		"tool":      {"call", "scaffold tool"},
		"tools":     {"list tools"},
		"trace":     {"debug"},
		"up":        {"serve"},
		"verify":    {"validate", "doctor"},
	}
}

// suggestCommands returns the subcommands of cmd that a word may mean: those it is a synonym or a
// misspelling of.
func suggestCommands(cmd *cobra.Command, word string) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			names = append(names, c.Name())
		}
	}
	if meant := synonyms()[strings.ToLower(word)]; meant != nil && !cmd.HasParent() {
		return meant
	}
	return suggest.Meant(word, names)
}
