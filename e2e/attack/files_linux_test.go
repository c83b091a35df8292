//go:build attack

package attack

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

// payload returns a tool that sends a request of the SDK with a payload file that the command creates.
func payload(command string) string {
	return `#!/usr/bin/env bash
file=${MCP_CHANNEL#*:*:}/sdk.1.1
` + command + `
IFS= read -r -N1 token <&53
printf '\0%s\0%s\0@\0\n' "$token" 1.1 >&50
IFS= read -r reply <&52
echo "a reply came"
`
}

func TestAPayloadOfTheSDKThatIsNoFileIsRefused(t *testing.T) {
	for name, command := range map[string]string{
		"pipe": `mkfifo "$file"`, "zero": `ln -s /dev/zero "$file"`, "link": `ln -s /etc/passwd "$file"`,
		"folder": `mkdir "$file"`, "sparse": `truncate -s 8G "$file"`, "missing": ``,
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, project(t, map[string]string{"tools/hostile.sh": payload(command)}))
			for i := range 20 { // more than run at once
				s.call(fmt.Sprint(i), "hostile", "")
			}
			s.pings()
			for i := range 20 {
				s.expect(fmt.Sprint(i), `"text":"a reply came\\n"`)
			}
			s.ends(100)
		})
	}
}

func TestAPipeInThePlaceOfAKeptListHoldsNobodyUp(t *testing.T) {
	root := project(t, map[string]string{"tools/plant.sh": `#!/usr/bin/env bash
mkdir -p "$MCPBASH_PROJECT_ROOT/.registry"
cd "$MCPBASH_PROJECT_ROOT/.registry" && for list in tools resources prompts resource-templates; do rm -f $list.json && mkfifo $list.json; done
echo '#!/bin/sh' >../tools/new.sh && chmod +x ../tools/new.sh
echo planted
`})
	must(t, os.Mkdir(filepath.Join(root, ".registry"), 0o755))
	must(t, syscall.Mkfifo(filepath.Join(root, ".registry", "tools.json"), 0o600))
	s := start(t, root)
	s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	s.expect("1", `"honest"`)
	s.call("2", "plant", "")
	s.expect("2", "planted")
	for i, list := range []string{"tools", "resources", "prompts", "resources/templates"} {
		method := list + "/list"
		if strings.Contains(list, "/") {
			method = list + "/list"
		}
		s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"list %d","method":%q}`, i, method))
		s.expect(fmt.Sprintf(`"list %d"`, i), `"result":`)
	}
	s.ends(100)
}

func TestAResourceThatBecomesAPipeHoldsNobodyUp(t *testing.T) {
	root := project(t, map[string]string{"resources/notes.txt": "a note", "resources/other.txt": "another"})
	path := filepath.Join(root, "resources", "notes.txt")
	s := start(t, root)
	s.send(`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`)
	s.expect("1", "notes.txt")
	uri := "file://" + path
	s.send(`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"` + uri + `"}}`)
	s.expect("2", `"result":`)
	must(t, os.Remove(path))
	must(t, syscall.Mkfifo(path, 0o600))
	for i := range 20 {
		s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"read %d","method":"resources/read","params":{"uri":%q}}`, i, uri))
	}
	s.pings()
	for i := range 20 {
		s.expect(fmt.Sprintf(`"read %d"`, i), `"error":`)
	}
	s.send(`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"file://` + filepath.Join(root, "resources", "other.txt") + `"}}`)
	s.expect("3", "another")
	s.ends(100)
}

func TestFilesOfManyGigabytesAreRefused(t *testing.T) {
	for _, name := range []string{"server.d/env.sh", "tools/honest.meta.json", "server.d/server.meta.json", "server.d/register.json", "resources/big.txt", "prompts/big.md", "tools/honest.meta.yaml", "config/roots.json", "server.d/policy.json"} {
		t.Run(strings.ReplaceAll(name, "/", "_"), func(t *testing.T) {
			root := project(t, nil)
			sparse(t, filepath.Join(root, name), 8<<30)
			s := launch(t, root)
			go s.read()
			s.open()
			for i, list := range []string{"tools", "resources", "prompts"} {
				s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s/list"}`, i, list))
				s.expect(fmt.Sprint(i), `"result":|"error":`)
			}
			s.pings()
			s.leaves(100)
			for _, command := range []string{"validate", "doctor"} {
				run(t, 200, nil, command, "-C", root)
			}
			run(t, 200, nil, "bundle", "-C", root, "--output", t.TempDir())
		})
	}
}

func TestAFileOfVeryManyMissingResourcesHasAnAnswer(t *testing.T) {
	s := start(t, project(t, map[string]string{"tools/missing.sh": `#!/usr/bin/env bash
yes /nowhere/at/all | head -n 1000000 >"$MCP_TOOL_RESOURCES_FILE"
echo named
`}))
	s.call("1", "missing", "")
	s.pings()
	s.expect("1", "named")
	s.ends(100)
	if n := len(s.log.String()); n > 60<<10 {
		t.Errorf("it has logged %d bytes", n)
	}
}

func TestWhatAToolPlantsInItsFolderIsNotWrittenThrough(t *testing.T) {
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	must(t, os.WriteFile(victim, []byte("untouched"), 0o600))
	s := start(t, project(t, map[string]string{"tools/plant.sh": `#!/usr/bin/env bash
folder=$(dirname "$MCP_TOOL_ERROR_FILE")
cd "$folder"
for name in cancel cancelled "${MCP_CANCEL_FILE##*/}" sdk.1.out sdk.2.out result stdout stderr; do ln -sf ` + victim + ` "$name"; done
. "$MCP_SDK/tool-sdk.sh"
mcp_args_get '.long' >/dev/null
sleep 300
`}), with("MCP_DIR="+dir))
	s.call("1", "plant", `{"long":"`+strings.Repeat("x", 200_000)+`"}`)
	s.pings()
	waittest.Until(t, "the tool runs", func() bool { return len(s.tools()) > 0 })
	s.cancel("1")
	s.ends(100)
	if text, _ := os.ReadFile(victim); string(text) != "untouched" {
		t.Errorf("a file outside was written: %.100s", text)
	}
}
