package script

import (
	"testing"

	"github.com/matryer/is"
)

func TestAWaitingShellGetsTheVariablesThatDiffer(t *testing.T) {
	later := func(name string) bool { return name == "ARGS" || name == "TOKEN" || name == "no name" }
	early := []string{"HOME=/root", "ARGS={}", "PATH=/bin", "TOKEN="}
	for _, c := range []struct {
		name string
		env  []string
		code string
		ok   bool
	}{
		{"none", early, "", true},
		{"one in the middle", []string{"HOME=/root", "ARGS={'a':1}", "PATH=/bin", "TOKEN="}, `export ARGS='{'\''a'\'':1}'` + "\n", true},
		{"the last one", []string{"HOME=/root", "ARGS={}", "PATH=/bin", "TOKEN=7"}, "export TOKEN='7'\n", true},
		{"two, in another order", []string{"TOKEN=7", "PATH=/bin", "HOME=/root", "ARGS=[]"}, "export TOKEN='7' ARGS='[]'\n", true},
		{"one that is fixed", []string{"HOME=/home", "ARGS={}", "PATH=/bin", "TOKEN="}, "", false},
		{"one is missing", []string{"HOME=/root", "ARGS={}", "TOKEN="}, "", false},
		{"one more that is fixed", append([]string{"LANG=C"}, early...), "", false},
		{"one more that no shell can have", append([]string{"no name=1"}, early...), "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			code, ok := exportCode(c.env, early, later)
			is.Equal(ok, c.ok)
			if ok {
				is.Equal(code, c.code)
			}
		})
	}
}
