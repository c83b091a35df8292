//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/ptytest"
)

// shells are those that completion scripts are for. What they run at their start sets a short
// prompt and loads the script, as the help of `mcp-bash completion` describes.
var shells = map[string]struct {
	args  []string
	start string // a file in the home folder
	text  string
}{
	"bash": {[]string{"--noprofile", "-i"}, ".bashrc", "PS1='ready> '; . $BASH_COMPLETION; . <(mcp-bash completion bash)\n"},
	"zsh":  {[]string{"-d", "-i"}, ".zshrc", "PS1='ready> '; autoload -U compinit; compinit -u; source <(mcp-bash completion zsh)\n"},
	"fish": {[]string{"-i"}, ".config/fish/config.fish", "function fish_prompt; echo 'ready> '; end; function fish_greeting; end; mcp-bash completion fish | source\n"},
}

func TestShellsCompleteCommandsFlagsAndTools(t *testing.T) {
	root, env := terminalProject(t, nil)
	for name, shell := range shells {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			program, err := exec.LookPath(name)
			if err != nil {
				t.Skipf("%s is not installed, so completion in it is not tested", name)
			}
			const library = "/usr/share/bash-completion/bash_completion"
			if _, err := os.Stat(library); name == "bash" && err != nil {
				t.Skip("bash-completion is not installed, and the script for bash needs it")
			}
			home := t.TempDir()
			file := filepath.Join(home, shell.start)
			is.NoErr(os.MkdirAll(filepath.Dir(file), 0o755))
			is.NoErr(os.WriteFile(file, []byte(shell.text), 0o600))
			x := ptytest.Start(t, ptytest.Options{Dir: root, Columns: 120, Env: append([]string{"HOME=" + home, "XDG_CONFIG_HOME=" + home + "/.config", "BASH_COMPLETION=" + library}, env[1:]...)},
				append([]string{program}, shell.args...)...)
			x.See("ready>")
			x.Type("mcp-bash vali\t")
			x.See("ready> mcp-bash validate")
			x.Type("--expl\t")
			x.See("ready> mcp-bash validate --explain-defaults")
			x.Type("\x15mcp-bash call gre\t") // ctrl-u
			x.See("ready> mcp-bash call greet")
			x.Type("lang\t")
			x.See("ready> mcp-bash call greet language=")
			x.Type("\x15exit\r")
			is.Equal(x.Wait(), 0)
		})
	}
}
