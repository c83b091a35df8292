package nearmiss_test

import (
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/nearmiss"
)

func TestATypingMistakeOrTwoAreUnderstood(t *testing.T) {
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
		is.Equal(nearmiss.Of(word, names), want)
	}
}

func TestDistanceCountsUpToThree(t *testing.T) {
	is := is.New(t)
	is.Equal(nearmiss.Distance("abc", "abc"), 0)
	is.Equal(nearmiss.Distance("abc", "abd"), 1)
	is.Equal(nearmiss.Distance("abc", "bac"), 1) // a swap is one slip
	is.Equal(nearmiss.Distance("abcd", "badc"), 2)
	is.Equal(nearmiss.Distance("abcd", "efgh"), 3)
	is.Equal(nearmiss.Distance("", "ab"), 2)
	is.Equal(nearmiss.Distance("abc", "abcdefg"), 3)
}

func TestAShortWordIsNotTakenForAnotherOne(t *testing.T) {
	for word, want := range map[string]string{"s": "", "B": "b", "bb": "", "ab": "", "lits": "list", "ltsi": "", "lis": "list", "foo": ""} {
		is := is.New(t)
		is.Equal(nearmiss.Of(word, []string{"b", "list", "for-you"}), want) // of a word such as s, nothing is known
	}
}

func TestTheBeginningOfANameIsUnderstood(t *testing.T) {
	is := is.New(t)
	names := []string{"claude-desktop", "claude-code", "cursor"}
	is.Equal(nearmiss.Begun("Claude", names), []string{"claude-desktop", "claude-code"})
	is.Equal(len(nearmiss.Begun("cu", names)), 0)     // two letters are too few
	is.Equal(len(nearmiss.Begun("cursor", names)), 0) // that is the name
}

func TestAQuestionNamesAllThatMayBeMeant(t *testing.T) {
	is := is.New(t)
	is.Equal(nearmiss.Question(), "")
	is.Equal(nearmiss.Question("a"), "did you mean a?")
	is.Equal(nearmiss.Question("a", "b"), "did you mean a or b?")
	is.Equal(nearmiss.Question("a", "b", "c"), "did you mean a, b or c?")
}
