package house

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
	"mvdan.cc/sh/v3/syntax"
)

var anyBlock = regexp.MustCompile("(?ms)^( *)```([a-z]*)(?: run)?\n(.*?)^ *```$")

// wrongBlock returns what is wrong with a code block of a document. Go blocks are compiled by
// another test, and those marked console are run by one in e2e.
func wrongBlock(language, code string) string {
	var err error
	switch language {
	case "sh", "bash":
		_, err = syntax.NewParser().Parse(strings.NewReader(code), "")
	case "json":
		err = json.Unmarshal([]byte(code), new(any))
	case "yaml":
		err = yaml.Unmarshal([]byte(code), new(any))
	}
	if err != nil {
		return err.Error()
	}
	if language != "console" && strings.Contains("\n"+code, "\n$ ") {
		return "it shows a terminal, but is not marked console, so nobody runs it"
	}
	return ""
}

func TestBlocksOfCodeInDocumentsCanBeRead(t *testing.T) {
	blocks := 0
	for path, text := range documents(t) {
		for _, block := range anyBlock.FindAllStringSubmatch(text, -1) {
			blocks++
			code := strings.ReplaceAll(block[3], "\n"+block[1], "\n") // in a list item
			if wrong := wrongBlock(block[2], code); wrong != "" {
				t.Errorf("%s: %s\n%s", path, wrong, code)
			}
		}
	}
	if blocks < 200 {
		t.Errorf("found only %d blocks", blocks)
	}
}

func TestABlockThatCannotBeReadIsFound(t *testing.T) {
	for language, code := range map[string]string{"sh": "if true\n", "json": `{"a":}`, "yaml": "a: b: c\n", "": "$ mcp-bash validate\n", "text": "x\n$ ls\n"} {
		if wrongBlock(language, code) == "" {
			t.Errorf("%s: %q passes", language, code)
		}
	}
	if wrong := wrongBlock("console", "$ if\n"); wrong != "" {
		t.Error(wrong)
	}
}
