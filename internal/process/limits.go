package process

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Limits bound what a command may use. In each field 0 means not set, and less than 0 no limit.
// They are enforced on Linux and Windows, but not on macOS; docs/SECURITY.md has the details.
type Limits struct {
	// Processes is how many processes and threads the command may have with all that it starts.
	// In a cgroup and on Windows exactly these are counted. Elsewhere on Linux it limits how many
	// more processes the user may have than the machine had when the command started, which has
	// no effect on root.
	Processes int64
	// Memory is in bytes: in a cgroup and on Windows, of all processes of the command
	// together, elsewhere of the writable private memory of each process.
	Memory int64
	// CPU is the processor time in seconds: of each process, on Windows of all together.
	CPU int64
	// FileSize is the most bytes that a file may have when a process writes to it. Not on Windows.
	FileSize int64
	// OpenFiles is the most descriptors that a process may have. Not on Windows.
	OpenFiles int64
}

// DefaultProcesses is the limit of processes if none is set: more than ordinary tools need,
// less than would harm a machine.
const DefaultProcesses = 2048

// A LimitName is the name of one limit in metadata and in the operator's variable.
type LimitName struct {
	Name  string
	Bytes bool // it is a size, which may be written as 512M
	Least int64
	Most  int64
	Of    func(*Limits) *int64 // a pointer to the limit
}

// LimitNames are the names of all limits.
var LimitNames = []LimitName{
	{"processes", false, 1, 1 << 22, func(l *Limits) *int64 { return &l.Processes }},
	{"memory", true, 1 << 20, 1 << 50, func(l *Limits) *int64 { return &l.Memory }},
	{"cpuSeconds", false, 1, 365 * 24 * 60 * 60, func(l *Limits) *int64 { return &l.CPU }},
	{"fileSize", true, 1, 1 << 50, func(l *Limits) *int64 { return &l.FileSize }},
	{"openFiles", false, 8, 1 << 20, func(l *Limits) *int64 { return &l.OpenFiles }},
}

// Within returns the limits of a command, with 0 for none: what it asks for, but not more than
// ceiling, which the operator sets. If the ceiling for processes is not set, it is
// DefaultProcesses.
func (l Limits) Within(ceiling Limits) Limits {
	if ceiling.Processes == 0 {
		ceiling.Processes = DefaultProcesses
	}
	for _, n := range LimitNames {
		own, most := n.Of(&l), *n.Of(&ceiling)
		if *own = max(*own, 0); most > 0 && (*own == 0 || *own > most) {
			*own = most
		}
	}
	return l
}

// ParseLimits parses limits such as "processes=512,memory=2G". "none" instead of a number
// means no limit, and "none" alone no limits at all.
func ParseLimits(text string) (l Limits, err error) {
	all := LimitNames
	if strings.TrimSpace(text) == "none" {
		for _, n := range all {
			*n.Of(&l) = -1
		}
		return l, nil
	}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(", \t\n", r) }) {
		name, value, written := strings.Cut(part, "=")
		i := slices.IndexFunc(all, func(n LimitName) bool { return n.Name == name })
		if i < 0 || !written {
			return Limits{}, fmt.Errorf("%q is not a limit; write processes=512,memory=2G: there are processes, memory, "+
				"cpuSeconds, fileSize and openFiles", part)
		}
		if value == "none" {
			*all[i].Of(&l) = -1
		} else if *all[i].Of(&l), err = all[i].Parse(value); err != nil {
			return Limits{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return l, nil
}

// Parse parses one limit: a number, which for sizes can be followed by K, M, G or T.
func (n LimitName) Parse(text string) (int64, error) {
	unit := int64(1)
	if n.Bytes {
		text = strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(text), "B"), "I")
		if i := strings.IndexByte("KMGT", (text + " ")[max(0, len(text)-1)]); i >= 0 && text != "" {
			text, unit = text[:len(text)-1], 1<<(10*(i+1))
		}
	}
	v, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil && n.Bytes:
		return 0, errors.New("must be a number of bytes, as in 536870912 or 512M")
	case err != nil:
		return 0, errors.New("must be a whole number")
	case v > math.MaxInt64/unit || v < 0:
		return 0, n.Check(-1)
	}
	return v * unit, n.Check(v * unit)
}

// Check returns an error for an invalid value.
func (n LimitName) Check(v int64) error {
	if v < n.Least || v > n.Most {
		return fmt.Errorf("must be from %d to %d", n.Least, n.Most)
	}
	return nil
}
