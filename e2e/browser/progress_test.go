package browser

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/matryer/is"
)

// moves reports whether the bar is animated, as for a job of unknown length.
func (v *view) moves() bool {
	v.t.Helper()
	return eval[bool](v, `document.querySelector("progress").position === -1`)
}

func TestProgressEndsWithTheTool(t *testing.T) {
	for _, c := range []struct{ name, method, params, says string }{
		{"cancelled", "ui/notifications/tool-cancelled", `{"reason":"by the user"}`, "Cancelled: by the user"},
		{"failed", "ui/notifications/tool-result", failed("The disk is full."), "The disk is full."},
	} {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			v := open(t, scene{template: "progress", config: `{"cancelTool":"stop"}`})
			is.True(v.moves())
			is.Equal(v.shows("#status"), "Waiting for the result.")
			v.focus("button")
			v.notify(c.method, c.params)
			is.True(!v.moves())
			is.Equal(v.shows("#status, #alert"), c.says)
			is.Equal(v.shows("button"), "") // there is nothing to cancel
			v.notify("notifications/progress", `{"progress":9,"total":10}`)
			is.Equal(v.shows("#view"), "") // late
			is.Equal(v.shows("#status, #alert"), c.says)
		})
	}
}

func TestProgressFollowsNotifications(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "progress", config: `{}`})
	v.notify("notifications/progress", `{"progress":1,"total":4,"message":"first part"}`)
	is.Equal(v.shows("main"), "25 %\n\nfirst part")
	v.notify("notifications/progress", `{"progress":4,"total":4,"message":"last part"}`)
	is.Equal(v.shows("main"), "100 %\n\nlast part") // the tool may still fail
	v.notify("ui/notifications/tool-result", data(`{"message":"all of it"}`))
	v.notify("notifications/progress", `{"progress":2,"total":4,"message":"late"}`)
	is.Equal(v.shows(".percent, #status"), "100 %\nDone.")
	is.Equal(v.shows(".step"), "all of it")
}

func TestProgressAsksUntilTheJobIsDone(t *testing.T) {
	is := is.New(t)
	var asked atomic.Int64
	v := open(t, scene{template: "progress", config: `{"statusTool":"status","statusArgs":{"brief":true},"intervalSecs":3}`, result: data(`{"id":"job-1","progress":3,"total":10,"message":"begun"}`),
		answer: func(string, map[string]any) (string, error) {
			n := asked.Add(1)
			return data(fmt.Sprintf(`{"progress":%d,"total":10,"message":"part %d"}`, min(10, 4+3*n), n)), nil
		}})
	is.Equal(v.shows(".percent, .step"), "30 %\nbegun")
	is.Equal(v.tick(), 1)
	v.until(`document.querySelector(".step").textContent === "part 1"`)
	is.Equal(v.shows(".percent"), "70 %")
	is.Equal(v.tick(), 1)
	v.until(`document.getElementById("status").textContent === "Done."`)
	is.Equal(v.shows(".percent, .step"), "100 %\npart 2")
	is.Equal(v.made(), `status{"brief":true,"id":"job-1"} status{"brief":true,"id":"job-1"}`)
	is.Equal(v.tick(), 0) // it asks no more
}

func TestProgressStopsAskingWhenTheToolFailsOrThePageGoes(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "progress", config: `{"statusTool":"status","intervalSecs":3}`, result: data(`{"id":1,"progress":3}`),
		answer: func(string, map[string]any) (string, error) { return failed("There is no such job."), nil }})
	is.True(v.moves())
	is.Equal(v.tick(), 1)
	v.until(`document.getElementById("alert").textContent === "There is no such job."`)
	is.True(!v.moves())
	is.Equal(v.tick(), 0)

	v = open(t, scene{template: "progress", config: `{"statusTool":"status","intervalSecs":3}`, result: data(`{"id":1,"progress":3}`)})
	evalHost[any](v, `host.request("ui/resource-teardown", {reason: "closed"}).then(() => null)`)
	is.Equal(eval[int](v, `timers.size`), 0)
	is.Equal(v.made(), "")
}

func TestProgressOfAResultThatNobodyFollowsStandsStill(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "progress", config: `{}`, result: data(`{"progress":3,"total":10}`)})
	is.Equal(v.shows(".percent, #status"), "30 %\nAs the tool last reported it.")
	v.notify("notifications/progress", `{"progress":4,"total":10}`)
	is.Equal(v.shows(".percent, #status"), "40 %")
	v = open(t, scene{template: "progress", config: `{}`, result: data(`{"progress":3}`)})
	is.True(!v.moves())
}

func TestAJobIsCancelledAfterAQuestion(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "progress", config: `{"cancelTool":"stop","cancelArgs":{"force":true},"statusTool":"status","intervalSecs":3600}`, result: data(`{"id":"job-1","progress":3,"total":10}`)})
	v.click("Cancel")
	is.Equal(v.focused(), "Yes")
	v.press(tab + enter)
	is.Equal(v.focused(), "Cancel") // after No
	is.Equal(v.made(), "")
	v.press(enter + enter)
	v.until(`document.getElementById("status").textContent === "Cancelled."`)
	is.Equal(v.made(), `stop{"force":true,"id":"job-1"}`)
	is.Equal(v.shows("button"), "")
}
