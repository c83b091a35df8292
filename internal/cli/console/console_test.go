package console_test

import (
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

func write(colour bool, tell func(*console.Console)) string {
	var b strings.Builder
	tell(console.New(&b, colour))
	return b.String()
}

func all(c *console.Console) {
	c.Say("made %s", "tools/hello")
	c.OK("bash 5.2")
	c.Warn("no shebang")
	c.Fail("not executable")
	c.Hint("run: chmod +x %s\nor mcp-bash validate --fix", "tool.sh")
}

func TestPeopleReadWhatHappenedAndThenAHint(t *testing.T) {
	is := is.New(t)
	is.Equal(write(false, all), "made tools/hello\n✓ bash 5.2\n⚠ no shebang\n✗ not executable\n  run: chmod +x tool.sh\n  or mcp-bash validate --fix\n") // plain text
}

func TestColoursAreOnTerminalsOnly(t *testing.T) {
	is := is.New(t)
	plain, painted := write(false, all), write(true, all)
	is.True(!strings.Contains(plain, "\x1b")) // none without a terminal
	is.True(strings.Contains(painted, "\x1b[32m✓\x1b[0m bash 5.2\n"))
	is.True(strings.Contains(painted, "\x1b[31m✗\x1b[0m not executable\n"))
}

func TestProgramsReadJSONThatIsNotEscapedForHTML(t *testing.T) {
	is := is.New(t)
	got := write(false, func(c *console.Console) { is.NoErr(c.JSON(map[string]string{"hint": "a < b"})) })
	is.Equal(got, "{\n  \"hint\": \"a < b\"\n}\n")
}

func TestADiffColoursWhatIsAddedAndWhatIsTakenAway(t *testing.T) {
	is := is.New(t)
	diff := " same\n-old\n+new\n"
	is.Equal(write(false, func(c *console.Console) { c.Diff(diff) }), diff)
	is.Equal(write(true, func(c *console.Console) { c.Diff(diff) }), " same\n\x1b[31m-old\x1b[0m\n\x1b[32m+new\x1b[0m\n")
}

func TestNothingThatIsToldSteersTheTerminal(t *testing.T) {
	is := is.New(t)
	const evil = "a\x1b]0;title\x07b\r\u009b31m\u202ec\td"
	is.Equal(console.Plain(evil), "a]0;titleb31mc\td")
	got := write(false, func(c *console.Console) {
		c.Say("%s", evil)
		c.Fail("%s", evil)
		c.Hint("%s", evil)
		c.Diff("+" + evil)
	})
	is.True(!strings.ContainsAny(got, "\x1b\x07\r\u009b\u202e"))
}
