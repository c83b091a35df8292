package console_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

func TestThingsAreCountedInWords(t *testing.T) {
	is := is.New(t)
	is.Equal(console.Count(0, "tool"), "no tools")
	is.Equal(console.Count(1, "tool"), "1 tool")
	is.Equal(console.Count(2, "tool"), "2 tools")
}

func TestAWordIsQuotedOnlyIfAShellWouldChangeIt(t *testing.T) {
	is := is.New(t)
	is.Equal(console.Quote("plain-word"), "plain-word")
	is.Equal(console.Quote("two words"), "'two words'")
	is.Equal(console.Quote("text=two words"), "text='two words'")
	is.Equal(console.Quote("=a"), "'=a'") // zsh would look for a command
	is.Equal(console.Quote("two words=a"), "'two words=a'")
	is.Equal(console.Quote("\x00"), "''") // which no shell can take
}

func TestAFaultOfACommandLineIsKnownWhereverItIsWrapped(t *testing.T) {
	is := is.New(t)
	err := console.Usagef("--file %s: %w", "x", fs.ErrNotExist)
	is.Equal(err.Error(), "--file x: file does not exist")
	is.True(errors.As(errors.Join(err), new(console.UsageError)))
	is.True(errors.Is(err, fs.ErrNotExist))
}
