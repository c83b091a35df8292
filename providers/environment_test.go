package providers

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestAVariableStandsOnceInAnEnvironment(t *testing.T) {
	is := is.New(t)
	env := []string{"A=1", "B=2", "A=3"}
	is.Equal(strings.Join(with(env, "A=4", "C=5"), " "), "B=2 A=4 C=5")
	is.Equal(strings.Join(env, " "), "A=1 B=2 A=3") // which is not changed
}
