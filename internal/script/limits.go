package script

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Limits bound what a command may use. In each field 0 means that nothing was said, and less
// than 0 that there shall be no limit. How far the system holds them is in docs/SECURITY.md:
// on Linux and Windows it does, on macOS it does not.
type Limits struct {
	// Processes is how many processes and threads the command may have with all that it
	// starts. In a cgroup and on Windows exactly that is counted. Elsewhere on Linux it is how
	// many more its user may have than the machine had when it started, which does not hold
	// for root.
	Processes int64
	// Memory is bytes: of all that the command starts together in a cgroup and on Windows,
	// elsewhere of the writable private memory of each process.
	Memory int64
	// CPU is seconds of processor time: of each process, on Windows of all together.
	CPU int64
	// FileSize is the bytes that a file may have which a process writes. Not on Windows.
	FileSize int64
	// OpenFiles is how many descriptors a process may have. Not on Windows.
	OpenFiles int64
}

// DefaultProcesses is the limit of processes where nothing else was said: more than honest
// tools have, less than a machine can bear.
const DefaultProcesses = 2048

// A LimitName says what one limit is called in metadata and in the variable of the operator.
type LimitName struct {
	Name  string
	Bytes bool // it is a size, so it may be written as 512M
	Least int64
	Most  int64
	field func(*Limits) *int64
}

// Of returns where l has the limit.
func (n LimitName) Of(l *Limits) *int64 { return n.field(l) }

// LimitNames returns the limits that there are.
func LimitNames() []LimitName {
	return []LimitName{
		{"processes", false, 1, 1 << 22, func(l *Limits) *int64 { return &l.Processes }},
		{"memory", true, 1 << 20, 1 << 50, func(l *Limits) *int64 { return &l.Memory }},
		{"cpuSeconds", false, 1, 365 * 24 * 60 * 60, func(l *Limits) *int64 { return &l.CPU }},
		{"fileSize", true, 1, 1 << 50, func(l *Limits) *int64 { return &l.FileSize }},
		{"openFiles", false, 8, 1 << 20, func(l *Limits) *int64 { return &l.OpenFiles }},
	}
}

// Within returns the limits that hold for a command, with 0 for none: what it asks for, but
// not more than ceiling, which is what the operator says. For processes that is
// DefaultProcesses where nothing is said.
func (l Limits) Within(ceiling Limits) Limits {
	if ceiling.Processes == 0 {
		ceiling.Processes = DefaultProcesses
	}
	for _, n := range LimitNames() {
		own, most := n.field(&l), *n.field(&ceiling)
		if *own = max(*own, 0); most > 0 && (*own == 0 || *own > most) {
			*own = most
		}
	}
	return l
}

// ParseLimits reads limits as "processes=512,memory=2G"; "none" in the place of a number
// is no limit, and alone that there are none at all.
func ParseLimits(text string) (l Limits, err error) {
	all := LimitNames()
	if strings.TrimSpace(text) == "none" {
		for _, n := range all {
			*n.field(&l) = -1
		}
		return l, nil
	}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(", \t\n", r) }) {
		name, value, written := strings.Cut(part, "=")
		i := slices.IndexFunc(all, func(n LimitName) bool { return n.Name == name })
		if i < 0 || !written {
			return Limits{}, fmt.Errorf("%q is not a limit; write processes=512,memory=2G: there are processes, memory, cpuSeconds, fileSize and openFiles", part)
		}
		if value == "none" {
			*all[i].field(&l) = -1
		} else if *all[i].field(&l), err = all[i].Parse(value); err != nil {
			return Limits{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return l, nil
}

// Parse reads one limit: a number, for sizes with K, M, G or T behind it.
func (n LimitName) Parse(text string) (int64, error) {
	v, err := n.parse(text)
	if err == nil {
		err = n.Check(v)
	}
	if err != nil {
		return 0, err
	}
	return v, nil
}

func (n LimitName) parse(text string) (int64, error) {
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
		return 0, n.outside()
	}
	return v * unit, nil
}

// Check reports a value that makes no sense.
func (n LimitName) Check(v int64) error {
	if v < n.Least || v > n.Most {
		return n.outside()
	}
	return nil
}

func (n LimitName) outside() error { return fmt.Errorf("must be from %d to %d", n.Least, n.Most) }
