package browser

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/matryer/is"
)

func TestADiffHasEqualHalves(t *testing.T) {
	is := is.New(t)
	v := open(t,
		scene{template: "diff-viewer", config: `{}`, width: 1000,
			result: data(`{"left":"a\n","right":"a very long line that takes more than its share of the room, ` + word +
				word + `\n"}`)})
	widths := eval[[]float64](v,
		`[...document.querySelectorAll("thead th")].map((one) => one.getBoundingClientRect().width)`)
	is.Equal(len(widths), 2)
	is.True(widths[0]-widths[1] < 2 && widths[1]-widths[0] < 2)
	v.looks("light", 340)
	is.Equal(v.shows("thead th"), "Original → Modified") // two columns would leave no room
}

func TestNoDifferencesAreSaidOnlyWhereThereAreNone(t *testing.T) {
	v := open(t, scene{template: "diff-viewer", config: `{}`, result: data(`{"left":"a","right":"b"}`)})
	for _, c := range []struct{ name, result, says string }{
		{"same", data(`{"left":"a\nb\n","right":"a\nb\n"}`), "No differences."},
		{"last line end", data(`{"left":"a\nb\n","right":"a\nb"}`), "The lines are the same; how they end differs."},
		{"CRLF", data(`{"left":"a\r\n","right":"a\n"}`), "The lines are the same; how they end differs."},
		{"a line", data(`{"left":"a\n","right":"b\n"}`), "1 added, 1 removed"},
		{"new file", data(`{"original":null,"modified":"new\n"}`), "1 added, 0 removed"},
		{"empty", data(`{"diff":""}`), "No differences."},
		{"binary", data(`{"diff":"diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n"}`), ""},
		{"renamed", data(`{"diff":"diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n"}`), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			v.t = t
			v.notify("ui/notifications/tool-result", c.result)
			is.Equal(v.shows(".step"), c.says)
		})
	}
}

func TestATreeIsUsedByTheKeyboard(t *testing.T) {
	is := is.New(t)
	v := open(t,
		scene{template: "tree-view", config: `{"onSelectTool":"pick"}`,
			result: data(`[{"id":"s","label":"src","children":[{"label":"main.go"}]},{"id":7,"label":"go.mod"}]`),
			answer: func(_ string, a map[string]any) (string, error) {
				return data(`{"size":` + quoted(string(a["id"].(string))) + `,"lines":3}`), nil
			}})
	v.focus("[role=treeitem]")
	v.press(down)
	is.Equal(v.focused(), "main.go")
	v.press(left + left)
	is.Equal(eval[string](v, `document.activeElement.ariaExpanded`), "false")
	v.press(right + right + enter)
	v.until(`!document.getElementById("answer").hidden`)
	is.Equal(v.made(), `pick{"id":"main.go"}`)
	is.Equal(v.shows("#answer"), "size: main.go\nlines: 3")
	is.Equal(v.focused(), "main.go")
	is.Equal(evalHost[string](v, `document.getElementById("model").textContent`),
		"The user called pick with {\"id\":\"main.go\"} on this page. It answered:\n{\"size\":\"main.go\",\"lines\":3}")
}

const orders = `{"rows":[{"n":10,"who":"b"},{"n":9,"who":"a"},{"n":null,"who":"c"},{"n":100,"who":"d"},` +
	`{"n":1,"who":"e"}]}`

func TestATableKeepsTheFocusOnItsPages(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "data-table", config: `{"pageSize":2}`, result: data(orders)})
	is.Equal(v.shows("tbody td.number"), "10\n9")
	v.click("Next")
	is.Equal(v.focused(), "Next")
	v.press(enter) // to the last page
	is.Equal(v.shows("nav [role=status]"), "Page 3 of 3, 5 rows")
	is.Equal(v.focused(), "Previous")
}

func TestATableIsSortedByTheKeyboard(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "data-table", config: `{}`, result: data(orders)})
	sorted := func() string {
		return eval[string](v, `[...document.querySelectorAll("th")].map((one) => one.ariaSort).join()`) + " " +
			eval[string](v, `[...document.querySelectorAll("tbody td:first-child")].map((one) => one.innerText || "-").join()`)
	}
	is.Equal(v.shows("th"), "n ↕\nwho ↕") // that they can be sorted can be seen
	v.focus("th button")
	v.press(enter)
	is.Equal(sorted(), "ascending,none 1,9,10,100,-")
	v.press(" ")
	is.Equal(sorted(), "descending,none 100,10,9,1,-")
	is.Equal(v.focused(), "n ↓")
}

const board = `{"columns":["todo",{"id":"doing","title":"In progress"},"done"],"onMoveTool":"move",` +
	`"onCardClickTool":"pick"}`

// columns returns the cards on the board, by column.
func (v *view) columns() string {
	v.t.Helper()
	return eval[string](v,
		`[...document.querySelectorAll(".column")].map((column) => `+
			`[...column.querySelectorAll(".title")].map((one) => one.innerText).join()).join(" | ")`)
}

func TestACardIsMovedByTheKeyboardWithOneCall(t *testing.T) {
	is := is.New(t)
	v := open(t,
		scene{template: "kanban", config: board,
			result: data(`[{"id":1,"title":"A","status":"todo"},{"id":2,"title":"B","column":"done"}]`)})
	v.focus("[aria-label='Move A']")
	v.press(enter)
	is.Equal(v.focused(), "In progress")
	v.press(down + down + down + right)
	is.Equal(v.focused(), "In progress") // around, twice; no card has moved
	is.Equal(v.made(), "")
	v.press(left + enter)
	v.until(`!document.getElementById("answer").hidden`)
	is.Equal(v.made(), `move{"column":"done","from":"todo","id":1}`)
	is.Equal(v.columns(), " |  | A,B")
	is.Equal(v.focused(), "Move A") // where it is now
	is.Equal(v.shows("#answer"), "done")
}

func TestACardGoesBackWhenItsMoveFails(t *testing.T) {
	is := is.New(t)
	v := open(t,
		scene{template: "kanban", config: board, result: data(`[{"id":1,"title":"A","column":"todo"}]`),
			answer: func(string, map[string]any) (string, error) { return failed("Not before it is reviewed."), nil }})
	v.click("Move A")
	v.click("done")
	v.until(`document.getElementById("alert").textContent === "Not before it is reviewed."`)
	is.Equal(v.columns(), "A |  | ")
	is.Equal(v.focused(), "Move A")
}

func TestABoardShowsWhatItsToolAnswers(t *testing.T) {
	is := is.New(t)
	v := open(t,
		scene{template: "kanban", config: board, result: data(`[{"id":1,"title":"A","column":"todo"}]`),
			answer: func(name string, _ map[string]any) (string, error) {
				if name == "pick" {
					return text("All about A"), nil
				}
				return data(`{"cards":[{"id":1,"title":"A","column":"done"},{"id":3,"title":"C","column":"todo"}]}`), nil
			}})
	v.click("A")
	v.until(`document.getElementById("answer").textContent === "All about A"`)
	v.click("Move A")
	v.click("In progress")
	v.until(`document.querySelectorAll(".card").length === 2`)
	is.Equal(v.columns(), "C |  | A")
	is.Equal(v.made(), `pick{"id":1} move{"column":"doing","from":"todo","id":1}`)
}

func TestACardWithoutAnIDIsKnownByItsTitle(t *testing.T) {
	is := is.New(t)
	v := open(t,
		scene{template: "kanban", config: board,
			result: data(`[{"title":"A","column":"todo"},{"description":"neither","column":"todo"}]`)})
	is.Equal(v.shows(".small"), "Move") // the other one has nothing that a tool could know it by
	v.click("Move A")
	v.click("done")
	v.until(`!document.getElementById("answer").hidden`)
	is.Equal(v.made(), `move{"column":"done","from":"todo","id":"A"}`)
}

func TestACardIsMovedOnceAtATime(t *testing.T) {
	is := is.New(t)
	var calls atomic.Int64
	release := make(chan struct{})
	v := open(t,
		scene{template: "kanban", config: board, result: data(`[{"id":1,"title":"A","column":"todo"}]`),
			answer: func(string, map[string]any) (string, error) {
				calls.Add(1)
				<-release
				return text("moved"), nil
			}})
	v.click("Move A")
	v.click("done")
	v.click("Move A")
	v.click("todo")
	is.Equal(v.columns(), " |  | A")
	close(release)
	v.until(`document.getElementById("answer").textContent === "moved"`)
	is.Equal(calls.Load(), int64(1))
}

func TestACardIsDragged(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "kanban", config: board, result: data(`[{"id":1,"title":"A","column":"todo"}]`)})
	v.drag(".card", ".column:last-child ul")
	v.until(`!document.getElementById("answer").hidden`)
	is.Equal(v.made(), `move{"column":"done","from":"todo","id":1}`)
	is.Equal(v.columns(), " |  | A")
}

// rows returns the cells of a table, line by line.
func (v *view) rows() string {
	v.t.Helper()
	return eval[string](v,
		`[...document.querySelectorAll("tr")].map((row) => [...row.cells].map((cell) => `+
			`cell.textContent).join("|")).join("\n")`)
}

func TestATableShowsTheColumnsOfItsConfig(t *testing.T) {
	is := is.New(t)
	v := open(t,
		scene{template: "data-table",
			config: `{"columns":[{"key":"id","label":"Id","sortable":true},"name"],"pageSize":3,"empty":"Nobody ` +
				`yet.","data":[{"id":1,"name":"from the config"}]}`})
	is.Equal(v.rows(), "Id ↕|name\n1|from the config")
	v.notify("ui/notifications/tool-result",
		data(`{"total":3,"rows":[{"id":10,"name":"b"},{"id":9,"name":null},{"id":"x","other":true},[7,8]]}`))
	is.Equal(v.rows(), "Id ↕|name\n10|b\n9|\nx|")
	v.click("Next")
	is.Equal(v.rows(), "Id ↕|name\n|")
	v.notify("ui/notifications/tool-result", data(`{"rows":[]}`))
	is.Equal(v.shows(".empty"), "Nobody yet.")
	v.notify("ui/notifications/tool-result", text("just text"))
	is.Equal(v.shows("#alert"), "") // the page came with its data
}

func TestADiffIsShownLineByLine(t *testing.T) {
	is := is.New(t)
	v := open(t,
		scene{template: "diff-viewer", config: `{"leftTitle":"Before","rightTitle":"After"}`,
			result: data(`{"left":"a\nb\nc\nd\n","right":"a\nx\nc\nd\ne\n"}`)})
	is.Equal(v.rows(), "Before|After\n1| a|1| a\n2|−b|2|+x\n3| c|3| c\n4| d|4| d\n| |5|+e")
	is.Equal(v.shows(".step"), "2 added, 1 removed")
	v.notify("ui/notifications/tool-result",
		text("diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -8,2 +8,2 @@ fun\n-old\n+new\n same\n"))
	is.Equal(v.rows(),
		"Before|After\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -8,2 +8,2 @@ fun\n8|−old|8|+new\n9| same|9| same")
	v.notify("ui/notifications/tool-result", data(`{"left":{"a":1,"b":[]},"right":{"a":2,"b":[]}}`))
	is.Equal(v.shows(".step"), "1 added, 1 removed") // objects, line by line too
	v.notify("ui/notifications/tool-result", data(`{"rows":[]}`))
	is.Equal(v.shows("#alert"), "The result has no left and right to compare.")
}

func TestTextsTooLongToCompareLineByLineAreComparedAllTheSame(t *testing.T) {
	is := is.New(t)
	lines := func(word string) string { return "first\n" + strings.Repeat(word+"\n", 3000) + "last" }
	v := open(t,
		scene{template: "diff-viewer", config: `{"viewMode":"unified"}`,
			result: data(`{"left":` + quoted(lines("a")) + `,"right":` + quoted(lines("b")) + `}`)})
	is.Equal(v.shows(".step"), "3000 added, 3000 removed")
}

func TestATreeOpensAndClosesByTheMouse(t *testing.T) {
	is := is.New(t)
	v := open(t,
		scene{template: "tree-view", config: `{"expandLevel":0}`,
			result: data(`{"label":"root","children":["leaf",{"label":"branch","children":["twig"]}]}`)})
	is.Equal(v.shows(".name"), "root")
	v.click(".node")
	is.Equal(v.shows(".name"), "root\nleaf\nbranch")
	v.click(".node")
	is.Equal(v.shows(".name"), "root")
	is.Equal(v.made(), "")
}

func TestABoardHasTheColumnsThatItsCardsName(t *testing.T) {
	is := is.New(t)
	v := open(t,
		scene{template: "kanban", config: `{"columns":["todo"]}`,
			result: data(`{"cards":[{"id":1,"status":"odd"},{"id":2},{"id":3,"column":"todo"}]}`)})
	is.Equal(v.shows("h2 span:first-child"), "todo\nodd\nWithout a column")
	v.click("Move 2")
	v.click("odd")
	is.Equal(v.columns(), "3 | 1,2") // without a tool it just moves; an empty column that only cards named goes
}
