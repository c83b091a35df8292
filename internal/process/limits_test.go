package process

import (
	"testing"

	"github.com/matryer/is"
)

func TestLimitsAreReadAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]Limits{
		"":                        {},
		"processes=512,memory=2G": {Processes: 512, Memory: 2 << 30},
		"memory=512MiB fileSize=10k\ncpuSeconds=60, openFiles=100": {Memory: 512 << 20, FileSize: 10 << 10, CPU: 60, OpenFiles: 100},
		"memory=1073741824":           {Memory: 1 << 30},
		"processes=none,cpuSeconds=5": {Processes: -1, CPU: 5},
		"none":                        {Processes: -1, Memory: -1, CPU: -1, FileSize: -1, OpenFiles: -1},
	} {
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			got, err := ParseLimits(text)
			is.NoErr(err)
			is.Equal(got, want)
		})
	}
}

func TestALimitThatMakesNoSenseIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"process=5":          `"process=5" is not a limit; write processes=512,memory=2G: there are processes, memory, cpuSeconds, fileSize and openFiles`,
		"memory":             `"memory" is not a limit; write processes=512,memory=2G: there are processes, memory, cpuSeconds, fileSize and openFiles`,
		"processes=0":        "processes: must be from 1 to 4194304",
		"processes=-3":       "processes: must be from 1 to 4194304",
		"processes=1K":       "processes: must be a whole number",
		"memory=":            "memory: must be a number of bytes, as in 536870912 or 512M",
		"memory=G":           "memory: must be a number of bytes, as in 536870912 or 512M",
		"memory=9999999999T": "memory: must be from 1048576 to 1125899906842624",
		"openFiles=1":        "openFiles: must be from 8 to 1048576",
	} {
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			_, err := ParseLimits(text)
			is.Equal(err.Error(), want)
		})
	}
}

func TestWhatACommandAsksForIsBoundedByTheOperator(t *testing.T) {
	for name, c := range map[string]struct{ asked, ceiling, want Limits }{
		"nothing is said":          {Limits{}, Limits{}, Limits{Processes: DefaultProcesses}},
		"the operator alone":       {Limits{}, Limits{Memory: 5, Processes: 9}, Limits{Memory: 5, Processes: 9}},
		"the command alone":        {Limits{CPU: 7, Processes: 3}, Limits{}, Limits{CPU: 7, Processes: 3}},
		"more than allowed":        {Limits{Memory: 8}, Limits{Memory: 5, Processes: -1}, Limits{Memory: 5}},
		"less than allowed":        {Limits{Memory: 4}, Limits{Memory: 5, Processes: -1}, Limits{Memory: 4}},
		"the operator wants none":  {Limits{}, Limits{Processes: -1}, Limits{}},
		"none, but the command":    {Limits{Processes: 5000}, Limits{Processes: -1}, Limits{Processes: 5000}},
		"more than the usual ones": {Limits{Processes: 5000}, Limits{}, Limits{Processes: DefaultProcesses}},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(c.asked.Within(c.ceiling), c.want)
		})
	}
}
