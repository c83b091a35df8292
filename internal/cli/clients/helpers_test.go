package clients

import (
	"os"
	"path/filepath"
	"testing"
)

// ada is a user on each system.
func ada(system string) Machine {
	m := Machine{OS: system, Home: "/home/ada", Env: map[string]string{}}
	switch system {
	case "darwin":
		m.Home = "/Users/ada"
	case "windows":
		m.Home = `C:\Users\ada`
		m.Env["APPDATA"] = `C:\Users\ada\AppData\Roaming`
	}
	return m
}

// weather is an entry on each system.
func weather(system string) Entry {
	switch system {
	case "darwin":
		return For("/opt/homebrew/bin/mcp-bash", "/Users/ada/my scripts/weather")
	case "windows":
		return For(`C:\Tools\mcp-bash.exe`, `C:\Users\ada\weather`)
	}
	return For("/usr/local/bin/mcp-bash", "/home/ada/weather")
}

func client(t testing.TB, name string) Client {
	t.Helper()
	c, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// memory is a folder that is gone after the test: in memory where the system has such a place, as
// every change waits for the disk, and there are thousands of them.
func memory(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "mcpbash.clients.")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fileOf puts a text where a client looks for it.
func fileOf(t testing.TB, name, text string) File {
	t.Helper()
	f := File{Client: client(t, name), Path: filepath.Join(memory(t), "config")}
	put(t, f.Path, text)
	return f
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// install applies an installation.
func install(t testing.TB, f File, name string, e Entry, force bool) Change {
	t.Helper()
	c, err := f.Install(name, e, force)
	return applied(t, c, err)
}

func uninstall(t testing.TB, f File, name string) Change {
	t.Helper()
	c, err := f.Uninstall(name, "", false)
	return applied(t, c, err)
}

func applied(t testing.TB, c Change, err error) Change {
	t.Helper()
	if err == nil {
		err = c.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// names lists what is in a folder.
func names(t testing.TB, folder string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}
