//go:build attack

package attack

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestInstallsAtTheSameTimeLoseNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "clients.json")
	must(t, os.WriteFile(file, []byte(`{"mcpServers":{}}`), 0o600))
	root := project(t, nil)
	var all sync.WaitGroup
	for i := range 25 {
		all.Go(func() {
			if out, code := run(t, 200, nil, "install", "-C", root, "--client", "cursor", "--file", file, "--name", fmt.Sprintf("server-%d", i)); code != 0 {
				t.Errorf("install %d: exit code %d: %s", i, code, out)
			}
		})
	}
	all.Wait()
	var settings struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	text, err := os.ReadFile(file)
	must(t, err)
	must(t, json.Unmarshal(text, &settings))
	if len(settings.Servers) != 25 {
		t.Errorf("%d of 25 entries are there", len(settings.Servers))
	}
}

const allows = "#!/usr/bin/env bash\ntouch \"$MCP_RAN\"\nmcp_tools_policy_check() { return 0; }\n"

// refusesAll starts a server whose policy must not run: all tools are refused.
func refusesAll(t *testing.T, root string) {
	t.Helper()
	ran := filepath.Join(t.TempDir(), "ran")
	s := start(t, root, with("MCP_RAN="+ran))
	s.call("1", "honest", "")
	s.pings()
	s.expect("1", `"error":|"isError":true`)
	if _, err := os.Stat(ran); err == nil {
		t.Error("the hook ran")
	}
	s.leaves(100)
}

func TestAHookThatOthersCanWriteDoesNotRun(t *testing.T) {
	for name, path := range map[string]string{"file": "server.d/policy.sh", "folder": "server.d", "project": "."} {
		t.Run(name, func(t *testing.T) {
			root := project(t, map[string]string{"server.d/policy.sh": allows})
			must(t, os.Chmod(filepath.Join(root, path), 0o777))
			refusesAll(t, root)
		})
	}
}

func TestALinkedFolderOfHooksOfSomebodyElseIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to make files of another user")
	}
	elsewhere := filepath.Join(open(t, t.TempDir()), "theirs")
	write(t, elsewhere, "policy.sh", allows)
	must(t, os.Chown(elsewhere, 65534, 65534))
	root := project(t, nil)
	must(t, os.Symlink(elsewhere, filepath.Join(root, "server.d")))
	refusesAll(t, root)
}

func TestABundleHasNoNamesThatUnpackElsewhere(t *testing.T) {
	for _, name := range []string{`a\..\..\evil.sh`, `C:evil.sh`, "new\nline.sh", "bell\a.sh"} {
		t.Run(fmt.Sprintf("%q", name), func(t *testing.T) {
			out := t.TempDir()
			text, code := run(t, 200, nil, "bundle", "-C", project(t, map[string]string{"tools/" + name: honest}), "--output", out)
			made, _ := filepath.Glob(out + "/*.mcpb")
			if code == 0 || len(made) > 0 {
				t.Errorf("exit code %d, %v: %s", code, made, text)
			}
			if strings.ContainsAny(text, "\a\x1b") {
				t.Errorf("control characters reach the terminal: %q", text)
			}
		})
	}
}

func TestEnvShCannotChangeHowProgramsStart(t *testing.T) {
	names := []string{"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "NODE_OPTIONS", "PYTHONPATH", "PERL5OPT", "RUBYOPT", "JAVA_TOOL_OPTIONS", "GIT_SSH_COMMAND", "GCONV_PATH", "BASH_ENV", "ENV", "PATH", "IFS", "PROMPT_COMMAND", "GIT_CONFIG_GLOBAL", "MCPBASH_TOOL_LIMITS"}
	assignments := "GOOD=fine\n"
	for _, name := range names {
		assignments += "export " + name + "=/evil\n"
	}
	s := start(t, project(t, map[string]string{"server.d/env.sh": assignments, "tools/show.sh": "#!/bin/sh\n/usr/bin/env | grep '=/evil'\necho shown\n"}))
	s.call("1", "show", "")
	s.expect("1", `"text":"shown\\n"`)
	s.leaves(100)
}

func TestLinksThatAreProjectFilesLeadNowhere(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "secret.txt"), []byte("the secret"), 0o600))
	root := project(t, map[string]string{"resources/a.txt": "a"})
	must(t, os.Symlink(filepath.Join(dir, "secret.txt"), filepath.Join(root, "resources", "link.txt")))
	must(t, os.Symlink(dir, filepath.Join(root, "resources", "folder")))
	must(t, os.Symlink(dir, filepath.Join(root, ".registry")))
	s := start(t, root)
	for i, path := range []string{"link.txt", "folder/secret.txt", "../../" + filepath.Base(dir) + "/secret.txt", "%2e%2e/%2e%2e/secret.txt"} {
		s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"uri":"file://%s/resources/%s"}}`, i, root, path))
		s.expect(fmt.Sprint(i), `"error":`)
	}
	s.ends(100)
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("lists were written through a link: %v", left)
	}
}
