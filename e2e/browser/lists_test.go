package browser

import (
	"sync/atomic"
	"testing"

	"github.com/matryer/is"
)

func TestADiffHasEqualHalves(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "diff-viewer", config: `{}`, width: 1000, result: data(`{"left":"a\n","right":"a very long line that takes more than its share of the room, ` + word + word + `\n"}`)})
	widths := eval[[]float64](v, `[...document.querySelectorAll("thead th")].map((one) => one.getBoundingClientRect().width)`)
	is.Equal(len(widths), 2)
	is.True(widths[0]-widths[1] < 2 && widths[1]-widths[0] < 2)
	v.looks("light", 340)
	is.Equal(v.shows("thead th"), "Original → Modified") // two columns would leave no room
}

func TestNoDifferencesAreSaidOnlyWhereThereAreNone(t *testing.T) {
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
			v := open(t, scene{template: "diff-viewer", config: `{}`, result: c.result})
			is.Equal(v.shows(".step"), c.says)
		})
	}
}

func TestATreeIsUsedByTheKeyboard(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "tree-view", config: `{"onSelectTool":"pick"}`, result: data(`[{"id":"s","label":"src","children":[{"label":"main.go"}]},{"id":7,"label":"go.mod"}]`),
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
	is.Equal(evalHost[string](v, `document.getElementById("model").textContent`), "The user called pick with {\"id\":\"main.go\"} on this page. It answered:\n{\"size\":\"main.go\",\"lines\":3}")
}

const orders = `{"rows":[{"n":10,"who":"b"},{"n":9,"who":"a"},{"n":null,"who":"c"},{"n":100,"who":"d"},{"n":1,"who":"e"}]}`

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
		return eval[string](v, `[...document.querySelectorAll("th")].map((one) => one.ariaSort).join()`) + " " + eval[string](v, `[...document.querySelectorAll("tbody td:first-child")].map((one) => one.innerText || "-").join()`)
	}
	is.Equal(v.shows("th"), "n ↕\nwho ↕") // that they can be sorted can be seen
	v.focus("th button")
	v.press(enter)
	is.Equal(sorted(), "ascending,none 1,9,10,100,-")
	v.press(" ")
	is.Equal(sorted(), "descending,none 100,10,9,1,-")
	is.Equal(v.focused(), "n ↓")
}

const board = `{"columns":["todo",{"id":"doing","title":"In progress"},"done"],"onMoveTool":"move","onCardClickTool":"pick"}`

// columns are the cards on the board, by column.
func (v *view) columns() string {
	v.t.Helper()
	return eval[string](v, `[...document.querySelectorAll(".column")].map((column) => [...column.querySelectorAll(".title")].map((one) => one.innerText).join()).join(" | ")`)
}

func TestACardIsMovedByTheKeyboardWithOneCall(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "kanban", config: board, result: data(`[{"id":1,"title":"A","status":"todo"},{"id":2,"title":"B","column":"done"}]`)})
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
	v := open(t, scene{template: "kanban", config: board, result: data(`[{"id":1,"title":"A","column":"todo"}]`), answer: func(string, map[string]any) (string, error) { return failed("Not before it is reviewed."), nil }})
	v.click("Move A")
	v.click("done")
	v.until(`document.getElementById("alert").textContent === "Not before it is reviewed."`)
	is.Equal(v.columns(), "A |  | ")
	is.Equal(v.focused(), "Move A")
}

func TestABoardShowsWhatItsToolAnswers(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "kanban", config: board, result: data(`[{"id":1,"title":"A","column":"todo"}]`), answer: func(name string, _ map[string]any) (string, error) {
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
	v := open(t, scene{template: "kanban", config: board, result: data(`[{"title":"A","column":"todo"},{"description":"neither","column":"todo"}]`)})
	is.Equal(v.shows(".small"), "Move") // no tool could be told which the other one is
	v.click("Move A")
	v.click("done")
	v.until(`!document.getElementById("answer").hidden`)
	is.Equal(v.made(), `move{"column":"done","from":"todo","id":"A"}`)
}

func TestACardIsMovedOnceAtATime(t *testing.T) {
	is := is.New(t)
	var calls atomic.Int64
	release := make(chan struct{})
	v := open(t, scene{template: "kanban", config: board, result: data(`[{"id":1,"title":"A","column":"todo"}]`), answer: func(string, map[string]any) (string, error) {
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
