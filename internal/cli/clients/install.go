package clients

import "fmt"

// foreign returns why an entry must not be changed; empty for an entry that serves the project at
// root, or any project if root is empty.
func foreign(e Entry, root string) string {
	served, ours := e.Ours()
	switch {
	case !ours:
		return "that does not start mcp-bash"
	case root != "" && served != "" && served != root:
		return "for another project, " + served
	}
	return ""
}

// Install plans to put an entry into the file. An entry of that name that serves the same project is
// updated and keeps what the user has added to it. One that serves something else is an error, or is
// replaced as a whole if force is set.
func (f File) Install(name string, e Entry, force bool) (Change, error) {
	c, err := f.change(name)
	if err != nil {
		return c, err
	}
	old, found, err := f.Client.Get(c.Before, name)
	if err != nil {
		return c, f.at(err)
	}
	why := foreign(old, e.Env[rootVariable])
	switch {
	case found && why != "" && !force:
		return c, fmt.Errorf("%s has an entry %q %s: choose another name with --name, or replace it with --force", f.Path,
			name, why)
	case found && why == "" && old.covers(e):
		c.After = c.Before
		return c, nil
	case found && why == "":
		c.After, err = f.Client.Update(c.Before, name, e)
	default:
		c.After, err = f.Client.Put(c.Before, name, e)
	}
	if err != nil {
		return c, f.at(err)
	}
	// The record stays valid as long as nothing but our entry has changed since.
	c.record.kept = c.record.kept && found && f.untouched(c, name, old)
	if !c.Created {
		c.Backup = c.record.bak
	}
	return c, nil
}

// Uninstall plans to remove an entry from the file. If nothing else has changed since it was
// installed, the file becomes what it was, and is deleted if it did not exist. An entry that does not
// serve the project at root, or any project if root is empty, is an error, unless force is set.
func (f File) Uninstall(name, root string, force bool) (Change, error) {
	c, err := f.change(name)
	if err != nil {
		return c, err
	}
	c.Created = false
	e, found, err := f.Client.Get(c.Before, name)
	switch {
	case err != nil:
		return c, f.at(err)
	case !found:
		c.After = c.Before
		return c, nil
	}
	if why := foreign(e, root); why != "" && !force {
		return c, fmt.Errorf("%s has an entry %q %s: remove it with --force", f.Path, name, why)
	}
	c.undo = true
	if c.record.kept && f.untouched(c, name, e) {
		c.After, c.Deleted, c.Restored = c.record.text, c.record.created, true
		return c, nil
	}
	c.After, err = f.Client.Remove(c.Before, name, f.hadNone(c.record))
	if err != nil {
		return c, f.at(err)
	}
	return c, nil
}

// change returns a plan that changes nothing yet, from the current file.
func (f File) change(name string) (c Change, err error) {
	c = Change{Path: f.Path, perm: f.Perm}
	if c.perm == 0 {
		c.perm = 0o600
	}
	var existed bool
	if c.Before, existed, err = read(f.Path); err != nil {
		return c, err
	}
	c.Created = !existed
	c.record, err = recordOf(f.Path, name)
	return c, err
}

// untouched reports whether the file equals the recorded text with the entry added, apart from what
// is in the entry: users may add to it.
func (f File) untouched(c Change, name string, e Entry) bool {
	text, err := f.Client.Put(c.record.text, name, e)
	if err != nil || text == c.Before {
		return err == nil
	}
	want, err := f.Client.Remove(text, name, false)
	if err != nil {
		return false
	}
	rest, err := f.Client.Remove(c.Before, name, false)
	return err == nil && rest == want
}

// hadNone reports whether the file had no parent for entries before the installation.
func (f File) hadNone(r record) bool {
	if !r.kept {
		return false
	}
	all, err := f.Client.decode(r.text)
	if err != nil {
		return false
	}
	_, had := all[f.Client.parent]
	return !had
}
