package clients

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestABatchWrapperNamesTheProjectAndTheProgramAsTheyAre(t *testing.T) {
	is := is.New(t)
	text := BatchWrapper(`C:\Program Files (x86)\mcp-bash.exe`, `C:\100%\weather`)
	is.Equal(strings.Count(text, "\n"), strings.Count(text, "\r\n"))
	is.True(strings.Contains(text, `set "MCPBASH_PROJECT_ROOT=C:\100%%\weather"`)) // not the beginning of a variable
	is.True(strings.Contains(text, `if exist "C:\Program Files (x86)\mcp-bash.exe" set`))
	is.True(strings.Contains(text, `for %%p in (mcp-bash.exe) do set "program=%%~$PATH:p"`))
	is.True(!strings.Contains(text, "%!")) // nothing of it is left to be filled in
}
