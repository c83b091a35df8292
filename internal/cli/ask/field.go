package ask

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/form"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// prompt returns the prompt for a field.
func prompt(f form.Field) string {
	text, label := f.Name, f.Title
	if f.Description != "" {
		label = strings.TrimSpace(label + " (" + f.Description + ")")
	}
	if label != "" {
		text += ", " + label
	}
	if all := notes(f); len(all) > 0 {
		text += " (" + strings.Join(all, ", ") + ")"
	}
	switch {
	case f.Type == "boolean" && string(f.Default) == "true":
		text += " [Y/n]"
	case f.Type == "boolean":
		text += " (y/n)"
	case f.Default != nil:
		text += " [" + strings.Trim(string(f.Default), `"`) + "]"
	}
	return text
}

// notes describe the valid answers.
func notes(f form.Field) (all []string) {
	switch {
	case f.Choices != nil && f.Type == "array":
		all = append(all, fmt.Sprintf("numbers from 1 to %d, with commas between", len(f.Choices)))
	case f.Choices != nil:
		all = append(all, fmt.Sprintf("a number from 1 to %d", len(f.Choices)))
	}
	for _, note := range []string{f.Format, f.Range()} {
		if note != "" {
			all = append(all, note)
		}
	}
	if f.Required && f.Default == nil {
		all = append(all, "required")
	}
	return all
}

// read parses a line as the value of a field, or returns a hint at what is wrong with it.
func read(f form.Field, line string) (value json.Value, hint string) {
	switch {
	case f.Type == "boolean":
		switch strings.ToLower(line) {
		case "y", "yes", "true":
			return json.Value("true"), ""
		case "n", "no", "false":
			return json.Value("false"), ""
		}
		return nil, "write y or n"
	case line == "":
		return nil, "required"
	case f.Type == "number" || f.Type == "integer":
		if value = json.Value(line); value.Kind() != '0' || !value.IsValid() {
			return nil, "write a number"
		}
	case f.Type == "array":
		values := []string{}
		for part := range strings.SplitSeq(line, ",") {
			one, hint := choose(f, strings.TrimSpace(part))
			if hint != "" {
				return nil, hint
			}
			values = append(values, one)
		}
		value, _ = json.Marshal(values)
	default:
		if f.Choices != nil {
			if line, hint = choose(f, line); hint != "" {
				return nil, hint
			}
		}
		value = json.Quote(line)
	}
	if err := f.Check(value); err != nil {
		return nil, err.Error()
	}
	return value, ""
}

// choose finds the choice with this value, title or number.
func choose(f form.Field, text string) (value, hint string) {
	for _, c := range f.Choices {
		if strings.EqualFold(text, c.Value) || strings.EqualFold(text, c.Title) {
			return c.Value, ""
		}
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(f.Choices) {
		return f.Choices[n-1].Value, ""
	}
	return "", fmt.Sprintf("%q is not one of the choices", text)
}
