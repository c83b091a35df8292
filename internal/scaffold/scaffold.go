// Package scaffold makes the files that a newcomer begins with: a project, a tool, a
// prompt, a resource, a completion, a page, tests, a stage of the chain.
//
// A function for each kind looks at what exists and returns a [Plan]; [Plan.Write]
// carries it out. What is made is served as it is, and nothing that exists is
// overwritten.
package scaffold

import (
	"bytes"
	"embed"
	"go/format"
	"strings"
	"sync"
	"text/template"
)

// A Plan is what will be made.
type Plan struct {
	Files []File
	// Keep leaves files that exist as they are. Otherwise they are an error, and
	// nothing is made.
	Keep bool
	// Note says what to do with it; empty for nothing.
	Note string
	// Next are the commands to type next, from the root. Their first word is a
	// program on the PATH, or a file of the project, with slashes.
	Next [][]string
}

// A File is one of a plan.
type File struct {
	Path       string // from the root, with slashes
	Text       string // with LF
	Executable bool
	Append     bool // the text goes to the end of a file that exists
}

//go:embed templates
var templates embed.FS

// parsed are the templates by their path. Their marks are @{ and }, for the usual
// ones are places in prompts.
var parsed = sync.OnceValue(func() *template.Template { return template.Must(parse()) })

func parse() (*template.Template, error) {
	all := template.New("").Delims("@{", "}").Option("missingkey=error")
	for _, kind := range []string{"project", "hello", "tool", "prompt", "resource", "completion", "ui", "test", "middleware"} {
		entries, err := templates.ReadDir("templates/" + kind)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			text, err := templates.ReadFile("templates/" + kind + "/" + e.Name())
			if err != nil {
				return nil, err
			}
			name := kind + "/" + strings.TrimSuffix(e.Name(), ".tmpl")
			// A checkout on Windows may have made CR LF of its lines.
			if _, err := all.New(name).Parse(strings.ReplaceAll(string(text), "\r\n", "\n")); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// values are what templates fill in.
type values map[string]any

// add renders a template into a new file. Scripts, which begin with #!, may be
// started; Go is formatted.
func (p *Plan) add(path, template string, v values) error {
	var b bytes.Buffer
	if err := parsed().ExecuteTemplate(&b, template, v); err != nil {
		return err
	}
	text := b.Bytes()
	if strings.HasSuffix(path, ".go") {
		var err error
		if text, err = format.Source(text); err != nil {
			return err
		}
	}
	p.Files = append(p.Files, File{Path: path, Text: string(text), Executable: bytes.HasPrefix(text, []byte("#!"))})
	return nil
}

// A part is a file and its template.
type part struct{ path, template string }

// plan renders parts into a folder.
func plan(folder string, v values, parts ...part) (Plan, error) {
	var p Plan
	for _, one := range parts {
		if err := p.add(folder+one.path, one.template, v); err != nil {
			return Plan{}, err
		}
	}
	return p, nil
}
