package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/explain"
)

// recordedLine is a line of a recording, some milliseconds after its begin.
func recordedLine(ms int, way string, line int, message string) string {
	at := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC).Add(time.Duration(ms) * time.Millisecond).Format(time.RFC3339Nano)
	return fmt.Sprintf(`{"session":"S","time":%q,"way":%q,"line":%d,%s}`+"\n", at, way, line, message)
}

// session has a call that succeeds, one that fails, one that asks its client, and one that is never answered.
var session = recordedLine(0, "in", 1, `"message":{"jsonrpc":"2.0","id":1,"method":"initialize",`+
	`"params":{"clientInfo":{"name":"demo","version":"1"}}}`) +
	recordedLine(2, "out", 1, `"message":{"jsonrpc":"2.0","id":1,"result":{}}`) +
	recordedLine(10, "in", 2, `"message":{"jsonrpc":"2.0","id":2,"method":"tools/call",`+
		`"params":{"name":"price","arguments":{"item":"coffee","n":12345678901234567890}}}`) +
	recordedLine(11, "step", 2, `"direction":"in","kind":"call","id":"2",`+
		`"stage":"upper","verdict":"changed","micros":20,`+
		`"patch":[{"op":"add","path":"/params/loud","value":true}]`) +
	recordedLine(11, "step", 2, `"direction":"in","kind":"call","id":"2",`+
		`"stage":"handler","verdict":"noted","micros":3000,`+
		`"notes":{"pid":4711,"script":"tools/price/tool.sh"}`) +
	recordedLine(30, "out", 2, `"message":{"jsonrpc":"2.0","id":2,"result":{"content":[],"isError":true,`+
		`"_meta":{"exitCode":7,"stderr":"no such item\n"}}}`) +
	recordedLine(40, "in", 3, `"message":{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"ask"}}`) +
	recordedLine(45, "out", 3, `"message":{"jsonrpc":"2.0","id":1,"method":"elicitation/create",`+
		`"params":{"message":"Who?"}}`) +
	recordedLine(900, "in", 4, `"message":{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}`) +
	recordedLine(950, "out", 3, `"message":{"jsonrpc":"2.0","id":3,"result":{"content":[]}}`) +
	recordedLine(960, "in", 5, `"message":{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"slow"}}`)

// explained opens the page of a recording.
func explained(t *testing.T, recording string, width int, theme string) *view {
	t.Helper()
	if chromium == nil {
		t.Skip("Chromium is not installed; the pages are tested in it only")
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "session.rec")
	check(t, os.WriteFile(path, []byte(recording), 0o600))
	report, err := explain.Read(path, "")
	check(t, err)
	page, err := report.Page()
	check(t, err)
	check(t, os.WriteFile(path+".html", page, 0o600))
	v := &view{t: t}
	ctx, cancel := context.WithTimeout(chromium, patience)
	t.Cleanup(cancel)
	v.ctx = ctx
	check(t, chromedp.Listen(v.ctx, v.hear))
	media := emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}},
	}
	_, err = chromedp.Call(v.ctx, emulation.SetEmulatedMedia, media)
	check(t, err)
	v.do(chromedp.EmulateViewport(int64(width), 800), chromedp.Navigate("file://"+filepath.ToSlash(path)+".html"))
	v.hostUntil(`document.querySelector(".row")`)
	t.Cleanup(func() {
		_, err := chromedp.Call(chromium, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
		check(t, err)
		check(t, chromedp.Do(chromium, chromedp.Navigate("about:blank")))
		v.mu.Lock()
		defer v.mu.Unlock()
		for _, fault := range v.faults {
			t.Errorf("the browser complains: %s", fault)
		}
	})
	return v
}

// types presses keys, and waits until the page has been drawn.
func (v *view) types(keys string) {
	v.t.Helper()
	v.do(chromedp.KeyEvent(keys))
	evalHost[any](v, `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(null))))`)
}

// hits clicks on the first element of a selector that has a text.
func (v *view) hits(selector, text string) {
	v.t.Helper()
	at := evalHost[[]float64](v, fmt.Sprintf(`(({left, top, height}) => [left + 10, top + height / 2])(
		[...document.querySelectorAll(%q)].find((one) => one.innerText.includes(%q)).getBoundingClientRect())`,
		selector, text))
	v.do(chromedp.MouseClickXY(at[0], at[1]))
	v.types(kb.Shift)
}

// sees returns the visible text of the elements of a selector.
func (v *view) sees(selector string) string {
	v.t.Helper()
	return evalHost[string](v, fmt.Sprintf(`[...document.querySelectorAll(%q)]
		.filter((one) => one.checkVisibility())
		.map((one) => one.innerText.replace(/\s+/g, " ").trim())
		.join("\n")`, selector))
}

func TestTheFirstFailureOfARecordingIsShownAtOnce(t *testing.T) {
	is := is.New(t)
	v := explained(t, session, 1280, "light")
	is.Equal(v.sees("#summary"), "1 session · 9 messages · 5 calls · 2 failed or never answered · demo 1")
	is.Equal(v.sees("#detail h2"), "→ tools/call price #2")
	is.Equal(v.sees("#detail .bad"), "failed exit 7 after 20 ms: no such item")
	is.Equal(v.sees("#detail td"), "+1.0 ms\nupper changed add /params/loud = true\n"+
		"+4.0 ms\nhandler pid 4711 · script tools/price/tool.sh")
	is.True(strings.Contains(v.sees("#detail .json"), "n: 12345678901234567890")) // every digit of it
	is.Equal(v.sees("#detail pre"), "no such item")
	is.True(strings.Contains(v.sees("#detail"), "What the client did next, 10 ms later tools/call ask #3"))
	is.Equal(v.sees(".row .bad"), "failed 20 ms\nnever answered")
}

func TestARecordingIsReadByTheKeyboardAlone(t *testing.T) {
	is := is.New(t)
	v := explained(t, session, 1280, "light")
	v.types(kb.End)
	is.Equal(v.sees("#detail h2"), "→ tools/call slow #4")
	v.types(kb.ArrowUp + kb.ArrowUp) // the answer of the client to what it was asked
	is.Equal(v.sees("#detail h2"), "← elicitation/create #?1")
	is.True(strings.Contains(v.sees("#detail"), "For tools/call ask #3"))
	v.types(kb.Enter)
	is.Equal(evalHost[string](v, `document.activeElement.id`), "detail")
	v.types("/" + "coffee")
	is.Equal(v.sees("#count"), "2 of 9 messages")
	v.types(kb.Enter + kb.Home)
	is.Equal(v.sees(".row[aria-selected=true] .what"), "tools/call price #2")
	active := `document.getElementById(document.getElementById("list").getAttribute("aria-activedescendant"))`
	is.Equal(evalHost[string](v, active+`.querySelector(".what").innerText`), "tools/call price #2")
}

func TestARecordingIsReadByTheMouseAlone(t *testing.T) {
	is := is.New(t)
	v := explained(t, session, 1280, "light")
	v.hits("#durations button", "ask")
	is.Equal(v.sees(".row .what"), "tools/call ask #3\nelicitation/create #?1\nelicitation/create #?1\ntools/call ask #3")
	v.hits(".row", "elicitation/create")
	v.hits("#detail .link", "tools/call ask")
	is.Equal(v.sees("#detail h2"), "→ tools/call ask #3")
	v.hits("#detail .link", "tools/call slow") // which the filter hides
	is.Equal(v.sees("#detail h2"), "→ tools/call slow #4")
	is.Equal(v.sees("#count"), "9 messages")
}

func TestNothingThatWasRecordedRunsInThePage(t *testing.T) {
	is := is.New(t)
	e := strings.ReplaceAll(quoted(evil), "\\u003c", "<") // as a recording has it
	v := explained(t, recordedLine(0, "in", 1, `"message":{"jsonrpc":"2.0","id":`+e+`,"method":`+e+`,`+
		`"params":{"name":`+e+`,`+e+`:[`+e+`]}}`)+
		recordedLine(1, "step", 1, `"direction":"in","kind":"call","id":`+quoted(e)+`,`+
			`"stage":`+e+`,"verdict":`+e+`,"reason":`+e+`,"micros":1,`+
			`"notes":{`+e+`:`+e+`},`+
			`"patch":[{"op":`+e+`,"path":`+e+`,"value":`+e+`}]`)+
		recordedLine(2, "out", 1, `"message":{"jsonrpc":"2.0","id":`+e+`,"result":{"isError":true,`+
			`"content":[{"type":"text","text":`+e+`}],`+
			`"_meta":{"stderr":`+e+`}}}`)+
		recordedLine(3, "in", 2, `"message":`+e), 1280, "light")
	is.True(strings.Contains(v.sees("#detail"), "<img src=x"))
	is.Equal(evalHost[string](v, `[
		window.pwned,
		document.scripts.length,
		document.querySelectorAll("img, a, iframe").length,
	].join()`), ",2,0")
	// Nor would it, if it became markup.
	evalHost[any](v, `document.getElementById("detail").innerHTML = "<img src=x onerror='window.pwned=1'>", null`)
	is.Equal(evalHost[string](v, `fetch("https://example.com").then(() => "reached", () => "refused")`), "refused")
	is.Equal(evalHost[string](v, `String(window.pwned)`), "undefined")
	v.mu.Lock()
	defer v.mu.Unlock()
	is.True(len(v.faults) > 0) // the policy refuses both
	v.faults = nil
}

// long has many messages.
func long() string {
	var b strings.Builder
	for i := range 5000 {
		b.WriteString(recordedLine(i*10, "in", i, fmt.Sprintf(`"message":{"jsonrpc":"2.0","id":%d,`+
			`"method":"tools/call","params":{"name":"tool%d","arguments":{"n":%d,"text":%q}}}`, i, i%7, i, word)))
		b.WriteString(recordedLine(i*10+i%97, "out", i, fmt.Sprintf(`"message":{"jsonrpc":"2.0","id":%d,`+
			`"result":{"content":[{"type":"text","text":%q}]}}`, i, word)))
	}
	return b.String()
}

func TestOfALongRecordingOnlyWhatIsSeenIsDrawn(t *testing.T) {
	is := is.New(t)
	v := explained(t, long(), 1280, "light")
	is.Equal(v.sees("#count"), "10000 messages")
	for _, key := range []string{kb.End, kb.PageUp, kb.Home, kb.PageDown} {
		v.types(key)
		is.True(evalHost[int](v, `document.querySelectorAll(".row").length`) < 100)
		is.Equal(evalHost[int](v, `document.querySelectorAll(".row[aria-selected=true]").length`), 1)
	}
	t.Logf("first paint after %.0f ms", evalHost[float64](v,
		`performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1`))
}

func TestARecordingIsReadableInEveryThemeAndWidth(t *testing.T) {
	for _, width := range []int{400, 1280} {
		for _, theme := range []string{"light", "dark"} {
			name := fmt.Sprintf("explain-%s-%d", theme, width)
			t.Run(name, func(t *testing.T) {
				v := explained(t, session, width, theme)
				faults := v.measured()
				v.shoot(name)
				v.hits(".row", "price")
				faults = append(faults, v.measured()...)
				v.shoot(name + "-detail")
				for _, fault := range faults {
					t.Error(fault)
				}
				if width == 400 {
					v.hits("#back", "All messages")
					if shown := v.sees("#detail"); shown != "" {
						t.Errorf("still there: %s", shown)
					}
				}
			})
		}
	}
}

// shoot saves a screenshot of the page in the folder of the variable PAGES, if it is set.
func (v *view) shoot(name string) {
	v.t.Helper()
	if folder := os.Getenv("PAGES"); folder != "" {
		png, err := chromedp.Run(v.ctx, chromedp.CaptureScreenshot())
		check(v.t, err)
		check(v.t, os.WriteFile(filepath.Join(folder, name+".png"), png, 0o666))
	}
}
