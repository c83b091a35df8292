package project

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// readStored reads a list in .registry/, to be served without checking anything else.
func (p *Project) readStored(path string, k kind) *registered {
	data, was, err := readFile(path, storedBytes)
	now := &registered{from: dep{path, was}}
	if isMissing(err) {
		return now
	}
	if err == nil {
		now.batches[k], err = p.parseStored(path, k, data)
	}
	if err != nil {
		p.logger.Warn("cannot use "+p.Rel(path)+", reading the project instead", "error", err)
	}
	return now
}

func (p *Project) parseStored(path string, k kind, data []byte) (*batch, error) {
	doc := jsonDocument(p.Rel(path), data)
	o, fault := doc.object()
	if fault != nil {
		return nil, errors.New(fault.String())
	}
	if version, _ := o.get("format_version"); string(version.value) != fmt.Sprint(storedVersion) {
		return nil, fmt.Errorf("its format_version is not %d", storedVersion)
	}
	list, ok := o.typed("items", '[')
	items := []registration{}
	for _, element := range elements(list) {
		if o.is(element, '{') {
			items = append(items, registration{o.inner(element), element, path})
		}
	}
	if !ok || len(o.faults) > 0 {
		return nil, errors.New("it has no items, or some are not objects")
	}
	b := p.registeredBatch(k, items)
	if b.err != nil {
		return nil, b.err
	}
	b.faults = slices.DeleteFunc(b.faults, func(f Fault) bool { return f.Warning }) // reported when it was written
	for _, it := range b.items {
		if r, ok := it.entry.(*Resource); ok && r.Path != "" && r.isOwnURI(paths{p.root, p.dirs[k]}.short(r.Path)) {
			r.URI = fileURI(r.Path)
		}
	}
	return b, nil
}

// isOwnURI reports whether the URI is that of the file with a relative path, wherever the project
// was when the list was stored.
func (r *Resource) isOwnURI(short string) bool {
	return strings.HasPrefix(r.URI, "file:") && strings.HasSuffix(r.URI, "/"+(&url.URL{Path: short}).EscapedPath())
}
