package suggest_test

import (
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

func TestOneOrTwoTypingMistakesAreRecognized(t *testing.T) {
	names := []string{"MCPBASH_PAGE_SIZE", "MCPBASH_LOG_LEVEL"}
	for word, want := range map[string]string{
		"MCPBASH_PAGESIZE":  "MCPBASH_PAGE_SIZE",
		"MCPBASH_PAEG_SIZE": "MCPBASH_PAGE_SIZE",
		"MCPBASH_LOG_LEVLE": "MCPBASH_LOG_LEVEL",
		"MCPBASH_COLOUR":    "",
		"mcpbash_log_level": "MCPBASH_LOG_LEVEL",
		"":                  "",
	} {
		is := is.New(t)
		is.Equal(suggest.Of(word, names), want)
	}
}

func TestDistanceCountsUpToThree(t *testing.T) {
	is := is.New(t)
	is.Equal(suggest.Distance("abc", "abc"), 0)
	is.Equal(suggest.Distance("abc", "abd"), 1)
	is.Equal(suggest.Distance("abc", "bac"), 1) // a swap counts as one mistake
	is.Equal(suggest.Distance("abcd", "badc"), 2)
	is.Equal(suggest.Distance("abcd", "efgh"), 3)
	is.Equal(suggest.Distance("", "ab"), 2)
	is.Equal(suggest.Distance("abc", "abcdefg"), 3)
}

func TestShortWordsAreNotMistakenForOthers(t *testing.T) {
	for word, want := range map[string]string{"s": "", "B": "b", "bb": "", "ab": "", "lits": "list", "ltsi": "", "lis": "list", "foo": ""} {
		is := is.New(t)
		is.Equal(suggest.Of(word, []string{"b", "list", "for-you"}), want) // a word such as s tells nothing
	}
}

func TestThePrefixOfANameIsRecognized(t *testing.T) {
	is := is.New(t)
	names := []string{"claude-desktop", "claude-code", "cursor"}
	is.Equal(suggest.Begun("Claude", names), []string{"claude-desktop", "claude-code"})
	is.Equal(len(suggest.Begun("cu", names)), 0)     // two letters are not enough
	is.Equal(len(suggest.Begun("cursor", names)), 0) // the name itself
}

func TestAQuestionListsAllCandidates(t *testing.T) {
	is := is.New(t)
	is.Equal(suggest.Question(), "")
	is.Equal(suggest.Question("a"), "did you mean a?")
	is.Equal(suggest.Question("a", "b"), "did you mean a or b?")
	is.Equal(suggest.Question("a", "b", "c"), "did you mean a, b or c?")
}

func TestTheClosestNameIsMeantOrThoseThatAWordBegins(t *testing.T) {
	is := is.New(t)
	names := []string{"docs", "doctor", "debug"}
	is.Equal(suggest.Meant("dosc", names), []string{"docs"})
	is.Equal(suggest.Meant("doct", names), []string{"docs"}) // one letter away, though doctor begins with it
	is.Equal(suggest.Meant("docto", []string{"doctor"}), []string{"doctor"})
	is.Equal(suggest.Meant("debugger-of", names), []string(nil))
}

func TestANameThatHoldsAllPartsIsMeant(t *testing.T) {
	is := is.New(t)
	names := []string{"DEFAULT_TOOL_TIMEOUT", "IDLE_TIMEOUT", "TOOL_LIST"}
	is.Equal(suggest.Holding("TOOL_TIMEOUT", names), "DEFAULT_TOOL_TIMEOUT")
	is.Equal(suggest.Holding("TIMEOUT", names), "") // two have it
	is.Equal(suggest.Holding("OTHER", names), "")
}
