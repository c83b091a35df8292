package project

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// A static source is the contents of a store, served without checking anything else.
type static struct {
	*store

	mu     sync.Mutex
	from   dep
	last   *batch // nil if the file is unusable
	looked bool
	began  uint64 // when the last look began
}

func (s *static) batch(k kind, a ask) *batch {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.looked && s.began > a.since {
		return s.last
	}
	s.began = s.clock.Add(1)
	if s.looked && s.from.current() {
		return s.last
	}
	s.looked, s.last = true, nil
	name := rel(s.root, s.path)
	data, was, err := readFile(s.path, cacheBytes)
	s.from = dep{s.path, was}
	switch {
	case isMissing(err):
		return nil
	case err == nil:
		s.last, err = s.parse(k, name, data)
	}
	if err != nil {
		s.last = nil
		s.logger.Warn("the project is looked at instead of "+name, "error", err)
	}
	return s.last
}

func (s *static) same() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.looked && s.from.current()
}

// parse reads the content of the file.
func (s *static) parse(k kind, name string, data []byte) (*batch, error) {
	doc := jsonDocument(name, data)
	o, fault := doc.object()
	if fault != nil {
		return nil, errors.New(fault.String())
	}
	if version, _ := o.get("format_version"); string(version.value) != fmt.Sprint(cacheVersion) {
		return nil, fmt.Errorf("its format_version is not %d", cacheVersion)
	}
	list, ok := o.typed("items", '[')
	items := []registration{}
	for _, element := range elements(list) {
		if o.is(element, '{') {
			items = append(items, registration{o.inner(element), element, s.path})
		}
	}
	if !ok || len(o.faults) > 0 {
		return nil, errors.New("it has no items, or some are not objects")
	}
	b := s.registrar.batch(k, items)
	if hasErrors(b.faults) {
		return nil, registrationError(b.faults)
	}
	b.faults = slices.DeleteFunc(b.faults, func(f Fault) bool { return f.Warning }) // reported when it was written
	for _, h := range b.items {
		if r, ok := h.entry.(*Resource); ok && r.Path != "" && r.isOwnURI(paths{s.root, s.dirs[k]}.short(r.Path)) {
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
