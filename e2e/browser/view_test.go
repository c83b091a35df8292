package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/preview"
	"github.com/mcp-bash/mcp-bash/v2/internal/uipage"
)

// patience is the timeout of all waits in tests.
const patience = time.Minute

// A scene is a page with its tool and host.
type scene struct {
	template, title, config string
	html                    string // the page, instead of a template
	tool                    string // as in tools/list; empty: a tool called show
	arguments               map[string]any
	result                  string // of the tool that opens the page; empty: it never answers
	width                   int    // of the frame; 0: 700
	dark                    bool
	minimal                 bool // the client sends only required data
	// answer returns the results of the tools that the page calls; nil: "done" for all.
	answer func(name string, arguments map[string]any) (string, error)
}

// A call is a call by the page.
type call struct {
	Name      string
	Arguments map[string]any
}

func (c call) String() string {
	b, _ := json.Marshal(c.Arguments) // it was JSON
	return c.Name + string(b)
}

// A view is an open page.
type view struct {
	t     *testing.T
	ctx   context.Context
	scene scene

	mu     sync.Mutex
	begun  bool // the tool that opens the page has been called
	calls  []call
	frame  runtime.ExecutionContextID // of the page, in its frame
	faults []string                   // errors that the browser reports
}

// open shows a page and waits until it has received the tool's result.
func open(t *testing.T, s scene) *view {
	t.Helper()
	if chromium == nil {
		t.Skip("Chromium is not installed; the pages are tested in it only")
	}
	v := &view{t: t, scene: s}
	if s.width == 0 {
		v.scene.width = 700
	}
	if s.tool == "" {
		v.scene.tool = `{"name":"show","inputSchema":{"type":"object"},"_meta":{"ui":{"resourceUri":"ui://test/show"}}}`
	}
	var name struct{ Name string }
	check(t, json.Unmarshal([]byte(v.scene.tool), &name))
	serving, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	host, err := preview.Open(serving, v, name.Name, s.arguments, l.Addr())
	check(t, err)
	served := make(chan error, 1)
	go func() { served <- host.Serve(serving, l) }()
	t.Cleanup(func() {
		stop()
		check(t, <-served)
	})

	ctx, cancel := context.WithTimeout(chromium, patience)
	t.Cleanup(cancel)
	v.ctx = ctx
	check(t, chromedp.Listen(v.ctx, v.hear))
	t.Cleanup(func() { check(t, chromedp.Do(chromium, chromedp.Navigate("about:blank"))) }) // while its server is there
	script, err := chromedp.Call(v.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: clock})
	check(t, err)
	t.Cleanup(func() {
		_, err := chromedp.Call(chromium, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams(script))
		check(t, err)
	})
	settings := fmt.Sprintf("#theme=%s&width=%d", map[bool]string{true: "dark", false: "light"}[s.dark], v.scene.width)
	if s.minimal {
		settings += "&minimal"
	}
	v.do(
		chromedp.EmulateViewport(int64(max(v.scene.width, 340)+60), 900),
		chromedp.Navigate(host.URL()+settings),
	)
	v.hostUntil(`host.log.some(({message}) => message.method === "ui/notifications/tool-` + map[bool]string{true: "input", false: "result"}[s.result == ""] + `")`)
	v.settle()
	t.Cleanup(func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		for _, fault := range v.faults {
			t.Errorf("the browser complains: %s", fault)
		}
	})
	return v
}

// clock lets the test control the page's clock: timers wait for tick.
const clock = `if (window !== top) {
	window.later = window.setTimeout;
	window.timers = new Map();
	window.setTimeout = (f) => (timers.set(timers.size + 1, f), timers.size);
	window.clearTimeout = (id) => timers.delete(id);
}`

// tick runs the timers of the page and returns their number.
func (v *view) tick() int {
	v.t.Helper()
	n := eval[int](v, `(() => { const due = [...timers.values()]; timers.clear(); due.forEach((f) => f()); return due.length; })()`)
	v.settle()
	return n
}

// hear records the page's execution context and the errors that the browser reports.
func (v *view) hear(event any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExecutionContextCreated:
		if !strings.HasPrefix(e.Context.Origin, "http") { // that of a sandboxed frame is opaque
			v.frame = e.Context.ID
		}
	case *runtime.EventExceptionThrown:
		v.faults = append(v.faults, thrown(e.ExceptionDetails))
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || strings.Contains(e.Entry.Text, "Content Security Policy") {
			v.faults = append(v.faults, e.Entry.Text+" "+e.Entry.URL)
		}
	}
}

// Call acts as the server behind the host.
func (v *view) Call(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	s := v.scene
	switch method {
	case "tools/list":
		return json.RawMessage(`{"tools":[` + s.tool + `,{"name":"save"},{"name":"stop"},{"name":"status"},{"name":"move"},{"name":"pick"}]}`), nil
	case "resources/read":
		html := []byte(s.html)
		if s.template != "" {
			var err error
			if html, err = uipage.Page(s.template, s.title, []byte(s.config)); err != nil {
				return nil, err
			}
		}
		return json.Marshal(map[string]any{"contents": []any{map[string]any{"uri": "ui://test/show", "mimeType": "text/html;profile=mcp-app", "text": string(html)}}})
	}
	arguments, _ := params["arguments"].(map[string]any)
	name, _ := params["name"].(string)
	v.mu.Lock()
	first := !v.begun
	v.begun = true
	if !first {
		v.calls = append(v.calls, call{name, arguments})
	}
	v.mu.Unlock()
	if first { // by the host, to open the page
		if s.result == "" {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return json.RawMessage(s.result), nil
	}
	if s.answer == nil {
		return json.RawMessage(text("done")), nil
	}
	result, err := s.answer(name, arguments)
	return json.RawMessage(result), err
}

// made returns the calls of the page.
func (v *view) made() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var all []string
	for _, one := range v.calls {
		all = append(all, one.String())
	}
	return strings.Join(all, " ")
}

// do runs actions in the browser.
func (v *view) do(actions ...chromedp.Action[chromedp.Void]) {
	v.t.Helper()
	if err := chromedp.Do(v.ctx, actions...); err != nil {
		v.t.Fatal(err)
	}
}

// eval evaluates an expression in the page; it awaits a promise.
func eval[T any](v *view, expression string) T {
	v.t.Helper()
	v.mu.Lock()
	frame := v.frame
	v.mu.Unlock()
	return evalIn[T](v, expression, frame)
}

// evalHost evaluates an expression in the host.
func evalHost[T any](v *view, expression string) T {
	v.t.Helper()
	return evalIn[T](v, expression, 0)
}

func evalIn[T any](v *view, expression string, where runtime.ExecutionContextID) T {
	v.t.Helper()
	value, err := chromedp.Run(v.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise, func(p *runtime.EvaluateParams) { p.ContextID = where }))
	if err != nil {
		v.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// thrown returns what a script has thrown.
func thrown(e *runtime.ExceptionDetails) string {
	if e.Exception != nil {
		return e.Text + " " + e.Exception.Description
	}
	return e.Text
}

// until waits until an expression is true in the page.
func (v *view) until(expression string) { v.t.Helper(); eval[bool](v, waitFor(expression)) }

func (v *view) hostUntil(expression string) { v.t.Helper(); evalHost[bool](v, waitFor(expression)) }

func waitFor(expression string) string {
	return `new Promise((resolve, reject) => {
		const begin = performance.now();
		const look = () => {
			if (` + expression + `) resolve(true);
			else if (performance.now() - begin > 20_000) reject(new Error("waited in vain; the page shows: " + document.body.innerText));
			else (window.later ?? setTimeout)(look, 5);
		};
		look();
	})`
}

// settle waits until the page has received every pending message, and has rendered.
func (v *view) settle() {
	v.t.Helper()
	evalHost[any](v, `host.request("ping").then(() => null)`)
	eval[any](v, `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(null))))`)
}

// notify sends a notification of the host to the page.
func (v *view) notify(method, params string) {
	v.t.Helper()
	evalHost[any](v, fmt.Sprintf("host.notify(%q, %s)", method, params))
	v.settle()
}

// shows returns the visible text of the elements of a selector, one per line.
func (v *view) shows(selector string) string {
	v.t.Helper()
	return eval[string](v, fmt.Sprintf(`[...document.querySelectorAll(%q)].filter((one) => one.checkVisibility()).map((one) => one.innerText).join("\n")`, selector))
}

// focused describes the element that has the focus: its accessible label, text or name.
func (v *view) focused() string {
	v.t.Helper()
	return eval[string](v, `((one) => one === document.body ? "" : one.ariaLabel || one.name || one.innerText.trim())(document.activeElement)`)
}

// click clicks the element of a selector, or the button with that label, where a mouse would.
func (v *view) click(what string) {
	v.t.Helper()
	type point struct{ X, Y float64 }
	inside := eval[point](v, fmt.Sprintf(`(() => {
		const what = %q;
		let one = [...document.querySelectorAll("button")].find((one) => one.checkVisibility() && (one.innerText.trim() === what || one.ariaLabel === what));
		one ??= document.querySelector(what);
		one.scrollIntoView({ block: "nearest", inline: "nearest" });
		const { left, top, width, height } = one.getBoundingClientRect();
		return { x: left + Math.min(width / 2, 40), y: top + height / 2 };
	})()`, what))
	frame := `(({ left, top }) => ({ x: left, y: top }))(document.querySelector("iframe").getBoundingClientRect())`
	outside := evalHost[point](v, frame)
	evalHost[any](v, fmt.Sprintf(`scrollBy(0, %f - innerHeight / 2)`, outside.Y+inside.Y))
	outside = evalHost[point](v, frame)
	v.do(chromedp.MouseClickXY(outside.X+inside.X, outside.Y+inside.Y))
	v.settle()
}

// drag takes an element with the mouse and drops it on another one.
func (v *view) drag(from, to string) {
	v.t.Helper()
	at := func(selector string) (x, y float64) {
		inside := eval[[]float64](v, fmt.Sprintf(`(({ left, top }) => [left + 20, top + 8])(document.querySelector(%q).getBoundingClientRect())`, selector))
		outside := evalHost[[]float64](v, `(({ left, top }) => [left, top])(document.querySelector("iframe").getBoundingClientRect())`)
		return inside[0] + outside[0], inside[1] + outside[1]
	}
	x, y := at(from)
	toX, toY := at(to)
	v.do(chromedp.DragAndDropXY(x, y, toX, toY))
	v.settle()
}

// focus puts the keyboard into an element.
func (v *view) focus(selector string) {
	v.t.Helper()
	evalHost[any](v, `document.querySelector("iframe").focus()`)
	eval[any](v, fmt.Sprintf(`document.querySelector(%q).focus()`, selector))
}

// press types keys, where the focus is.
func (v *view) press(keys string) {
	v.t.Helper()
	v.do(chromedp.KeyEvent(keys))
	v.settle()
}

const (
	enter = kb.Enter
	tab   = kb.Tab
	down  = kb.ArrowDown
	right = kb.ArrowRight
	left  = kb.ArrowLeft
)

// photograph saves a screenshot of the frame in the folder of the variable PAGES, if it is set.
func (v *view) photograph(name string) {
	v.t.Helper()
	folder := os.Getenv("PAGES")
	if folder == "" {
		return
	}
	png, err := chromedp.Run(v.ctx, chromedp.Screenshot("iframe"))
	check(v.t, err)
	check(v.t, os.MkdirAll(folder, 0o777))
	check(v.t, os.WriteFile(filepath.Join(folder, name+".png"), png, 0o666))
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// text returns a result with a text.
func text(s string) string {
	return `{"content":[{"type":"text","text":` + quoted(s) + `}],"isError":false}`
}

// failed returns a result with isError.
func failed(s string) string {
	return `{"content":[{"type":"text","text":` + quoted(s) + `}],"isError":true}`
}

// data returns a result with structured content, and a text for the model.
func data(json string) string {
	return `{"content":[{"type":"text","text":` + quoted(json) + `}],"structuredContent":` + json + `,"isError":false}`
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // a string
	return string(b)
}

var errRefused = error(&jsonrpc2.Error{Code: -32000, Message: "the client refused"})
