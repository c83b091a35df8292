//go:build unix

package process

import (
	"errors"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestACommandIsStartedWhereItIsConfined(t *testing.T) {
	is := is.New(t)
	inside, released := false, false
	out := Head{Limit: 100}
	_, err := runner.Run(t.Context(), Command{Path: "/bin/sh", Args: []string{"-c", "echo x"}, Stdout: &out, Confine: func(start func() error) (func(), error) {
		inside = true
		return func() { released = true }, start()
	}})
	is.NoErr(err)
	is.True(inside && released)
	is.Equal(out.Text(), "x\n")
}

func TestACommandThatCannotBeConfinedDoesNotRun(t *testing.T) {
	is := is.New(t)
	out := Head{Limit: 100}
	why := errors.New("this system has no walls")
	_, err := runner.Run(t.Context(), Command{Path: "/bin/sh", Args: []string{"-c", "echo x"}, Stdout: &out, Confine: func(func() error) (func(), error) {
		return func() {}, why
	}})
	var not *StartError
	is.True(errors.As(err, &not))
	is.True(errors.Is(err, why))
	is.True(strings.Contains(err.Error(), "has no walls"))
	is.Equal(out.Text(), "")
}

// Faults of the command itself are reported as usual.
func TestAConfinedCommandThatIsMissingIsToldSo(t *testing.T) {
	is := is.New(t)
	_, err := runner.Run(t.Context(), Command{Path: "/nowhere/x", Confine: func(start func() error) (func(), error) { return func() {}, start() }})
	is.True(err != nil && strings.Contains(err.Error(), "the file does not exist"))
}
