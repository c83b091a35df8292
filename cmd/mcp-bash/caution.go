package main

import (
	"fmt"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/adopt"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// grave are the things for which somebody may not want a model to call a script, and what lines of scripts do them.
var grave = []struct {
	does string
	line *lazyregexp.Regexp
}{
	{"deletes", lazyregexp.New(commandWords(`rm|rmdir|unlink|shred|dropdb|mkfs\S*`) + `|\s-delete\b|\s--delete\b` +
		`|\bgit\s+(?:clean|reset\s+--hard|push\s.*--force)` +
		`|\b(?:docker|podman|kubectl|helm)\s+(?:\w+\s+)?(?:rm|rmi|prune|delete)\b` +
		`|(?i:\bdrop\s+(?:table|database)\b|\bdelete\s+from\b)` +
		`|\bshutil\.rmtree\b|\bos\.(?:remove|unlink|rmdir)\b|\.unlink\(|\bfs\.(?:rm|unlink|rmdir)(?:Sync)?\(`)},
	{"sends", lazyregexp.New(commandWords(`scp|sftp|sendmail|mailx?|mutt|rsync\s.*\S+:\S*`) +
		`|\bcurl\s.*\s(?:-X\s*["']?(?:POST|PUT|PATCH|DELETE)|-d|-F|-T|--data\S*|--form|--upload-file|--json)\b` +
		`|\bwget\s.*--(?:post|body)-|\bgit\s+push\b|\baws\s+s3\s+(?:cp|mv|sync)\b` +
		`|\brequests\.(?:post|put|patch|delete)\(|\bsmtplib\b|\bmethod:\s*["'](?:POST|PUT|PATCH|DELETE)`)},
}

// commandWords matches any of these where a shell takes it for a command.
func commandWords(words string) string {
	return `(?:^|[;&|({]|\b(?:then|do|else|sudo|xargs|exec))\s*(?:` + words + `)\s`
}

// ownFiles matches lines that only concern temporary files of the script.
var ownFiles = lazyregexp.New(`\btrap\b|(?i:te?mp)`)

// cautions says what a script does that somebody may not want a model to do: the first line of each kind.
func cautions(script string) (all []string) {
	text, err := files.Read(script, adopt.ScriptBytes)
	if err != nil {
		return nil // adopt says why
	}
	for _, g := range grave {
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			line = strings.TrimSpace(line)
			if !strings.HasPrefix(line, "#") && !ownFiles.Get().MatchString(line) && g.line.Get().MatchString(line) {
				all = append(all,
					fmt.Sprintf("%s, in line %d: %s", g.does, number, strings.ToValidUTF8(line[:min(len(line), 60)], "")))
				break
			}
		}
	}
	return all
}
