package handlers_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// working returns a tool that takes some time of the (fake) clock.
func working(d time.Duration, result *mcp.CallToolResult, err error) func(context.Context, run.Call) (*mcp.CallToolResult, error) {
	return func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
		c.Progress(ctx, mcp.ProgressParams{Progress: []byte("1")})
		select {
		case <-time.After(d):
			c.Log(ctx, mcp.LogParams{Level: mcp.Error, Data: "ended"})
			if result == nil {
				return nil, err
			}
			own := *result // each run returns a new result, which the call may change
			return &own, err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// begin calls a tool that becomes a task and returns its params.
func (d *dialog) begin(name, capabilities string) string {
	d.t.Helper()
	d.say("1", "tools/call", capabilities, `"name":"`+name+`"`)
	for {
		line := d.hear()
		if a := d.read(line); a.Method == "" {
			if a.Result.ResultType != "task" || a.Result.Status != "working" || strings.Contains(line, "inputRequests") {
				d.t.Fatalf("no task: %s", line)
			}
			return `"taskId":"` + a.Result.TaskID + `"`
		}
	}
}

func TestACallThatTakesLongBecomesATask(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		done, _ := textResult("done")
		d := newDialog(t, working(time.Minute, done, nil))
		start := time.Now()
		task := d.begin("plain", tasking)           // TX-04, TX-05
		is.True(len(task) >= len(`"taskId":""`)+26) // TX-17, SE-02: 128 bits in base32
		is.Equal(time.Since(start), 10*time.Second)
		is.Equal(d.ask("2", "tasks/get", tasking, task).Result.Status, "working") // TX-06, TX-07
		<-time.After(time.Minute)
		ended := d.ask("3", "tasks/get", tasking, task)
		is.Equal(ended.Result.Status, "completed")
		is.Equal(ended.Result.Result.Content[0].Text, "done")
		is.True(d.quiet()) // TX-16: the log message of the task is not sent
		<-time.After(59 * time.Minute)
		is.Equal(d.ask("4", "tasks/get", tasking, task).Result.Status, "completed") // TX-17
		<-time.After(time.Hour)
		is.Equal(d.ask("5", "tasks/get", tasking, task).Error.Code, -32602) // TX-11
	})
}

func TestWithoutTheExtensionACallStaysACall(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		done, _ := textResult("done")
		d := newDialog(t, working(time.Minute, done, nil))
		d.say("1", "tools/call", "", `"name":"plain","task":{"ttl":1}`)
		d.hear()                                  // progress
		d.hear()                                  // log
		is.Equal(d.read(d.hear()).text(), "done") // TX-02, TX-14
		refused := d.ask("2", "tools/call", "", `"name":"forced"`)
		is.Equal(refused.Error.Code, -32021)
		is.Equal(string(refused.Error.Data), `{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`) // TX-03
		for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
			is.Equal(d.ask("3", method, "", `"taskId":"x","inputResponses":{}`).Error.Code, -32021)      // TX-12
			is.Equal(d.ask("4", method, tasking, `"taskId":"x","inputResponses":{}`).Error.Code, -32602) // TX-11
		}
		for _, method := range []string{"tasks/result", "tasks/list"} {
			is.Equal(d.ask("5", method, tasking, `"taskId":"x"`).Error.Code, -32601) // TX-13
		}
		is.Equal(d.ask("6", "subscriptions/listen", "", `"notifications":{"taskIds":["x"]}`).Error.Code, -32021) // SL-13
	})
}

func TestACallOfAToolThatSaysSoBecomesATaskSoon(t *testing.T) {
	for _, c := range []struct {
		support mcp.TaskSupport
		takes   time.Duration
		is      string
		after   time.Duration
	}{
		{mcp.TaskRequired, time.Minute, "task", 500 * time.Millisecond},
		{mcp.TaskRequired, 100 * time.Millisecond, "task", 100 * time.Millisecond}, // with its result
		{mcp.TaskOptional, time.Minute, "task", 500 * time.Millisecond},
		{mcp.TaskOptional, 100 * time.Millisecond, "complete", 100 * time.Millisecond},
		{"", time.Minute, "task", 10 * time.Second}, // after the time of the operator
		{"", time.Second, "complete", time.Second},
		{mcp.TaskForbidden, time.Minute, "complete", time.Minute},
	} {
		t.Run(fmt.Sprintf("%s %v", c.support, c.takes), func(t *testing.T) {
			in(t, func(t *testing.T, is *is.I) {
				d := newDialog(t, func(context.Context, run.Call) (*mcp.CallToolResult, error) {
					<-time.After(c.takes)
					return textResult("done")
				})
				d.tools["tool"] = &catalog.Tool{Described: catalog.Described{Name: "tool"}, Settings: &catalog.Settings{TaskSupport: c.support}}
				start := time.Now()
				is.Equal(d.ask("1", "tools/call", tasking, `"name":"tool"`).Result.ResultType, c.is)
				is.Equal(time.Since(start), c.after)
			})
		})
	}
}

func TestATaskFailsOnlyWithAProtocolError(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		broken, _ := textResult("broken")
		broken.IsError = true
		d := newDialog(t, working(time.Minute, broken, nil))
		task := d.begin("forced", tasking)
		<-time.After(2 * time.Minute)
		ended := d.ask("2", "tasks/get", tasking, task)
		is.Equal(ended.Result.Status, "completed") // TX-08
		is.True(ended.Result.Result.IsError)
		d.run = working(time.Minute, nil, pipeline.Errorf(mcp.CodeResourceNotFound, "no such file"))
		task = d.begin("forced", tasking)
		<-time.After(2 * time.Minute)
		ended = d.ask("3", "tasks/get", tasking, task)
		is.Equal(ended.Result.Status, "failed")
		is.Equal(ended.Result.Error.Code, -32602) // N-14: in a code that the revision has
		is.Equal(ended.Result.StatusMessage, "no such file")
	})
}

func TestATaskAsksItsClient(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
			<-time.After(time.Minute)
			answers := c.Ask(ctx, confirm("a"), confirm("b"))
			<-time.After(time.Minute)
			return textResult(fmt.Sprintf("%s %v", answers[0].Result, answers[1].Err))
		})
		task := d.begin("forced", elicits+","+tasking)
		<-time.After(time.Minute + time.Second)
		asks := d.ask("2", "tasks/get", tasking, task)
		is.Equal(asks.Result.Status, "input_required")
		is.Equal(len(asks.keys()), 2)
		d.ask("3", "tasks/update", tasking, task+`,"inputResponses":{"a":`+yes+`,"zzz":{}}`) // by a client that sends only required members
		asks = d.ask("4", "tasks/get", tasking, task)
		is.Equal(asks.keys(), []string{"b"})                                                               // TX-09
		is.Equal(d.ask("5", "tasks/update", tasking, task+`,"inputResponses":"x"`).Error.Code, -32602)     // MR-11
		is.Equal(d.ask("6", "tasks/update", tasking, task+`,"inputResponses":{"b":5}`).Error.Code, -32602) // MR-11
		d.ask("7", "tasks/update", tasking, task+`,"inputResponses":{"b":{"action":"decline"}}`)
		works := d.ask("8", "tasks/get", tasking, task)
		is.Equal(works.Result.Status, "working")
		is.True(works.Result.LastUpdatedAt >= asks.Result.LastUpdatedAt)
		<-time.After(2 * time.Minute)
		is.Equal(d.ask("9", "tasks/get", tasking, task).Result.Result.Content[0].Text, yes+" <nil>")
	})
}

func TestACallAsksBeforeItBecomesATask(t *testing.T) {
	for _, support := range []mcp.TaskSupport{"", mcp.TaskOptional, mcp.TaskRequired} {
		in(t, func(t *testing.T, is *is.I) {
			d := newDialog(t, func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
				c.Ask(ctx, confirm("a"))
				<-time.After(time.Minute)
				return textResult("done")
			})
			d.tools["plain"].Settings.TaskSupport = support
			first := d.ask("1", "tools/call", elicits+","+tasking, `"name":"plain"`)
			is.Equal(first.Result.ResultType, "input_required") // MR-17
			second := d.ask("2", "tools/call", elicits+","+tasking, retry("plain", first.Result.RequestState, `{"a":`+yes+`}`))
			is.Equal(second.Result.ResultType, "task")
			<-time.After(time.Minute)
			ended := d.ask("3", "tasks/get", tasking, `"taskId":"`+second.Result.TaskID+`"`)
			is.Equal(ended.Result.Result.Content[0].Text, "done")
		})
	}
}

func TestATaskIsCancelledByItsIdAndNotByThatOfItsCall(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		done, _ := textResult("done")
		ended := make(chan error, 1)
		d := newDialog(t, func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
			_, err := working(time.Minute, done, nil)(ctx, c)
			if err != nil {
				<-time.After(3 * time.Second) // to clean up
			}
			ended <- err
			return done, nil
		})
		task := d.begin("forced", tasking)
		d.Notify("notifications/cancelled", `{"requestId":1}`)
		is.Equal(d.ask("2", "tasks/get", tasking, task).Result.Status, "working")
		is.Equal(d.ask("3", "tasks/cancel", tasking, task).Result.ResultType, "complete") // TX-10
		is.Equal(d.ask("4", "tasks/get", tasking, task).Result.Status, "cancelled")
		is.Equal((<-ended).Error(), "the task was cancelled")
		synctest.Wait()
		is.Equal(d.ask("5", "tasks/get", tasking, task).Result.Status, "cancelled") // although it returned a result
		task = d.begin("forced", tasking)
		is.NoErr(<-ended)
		synctest.Wait()
		d.ask("6", "tasks/cancel", tasking, task)
		is.Equal(d.ask("7", "tasks/get", tasking, task).Result.Status, "completed") // a final status does not change
	})
}

func TestATaskIsThereForItsCallerOnly(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		done, _ := textResult("done")
		d := newDialog(t, working(time.Minute, done, nil))
		task := d.begin("plain", tasking)
		d.caller.Store(&mcp.Caller{ID: "eve"})
		missing := d.ask("2", "tasks/get", tasking, `"taskId":"none"`).Error.Message
		for method, params := range map[string]string{
			"tasks/get": task, "tasks/cancel": task, "tasks/update": task + `,"inputResponses":{}`,
		} {
			answer := d.ask("3", method, tasking, params)
			is.Equal(answer.Error.Code, -32602)
			is.Equal(strings.ReplaceAll(answer.Error.Message, task[len(`"taskId":"`):len(task)-1], "none"), missing)
		}
		d.caller.Store(&mcp.Caller{ID: "ada"})
		<-time.After(time.Minute)
		is.Equal(d.ask("4", "tasks/get", tasking, task).Result.Status, "completed") // eve has not cancelled it
	})
}

func TestTheStatusOfATaskIsFinal(t *testing.T) {
	for range 50 {
		in(t, func(t *testing.T, is *is.I) {
			done, _ := textResult("done")
			d := newDialog(t, working(time.Second, done, nil))
			task := d.begin("forced", tasking)
			<-time.After(time.Second) // it ends at the same time
			d.say("2", "tasks/get", tasking, task)
			d.say("3", "tasks/cancel", tasking, task)
			d.say("4", "tasks/get", tasking, task)
			before := d.read(d.hear()).Result.Status
			d.hear()
			after := d.read(d.hear()).Result.Status
			is.True(before == "working" || before == after) // TX-10
			is.True(after == "completed" || after == "cancelled")
		})
	}
}

func TestATaskThatNeverEndsIsEnded(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks("a"))
		task := d.begin("forced", tasking+","+elicits)
		<-time.After(61 * time.Minute)
		ended := d.ask("2", "tasks/get", tasking, task)
		is.Equal(ended.Result.Status, "failed")
		is.Equal(ended.Result.StatusMessage, "the task exceeded its time limit") // EL-15
	})
}

func TestACallBeyondTheTasksThatMayRunStaysACall(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		done, _ := textResult("done")
		d := newDialog(t, working(time.Minute, done, nil))
		for range 4 {
			d.begin("forced", tasking)
		}
		d.say("5", "tools/call", tasking, `"name":"forced"`)
		d.hear() // progress
		d.hear() // log
		is.Equal(d.read(d.hear()).text(), "done")
	})
}

func TestACallWhoseResultCouldNotBeKeptStaysACall(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		done, _ := textResult("done")
		d := newDialog(t, working(time.Second, done, nil))
		d.rounds.Tasks.Keep = 2 * 4096
		d.begin("forced", tasking)
		task := d.begin("forced", tasking)
		<-time.After(time.Minute)
		d.say("3", "tools/call", tasking, `"name":"forced"`)
		d.hear() // progress
		d.hear() // log
		is.Equal(d.read(d.hear()).text(), "done")
		is.Equal(d.ask("4", "tasks/get", tasking, task).Result.Status, "completed") // TX-17: kept as announced
		<-time.After(time.Hour)
		d.begin("forced", tasking) // there is room again
	})
}

func TestTheEndOfTheServerEndsItsTasks(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		done, _ := textResult("done")
		d := newDialog(t, func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
			<-ctx.Done()
			<-time.After(time.Second) // to clean up
			return done, nil
		})
		for range 3 {
			d.begin("forced", tasking)
		}
		is.NoErr(d.Close())
		start := time.Now()
		d.rounds.Close()
		is.Equal(time.Since(start), time.Second) // all at the same time
	})
}

func TestAStreamReportsTheStatusOfATask(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
			<-time.After(time.Minute)
			return asks("a")(ctx, c)
		})
		task := d.begin("forced", tasking+","+elicits)
		id := strings.Trim(strings.TrimPrefix(task, `"taskId":`), `"`)
		d.say(`"s"`, "subscriptions/listen", tasking, `"notifications":{"taskIds":["`+id+`","unknown"]}`)
		is.True(strings.Contains(d.hear(), `"notifications":{"taskIds":["`+id+`"]}`)) // TX-15
		is.True(strings.Contains(d.hear(), `"status":"input_required"`))
		d.say("2", "tasks/update", tasking, task+`,"inputResponses":{"a":`+yes+`}`)
		var told []string
		for range 2 {
			told = append(told, d.hear())
		}
		all := strings.Join(told, "\n")
		is.True(strings.Contains(all, `"id":2,"result":{`))
		<-time.After(time.Second)
		rest := d.Written()
		for _, line := range rest {
			d.check.Out([]byte(line))
		}
		all += strings.Join(rest, "\n")
		is.Equal(strings.Count(all, `"status":"completed"`), 1)                        // once
		is.True(strings.Contains(all, `"io.modelcontextprotocol/subscriptionId":"s"`)) // SL-02
	})
}
