package sdk

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/form"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// errLate is the cause of a context whose questions were not answered in time.
var errLate = errors.New("timed out waiting for an answer")

// askAll sends questions to the client, all at once, and waits for the answers; text is the
// timeout in seconds. After an error nothing was asked.
func (c *Channel) askAll(ctx context.Context, text string, questions ...Question) ([]Answer, error) {
	wait, err := strconv.ParseFloat(text, 64)
	if err != nil || !(wait > 0) {
		return nil, fmt.Errorf("%q is not a number of seconds", text)
	}
	if c.call.Ask == nil {
		answers := make([]Answer, len(questions))
		for i := range answers {
			answers[i].Err = ErrUnsupported
		}
		return answers, nil
	}
	limit := time.Duration(min(wait, maxPause.Seconds()) * float64(time.Second))
	if !c.call.Patient {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, errLate)
		defer cancel()
	}
	answers := c.call.Ask(ctx, questions...)
	for i := range answers {
		if answers[i].Err != nil && ctx.Err() != nil {
			answers[i].Err = context.Cause(ctx)
		}
	}
	return answers, nil
}

// ask sends one question to the client.
func (c *Channel) ask(ctx context.Context, method string, params object, text string) (json.RawMessage, error) {
	answers, err := c.askAll(ctx, text, Question{Method: method, Params: json.RawMessage(params.value())})
	if err != nil {
		return nil, err
	}
	return answers[0].Result, answers[0].Err
}

// askRaw answers mcp_ask: DEFAULT [--timeout SECONDS] KEY METHOD PARAMS [KEY METHOD
// PARAMS]... It prints an object with the client's result for each key, or {"error":"why"}.
func (c *Channel) askRaw(ctx context.Context, args []string) answer {
	timeout, args := arg(args, 0), args[min(1, len(args)):]
	options, args, err := spec{"--timeout": 1}.leading(args)
	if err != nil {
		return helperError(1, "%v", err)
	}
	if given, ok := (given{options: options}).value("--timeout"); ok {
		timeout = given
	}
	questions, err := parseQuestions(args)
	if err != nil {
		return helperError(1, "%v", err)
	}
	answers, err := c.askAll(ctx, timeout, questions...)
	if err != nil {
		return helperError(1, "%v", err)
	}
	var all object
	for i, q := range questions {
		all = append(all, member{q.Key, answers[i].value(q)})
	}
	return print(string(all.value()))
}

// value returns what mcp_ask prints for the answer to a question.
func (a Answer) value(q Question) json.Value {
	err := a.Err
	if err == nil {
		err = q.Check(a.Result)
	}
	if err != nil {
		return json.Object("error", err.Error())
	}
	v, _ := compact(string(a.Result))
	return v
}

// Check validates the result of a question: it must be an object, and what the user has
// filled in must match the form (EL-07).
func (q Question) Check(result json.RawMessage) error {
	v, ok := compact(string(result))
	o, isObject := parseObject(v)
	if !ok || !isObject {
		return errors.New("the client's answer is not a JSON object")
	}
	if action := o.text("action"); action != "accept" {
		return nil
	}
	f, err := q.form()
	if err != nil || f == nil {
		return err
	}
	content := o.get("content")
	if content == nil {
		content = json.Value("{}")
	}
	if err := f.Check(content); err != nil {
		return fmt.Errorf("the answer does not match the form: %w", err)
	}
	return nil
}

// form returns the form that a question shows, nil for none.
func (q Question) form() (*form.Form, error) {
	params, _ := parseObject(json.Value(q.Params))
	if mode := params.text("mode"); q.Method != "elicitation/create" || mode == "url" {
		return nil, nil
	}
	f, err := parseForm(params.get("requestedSchema"))
	return &f, err
}

// parseForm parses the requestedSchema of an elicitation, and adds the type that clients expect.
func parseForm(schema json.Value) (form.Form, error) {
	o, _ := parseObject(schema)
	if kind := o.text("type"); kind != "object" {
		return form.Form{}, form.ErrSchema
	}
	return form.Parse(schema)
}

// parseQuestions parses KEY METHOD PARAMS, once per question.
func parseQuestions(args []string) ([]Question, error) {
	if len(args) == 0 || len(args)%3 != 0 {
		return nil, errors.New("give a key, a method and params for each question")
	}
	var questions []Question
	for part := range slices.Chunk(args, 3) {
		q := Question{Key: part[0], Method: part[1]}
		switch {
		case q.Key == "":
			return nil, errors.New("a key is empty; give each question its own key")
		case slices.ContainsFunc(questions, func(other Question) bool { return other.Key == q.Key }):
			return nil, fmt.Errorf("duplicate key %q; give each question its own key", q.Key)
		case !slices.Contains(methods, q.Method):
			return nil, fmt.Errorf("%q: unsupported method %q; use one of %s", q.Key, q.Method, strings.Join(methods, ", "))
		}
		v, ok := compact(part[2])
		params, isObject := parseObject(v)
		if !ok || !isObject {
			return nil, fmt.Errorf("%q: the params are not a JSON object", q.Key)
		}
		q.Params = json.RawMessage(withID(params).value())
		if _, err := q.form(); err != nil {
			return nil, fmt.Errorf("%q: requestedSchema: %w", q.Key, err)
		}
		questions = append(questions, q)
	}
	return questions, nil
}

// methods are the methods of questions to a client.
var methods = []string{"elicitation/create", "sampling/createMessage", "roots/list"}

// withID adds the required id to the params of an elicitation that shows a URL (EL-09).
func withID(params object) object {
	if mode := params.text("mode"); mode != "url" || params.get("elicitationId") != nil {
		return params
	}
	return params.with("elicitationId", json.Quote(rand.Text()))
}
