package check

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/scaffold"
)

func TestWhatAProjectOfTheBashProgramWouldNoticeIsNamedWithItsPlace(t *testing.T) {
	for id, c := range map[string]struct{ archive, place string }{
		"env-sh":             {"-- server.d/env.sh --\nA=1\n", "server.d/env.sh"},
		"direct-tools":       {"-- 755 tools/own.sh --\n#!/bin/sh\n", "tools/own.sh"},
		"helper-tools":       {"-- 755 tools/a/lib/helper.sh --\n#!/bin/sh\n", "tools/a/lib/helper.sh"},
		"prompt-readme":      {"-- 644 prompts/README.md --\ntext\n", "prompts/README.md"},
		"prompt-script":      {"-- 755 prompts/now.sh --\n#!/bin/sh\n", "prompts/now.sh"},
		"prompt-blanks":      {"-- 644 prompts/a.txt --\nHello\n{{ name }}\n", "prompts/a.txt:2"},
		"yaml-metadata":      {"-- 755 tools/a/tool.sh --\n#!/bin/sh\n-- 644 tools/a/tool.meta.yaml --\nname: a\n", "tools/a/tool.meta.yaml"},
		"progress-limit":     {"-- 755 tools/a/tool.sh --\n#!/bin/bash\nmcp_progress 1 a\n", "tools/a/tool.sh"},
		"jq-order":           {"-- 755 tools/a/tool.sh --\n#!/bin/sh\n# keys_unsorted\njq keys_unsorted x\n", "tools/a/tool.sh:3"},
		"jq-regex":           {"-- 755 tools/a/tool.sh --\n#!/bin/sh\njq 'test(\"a(?=b)\")' x\n", "tools/a/tool.sh:2"},
		"jq-regex ":          {"-- 755 tools/a/tool.sh --\n#!/bin/sh\njq '.a == 1'\njq 'sub(\"(a)\\\\1\"; \"b\")' x\n", "tools/a/tool.sh:3"},
		"jq-regex  ":         {"-- 755 tools/a/tool.sh --\n#!/bin/sh\njq 'gsub(\"a\"; \"b\"; \"x\")' x\n", "tools/a/tool.sh:2"},
		"framework-files":    {"-- 755 tools/a/tool.sh --\n#!/bin/sh\n. \"${MCPBASH_HOME}/lib/core.sh\"\n", "tools/a/tool.sh:2"},
		"remote-token":       {"-- 755 tools/a/tool.sh --\n#!/bin/sh\necho \"$MCPBASH_REMOTE_TOKEN\"\n", "tools/a/tool.sh:2"},
		"internal-variables": {"-- 755 tools/a/tool.sh --\n#!/bin/sh\necho \"$MCPBASH_WORKER_KEY\"\n", "tools/a/tool.sh:2"},
		"mcpb-conf":          {"-- 644 mcpb.conf --\nMCPB_NAME=$(basename x)\n", "mcpb.conf:1"},
	} {
		t.Run(id, func(t *testing.T) {
			is := is.New(t)
			found, err := touching(t, folderOf(t, c.archive))
			is.NoErr(err)
			is.Equal(cmp.Diff([]string{c.place}, found[strings.TrimSpace(id)]), "")
			is.Equal(len(found), 1) // and nothing else
		})
	}
}

func touching(t *testing.T, root string) (map[string][]string, error) {
	t.Helper()
	r, err := Project(t.Context(), root, Options{})
	if err != nil {
		return nil, err
	}
	found := make(map[string][]string)
	return found, r.Touching(t.Context(), func(d Difference, places []string) { found[d.ID] = places })
}

func TestAPlainProjectNoticesNoDifference(t *testing.T) {
	is := is.New(t)
	found, err := touching(t, folderOf(t, "-- 755 tools/a/tool.sh --\n#!/bin/sh\njq -r .a x\n-- 644 tools/a/tool.meta.json --\n{\"name\":\"a\"}\n-- 644 prompts/a.txt --\n{{name}}\n"))
	is.NoErr(err)
	is.Equal(len(found), 0)
}

func TestWhatScaffoldMakesNoticesNoDifference(t *testing.T) {
	is := is.New(t)
	plan, err := scaffold.New(t.TempDir(), "demo", true)
	is.NoErr(err)
	root := t.TempDir()
	write := func(plan scaffold.Plan, err error) {
		t.Helper()
		is.NoErr(err)
		_, err = plan.Write(t.Context(), root)
		is.NoErr(err)
	}
	write(plan, nil)
	root = filepath.Join(root, "demo")
	write(scaffold.Tool(root, "in-bash", scaffold.ToolOptions{UI: true}))
	write(scaffold.Tool(root, "in-python", scaffold.ToolOptions{Language: "python"}))
	write(scaffold.Prompt(root, "explain"))
	write(scaffold.Resource(root, "rules"))
	write(scaffold.Completion(root, "explain", "prompt.explain", "topic"))
	write(scaffold.Tests(root))
	found, err := touching(t, root)
	is.NoErr(err)
	is.Equal(cmp.Diff(map[string][]string{}, found), "")
}

func TestEveryDifferenceSaysAllOfItAndCanBeFoundOrNot(t *testing.T) {
	is := is.New(t)
	seen := make(map[string]bool)
	for _, d := range Differences() {
		is.True(!seen[d.ID]) // one name, one difference
		seen[d.ID] = true
		for _, text := range []string{d.Then, d.Now, d.Why} {
			is.True(text != "" && !strings.ContainsAny(text, "|\n")) // it fits in a table
		}
	}
}
