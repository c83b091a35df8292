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
	is.Equal(nearmiss.Distance("abc", "bac"), 2)
	is.Equal(nearmiss.Distance("abc", "abcdefg"), 3)
}
