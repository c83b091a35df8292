package handlers_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

func TestCallsAtTheSameTimeDoNotPassTheLimitOfTasks(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		done, _ := textResult("done")
		d := newDialog(t, working(time.Minute, done, nil))
		d.rounds.Tasks.Max = 2
		for i := range 4 { // each waits ten seconds before it may become a task
			d.say(fmt.Sprint(i), "tools/call", tasking, `"name":"plain"`)
		}
		<-time.After(11 * time.Second)
		synctest.Wait()
		tasks := 0
		for _, line := range d.Written() {
			if d.read(line).Result.ResultType == "task" {
				tasks++
			}
		}
		is.Equal(tasks, 2)
		<-time.After(time.Minute)
		synctest.Wait()
		calls := 0
		for _, line := range d.Written() {
			if d.read(line).text() == "done" {
				calls++
			}
		}
		is.Equal(calls, 2) // the others stayed calls
	})
}

func TestAFinishedTaskIsKeptLongEnoughToBePolled(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		done, _ := textResult("done")
		d := newDialog(t, working(2*time.Second, done, nil))
		d.rounds.Tasks.TTL = 0
		d.say("1", "tools/call", tasking, `"name":"forced"`)
		var born answer
		for born = d.read(d.hear()); born.Method != ""; born = d.read(d.hear()) {
		}
		life := time.Duration(born.Result.TTLMs) * time.Millisecond
		is.True(life >= 10*time.Second)
		task := `"taskId":"` + born.Result.TaskID + `"`
		is.Equal(d.ask("2", "tasks/get", tasking, task).Result.Status, "working")
		<-time.After(2500 * time.Millisecond)
		synctest.Wait()
		<-time.After(life - time.Millisecond)
		is.Equal(d.ask("3", "tasks/get", tasking, task).Result.Status, "completed") // TX-17: kept for the announced time
		<-time.After(time.Second)
		is.Equal(d.ask("4", "tasks/get", tasking, task).Error.Code, -32602)
	})
}

func TestEveryRequestForATaskIsCheckedByThePolicy(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks("a"))
		seen := map[string]bool{}
		for range 4 {
			task := d.begin("forced", tasking+","+elicits)
			<-time.After(time.Second) // until it asks
			is.True(!seen[task])
			seen[task] = true
			for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
				is.Equal(d.ask("2", method, elicits, task+`,"inputResponses":{"a":`+yes+`}`).Error.Code, -32021) // TX-17: knowing the id is not enough
			}
			is.Equal(d.ask("3", "tasks/get", tasking, task).Result.Status, "input_required") // none of them had an effect
			is.Equal(d.ask("4", "tasks/get", tasking, strings.ToLower(task)).Error.Code, -32602)
		}
	})
}

func TestATaskSendsNothingOutsideItsStatus(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		speak := make(chan struct{})
		d := newDialog(t, func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
			for range 3 {
				<-speak
				c.Progress(ctx, mcp.ProgressParams{Progress: []byte("1")})
				c.Log(ctx, mcp.LogParams{Level: mcp.Emergency, Data: "hello"})
			}
			c.Ask(ctx, confirm("a"))
			c.Progress(ctx, mcp.ProgressParams{Progress: []byte("2")})
			c.Log(ctx, mcp.LogParams{Level: mcp.Emergency, Data: "hello"})
			return textResult("done")
		})
		for _, name := range []string{"forced", "plain"} { // one that is a task at once, and one that becomes a task
			task := d.begin(name, tasking+","+elicits)
			for range 3 {
				speak <- struct{}{}
				synctest.Wait()
				is.True(d.quiet())                                                                               // TX-16
				is.True(strings.HasPrefix(d.ask("2", "tasks/get", tasking, task).Result.ResultType, "complete")) // whose token and level are not the call's
			}
			d.ask("3", "tasks/update", tasking, task+`,"inputResponses":{"a":`+yes+`}`)
			synctest.Wait()
			is.True(d.quiet()) // TX-16
			is.Equal(d.ask("4", "tasks/get", tasking, task).Result.Status, "completed")
		}
	})
}

func TestAfterAWrongAnswerATaskAsksAgainWithANewKey(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks("a", "a-2"))
		task := d.begin("forced", tasking+","+elicits)
		<-time.After(time.Second) // until it asks
		id := strings.Trim(strings.TrimPrefix(task, `"taskId":`), `"`)
		d.listen(`"s"`, `{}`)
		d.say(`"t"`, "subscriptions/listen", tasking, `"notifications":{"taskIds":["`+id+`"]}`)
		d.hear()
		used := map[string]bool{}
		before := d.ask("2", "tasks/get", tasking, task)
		for _, wrong := range []string{`{}`, `{"action":"perhaps"}`, `{"action":"accept","content":{"ok":5}}`} {
			is.Equal(len(before.keys()), 1)
			key := before.keys()[0]
			is.True(!used[key]) // TX-09
			used[key] = true
			<-time.After(time.Second)
			d.say("3", "tasks/update", tasking, task+`,"inputResponses":{"`+key+`":`+wrong+`}`)
			acknowledged, told := d.hear(), d.hear()
			if !strings.Contains(acknowledged, `"id":3`) {
				acknowledged, told = told, acknowledged
			}
			is.True(strings.Contains(acknowledged, `"id":3,"result":{`))
			is.True(strings.Contains(told, `"method":"notifications/tasks"`))
			after := d.ask("4", "tasks/get", tasking, task)
			is.True(after.Result.LastUpdatedAt > before.Result.LastUpdatedAt)
			is.True(strings.Contains(told, after.keys()[0]))
			d.ask("5", "tasks/update", tasking, task+`,"inputResponses":{"`+key+`":`+yes+`}`) // for a key of an earlier question
			synctest.Wait()
			is.True(d.quiet())
			before = after
		}
		d.say("6", "tasks/update", tasking, task+`,"inputResponses":{"`+before.keys()[0]+`":`+yes+`}`)
		used[before.keys()[0]] = true
		synctest.Wait()
		d.Written()
		next := d.ask("7", "tasks/get", tasking, task).keys()
		is.Equal(len(next), 1)
		is.True(!used[next[0]]) // the script's own key is already used
	})
}

func TestAnUpdateOfATaskBringsAnswers(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks("a"))
		task := d.begin("forced", tasking+","+elicits)
		<-time.After(time.Second) // until it asks
		for _, params := range []string{task, task + `,"inputResponses":null`} {
			refused := d.ask("2", "tasks/update", tasking, params)
			is.Equal(refused.Error.Code, -32602) // TX-09
			is.True(strings.Contains(refused.Error.Message, "/inputResponses is missing"))
		}
		is.Equal(d.ask("3", "tasks/update", tasking, task+`,"inputResponses":{}`).Result.ResultType, "complete")
		is.Equal(d.ask("4", "tasks/get", tasking, task).keys(), []string{"a"})
	})
}

func TestTasksAndKeptRunsCountAsWork(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		done, _ := textResult("done")
		d := newDialog(t, working(time.Minute, done, nil))
		is.True(!d.rounds.Working())
		d.begin("forced", tasking)
		is.True(d.rounds.Working())
		<-time.After(2 * time.Minute)
		synctest.Wait()
		is.True(!d.rounds.Working()) // its result is kept, but it no longer runs
		d.run = asks("a")
		first := d.ask("1", "tools/call", elicits, `"name":"plain"`)
		is.True(d.rounds.Working()) // a run waits for an answer
		d.ask("2", "tools/call", elicits, retry("plain", first.Result.RequestState, `{"a":`+yes+`}`))
		is.True(!d.rounds.Working())
		d.ask("3", "tools/call", elicits, `"name":"plain"`)
		<-time.After(2 * time.Minute)
		is.True(!d.rounds.Working()) // no client returned
	})
}

func TestAnswersToATaskCountAgainstTheBudget(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
			c.Ask(ctx, confirm("a"))
			return textResult("done")
		})
		d.rounds.Tasks.Keep = 100_000
		task := d.begin("forced", tasking+","+elicits)
		<-time.After(2 * time.Second)
		synctest.Wait() // it has asked
		long := `{"action":"decline","x":"` + strings.Repeat("x", 100_000) + `"}`
		d.run = func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) { return textResult("short") }
		d.ask("2", "tasks/update", tasking, task+`,"inputResponses":{"a":`+long+`}`)
		synctest.Wait()
		is.Equal(d.ask("3", "tools/call", tasking, `"name":"forced"`).text(), "short") // no room for another task
	})
}

func TestTasksLeaveNothingAfterTheEnd(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		done, _ := textResult("done")
		d := newDialog(t, working(time.Minute, done, nil))
		task := d.begin("forced", tasking)
		<-time.After(2 * time.Minute)
		is.Equal(d.ask("2", "tasks/get", tasking, task).Result.Status, "completed")
		is.NoErr(d.Close())
		d.rounds.Close()
		is.True(!d.rounds.Tasks.Has(t.Context(), strings.Trim(strings.TrimPrefix(task, `"taskId":`), `"`)))
	})
}
