package catalog

import (
	"bytes"
	"cmp"
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
	o.unknown([]string{"roots"}, func(m json.Member) { o.warn(m, unknownField, "use roots") })
	o.require("roots", rootsExample)
	list, _ := o.typed("roots", '[')
	var found []roots.Root
	for _, m := range document.Elements(list) {
		if o.isLike(m, '{', `write {"path": "data"}`) {
			found = append(found, p.listedRoot(o.inner(m))...)
		}
	}
	faults := append(r.faults, o.faults...)
	sortFaults(faults)
	return found, faults
}

// listedRoot reads one folder; there is none if it is faulty.
func (p *Project) listedRoot(o object) []roots.Root {
	o.unknown([]string{"path", "name"}, func(m json.Member) { o.warn(m, unknownField, "use path and name") })
	name := o.text("name")
	o.require("path", `write "path": "data"`)
	path, ok := o.typed("path", '"')
	if !ok {
		return nil
	}
	found := roots.Folders(p.root, json.Text(path.Value))
	if len(found) == 0 { // perhaps on this machine only
		o.warn(path, "is not a folder, so it is left out", "write it relative to the project, or absolute")
	}
	for i := range found {
		found[i].Name = cmp.Or(name, found[i].Name)
	}
	return found
}
