package catalog

import (
	"bytes"
	"path/filepath"

	"github.com/mcp-bash/mcp-bash/v2/internal/document"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
)

const (
	rootsBytes   = 1 << 20
	rootsExample = `write {"roots": [{"path": "data"}]}`
)

// Roots returns the folders in config/roots.json, in which tools work if neither the client nor the
// operator names any, as they are now. Faulty ones are left out; without the file there are none.
func (p *Project) Roots() ([]roots.Root, []Fault) {
	name := filepath.Join("config", "roots.json")
	r := new(reading)
	text, ok := p.read(name, rootsBytes, r)
	if !ok {
		return nil, r.faults
	}
	file, data := p.Rel(filepath.Join(p.root, name)), []byte(text)
	if start := bytes.TrimSpace(data); len(start) == 0 || start[0] != '{' {
		return nil, append(r.faults, Fault{File: file, Line: 1, Reason: "must be an object", Hint: rootsExample})
	}
	doc := document.JSON(file, data)
	o, fault := objectOf(&doc)
	if fault != nil {
		return nil, append(r.faults, *fault)
	}
	found := p.listedRoots(o)
	faults := append(r.faults, o.faults...)
	sortFaults(faults)
	return found, faults
}

// listedRoots reads the object in the file.
func (p *Project) listedRoots(o object) (found []roots.Root) {
	o.unknown([]string{"roots"}, func(m json.Member) { o.warn(m, unknownField, "use roots") })
	if !o.require("roots", rootsExample) {
		return nil
	}
	list, ok := o.typed("roots", '[')
	if !ok {
		return nil
	}
	for _, m := range document.Elements(list) {
		if o.isLike(m, '{', `write {"path": "data"}`) {
			found = append(found, p.listedRoot(o.inner(m))...)
		}
	}
	return found
}

// listedRoot reads one folder; there is none if it is faulty.
func (p *Project) listedRoot(o object) []roots.Root {
	o.unknown([]string{"path", "name"}, func(m json.Member) { o.warn(m, unknownField, "use path and name") })
	name := o.text("name")
	if !o.require("path", `write "path": "data"`) {
		return nil
	}
	path, ok := o.typed("path", '"')
	if !ok {
		return nil
	}
	found := roots.Folders(p.root, json.Text(path.Value))
	if len(found) == 0 { // perhaps on this machine only
		o.warn(path, "is not a folder, so it is left out", "write it relative to the project, or absolute")
	}
	for i := range found {
		if name != "" {
			found[i].Name = name
		}
	}
	return found
}
