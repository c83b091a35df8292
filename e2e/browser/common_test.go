package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/uipage"
)

func TestSafeAreasAddToThePadding(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "tree-view", config: `{}`, result: data(`["a"]`)})
	padding := `getComputedStyle(document.body).padding`
	before := eval[string](v, padding)
	v.notify("ui/notifications/host-context-changed", `{"safeAreaInsets":{"top":1,"right":2,"bottom":3,"left":4}}`)
	is.Equal(before+" → "+eval[string](v, padding), "16px → 17px 18px 19px 20px")
}

func TestMessagesKeepTheirLinesAndTheirFrame(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "data-table", config: `{}`, width: 340,
		result: failed("first line\n  second line " + word + word)})
	is.True(strings.HasPrefix(v.shows("#alert"), "first line\n  second line Donau"))
	is.Equal(strings.Join(v.measured(), "\n"), "")
}

func TestAPageFollowsTheStyleOfItsHost(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "form", title: "T", config: contact, result: text("")})
	color := `getComputedStyle(document.querySelector("h1")).color + " on " + ` +
		`getComputedStyle(document.body).backgroundColor`
	is.Equal(eval[string](v, color), "rgb(28, 28, 30) on rgb(255, 255, 255)")
	v.notify("ui/notifications/host-context-changed",
		`{"theme":"dark","styles":{"variables":{"--color-text-primary":"light-dark(red, rgb(1, 2, 3))","color":"blue"}}}`)
	is.Equal(eval[string](v, color), "rgb(1, 2, 3) on rgb(27, 27, 29)")
}

func TestThePageTellsHowMuchRoomItNeeds(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "data-table", config: `{}`, result: data(`[1,2,3,4,5,6,7,8,9,10,11,12]`)})
	v.hostUntil(`document.querySelector("iframe").clientHeight > 300`)
	v.settle()
	is.Equal(eval[int](v, `document.documentElement.scrollHeight - innerHeight`), 0) // there is nothing to scroll
	v.notify("ui/notifications/tool-result", data(`[1]`))
	v.hostUntil(`document.querySelector("iframe").clientHeight < 200`) // nor too much room
}

func TestAPageIsSilentAfterItsTeardown(t *testing.T) {
	for _, template := range uipage.Templates() {
		t.Run(template, func(t *testing.T) {
			is := is.New(t)
			v := open(t, scene{template: template, config: `{}`,
				result: data(`{"rows":[],"nodes":["a"],"cards":[],"left":"a","progress":1}`)})
			evalHost[any](v, `host.request("ui/resource-teardown", {reason: "closed"}).then(() => null)`)
			said := evalHost[int](v, `host.log.filter(({from}) => from === "page").length`)
			evalHost[any](v, `host.notify("ui/notifications/tool-result", {content: [{type: "text", text: "late"}]})`)
			eval[any](v, `(document.body.style.height = "900px", new Promise((resolve) => requestAnimationFrame(() => `+
				`requestAnimationFrame(() => resolve(null)))))`)
			is.Equal(evalHost[int](v, `host.log.filter(({from}) => from === "page").length`), said)
		})
	}
}

const evil = `<img src=x onerror="parent.pwned=1;window.pwned=1"></script>` +
	`<script>window.pwned=1</script>javascript:pwned()`

func TestWhatIsShownIsText(t *testing.T) {
	e := quoted(evil)
	for template, c := range map[string][2]string{
		"form": {`{"description":` + e + `,"fields":[{"name":` + e + `,"label":` + e + `,"description":` + e + `,` +
			`"default":` + e + `,"placeholder":` + e + `}],"submitTool":"save","submitLabel":` + e + `}`, `{}`},
		"data-table":  {`{"columns":[{"key":"a","label":` + e + `,"sortable":true}]}`, `{"rows":[{"a":` + e + `}]}`},
		"progress":    {`{"cancelTool":"stop","cancelConfirm":` + e + `}`, `{"progress":1,"total":2,"message":` + e + `}`},
		"diff-viewer": {`{"leftTitle":` + e + `,"rightTitle":` + e + `}`, `{"left":` + e + `,"right":""}`},
		"tree-view": {`{"onSelectTool":"pick"}`,
			`{"nodes":[{"label":` + e + `,"meta":` + e + `,"icon":` + e + `,"iconChar":` + e + `}]}`},
		"kanban": {`{"columns":[{"id":` + e + `,"title":` + e + `},"b"],"onMoveTool":"move","onCardClickTool":"pick"}`,
			`{"cards":[{"id":` + e + `,"title":` + e + `,"description":` + e + `,"column":` + e + `,"priority":` + e + `,` +
				`"tags":[` + e + `],"assignee":` + e + `}]}`},
	} {
		t.Run(template, func(t *testing.T) {
			is := is.New(t)
			v := open(t, scene{template: template, title: evil, config: c[0], width: 340, result: data(c[1]),
				answer: func(string, map[string]any) (string, error) { return text(evil), nil }})
			if template != "progress" && template != "data-table" && template != "diff-viewer" {
				v.click(map[string]string{"form": ".primary", "tree-view": ".node", "kanban": "button.title"}[template])
				v.until(`document.getElementById("answer").textContent.includes("<img")`)
			}
			v.notify("ui/notifications/tool-cancelled", `{"reason":`+e+`}`)
			is.Equal(eval[string](v, `[window.pwned, document.scripts.length, `+
				`document.querySelectorAll("img, a, iframe").length].join()`), ",2,0")
			is.Equal(evalHost[string](v, `String(window.pwned)`), "undefined")
			is.True(strings.Contains(v.shows("main"), "<img src=x"))
			is.Equal(strings.Join(v.measured(), "\n"), "")
		})
	}
}

func TestTheHostConfinesAPage(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{html: `<!doctype html><title>x</title><script>
		window.found = [];
		const attempt = (name, f) => { try { f(); found.push(name); } catch {} };
		attempt("parent", () => parent.document);
		attempt("storage", () => localStorage.length);
		attempt("cookie", () => document.cookie);
		parent.postMessage({jsonrpc: "2.0", id: 1, method: "ui/initialize", params: {}}, "*");
		addEventListener("message", ({data}) =>
			data.id === 1 && parent.postMessage({jsonrpc: "2.0", method: "ui/notifications/initialized"}, "*"));
		addEventListener("message", ({data}) =>
			data.id === "host-1" && parent.postMessage({jsonrpc: "2.0", id: data.id, result: {}}, "*"));
	</script>`, result: text("")})
	is.Equal(eval[int](v, `found.length`), 0)
	is.Equal(eval[string](v, `fetch("start").then(() => "reached", () => "refused")`), "refused") // by the policy
	is.Equal(eval[string](v, `new Promise((resolve) => {
		addEventListener("message", ({data}) => data.id === 2 && resolve(JSON.stringify(data.error)));
		parent.postMessage({jsonrpc: "2.0", id: 2, method: "tools/call", params: {name: "hidden"}}, "*");
	})`), `{"code":-32603,"message":"unknown tool: hidden"}`)
	v.mu.Lock()
	complaints := strings.Join(v.faults, "\n")
	v.faults = nil
	v.mu.Unlock()
	is.True(strings.Contains(complaints, "connect-src 'none'"))
}

func TestThePageGreetsItsHost(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "data-table", title: "Users", config: `{}`, result: data(`[]`)})
	is.Equal(evalHost[string](v, `host.log.filter(({from}) => from === "page").slice(0, 2).map(({message}) => `+
		`message.method).join()`), "ui/initialize,ui/notifications/initialized")
	is.Equal(evalHost[string](v, `JSON.stringify(host.log[0].message.params)`),
		`{"protocolVersion":"2026-01-26","appInfo":{"name":"mcp-bash","title":"Users","version":"1.0.0"},`+
			`"appCapabilities":{"availableDisplayModes":["inline","fullscreen"]}}`)
}

func TestThePageHearsOnlyItsHost(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "data-table", config: `{}`, result: data(`[{"id":1}]`)})
	// from the page itself
	eval[any](v, `postMessage({jsonrpc: "2.0", method: "ui/notifications/tool-result", params: {content: [{type: "text",`+
		` text: "[]"}]}}, "*")`)
	for _, junk := range []string{`null`, `"text"`, `{}`, `{jsonrpc: "2.0", id: 99, result: {}}`,
		`{jsonrpc: "2.0", method: "constructor"}`} {
		evalHost[any](v, `document.querySelector("iframe").contentWindow.postMessage(`+junk+`, "*")`)
	}
	v.settle()
	is.Equal(v.shows("td"), "1")
	is.Equal(evalHost[string](v, `host.request("tools/list").then(() => "", (error) => error.message)`),
		"Method not found: tools/list")
}

func TestDataIsTakenFromWhateverTheToolAnswers(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "data-table", config: `{}`,
		result: `{"content":[{"type":"image"},{"type":"text","text":"[{\"id\":2}]"}]}`})
	is.Equal(v.shows("td"), "2")
	v.notify("ui/notifications/tool-result", data(`{"success":true,"result":[{"id":3}]}`))
	is.Equal(v.shows("td"), "3")
	v.notify("ui/notifications/tool-result", failed("no such user"))
	is.Equal(v.shows("td, #alert"), "3\nno such user") // what was shown stays
}

func TestAPageThatIsOpenedInABrowserSaysWhatItNeeds(t *testing.T) {
	for config, says := range map[string]string{`{}`: "Open this page in a client with MCP Apps.", `{"data":["a"]}`: ""} {
		is := is.New(t)
		v := open(t, scene{template: "tree-view", config: config, result: data(`["b"]`)})
		path := evalHost[string](v, `document.querySelector("iframe").src`)
		v.do(chromedp.Navigate(path))
		is.Equal(evalHost[string](v, `document.getElementById("alert").textContent`), says)
	}
}
