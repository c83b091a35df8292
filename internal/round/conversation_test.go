package round_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/round"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

func TestARunGoesOnWithTheAnswer(t *testing.T) {
	is := is.New(t)
	c := round.Start(t.Context(), by(elicits), nil, asking(form("a", "A?"), form("b", "B?")))
	is.Equal(c.Wait(t.Context()), false)
	is.Equal(keys(c), []string{"a"})
	c.Resume(by(elicits), responses("a", yes, "zzz", no)) // MR-09: answers without a question are ignored
	is.Equal(c.Wait(t.Context()), false)
	is.Equal(keys(c), []string{"b"}) // MR-12
	c.Resume(by(elicits), responses("b", no))
	is.Equal(result(t, c), yes+no)
}

func TestAWrongAnswerIsAskedAgain(t *testing.T) {
	for _, wrong := range []string{`{}`, `{"action":"perhaps"}`, `{"action":"accept","content":{"ok":"yes"}}`, `null`, `5`} {
		is := is.New(t)
		c := round.Start(t.Context(), by(elicits), nil, asking(form("a", "A?")))
		c.Wait(t.Context())
		c.Resume(by(elicits), responses("a", wrong))
		is.Equal(c.Wait(t.Context()), false)
		is.Equal(keys(c), []string{"a"}) // MR-10, EL-07
		c.Answer(responses("a", no))
		is.Equal(result(t, c), no) // EL-06
	}
}

func TestARestartedRunDoesNotRepeatAnsweredQuestions(t *testing.T) {
	is := is.New(t)
	run := asking(form("", "A?"), form("", "A?"), form("", "B?"))
	c := round.Start(t.Context(), by(elicits), nil, run)
	for _, answer := range []string{yes, no} {
		c.Wait(t.Context())
		c.Answer(responses(keys(c)[0], answer))
	}
	c.Wait(t.Context())
	given := c.Given()
	c.End(round.ErrForgotten)

	c = round.Start(t.Context(), by(elicits), given, run)
	c.Wait(t.Context())
	is.Equal(len(c.Open()), 1) // MR-08
	is.True(strings.Contains(string(c.Open()[0].Params), "B?"))
	c.Answer(responses(keys(c)[0], yes))
	is.Equal(result(t, c), yes+no+yes) // a question asked twice has two answers
}

func TestAnAnswerToAnotherQuestionIsNotTaken(t *testing.T) {
	is := is.New(t)
	c := round.Start(t.Context(), by(elicits), nil, asking(form("a", "Delete x?")))
	c.Wait(t.Context())
	c.Answer(responses("a", yes))
	is.Equal(result(t, c), yes)
	c2 := round.Start(t.Context(), by(elicits), c.Given(), asking(form("a", "Delete y?")))
	is.Equal(c2.Wait(t.Context()), false)
	is.Equal(keys(c2), []string{"a"}) // the script asks another question
	c2.End(round.ErrForgotten)
}

func TestKeysAreUnique(t *testing.T) {
	is := is.New(t)
	c := round.Start(t.Context(), by(elicits), nil, func(ctx context.Context, c *round.Conversation) (any, error) {
		return c.Ask(ctx, form("a", "1"), form("a", "2"), form("a-2", "3"), form("a", "4"), form("", "5"), form("", "5")), nil
	})
	c.Wait(t.Context())
	got := keys(c)
	is.Equal(got[:4], []string{"a", "a-2", "a-2-2", "a-3"}) // MR-03, TX-09
	is.Equal(got[5], got[4]+"-2")                           // without its name in JSON-RPC
	is.True(strings.HasPrefix(got[4], "elicitation-"))
	c.End(round.ErrForgotten)
}

func TestTheSameQuestionsHaveTheSameNamesInEveryRun(t *testing.T) {
	is := is.New(t)
	var first []round.Open
	for range 3 {
		c := round.Start(t.Context(), by(elicits), nil, func(ctx context.Context, c *round.Conversation) (any, error) {
			return c.Ask(ctx, form("", "A?"), form("k", "B?"), form("", "A?")), nil
		})
		c.Wait(t.Context())
		open := c.Open()
		c.End(round.ErrForgotten)
		if first == nil {
			first = open
		}
		is.True(slices.EqualFunc(first, open, func(a, b round.Open) bool { return a.Key == b.Key && a.Digest == b.Digest }))
	}
}

func TestUnsupportedQuestionsAreAnsweredAtOnce(t *testing.T) {
	is := is.New(t)
	c := round.Start(t.Context(), by(able{}), nil, asking(form("a", "A?")))
	is.Equal(result(t, c), "error: "+sdk.ErrUnsupported.Error()) // MR-04
}

func TestEachRequestDeclaresItsOwnCapabilities(t *testing.T) {
	is := is.New(t)
	c := round.Start(t.Context(), by(elicits), nil, func(ctx context.Context, c *round.Conversation) (any, error) {
		answers := c.Ask(ctx, form("a", "A?"), form("b", "B?"))
		return fmt.Sprintf("%s %v %v", answers[0].Result, answers[1].Err, c.Supports("elicitation/create")), nil
	})
	c.Wait(t.Context())
	is.True(c.Supports("elicitation/create"))
	c.Resume(by(able{}), responses("a", yes))
	is.Equal(result(t, c), yes+" "+sdk.ErrUnsupported.Error()+" false") // N-06: an answer is used, but a question is not asked again
}

func TestTheRunContinuesWithSomeOfTheAnswers(t *testing.T) {
	is := is.New(t)
	c := round.Start(t.Context(), by(elicits), nil, func(ctx context.Context, c *round.Conversation) (any, error) {
		answers := c.Ask(ctx, form("a", "A?"), form("b", "B?"))
		return string(answers[0].Result) + string(answers[1].Result), nil
	})
	c.Wait(t.Context())
	c.Answer(responses("b", no))
	is.Equal(keys(c), []string{"a"}) // TX-09
	c.Answer(responses("a", yes, "b", yes))
	is.Equal(result(t, c), yes+no) // a second answer to b has no effect
}

func TestAnAbandonedQuestionIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		late := errors.New("late")
		c := round.Start(t.Context(), by(elicits), nil, func(ctx context.Context, c *round.Conversation) (any, error) {
			ctx, cancel := context.WithTimeoutCause(ctx, time.Second, late)
			defer cancel()
			return "", c.Ask(ctx, form("a", "A?"))[0].Err
		})
		is.Equal(c.Wait(t.Context()), false)
		<-c.Done()
		is.Equal(result(t, c), "error: late")
		is.Equal(len(c.Open()), 0)
	})
}

func TestEndEndsARunThatAsks(t *testing.T) {
	is := is.New(t)
	c := round.Start(t.Context(), by(elicits), nil, asking(form("a", "A?")))
	c.Wait(t.Context())
	c.End(round.ErrForgotten)
	is.Equal(result(t, c), "error: "+round.ErrForgotten.Error()) // MR-15
	c.End(errors.New("again"))                                   // has no effect
}

func TestNothingIsSentBetweenRequests(t *testing.T) {
	is := is.New(t)
	var told []string
	asked := form("a", "A?")
	c := round.Start(t.Context(), round.Request{Client: elicits, Token: json.RawMessage("1")}, nil, func(ctx context.Context, c *round.Conversation) (any, error) {
		tell := func(what string) {
			c.Tell(func(r round.Request) { told = append(told, what+string(r.Token)) })
		}
		tell("begin ") // a request is present from the start
		c.Ask(ctx, asked)
		tell("end ")
		return "", nil
	})
	c.Wait(t.Context())
	c.Detach()
	c.Tell(func(round.Request) { told = append(told, "between") })
	c.Resume(round.Request{Client: elicits, Token: json.RawMessage("2")}, responses("a", yes))
	is.Equal(result(t, c), "")
	is.Equal(told, []string{"begin 1", "end 2"}) // P-04: with the token of the retry
}

func TestDetachWaitsForNotificationsBeingSent(t *testing.T) {
	is := is.New(t)
	telling, goOn, said := make(chan struct{}), make(chan struct{}), false
	c := round.Start(t.Context(), by(elicits), nil, func(_ context.Context, c *round.Conversation) (any, error) {
		c.Tell(func(round.Request) {
			close(telling)
			<-goOn
			said = true
		})
		return "", nil
	})
	<-telling
	go close(goOn)
	c.Detach()
	is.True(said) // P-04: not after the answer
	is.Equal(result(t, c), "")
}

func TestMovedIsClosedOnlyByAChange(t *testing.T) {
	is := is.New(t)
	c := round.Start(t.Context(), by(elicits), nil, asking(form("a", "A?")))
	c.Wait(t.Context())
	moved := c.Moved()
	c.Answer(responses("b", yes))
	select {
	case <-moved:
		t.Error("nothing has changed")
	default:
	}
	c.Answer(responses("a", yes))
	<-moved
	is.Equal(result(t, c), yes)
}
