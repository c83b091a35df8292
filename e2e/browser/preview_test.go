package browser

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
)

// Tests the command with a real project, as users run it.
func TestPreviewShowsThePageOfAProject(t *testing.T) {
	if chromium == nil {
		t.Skip("Chromium is not installed; the pages are tested in it only")
	}
	is := is.New(t)
	folder := t.TempDir()
	binary := filepath.Join(folder, "mcp-bash")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	is.NoErr(rig.Build(folder, "mcp-bash"))
	project := filepath.Join(folder, "project")
	is.NoErr(os.CopyFS(project, os.DirFS("../../examples/22-ui-templates")))
	is.NoErr(filepath.WalkDir(project, func(path string, _ os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".sh") {
			err = os.Chmod(path, 0o755)
		}
		return err
	}))

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, binary, "preview", "new-contact", "name=Ada", "-C", project)
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	is.NoErr(err)
	is.NoErr(cmd.Start())
	url, err := bufio.NewReader(stdout).ReadString('\n')
	is.NoErr(err)

	v := &view{t: t}
	v.ctx, cancel = context.WithTimeout(chromium, patience)
	defer cancel()
	check(t, chromedp.Listen(v.ctx, v.hear))
	v.do(chromedp.Navigate(strings.TrimSpace(url) + "#theme=light&width=340"))
	v.hostUntil(`document.getElementById("state").textContent === "The tool has answered."`)
	v.settle()
	is.Equal(eval[string](v, `document.querySelector("[name=name]").value`), "Ada")
	v.focus("[name=email]")
	v.press("ada@example.com" + enter)
	v.until(`document.getElementById("answer").textContent === "Saved Ada."`)
	saved, err := os.ReadFile(filepath.Join(project, "new.tsv"))
	is.NoErr(err)
	is.Equal(string(saved), "Ada\tada@example.com\t\n")
	v.photograph("preview")

	// A narrow window begins with a page that fits.
	v.do(chromedp.EmulateViewport(420, 800), chromedp.Navigate("about:blank"), chromedp.Navigate(strings.TrimSpace(url)+"#theme=light"))
	v.hostUntil(`document.getElementById("state").textContent === "The tool has answered."`)
	v.hostUntil(`document.documentElement.scrollWidth <= 420 && document.getElementById("stage").scrollWidth <= 420`)
	v.photograph("preview-narrow")
	v.do(chromedp.Navigate("about:blank"))

	if runtime.GOOS == "windows" {
		is.NoErr(cmd.Process.Kill())
		_ = cmd.Wait()
		return
	}
	is.NoErr(cmd.Process.Signal(os.Interrupt))
	is.NoErr(cmd.Wait())
	is.Equal(stderr.String(), "")
}
