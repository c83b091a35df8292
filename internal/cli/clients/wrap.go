package clients

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
)

// Wrapped returns the entry that an entry of `mcp-bash wrap` runs; ok is false for any other.
func (e Entry) Wrapped() (inner Entry, ok bool) {
	if !e.startsUs() || len(e.Args) == 0 || e.Args[0] != "wrap" {
		return e, false
	}
	if at := slices.Index(e.Args, "--"); at > 0 && at+1 < len(e.Args) {
		return Entry{Command: e.Args[at+1], Args: e.Args[at+2:], Env: e.Env}, true
	}
	if r, ok := remoteOf(e.Args, e.Env); ok {
		return Entry{remote: r}, true
	}
	return e, false
}

// behind returns the entry that runs e behind `program wrap`, with these flags.
func (e Entry) behind(program string, flags []string) Entry {
	flags = slices.Concat([]string{"wrap"}, flags)
	if e.remote.url != "" {
		far, env := e.remote.flags()
		return Entry{Command: program, Args: append(flags, far...), Env: env}
	}
	e.Args = slices.Concat(flags, []string{"--", e.Command}, e.Args)
	e.Command = program
	return e
}

// Wrap plans to run entries behind `program wrap`, with these flags: those that a pattern as of [path.Match] matches.
// Wrapped ones get the new flags. It returns their names.
func (f File) Wrap(patterns []string, program string, flags []string) (c Change, names []string, err error) {
	return f.launch(patterns, func(name string, e Entry) (Entry, error) {
		inner, _ := e.Wrapped()
		switch r := inner.remote; {
		case r.lost != "":
			return e, fmt.Errorf("%s: the entry %q is left as it is: `mcp-bash wrap --url` cannot use %s", f.Path, name, r.lost)
		case r.url == "" && inner.Command == "":
			return e, fmt.Errorf("%s: the entry %q has neither a command nor a %s", f.Path, name, f.Client.shape.remote.url)
		}
		return inner.behind(program, append([]string{"--name", name}, flags...)), nil
	})
}

// Unwrap plans to run entries as they were run before [File.Wrap]. If nothing else has changed since, the file becomes
// what it was.
func (f File) Unwrap(patterns []string) (c Change, names []string, err error) {
	return f.launch(patterns, func(_ string, e Entry) (Entry, error) {
		inner, _ := e.Wrapped()
		return inner, nil
	})
}

// launch plans to start entries as to says. Those for which it returns an error are left, and are an error if a
// pattern is their name.
func (f File) launch(
	patterns []string, to func(name string, e Entry) (Entry, error),
) (c Change, names []string, err error) {
	c = Change{Path: f.Path}
	var existed bool
	if c.Before, existed, err = read(f.Path); err != nil {
		return c, nil, err
	}
	if !existed {
		return c, nil, fmt.Errorf("%s does not exist", f.Path)
	}
	if c.record, err = recordAt(f.Path + ".mcp-bash-wrap"); err != nil {
		return c, nil, err
	}
	entries, err := f.Client.entries(c.Before)
	if err != nil {
		return c, nil, f.at(err)
	}
	started := make(map[string]Entry) // anew
	for _, pattern := range patterns {
		found := false
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			if matched, err := path.Match(pattern, name); err != nil {
				return c, nil, fmt.Errorf("%q is neither the name of an entry nor a pattern such as '*'", pattern)
			} else if !matched && pattern != name {
				continue
			}
			found = true
			e, err := to(name, entries[name])
			_, was := entries[name].Wrapped()
			_, will := e.Wrapped()
			switch {
			case err == nil && (was || will):
				started[name] = e
			case err != nil && pattern == name:
				return c, nil, err
			case err != nil:
				c.Left = append(c.Left, err)
			}
		}
		if !found {
			return c, nil, fmt.Errorf("%s has no entry %q", f.Path, pattern)
		}
	}
	names = slices.Sorted(maps.Keys(started))
	err = f.plan(&c, entries, started)
	return c, names, err
}

// plan completes a change by which some entries are started otherwise. While nothing but wrapping has changed a file,
// it is made anew from the record, so that what is unwrapped is as it was.
func (f File) plan(c *Change, entries, started map[string]Entry) error {
	wrapped := make(map[string]Entry) // before and after
	after := make(map[string]Entry)
	for name, e := range entries {
		if _, ok := e.Wrapped(); ok {
			wrapped[name], after[name] = e, e
		}
	}
	for name, e := range started {
		if _, ok := e.Wrapped(); ok {
			after[name] = e
		} else {
			delete(after, name)
		}
	}
	text, err := f.restart(c.record.text, wrapped)
	c.record.kept = c.record.kept && err == nil && text == c.Before
	if c.After = c.Before; c.record.kept {
		if c.After, err = f.restart(c.record.text, after); err != nil {
			return f.at(err)
		}
	}
	now, err := f.Client.entries(c.After)
	if err == nil {
		maps.DeleteFunc(started, func(name string, e Entry) bool { return now[name].same(e) })
		c.After, err = f.restart(c.After, started)
	}
	if err != nil {
		return f.at(err)
	}
	if c.undo = len(wrapped) > 0 && len(after) == 0; !c.undo {
		c.Backup = c.record.bak
	}
	c.Restored = c.undo && c.record.kept
	return nil
}

// restart returns a text in which entries are started otherwise.
func (f File) restart(text string, started map[string]Entry) (_ string, err error) {
	for _, name := range slices.Sorted(maps.Keys(started)) {
		if text, err = f.Client.change(text, name, f.Client.shape.start(started[name])); err != nil {
			return "", err
		}
	}
	return text, nil
}

// entries returns all entries, by name.
func (c Client) entries(text string) (map[string]Entry, error) {
	all, err := c.decode(text)
	if err != nil {
		return nil, err
	}
	servers, err := c.servers(all)
	if err != nil {
		return nil, err
	}
	if len(servers) == 0 {
		return nil, errors.New("it has no servers")
	}
	entries := make(map[string]Entry)
	for name, value := range servers {
		entries[name] = c.shape.entry(value)
	}
	return entries, nil
}
