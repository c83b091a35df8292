package dev

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/ask"
)

// errQuit is returned by the command that ends the session.
var errQuit = errors.New("quit")

// commands are the commands with which a line can begin, besides names of tools. A tool
// with the name of a command is called with call.
var commands = []struct {
	name, arguments, about string
	do                     func(d *Session, ctx context.Context, words []string) error
}{
	{"", "TOOL [key=value | key:=json]...", "call a tool", nil},
	{"call", "TOOL [key=value | key:=json]...", "the same, for one with the name of a command", (*Session).doCall},
	{"list", "[tools|resources|templates|prompts]", "what there is", (*Session).doList},
	{"read", "URI", "read a resource", (*Session).doRead},
	{"get", "PROMPT [key=value]...", "get a prompt", (*Session).doGet},
	{"raw", "on|off", "print results as JSON or as text", (*Session).doRaw},
	{"help", "[NAME]", "this, or what a tool, resource or prompt is", nil}, // prints this list
	{"quit", "", "end", func(*Session, context.Context, []string) error { return errQuit }},
}

// Help describes the commands, one on a line.
func Help() string {
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "    %-41s %s\n", strings.TrimSpace(c.name+" "+c.arguments), c.about)
	}
	return b.String()
}

// command executes a line.
func (d *Session) command(ctx context.Context, line string) error {
	words, err := lineWords(line)
	if err != nil {
		return err
	}
	if words[0] == "help" {
		return d.doHelp(ctx, words[1:])
	}
	for _, c := range commands {
		if c.name == words[0] && c.do != nil {
			return c.do(d, ctx, words[1:])
		}
	}
	return d.doCall(ctx, words)
}

func (d *Session) doCall(ctx context.Context, words []string) error {
	if len(words) == 0 {
		return errors.New("call requires the name of a tool")
	}
	failed, err := d.Call(ctx, words[0], nil, words[1:], 0)
	d.failed = d.failed || failed
	return err
}

func (d *Session) doList(ctx context.Context, words []string) error {
	if err := ask.CheckKind(words); err != nil {
		return err
	}
	return d.List(ctx, words)
}

func (d *Session) doRead(ctx context.Context, words []string) error {
	if len(words) != 1 {
		return errors.New("read requires one URI")
	}
	return d.Read(ctx, words[0])
}

func (d *Session) doGet(ctx context.Context, words []string) error {
	if len(words) == 0 {
		return errors.New("get requires the name of a prompt")
	}
	arguments, err := ask.ParseTexts(words[1:])
	if err != nil {
		return err
	}
	return d.Get(ctx, words[0], arguments)
}

func (d *Session) doRaw(_ context.Context, words []string) error {
	if len(words) != 1 || words[0] != "on" && words[0] != "off" {
		return errors.New("write raw on, or raw off")
	}
	d.JSON = words[0] == "on"
	return nil
}

func (d *Session) doHelp(ctx context.Context, words []string) error {
	if len(words) == 0 {
		d.Write(Help())
		return nil
	}
	found := false
	for _, k := range ask.Kinds {
		items, err := d.Items(ctx, k)
		if err != nil {
			continue // the server does not have them
		}
		for _, item := range items {
			var i ask.Item
			if json.Unmarshal(item, &i) == nil && i.Key() == words[0] {
				found = true
				i.Print(d.Printer())
				_, rest, _ := strings.Cut(strings.TrimSpace(i.Description), "\n") // Print has already shown the first line
				d.Write(rest)
			}
		}
	}
	if !found {
		return fmt.Errorf("no tool, resource, template or prompt is named %q; type list to see all of them", words[0])
	}
	return nil
}

// lineWords splits a line into words with the quotes and backslashes of a shell, and nothing
// else of a shell's syntax. The JSON value after := needs no quotes: it extends as far as it
// is valid.
func lineWords(line string) (words []string, err error) {
	rest := strings.TrimLeft(line, " \t")
	for rest != "" {
		word, after, err := lineWord(rest)
		if err != nil {
			return nil, err
		}
		words = append(words, word)
		rest = strings.TrimLeft(after, " \t")
	}
	return words, nil
}

// lineWord reads the word at the start of a text.
func lineWord(text string) (word, rest string, err error) {
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote == 0 && strings.HasSuffix(b.String(), ":=") && strings.IndexByte(`[{"`, c) >= 0:
			d := json.NewDecoder(strings.NewReader(text[i:]))
			var value json.RawMessage
			if d.Decode(&value) != nil {
				return "", "", fmt.Errorf("what follows %s is not JSON: %s", b.String(), text[i:])
			}
			b.Write(value)
			i += int(d.InputOffset()) - 1
		case c == '\\' && quote != '\'' && i+1 < len(text):
			i++
			if quote == '"' && strings.IndexByte("\\\"$`", text[i]) < 0 {
				b.WriteByte(c)
			}
			b.WriteByte(text[i])
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == ' ' || c == '\t'):
			return b.String(), text[i:], nil
		default:
			b.WriteByte(c)
		}
	}
	if quote != 0 {
		return "", "", fmt.Errorf("the quote %c is not closed", quote)
	}
	return b.String(), "", nil
}
