package catalog

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
)

// DefaultRegistrationBytes is the default maximal size of a registration.
const DefaultRegistrationBytes = 1 << 20

// readRegisterJSON reads server.d/register.json: data only, strict, and first of all sources. If
// it cannot be read at all, every list fails.
func (p *Project) readRegisterJSON(path string) *records {
	name := p.Rel(path)
	found := &records{from: depOf(path)}
	file, err := hooks.Rules{Allowed: true}.Open(p.root, path) // its author decides what is run
	if isMissing(err) {
		return found
	}
	if err != nil { // check again: the cause may be its folder
		found.from.stamp = unsure
		found.fail(err, Fault{File: name, Reason: err.Error()})
		return found
	}
	defer file.Close()
	data, err := file.Read(p.maxRegistration)
	switch {
	case errors.Is(err, files.ErrTooLarge):
		found.fail(nil, Fault{File: name, Reason: fmt.Sprintf("is larger than %d bytes", p.maxRegistration),
			Hint: "raise MCPBASH_MAX_MANUAL_REGISTRY_BYTES"})
	case err != nil:
		found.fail(cause(err), Fault{File: name, Reason: cause(err).Error()})
	default:
		p.parseRegisterJSON(found, data)
	}
	return found
}

// parseRegisterJSON reads the content of the file.
func (p *Project) parseRegisterJSON(to *records, data []byte) {
	name := p.Rel(to.from.path)
	if !bytes.Equal(trimBOM(data), data) {
		to.fail(nil, Fault{File: name, Line: 1, Reason: "begins with a byte order mark",
			Hint: "save it as UTF-8 without one"})
		return
	}
	doc := jsonDocument(name, data)
	o, fault := doc.object()
	if fault != nil {
		to.fail(nil, *fault)
		return
	}
	o.require("version", `write "version": 1`)
	if version, ok := o.get("version"); ok && string(version.value) != "1" {
		o.refuse(version, "must be 1", `write "version": 1`)
	}
	lists := o.registrations(to.from.path)
	if len(o.faults) > 0 {
		to.fail(nil, o.faults...)
		return
	}
	to.batches = p.registeredBatches(lists)
}
