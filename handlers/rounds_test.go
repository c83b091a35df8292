package handlers_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/round"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// in runs a test in fake time.
func in(t *testing.T, f func(t *testing.T, is *is.I)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, is.New(t)) })
}

func TestACallThatAsksIsAnsweredByItsQuestions(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks("a", "b"))
		first := d.ask("1", "tools/call", elicits, `"name":"plain"`)
		is.Equal(first.Result.ResultType, "input_required") // MR-02
		is.Equal(first.keys(), []string{"a"})
		is.Equal(first.Result.InputRequests["a"].Method, "elicitation/create") // MR-03
		second := d.ask("2", "tools/call", elicits, retry("plain", first.Result.RequestState, `{"a":`+yes+`,"zzz":{}}`))
		is.Equal(second.keys(), []string{"b"}) // MR-09, MR-12
		third := d.ask("3", "tools/call", elicits, retry("plain", second.Result.RequestState, `{"b":`+yes+`}`))
		is.Equal(third.Result.ResultType, "complete")
		is.Equal(third.text(), yes+yes)
	})
}

func TestARetryGoesOnAfterARestart(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks("a", "b"))
		for _, name := range []string{"plain", "single"} {
			first := d.ask("1", "tools/call", elicits, `"name":"`+name+`"`)
			d.restart()
			second := d.ask("1", "tools/call", elicits, retry(name, first.Result.RequestState, `{"a":`+yes+`}`))
			is.Equal(second.keys(), []string{"b"}) // MR-08: a was answered
			d.restart()
			third := d.ask("1", "tools/call", elicits, retry(name, second.Result.RequestState, `{"b":`+yes+`}`))
			is.Equal(third.text(), yes+yes)
		}
	})
}

func TestALostRunStartsAnewWithItsAnswers(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		var runs atomic.Int32
		tool := func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
			runs.Add(1)
			return asks("a", "b")(ctx, c)
		}
		d := newDialog(t, tool)
		first := d.ask("1", "tools/call", elicits, `"name":"plain"`)
		second := d.ask("2", "tools/call", elicits, retry("plain", first.Result.RequestState, `{"a":`+yes+`}`))
		is.Equal(runs.Load(), int32(1)) // it continued
		<-time.After(2 * time.Minute)   // longer than it is kept (MR-15)
		third := d.ask("3", "tools/call", elicits, retry("plain", second.Result.RequestState, `{"b":`+yes+`}`))
		is.Equal(third.text(), yes+yes)
		is.Equal(runs.Load(), int32(2))
	})
}

func TestARunThatEndedMeanwhileHasItsResult(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			c.Ask(ctx, confirm("a"))
			return textResult("nobody has answered")
		})
		first := d.ask("1", "tools/call", elicits, `"name":"plain"`)
		<-time.After(5 * time.Second)
		second := d.ask("2", "tools/call", elicits, retry("plain", first.Result.RequestState, `{"a":`+yes+`}`))
		is.Equal(second.text(), "nobody has answered")
	})
}

func TestMoreRunsThanAreKeptStartAnew(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks("a"))
		var states []string
		for i := range 10 {
			states = append(states, d.ask(fmt.Sprint(i), "tools/call", elicits, `"name":"plain"`).Result.RequestState)
		}
		for i, state := range states {
			is.Equal(d.ask(fmt.Sprint(i), "tools/call", elicits, retry("plain", state, `{"a":`+yes+`}`)).text(), yes)
		}
	})
}

func TestAWrongOrMissingAnswerIsAskedForAgain(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		for _, name := range []string{"plain", "single"} {
			d := newDialog(t, asks("a"))
			now := d.ask("1", "tools/call", elicits, `"name":"`+name+`"`)
			for _, responses := range []string{`{}`, `null`, `{"b":` + yes + `}`, `{"a":{}}`, `{"a":{"action":"accept","content":{"ok":5}}}`} {
				now = d.ask("1", "tools/call", elicits, retry(name, now.Result.RequestState, responses))
				is.Equal(now.keys(), []string{"a"}) // MR-10
			}
			now = d.ask("1", "tools/call", elicits, retry(name, now.Result.RequestState, `{"a":`+yes+`}`))
			is.Equal(now.text(), yes)
		}
	})
}

func TestAForgedStateIsRefused(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks("a"))
		state := d.ask("1", "tools/call", elicits, `"name":"plain","arguments":{"x":1}`).Result.RequestState
		for _, params := range []string{
			`"name":"plain","arguments":{"x":1},"requestState":"` + state + `-X"`,
			`"name":"plain","arguments":{"x":1},"requestState":""`,
			`"name":"plain","arguments":{"x":1},"requestState":"` + strings.Repeat("A", 500_000) + `"`,
			`"name":"plain","arguments":{"x":1},"requestState":{}`,
			`"name":"plain","arguments":{"x":1},"requestState":7`,
			`"name":"plain","arguments":{"x":2},"requestState":"` + state + `"`, // MR-06
			`"name":"other","arguments":{"x":1},"requestState":"` + state + `"`,
			`"name":"plain","arguments":{"x":1},"inputResponses":"x"`, // MR-11
			`"name":"plain","arguments":{"x":1},"inputResponses":[]`,
			`"name":"plain","arguments":{"x":1},"inputResponses":{"a":5},"requestState":"` + state + `"`,
			`"name":"plain","arguments":{"x":1},"inputResponses":{"a":null},"requestState":"` + state + `"`,
		} {
			is.Equal(d.ask("2", "tools/call", elicits, params).Error.Code, -32602) // MR-05
		}
		good := `"name":"plain","arguments":{ "x" : 1 },"requestState":"` + state + `","inputResponses":{"a":` + yes + `}`
		is.Equal(d.ask("3", "tools/call", elicits, good).text(), yes)                                    // none of these has consumed it
		is.True(strings.Contains(d.ask("4", "tools/call", elicits, good).Error.Message, "already used")) // MR-07
	})
}

func TestAStateBelongsToItsCaller(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks("a"))
		state := d.ask("1", "tools/call", elicits, `"name":"plain"`).Result.RequestState
		d.caller.Store(&mcp.Caller{ID: "eve"})
		is.Equal(d.ask("2", "tools/call", elicits, retry("plain", state, `{"a":`+yes+`}`)).Error.Code, -32602)
		d.caller.Store(&mcp.Caller{ID: "ada"})
		is.Equal(d.ask("3", "tools/call", elicits, retry("plain", state, `{"a":`+yes+`}`)).text(), yes) // eve has not consumed it
	})
}

func TestAStateBelongsToItsProject(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks("a"))
		for _, name := range []string{"plain", "single"} {
			d.rounds.Project = "/srv/one"
			first := d.ask("1", "tools/call", elicits, `"name":"`+name+`"`)
			d.rounds.Project = "/srv/two" // which has a tool of the same name, and the same user's key
			other := d.ask("2", "tools/call", elicits, retry(name, first.Result.RequestState, `{"a":`+yes+`}`))
			is.Equal(other.Error.Code, -32602) // MR-06
			d.rounds.Project = "/srv/one"
			is.Equal(d.ask("3", "tools/call", elicits, retry(name, first.Result.RequestState, `{"a":`+yes+`}`)).text(), yes)
		}
	})
}

func TestAnswersWithoutAStateAreUsedForTheFirstQuestions(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks("a", "b"))
		for _, name := range []string{"plain", "single"} {
			all := d.ask("1", "tools/call", elicits, `"name":"`+name+`","inputResponses":{"b":`+yes+`,"a":`+yes+`}`)
			is.Equal(all.text(), yes+yes)
			some := d.ask("2", "tools/call", elicits, `"name":"`+name+`","inputResponses":{"a":`+yes+`,"zzz":`+yes+`}`)
			is.Equal(some.keys(), []string{"b"})
			is.Equal(d.ask("3", "tools/call", elicits, retry(name, some.Result.RequestState, `{"b":`+yes+`}`)).text(), yes+yes)
			wrong := d.ask("4", "tools/call", elicits, `"name":"`+name+`","inputResponses":{"a":{"action":"accept","content":{"ok":5}}}`)
			is.Equal(wrong.keys(), []string{"a"}) // MR-10
			long := strings.Repeat("x", 100_000)
			idle := d.ask("5", "tools/call", elicits, `"name":"`+name+`","inputResponses":{"zzz":{"x":"`+long+`"}}`)
			is.True(len(idle.Result.RequestState) < 10_000) // answers without a question are not kept in the state
		}
	})
}

func TestAStateExpires(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks("a"))
		first := d.ask("1", "tools/call", elicits, `"name":"plain"`)
		<-time.After(time.Hour)
		second := d.ask("2", "tools/call", elicits, retry("plain", first.Result.RequestState, `{"a":`+yes+`}`))
		is.True(strings.Contains(second.Error.Message, "expired")) // MR-06
	})
}

func TestOfTwoRetriesWithTheSameStateOneIsRefused(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks("a"))
		first := d.ask("1", "tools/call", elicits, `"name":"plain"`)
		d.say("2", "tools/call", elicits, retry("plain", first.Result.RequestState, `{"a":`+yes+`}`))
		d.say("3", "tools/call", elicits, retry("plain", first.Result.RequestState, `{"a":`+yes+`}`))
		one, other := d.read(d.hear()), d.read(d.hear())
		if one.Error.Code == 0 {
			one, other = other, one
		}
		is.Equal(one.Error.Code, -32602) // MR-07
		is.Equal(other.text(), yes)
	})
}

func TestARequestIsAskedOnlyWhatItDeclares(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks("a", "b"))
		is.Equal(d.ask("1", "tools/call", `"sampling":{}`, `"name":"plain"`).text(), strings.Repeat("the client does not support it", 2)) // MR-04
		first := d.ask("2", "tools/call", elicits, `"name":"plain"`)
		second := d.ask("3", "tools/call", "", retry("plain", first.Result.RequestState, `{"a":`+yes+`}`))
		is.Equal(second.text(), yes+"the client does not support it") // N-06
	})
}

func TestEachRetryIsCheckedByThePolicy(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks("a"))
		first := d.ask("1", "tools/call", elicits, `"name":"plain"`)
		d.policy.Deny = true
		second := d.ask("2", "tools/call", elicits, retry("plain", first.Result.RequestState, `{"a":`+yes+`}`))
		is.True(strings.Contains(second.Error.Message, "blocked by policy")) // SE-08: regardless of earlier decisions
		d.policy.Deny = false
		third := d.ask("3", "tools/call", elicits, retry("plain", first.Result.RequestState, `{"a":`+yes+`}`))
		is.Equal(third.text(), yes) // a refused call has not consumed the state
	})
}

func TestACancelledRetryEndsTheRunWithoutAnAnswer(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		ended := make(chan error, 1)
		d := newDialog(t, func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
			c.Ask(ctx, confirm("a"))
			<-ctx.Done()
			c.Log(ctx, mcp.LogParams{Level: mcp.Error, Data: "late"})
			ended <- context.Cause(ctx)
			return nil, context.Cause(ctx)
		})
		first := d.ask("1", "tools/call", elicits, `"name":"plain"`)
		d.say("2", "tools/call", elicits, retry("plain", first.Result.RequestState, `{"a":`+yes+`}`))
		synctest.Wait()
		d.Notify("notifications/cancelled", `{"requestId":2}`)
		is.Equal((<-ended).Error(), "cancelled by the client")
		synctest.Wait()
		is.True(d.quiet())
	})
}

func TestNotificationsBetweenRequestsAreDropped(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
			tell := func(n string) {
				c.Progress(ctx, mcp.ProgressParams{Progress: []byte(n)})
				c.Log(ctx, mcp.LogParams{Level: mcp.Info, Data: n})
			}
			tell("1")
			go func() {
				<-time.After(time.Second)
				tell("2") // while the client decides
			}()
			c.Ask(ctx, confirm("a"))
			tell("3")
			return textResult("done")
		})
		d.say("1", "tools/call", elicits, `"name":"plain"`)
		is.True(strings.Contains(d.hear(), `"progressToken":1,"progress":1`)) // its first messages are sent
		is.True(strings.Contains(d.hear(), `"data":"1"`))
		first := d.read(d.hear())
		<-time.After(5 * time.Second)
		is.True(d.quiet()) // P-04
		d.say("2", "tools/call", elicits, retry("plain", first.Result.RequestState, `{"a":`+yes+`}`))
		is.True(strings.Contains(d.hear(), `"progressToken":2,"progress":3`)) // with the token of the retry
		is.True(strings.Contains(d.hear(), `"data":"3"`))
		is.Equal(d.read(d.hear()).text(), "done")
	})
}

func TestNoNotificationFollowsTheAnswer(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
			go func() {
				for ctx.Err() == nil {
					c.Log(ctx, mcp.LogParams{Level: mcp.Info, Data: "x"})
					<-time.After(time.Microsecond)
				}
			}()
			c.Ask(ctx, confirm("a"))
			return textResult("done")
		})
		for i := range 20 {
			d.say(fmt.Sprint(i), "tools/call", elicits, `"name":"plain"`)
			for d.read(d.hear()).Method != "" {
			}
			<-time.After(time.Millisecond)
			is.True(d.quiet()) // the tool still talks
		}
		d.Close()
		d.rounds.Close()
		<-time.After(time.Millisecond) // the last one is a notice
	})
}

func TestAScriptThatAsksWithoutEndIsStopped(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
			for ctx.Err() == nil {
				c.Ask(ctx, confirm("a"))
			}
			return nil, context.Cause(ctx)
		})
		now := d.ask("0", "tools/call", elicits, `"name":"plain"`)
		rounds := 0
		for ; now.Result.RequestState != ""; rounds++ {
			now = d.ask("1", "tools/call", elicits, retry("plain", now.Result.RequestState, `{"`+now.keys()[0]+`":`+yes+`}`))
		}
		is.Equal(rounds, 32) // MR-12
		is.Equal(now.Error.Code, -32603)
	})
}

func TestLongAnswersOfARunThatIsNotKeptAreInTheState(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks("a", "b"))
		long := `{"action":"accept","content":{"ok":true},"x":"` + strings.Repeat("x", 100_000) + `"}`
		first := d.ask("1", "tools/call", elicits, `"name":"single"`)
		second := d.ask("2", "tools/call", elicits, retry("single", first.Result.RequestState, `{"a":`+long+`}`))
		is.Equal(second.keys(), []string{"b"})
		third := d.ask("3", "tools/call", elicits, retry("single", second.Result.RequestState, `{"b":`+yes+`}`))
		is.Equal(third.text(), long+yes) // a was not asked again
	})
}

func TestAToolThatRunsAloneDoesNotHoldUpOthersWhileItAsks(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		var running atomic.Int32
		d := newDialog(t, func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
			running.Add(1)
			defer running.Add(-1)
			return asks("a")(ctx, c)
		})
		d.ask("1", "tools/call", elicits, `"name":"single"`)
		is.Equal(running.Load(), int32(0)) // MR-15
		d.ask("2", "tools/call", elicits, `"name":"plain"`)
		is.Equal(running.Load(), int32(1))
	})
}

func TestAPanicOfARunIsAnsweredWithAnError(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, func(context.Context, run.Call) (*mcp.CallToolResult, error) { panic("oh") })
		is.Equal(d.ask("1", "tools/call", "", `"name":"plain"`).Error.Code, -32603)
		is.Equal(d.ask("2", "tools/call", "", `"name":"plain"`).Error.Code, -32603) // and the server continues
	})
}

func TestTheEndOfTheServerEndsRunsThatAreKept(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		ended := make(chan error, 1)
		d := newDialog(t, func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
			c.Ask(ctx, confirm("a"))
			ended <- context.Cause(ctx)
			return nil, context.Cause(ctx)
		})
		d.ask("1", "tools/call", elicits, `"name":"plain"`)
		is.NoErr(d.Close())
		is.Equal(len(ended), 0)
		d.rounds.Close()
		is.Equal(<-ended, round.ErrForgotten) // EL-15
		d.rounds.Close()
	})
}

func TestTheEndOfInputDoesNotCutOffACall(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, func(ctx context.Context, _ run.Call) (*mcp.CallToolResult, error) {
			<-time.After(5 * time.Second)
			return textResult("done")
		})
		d.say("1", "tools/call", "", `"name":"plain"`)
		is.NoErr(d.Close())
		is.Equal(d.read(d.hear()).text(), "done")
	})
}

func TestAPromptCanAskLikeATool(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks())
		first := d.ask("1", "prompts/get", elicits, `"name":"ask"`)
		is.Equal(first.keys(), []string{"a"}) // MR-01
		state := first.Result.RequestState
		is.Equal(d.ask("2", "tools/call", elicits, retry("plain", state, `{}`)).Error.Code, -32602) // MR-06: from another method
		d.say("3", "prompts/get", elicits, `"arguments":{},`+retry("ask", state, `{"a":`+yes+`}`))  // empty answers are the same as none
		line := d.hear()
		is.True(strings.Contains(line, `"role":"user"`))
		is.Equal(d.ask("4", "prompts/get", elicits+","+tasking, `"name":"ask"`).Result.ResultType, "input_required") // TX-04: never a task
		is.Equal(d.ask("5", "prompts/get", "", `"name":"ask"`).Error.Message, "the client does not support it")      // MR-04
	})
}
