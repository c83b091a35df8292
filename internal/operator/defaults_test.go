package operator

import (
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/server"
)

func TestTheUsualValuesOfVariablesAreThoseOfTheServer(t *testing.T) {
	is := is.New(t)
	s, complaints := Read(nil)
	is.Equal(len(complaints), 0)
	is.Equal(s.Limits.Resolved(), server.Limits{}.Resolved()) // docs/ENVIRONMENT.md and the package agree
}
