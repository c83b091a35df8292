// Package uipage generates pages of user interfaces (MCP Apps, AP-02) for projects that do not write
// their own: a form, a table, and others, each from a template and a config.
//
// A page is one HTML document that loads nothing, so it works under the strictest policy that a
// host may set, which allows only inline scripts and styles. It talks to the host by the extension
// io.modelcontextprotocol/ui of 2026-01-26: it shows the tool's result, follows the host's theme,
// reports its size, and calls tools. All data is shown as text, never as HTML.
package uipage

import (
	"cmp"
	"embed"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

//go:embed assets
var assets embed.FS

// ErrTemplate is returned for an unknown template.
var ErrTemplate = errors.New("unknown template")

// ErrConfig is returned for a config that Check rejects.
var ErrConfig = errors.New("bad config")

// Templates returns the names of the templates.
func Templates() []string {
	return []string{"form", "data-table", "progress", "diff-viewer", "tree-view", "kanban"}
}

// ShortNames returns the short names of the templates, in the order of [Templates].
func ShortNames() []string {
	return []string{"form", "table", "progress", "diff", "tree", "kanban"}
}

// Named returns the template with a name, which may be short. The error is ErrTemplate.
func Named(name string) (string, error) {
	if at := slices.Index(ShortNames(), name); at >= 0 {
		return Templates()[at], nil
	}
	if err := known(name); err != nil {
		return "", err
	}
	return name, nil
}

// Page generates the page of a template. The config is a JSON object, or nil for an empty one; title is
// the heading if the config has none, and may be empty. The same arguments give the same page. The
// error is ErrTemplate or ErrConfig, and names the faulty field.
func Page(name, title string, config []byte) ([]byte, error) {
	config = orEmpty(config)
	faults, err := Check(name, config)
	if err != nil {
		return nil, err
	}
	if len(faults) > 0 {
		return nil, fmt.Errorf("%w: %v", ErrConfig, faults[0])
	}
	var head struct {
		Title       string `json:"title"`
		Description string `json:"description"`
	}
	if err := json.Unmarshal(config, &head); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	title = cmp.Or(head.Title, title)
	layout, err := concat("page.html")
	if err != nil {
		return nil, err
	}
	script, err := concat("dom.js", "host.js", name+".js", "start.js")
	if err != nil {
		return nil, err
	}
	style, err := concat("style.css", name+".css")
	if err != nil {
		return nil, err
	}
	data, err := stdjson.Marshal(json.RawMessage(config)) // escaped, so that it cannot end its element
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return []byte(strings.NewReplacer(
		"{{name}}", html.EscapeString(cmp.Or(title, name)),
		"{{template}}", name,
		"{{title}}", element("h1", "title", title),
		"{{description}}", element("p", "description", head.Description),
		"{{style}}", string(style),
		"{{config}}", string(data),
		"{{script}}", string(script),
	).Replace(string(layout))), nil
}

// element returns a line with a text in an element, "" for an empty text.
func element(tag, id, text string) string {
	if text == "" {
		return ""
	}
	return fmt.Sprintf("\n<%s id=%q>%s</%[1]s>", tag, id, html.EscapeString(text))
}

// concat concatenates files of assets.
func concat(names ...string) ([]byte, error) {
	var all []byte
	for _, name := range names {
		b, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return nil, err
		}
		all = append(all, b...)
	}
	return all, nil
}

func known(name string) error {
	if !slices.Contains(Templates(), name) {
		return fmt.Errorf("%w %q: use one of %s", ErrTemplate, name, strings.Join(Templates(), ", "))
	}
	return nil
}

func orEmpty(config []byte) []byte {
	if len(config) == 0 {
		return []byte("{}")
	}
	return config
}
