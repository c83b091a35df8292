package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/spf13/cobra"
)

// Documents name commands and flags in code: in spans, in blocks and in lines that are indented. A
// page that names one that does not exist sends its reader into an error.

var (
	codeOfDocuments = regexp.MustCompile("(?ms)^```(?:console|sh|bash|text)?\n.*?^```$|`[^`\n]+`|^ {4,}[^\n]+$")
	mentionedCall   = regexp.MustCompile(`(?m)(?:^\s*|[$|&;/] *|` + "`" + `)mcp-bash((?: +[^\s|;&<>()` + "`" + `#]+)+)`)
	commandWord     = regexp.MustCompile(`^[a-z][a-z-]*$`)
)

// unknownIn returns the calls in a document that name a command or a flag that does not exist.
func unknownIn(root *cobra.Command, document string) (faults []string) {
	for _, code := range codeOfDocuments.FindAllString(document, -1) {
		for _, call := range mentionedCall.FindAllStringSubmatch(code, -1) {
			if fault := unknownCall(root, strings.Fields(call[1])); fault != "" {
				faults = append(faults, fmt.Sprintf("mcp-bash%s: %s", call[1], fault))
			}
		}
	}
	return faults
}

func unknownCall(root *cobra.Command, words []string) string {
	if !commandWord.MatchString(words[0]) && !strings.HasPrefix(words[0], "-") { // a place for a name, or a version
		return ""
	}
	cmd, rest, err := root.Find(words)
	if err != nil || cmd.HasSubCommands() && len(rest) > 0 && commandWord.MatchString(rest[0]) {
		return "unknown command"
	}
	for _, word := range words {
		name, isLong := strings.CutPrefix(word, "--")
		name, _, _ = strings.Cut(name, "=")
		switch name = strings.TrimRight(name, ".,]'\""); {
		case word == "--":
			return "" // what follows is for another program
		case isLong && name != "help" && cmd.Flag(name) == nil && root.Flag(name) == nil:
			return "unknown flag --" + name
		}
	}
	return ""
}

func TestCommandsAndFlagsThatDocumentsNameExist(t *testing.T) {
	root := command(streams{os.Stdin, os.Stdout, os.Stderr}, nil, func(int) {})
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	var all []string
	for _, pattern := range []string{"../../*.md", "../../llms.txt", "../../docs/*.md", "../../examples/*.md", "../../examples/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range unknownIn(root, string(text)) {
			t.Errorf("%s: %s", path, fault)
		}
	}
}

func TestEveryCommandIsInAScript(t *testing.T) {
	found, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var scripts strings.Builder
	for _, path := range found {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		scripts.Write(text)
	}
	for _, c := range command(streams{os.Stdin, os.Stdout, os.Stderr}, nil, func(int) {}).Commands() {
		if !strings.Contains(scripts.String(), "mcp-bash "+c.Name()) {
			t.Errorf("no script in testdata/script runs mcp-bash %s", c.Name())
		}
	}
}

func TestACommandThatDoesNotExistIsFoundInADocument(t *testing.T) {
	is := is.New(t)
	root := command(streams{os.Stdin, os.Stdout, os.Stderr}, nil, func(int) {})
	faults := unknownIn(root, "mcp-bash is text; `mcp-bash nope x`, `mcp-bash serve --nope=3`, `mcp-bash install --client x -- --own`\n"+
		"```console\n$ cd x && mcp-bash validate --no | cat\n$ mcp-bash registry status\n```\n    mcp-bash lst # ls\n")
	is.Equal(faults, []string{"mcp-bash nope x: unknown command", "mcp-bash serve --nope=3: unknown flag --nope",
		"mcp-bash validate --no: unknown flag --no", "mcp-bash lst: unknown command"})
}
