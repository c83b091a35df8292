// Package round spreads a run of a script over several requests: if its client cannot be asked
// meanwhile, the answer to a request is a question, and the request with the answer to that
// continues where the first one ended (MR-01 to MR-15).
//
// A [Conversation] is a run that asks. While its client thinks, a [Keeper] keeps it for a while. If
// the run has ended before the answer comes, it starts again with the answers so far, so the script
// does not notice.
package round

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

// A Given is an answer that was given before its question is asked, and the digest of that
// question.
type Given struct {
	Digest string          `json:"d"` // of the question; "": any question with its key
	Result json.RawMessage `json:"r"`
}

// answers reports whether the answer is for a question of that digest.
func (g Given) answers(q sdk.Question, digest string) bool {
	return (g.Digest == digest || g.Digest == "") && Answers(q, g.Result)
}

// A Conversation is a run that may ask its client. It may be used by several
// goroutines.
type Conversation struct {
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the run has ended
	result any           // of the run; written before done is closed
	err    error

	mu     sync.Mutex
	client Client           // client of the last request
	given  map[string]Given // by key, also of runs before this one
	named  map[string]bool  // the keys of all questions of this run
	open   []*question      // not answered yet, in the order in which they were asked
	moved  chan struct{}    // closed when open changes, and then replaced

	telling sync.Mutex // held while something is sent
	request *Request   // guarded by telling; nil: none
}

// A question is a question that waits for its answer.
type question struct {
	key, digest string
	original    sdk.Question    // as the script asked it
	params      json.RawMessage // as it is sent to the client
	answered    chan sdk.Answer
}

// An Open question is a question for the client to answer.
type Open struct {
	Key    string
	Digest string // equal for equal questions
	Method string
	Params json.RawMessage
}

// Start starts a run that is served by a request, with the answers that were given to earlier
// attempts of it. The run's context ends with ctx and with [Conversation.End]. A panic of the run
// is not recovered.
func Start(ctx context.Context, r Request, given map[string]Given,
	run func(context.Context, *Conversation) (any, error)) *Conversation {
	ctx, cancel := context.WithCancelCause(ctx)
	c := &Conversation{
		cancel:  cancel,
		done:    make(chan struct{}),
		moved:   make(chan struct{}),
		client:  r.Client,
		given:   make(map[string]Given),
		named:   make(map[string]bool),
		request: &r,
	}
	maps.Copy(c.given, given)
	go func() {
		defer close(c.done)
		defer cancel(nil)
		c.result, c.err = run(ctx, c)
	}()
	return c
}

// Ask sends questions to the client and waits for all answers, or for the end of ctx. Questions
// that were answered in an earlier round are not sent again.
func (c *Conversation) Ask(ctx context.Context, questions ...sdk.Question) []sdk.Answer {
	answers := make([]sdk.Answer, len(questions))
	waiting := make([]*question, len(questions))
	c.mu.Lock()
	for i, q := range questions {
		answers[i], waiting[i] = c.add(q)
	}
	if slices.ContainsFunc(waiting, func(q *question) bool { return q != nil }) {
		c.notifyMoved()
	}
	c.mu.Unlock()
	for i, q := range waiting {
		if q == nil {
			continue
		}
		select {
		case answers[i] = <-q.answered:
		case <-ctx.Done():
			c.drop(q)
			answers[i].Err = context.Cause(ctx)
		}
	}
	return answers
}

// add answers a question at once, or adds it to the open ones. c.mu is held.
func (c *Conversation) add(q sdk.Question) (sdk.Answer, *question) {
	params, err := c.client.Question(q)
	if err != nil {
		return sdk.Answer{Err: err}, nil
	}
	digest := digestOf(q.Method, params)
	key := c.name(q, digest)
	if g, ok := c.given[key]; ok && g.answers(q, digest) {
		c.given[key] = Given{digest, g.Result}
		return sdk.Answer{Result: g.Result}, nil
	}
	waits := &question{key: key, digest: digest, original: q, params: params, answered: make(chan sdk.Answer, 1)}
	c.open = append(c.open, waits)
	return sdk.Answer{}, waits
}

// notifyMoved wakes those who wait for a change of the open questions. c.mu is held.
func (c *Conversation) notifyMoved() {
	close(c.moved)
	c.moved = make(chan struct{})
}

// name returns the key of a question: the name that the script gives it, else its digest. If it is
// taken a number is added, so a run that starts again gives its questions the same names as before.
// c.mu is held.
func (c *Conversation) name(q sdk.Question, digest string) string {
	name := q.Key
	if name == "" {
		kind, _, _ := strings.Cut(q.Method, "/")
		name = kind + "-" + digest[:8]
	}
	key := name
	for n := 2; c.named[key]; n++ {
		key = fmt.Sprintf("%s-%d", name, n)
	}
	c.named[key] = true
	return key
}

func digestOf(method string, params json.RawMessage) string {
	sum := sha256.Sum256([]byte(method + "\n" + string(params)))
	return hex.EncodeToString(sum[:16])
}

// drop forgets a question that nobody waits for any more.
func (c *Conversation) drop(q *question) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = slices.DeleteFunc(c.open, func(o *question) bool { return o == q })
	c.notifyMoved()
}

// Resume sets the request that serves the conversation from now on, and passes the answers that
// came with it, by the keys of its questions. Answers to no open question are ignored (MR-09). A
// question without a valid answer stays open, to be asked again by the answer to this request
// (MR-10). Open questions that cannot be sent to the client of this request are answered with an
// error (N-06).
func (c *Conversation) Resume(r Request, responses map[string]json.RawMessage) {
	c.telling.Lock()
	c.request = &r
	c.telling.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.client = r.Client
	c.settle(func(q *question) (sdk.Answer, bool) {
		if answer, ok := q.find(responses); ok {
			return answer, true
		}
		_, err := r.Client.Question(q.original)
		return sdk.Answer{Err: err}, err != nil
	})
}

// Answer passes answers of a client, by the keys of its questions. Answers to no open question are
// ignored (MR-09). A question without a valid answer is asked again under a new key: its client
// regards the old one as answered (TX-09).
func (c *Conversation) Answer(responses map[string]json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settle(func(q *question) (sdk.Answer, bool) { return q.find(responses) })
	for _, q := range c.open {
		if responses[q.key] != nil {
			q.key = c.name(q.original, q.digest)
			defer c.notifyMoved()
		}
	}
}

// find returns the answer to a question, if it is among the responses.
func (q *question) find(responses map[string]json.RawMessage) (answer sdk.Answer, ok bool) {
	r := responses[q.key]
	return sdk.Answer{Result: r}, r != nil && Answers(q.original, r)
}

// settle answers the open questions for which answer has one. c.mu is held.
func (c *Conversation) settle(answer func(*question) (sdk.Answer, bool)) {
	before := len(c.open)
	c.open = slices.DeleteFunc(c.open, func(q *question) bool {
		a, ok := answer(q)
		if !ok {
			return false
		}
		if a.Err == nil {
			c.given[q.key] = Given{q.digest, a.Result}
		}
		q.answered <- a
		return true
	})
	if len(c.open) < before {
		c.notifyMoved()
	}
}

// Supports reports whether the client of the last request has a capability.
func (c *Conversation) Supports(capability string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.client.Supports(capability)
}

// Open returns the questions that the client is to answer.
func (c *Conversation) Open() []Open {
	c.mu.Lock()
	defer c.mu.Unlock()
	open := make([]Open, len(c.open))
	for i, q := range c.open {
		open[i] = Open{q.key, q.digest, q.original.Method, q.params}
	}
	return open
}

// Given returns the answers so far to questions that were asked, by this run or earlier attempts.
func (c *Conversation) Given() map[string]Given {
	c.mu.Lock()
	defer c.mu.Unlock()
	given := maps.Clone(c.given)
	maps.DeleteFunc(given, func(_ string, g Given) bool { return g.Digest == "" })
	return given
}

// Wait returns when the run has ended (true), when it has a question for the
// client (false), or when ctx ends (false).
func (c *Conversation) Wait(ctx context.Context) (ended bool) {
	for {
		moved := c.Moved()
		if len(c.Open()) > 0 {
			select {
			case <-c.done:
				return true
			default:
				return false
			}
		}
		select {
		case <-c.done:
			return true
		case <-moved:
		case <-ctx.Done():
			return false
		}
	}
}

// Moved returns a channel that is closed when the open questions change.
func (c *Conversation) Moved() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.moved
}

// Done returns a channel that is closed when the run has ended.
func (c *Conversation) Done() <-chan struct{} { return c.done }

// Result returns what the run returned. Call it when the run has ended.
func (c *Conversation) Result() (any, error) { return c.result, c.err }

// End ends the run and returns when it has ended.
func (c *Conversation) End(cause error) {
	c.cancel(cause)
	<-c.done
}

// Answers reports whether a result is a valid answer of a client to a question: for its method, and
// for a form one that matches it (EL-07). The script judges its contents.
func Answers(q sdk.Question, result json.RawMessage) bool {
	var r struct {
		Action  string     `json:"action"`
		Content json.Value `json:"content"`
		Roots   json.Value `json:"roots"`
	}
	if json.Unmarshal(result, &r, json.Lenient) != nil {
		return false
	}
	switch q.Method {
	case "elicitation/create":
		return (r.Action == "accept" || r.Action == "decline" || r.Action == "cancel") && q.Check(result) == nil // EL-06
	case "sampling/createMessage":
		return r.Content.Kind() == '{' || r.Content.Kind() == '[' // SA-05
	case "roots/list":
		return r.Roots.Kind() == '['
	}
	return false
}
