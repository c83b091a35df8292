//go:build unix

package providers

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
)

// execution runs scripts in a folder with a minimal environment.
func execution(dir string) Exec {
	inFolder := runIn(dir)
	return Exec{Run: func(ctx context.Context, c Command) (Output, error) {
		c.Env = append([]string{"PATH=" + os.Getenv("PATH")}, c.Env...)
		return inFolder(ctx, c)
	}}
}

// scriptOf returns a provider that runs these lines of shell.
func scriptOf(t testing.TB, lines string) Script {
	dir := t.TempDir()
	return Script{Path: write(t, dir, "probe.sh", "#!/bin/sh\n"+lines), Exec: execution(dir)}
}

func TestAScriptGetsTheURIAndItsOutputIsTheResource(t *testing.T) {
	is := is.New(t)
	is.Equal(read(t, scriptOf(t, `printf '%s|%s|%s' "$#" "$1" "$MCP_RESOURCE_URI"; pwd >&2`), "db://users/7?x=a b;$(id)`"),
		"{\"uri\":\"db://users/7?x=a b;$(id)`\",\"mimeType\":\"text/plain\",\"text\":\"1|db://users/7?x=a b;$(id)`|db://users/7?x=a b;$(id)`\"}")
	is.Equal(read(t, scriptOf(t, `printf 'a\0b'`), "db://x.png"), `{"uri":"db://x.png","mimeType":"application/octet-stream","blob":"YQBi"}`)
	is.Equal(read(t, scriptOf(t, `echo '# Hi'`), "db://a/x.md"), `{"uri":"db://a/x.md","mimeType":"text/markdown","text":"# Hi\n"}`)
	is.Equal(read(t, scriptOf(t, `cat`), "db://x"), `{"uri":"db://x","mimeType":"text/plain","text":""}`) // stdin is empty
	is.Equal(read(t, scriptOf(t, `:`), "--help"), "invalid resource URI: it must begin with a scheme, as in file:///path")
}

func TestTheExitCodeOfAScriptSelectsTheFault(t *testing.T) {
	for _, c := range []struct{ lines, want string }{
		{"echo not yours >&2; exit 2", "resource not allowed: not yours"},
		{"echo no user 7 >&2; exit 3", "resource not found: no user 7"},
		{"exit 3", "resource not found: probe.sh ended with exit code 3"},
		{"echo the id must be a number >&2; exit 4", "invalid resource URI: the id must be a number"},
		{"echo no route >&2; exit 5", "resource unavailable: no route"},
		{"echo partial; exit 6", "resource too large: probe.sh ended with exit code 6"},
		{"echo redirect:https://b.test/x >&2; exit 7", "resource unavailable: redirect to https://b.test/x; redirects are not followed, so ask for that URL if its host is allowed"},
		{"echo lost >&2; exit 7", "resource unavailable: lost"},
		{"echo oops >&2; exit 1", "resource unavailable: oops"},
		{"exit 127", "resource unavailable: probe.sh ended with exit code 127"},
		{"kill -9 $$", "resource unavailable: probe.sh was ended by SIGKILL"},
	} {
		is := is.New(t)
		is.Equal(read(t, scriptOf(t, c.lines), "db://x"), c.want)
	}
}

func TestAScriptThatCannotStartNamesTheRemedy(t *testing.T) {
	is := is.New(t)
	s := scriptOf(t, "")
	is.NoErr(os.WriteFile(s.Path, []byte("#!/no/such/shell\n"), 0o755))
	got := read(t, s, "db://x")
	is.True(strings.HasPrefix(got, "resource unavailable: cannot start "))
	is.True(strings.Contains(got, "/no/such/shell in its #! line does not exist; install it"))
}

func TestAScriptThatWritesTooMuchIsEnded(t *testing.T) {
	is := is.New(t)
	s := scriptOf(t, "exec yes")
	s.MaxBytes = 1000
	is.Equal(read(t, s, "db://x"), "resource too large: the limit is 1000 bytes; raise MCPBASH_MAX_RESOURCE_BYTES")
	s = scriptOf(t, "printf 1234567890")
	s.MaxBytes = 10
	_, err := s.Read(t.Context(), "db://x")
	is.NoErr(err) // exactly the limit
	s.MaxBytes = 9
	_, err = s.Read(t.Context(), "db://x")
	is.True(errors.Is(err, ErrTooLarge)) // one byte more, of a script that ends by itself
}

func TestAScriptThatTakesTooLongIsEnded(t *testing.T) {
	is := is.New(t)
	s := scriptOf(t, "exec tail -f /dev/null")
	s.Timeout = 50 * time.Millisecond
	is.Equal(read(t, s, "db://x"), "resource unavailable: probe.sh did not end within 50ms")
}

func TestAScriptEndsWithItsCall(t *testing.T) {
	is := is.New(t)
	gone := errors.New("cancelled")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := scriptOf(t, "echo started >started; exec tail -f /dev/null")
	go func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for range tick.C {
			if _, err := os.Stat(filepath.Join(filepath.Dir(s.Path), "started")); err == nil || t.Context().Err() != nil {
				cancel(gone)
				return
			}
		}
	}()
	_, err := s.Read(ctx, "db://x")
	is.Equal(err, gone)
}

func TestAScriptSeesNothingOfTheServersEnvironment(t *testing.T) {
	is := is.New(t)
	t.Setenv("MY_SECRET", "hunter2")
	got := read(t, scriptOf(t, "env | cut -d= -f1 | sort | tr '\n' ' '"), "db://x")
	is.True(!strings.Contains(got, "MY_SECRET"))
	is.True(strings.Contains(got, "MCP_RESOURCE_URI"))
}

func TestTheProjectsScriptsTakePrecedenceAndAreFoundAtOnce(t *testing.T) {
	is := is.New(t)
	folder := t.TempDir()
	s := Set{Scripts: Scripts{Folder: folder, Exec: execution(folder)}, Schemes: map[string]Provider{"echo": Echo{}}}
	is.Equal(read(t, s, "echo://x"), `{"uri":"echo://x","mimeType":"text/plain","text":"x"}`)
	write(t, folder, "echo.sh", "#!/bin/sh\nprintf mine")
	is.Equal(read(t, s, "echo://x"), `{"uri":"echo://x","mimeType":"text/plain","text":"mine"}`)
	write(t, folder, "git.sh", "#!/bin/sh\nprintf git")
	is.Equal(read(t, s, "git+https://x.test/r#f"), `{"uri":"git+https://x.test/r#f","mimeType":"text/plain","text":"git"}`)
	write(t, folder, "git+https.sh", "#!/bin/sh\nprintf whole")
	is.Equal(read(t, s, "git+https://x.test/r#f"), `{"uri":"git+https://x.test/r#f","mimeType":"text/plain","text":"whole"}`)
	is.NoErr(os.Mkdir(filepath.Join(folder, "dir.sh"), 0o755))
	is.True(strings.HasPrefix(read(t, s, "dir://x"), "resource not found: "))
}
