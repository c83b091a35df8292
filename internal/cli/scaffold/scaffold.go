// Package scaffold creates the files to start with: a project, a tool, a prompt, a
// resource, a completion, a page, tests, variables, a stage of the
// chain.
//
// A function for each kind checks what exists and returns a [Plan]; [Plan.Write]
// executes it. What is created works as it is, and existing files are never
// overwritten.
package scaffold

import (
	"embed"
	"fmt"
	"strings"
)

// A Plan lists the files that will be created.
type Plan struct {
	Files []File
	// Keep leaves existing files unchanged. Otherwise they are an error, and nothing is
	// created.
	Keep bool
	// Note describes what to do with the files; empty for nothing.
	Note string
	// Next are the commands to type next, from the root. Their first word is a
	// program on the PATH, or a file of the project, with slashes.
	Next [][]string
}

// A File is a file of a plan.
type File struct {
	Path       string // from the root, with slashes
	Text       string // with LF
	Executable bool
	Append     bool // the text is appended to an existing file
}

//go:embed templates
var templates embed.FS

// values are what templates fill in: the value of Name replaces @{.Name}.
type values map[string]string

// render fills in a template. Every placeholder in it must have a value.
func render(template string, v values) (string, error) {
	text, err := templates.ReadFile("templates/" + template + ".tmpl")
	if err != nil {
		return "", err
	}
	var marks []string
	for name, value := range v {
		marks = append(marks, "@{."+name+"}", value)
	}
	// A checkout on Windows may have converted line ends to CR LF.
	rendered := strings.ReplaceAll(string(text), "\r\n", "\n")
	rendered = strings.NewReplacer(marks...).Replace(rendered)
	if _, mark, missing := strings.Cut(rendered, "@{"); missing {
		return "", fmt.Errorf("template %s: nothing to fill in at @{%.20s", template, mark)
	}
	return rendered, nil
}

// add renders a template into a new file. Scripts, which begin with #!, are
// executable.
func (p *Plan) add(path, template string, v values) error {
	text, err := render(template, v)
	if err != nil {
		return err
	}
	p.Files = append(p.Files, File{Path: path, Text: text, Executable: strings.HasPrefix(text, "#!")})
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
