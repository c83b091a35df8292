// Package browser tests the pages of user interfaces as people see them: in a real browser, in the
// sandboxed frame of the host that mcp-bash preview has, by the mouse and the keyboard.
package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"
)

// chromium is a tab of the browser, which all tests use one after the other; nil if no browser is
// installed.
var chromium context.Context

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	program := installed()
	if program == "" {
		return m.Run()
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program),
		chromedp.NoSandbox, // for containers, where tests run as root
		chromedp.Flag("disable-gpu", true),
		chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("lang", "en-US"),
		// The frame stays in the process of the page around it, where the test can look into it.
		chromedp.Flag("disable-features", "IsolateSandboxedIframes,SitePerProcess,IsolateOrigins,Translate"),
	)
	all, end := chromedp.NewExecAllocator(context.Background(), options...)
	defer end()
	browser, end := chromedp.NewContext(all)
	defer end()
	if err := chromedp.Do(browser); err != nil {
		fmt.Fprintf(os.Stderr, "%s does not start: %v\n", program, err)
		return 1
	}
	chromium = browser
	return m.Run()
}

// installed returns the Chromium in the PATH, under any of its names.
func installed() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
