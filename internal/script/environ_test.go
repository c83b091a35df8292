package script

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestAVariableStandsOnceInAnEnvironment(t *testing.T) {
	is := is.New(t)
	env := []string{"A=1", "B=2", "A=3"}
	is.Equal(strings.Join(With(env, "A=4", "C=5"), " "), "B=2 A=4 C=5")
	is.Equal(strings.Join(env, " "), "A=1 B=2 A=3") // which is not changed
}
