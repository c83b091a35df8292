package hooks

import (
	"os"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/internal/shelltest"
)

func TestMain(m *testing.M) { os.Exit(shelltest.Main(m)) }
