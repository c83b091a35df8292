package process

import (
	"context"
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// Executable reports whether there is a file or folder: Windows has no permission to execute it.
func Executable(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func isFormatError(err error) bool { return errors.Is(err, windows.ERROR_BAD_EXE_FORMAT) }

// This system has no such limits.
func processLimit() uint64 { return math.MaxUint64 }

// OpenFiles returns how many files this process may have open; MaxUint64 for no limit.
func OpenFiles() uint64 { return math.MaxUint64 }

// SetUmask does nothing on Windows, where new files get the permissions of their folder.
func SetUmask(mask int) {}

// adoption is empty: a command runs in a job, which its descendants cannot leave.
type adoption struct{}

// Adopt does nothing on Windows.
func (r *Runner) Adopt() error { return nil }

func (adoption) end() {}

// keeper is empty: a job enforces its limits itself, and ends with the server.
type keeper struct{}

type systemHold struct{}

// prepare clears the limits that a job cannot enforce.
func (r *Runner) prepare(_ context.Context, h *hold) error {
	h.limits.FileSize, h.limits.OpenFiles = 0, 0
	return nil
}

func (h *hold) release() {}

func (h *hold) reached(Result, *os.ProcessState) string { return "" }

// Guard is not needed on Windows: what is left of a job ends when the server does.
func Guard([]string) error { return errors.New("Windows has no guard, and needs none") }

func (r *Runner) endGuard() {}

// CheckCgroup returns an error: this system has no cgroups.
func CheckCgroup(string) error { return errors.New("there are cgroups on Linux only") }

// Unheld returns which limits are not enforced for the commands of this process, a sentence each.
func Unheld(string) []string { return []string{"Windows does not hold fileSize and openFiles"} }
