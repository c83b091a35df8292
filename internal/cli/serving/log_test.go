package serving

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
)

func TestTheSecretIsNotLogged(t *testing.T) {
	const secret = "0123456789abcdef0123456789abcdef"
	for _, asJSON := range []bool{false, true} {
		is := is.New(t)
		var out strings.Builder
		s := operator.Settings{LogJSON: asJSON}
		s.Secret.Token = secret
		log, done := Log(s, &out)
		log.With("name", secret).Info("call", "id", `"`+secret+`"`, "error", errors.New("no "+secret), slog.Group("g", "id", secret), "n", 1)
		log.Info(secret)
		done()
		is.True(!strings.Contains(out.String(), secret))
		is.Equal(strings.Count(out.String(), "[redacted]"), 5)
		is.Equal(strings.Count(out.String(), "\n"), 2)
	}
}
