package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// Requirements are what a project requires, in server.d/requirements.json:
//
//	{"framework": {"minVersion": "1.0.0"}, "dependencies": [{"name": "curl"}, {"name": "awk", "or": ["gawk", "mawk"]}]}
type Requirements struct {
	Framework struct {
		MinVersion string `json:"minVersion"`
	} `json:"framework"`
	Dependencies []Dependency `json:"dependencies"`
}

// A Dependency is a program, or one of several alternatives.
type Dependency struct {
	Name string   `json:"name"`
	Or   []string `json:"or"`
}

// ParseRequirements parses the file. Unknown fields are ignored.
func ParseRequirements(text []byte) (r Requirements, err error) {
	if err := json.Unmarshal(text, &r); err != nil {
		if typed, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return r, fmt.Errorf("%s: must not be of the type %s", typed.Field, typed.Value)
		}
		return r, err
	}
	for i, d := range r.Dependencies {
		if d.Name == "" && len(d.Or) == 0 {
			return r, fmt.Errorf(`dependencies[%d]: has no name; write {"name": "curl"}`, i)
		}
	}
	return r, nil
}

// requirements checks what the project requires.
func (e *examination) requirements() []Finding {
	text, err := files.Read(filepath.Join(e.ServerDir, "requirements.json"), 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	const by = "server.d/requirements.json"
	var r Requirements
	if err == nil {
		r, err = ParseRequirements(text)
	}
	if err != nil {
		return failed("project.requirements_invalid", "%s: %v", by, err)
	}
	var all []Finding
	if r.Framework.MinVersion != "" {
		all = e.atLeast(r.Framework.MinVersion, by)
	}
	for _, d := range r.Dependencies {
		names := d.Or
		if d.Name != "" {
			names = append([]string{d.Name}, d.Or...)
		}
		if !e.anyOnPath(names) {
			all = append(all, failed("deps.missing", "%s requires %s, which is not on PATH", by, strings.Join(names, " or "))...)
		}
	}
	return all
}

func (e *examination) anyOnPath(names []string) bool {
	for _, name := range names {
		if name == "jq" || onPath(name, e.path()) != "" { // every tool has a jq
			return true
		}
	}
	return false
}
