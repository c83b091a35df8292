package sdk

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/form"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// elicit answers mcp_elicit: DEFAULT MESSAGE SCHEMA [TIMEOUT [form]], or with a URL for the
// schema, DEFAULT MESSAGE URL TIMEOUT url.
func (c *Channel) elicit(ctx context.Context, args []string) answer {
	switch mode := arg(args, 4); mode {
	case "url":
		return c.elicitURL(ctx, args)
	case "", "form":
		schema, ok := compact(arg(args, 2))
		if !ok {
			return helperError(1, "the schema is not JSON")
		}
		return c.elicitForm(ctx, timeout(args), arg(args, 1), schema)
	default:
		return helperError(1, "unknown mode %q; use form or url", mode)
	}
}

// timeout returns the fourth argument, the default if it was not given.
func timeout(args []string) string { return cmp.Or(arg(args, 3), arg(args, 0)) }

// elicitForm shows the user a form and prints {"action":...,"content":...}.
func (c *Channel) elicitForm(ctx context.Context, timeout, message string, schema json.Value) answer {
	f, err := parseForm(schema)
	switch {
	case err != nil:
		return helperError(1, "%v", err)
	case message == "":
		return helperError(1, "the question is empty")
	}
	params := object{{"message", json.Quote(message)}, {"requestedSchema", schema}}
	return c.elicited(ctx, timeout, params, &f)
}

// elicitURL answers mcp_elicit_url: DEFAULT MESSAGE URL [TIMEOUT].
func (c *Channel) elicitURL(ctx context.Context, args []string) answer {
	u, err := url.Parse(arg(args, 2))
	if err != nil || u.Scheme == "" || u.Host == "" {
		return helperError(1, "%q is not a URL", arg(args, 2))
	}
	params := withID(object{
		{"mode", json.Quote("url")},
		{"message", json.Quote(arg(args, 1))},
		{"url", json.Quote(u.String())},
	})
	return c.elicited(ctx, timeout(args), params, nil)
}

// elicited asks the user and returns what the helper prints for the client's answer. All three actions are an
// answer, so the helper returns 0 (EL-06). f is the form that was shown, nil for a URL.
func (c *Channel) elicited(ctx context.Context, timeout string, params object, f *form.Form) answer {
	result, err := c.ask(ctx, "elicitation/create", params, timeout)
	if err != nil {
		return unanswered(ctx, err)
	}
	o, _ := parseObject(json.Value(result))
	action := o.text("action")
	content := json.Value("null")
	switch action {
	case "accept":
		if f == nil {
			break // opening a URL returns no content
		}
		v, ok := compact(string(o.get("content")))
		if !ok {
			v = json.Value("{}")
		}
		if err := f.Check(v); err != nil {
			return outcome("error", content, "the answer does not match the form: "+err.Error())
		}
		content = v
	case "decline", "cancel":
	default:
		return outcome("error", content, "the client's answer has no action")
	}
	return outcome(action, content, "")
}

// unanswered returns what the helper prints if no answer came, with the exit status 1. An
// error response of the client counts as its answer.
func unanswered(ctx context.Context, err error) answer {
	action, code := "error", 0
	switch {
	case errors.Is(err, ErrUnsupported):
		action, code = "decline", 1
	case ctx.Err() != nil:
		action, code = "cancel", 1
	case errors.Is(err, errLate):
		code = 1
	}
	a := outcome(action, json.Value("null"), err.Error())
	a.code = code
	return a
}

func outcome(action string, content json.Value, reason string) answer {
	o := object{{"action", json.Quote(action)}, {"content", content}}
	if reason != "" {
		o = o.with("reason", json.Quote(reason))
	}
	return print(string(o.value()))
}

// elicitString answers mcp_elicit_string: TIMEOUT MESSAGE [FIELD].
func (c *Channel) elicitString(ctx context.Context, args []string) answer {
	return c.elicitForm(ctx, arg(args, 0), arg(args, 1),
		oneField(cmp.Or(arg(args, 2), "value"), json.Value(`{"type":"string"}`)))
}

// elicitConfirm answers mcp_elicit_confirm: TIMEOUT MESSAGE.
func (c *Channel) elicitConfirm(ctx context.Context, args []string) answer {
	return c.elicitForm(ctx, arg(args, 0), arg(args, 1), oneField("confirmed", json.Value(`{"type":"boolean"}`)))
}

// oneField returns the schema of a form with one required field.
func oneField(name string, schema json.Value) json.Value {
	return json.Object(
		"type", "object",
		"properties", json.Object(name, schema),
		"required", []string{name},
	)
}

// elicitChoice returns what answers the four helpers that let the user choose: TIMEOUT MESSAGE
// CHOICE..., where titled choices are VALUE:TITLE.
func elicitChoice(titled, several bool) operation {
	return operation{run: func(c *Channel, ctx context.Context, args []string) answer {
		if len(args) < 3 {
			return helperError(1, "requires at least one choice")
		}
		schema := oneField("choice", chooseOne(args[2:], titled))
		if several {
			schema = oneField("choices", chooseSeveral(args[2:], titled))
		}
		return c.elicitForm(ctx, args[0], args[1], schema)
	}}
}

// chooseOne returns the schema of a field for one of several values (EL-05).
func chooseOne(choices []string, titled bool) json.Value {
	o := object{{"type", json.Quote("string")}}
	if titled {
		return o.with("oneOf", titles(choices)).value()
	}
	return o.with("enum", quoted(choices)).value()
}

// chooseSeveral returns the schema of a field for any of several values (EL-05).
func chooseSeveral(choices []string, titled bool) json.Value {
	items := json.Object("anyOf", titles(choices))
	if !titled {
		items = chooseOne(choices, false)
	}
	return json.Object("type", "array", "items", items)
}

// titles returns the alternatives of titled choices: VALUE:TITLE, split at the first colon.
func titles(choices []string) json.Value {
	all := make([]string, len(choices))
	for i, pair := range choices {
		value, title, ok := strings.Cut(pair, ":")
		if !ok {
			title = value
		}
		all[i] = string(json.Object("const", value, "title", title))
	}
	return json.Value("[" + strings.Join(all, ",") + "]")
}
